#include "core/train/shards/batch_barrier.h"

#include <algorithm>
#include <utility>

namespace percale {
namespace {

template <class T>
std::vector<double> widened(const ShardPart& part) {
  const auto* from = static_cast<const T*>(part.numbers);
  return std::vector<double>(from, from + part.count);
}

template <class T>
void write(const std::vector<double>& from, double factor, void* to) {
  auto* out = static_cast<T*>(to);
  for (size_t i = 0; i < from.size(); ++i) out[i] = static_cast<T>(from[i] * factor);
}

}  // namespace

BatchBarrier::BatchBarrier(std::vector<int64_t> rows, int32_t slots) : rows_(std::move(rows)), slots_(slots) {
  for (const int64_t count : rows_) {
    all_rows_ += count;
    shards_ += count > 0 ? 1 : 0;
  }
}

bool BatchBarrier::mean(const ShardPart& part, bool transposed, void* out) {
  const bool wide = part.dtype == DType::kF64;
  const auto shard = static_cast<size_t>(part.shard);
  const std::lock_guard lock(mutex_);
  auto found = subjects_.find(part.node);
  if (found == subjects_.end()) {
    Subject fresh;
    fresh.parts.resize(rows_.size());
    fresh.missing = shards_;
    fresh.result.resize(static_cast<size_t>(part.count));
    found = subjects_.emplace(std::string(part.node), std::move(fresh)).first;
  }
  Subject& subject = found->second;
  if (part.count > 0 && subject.missing > 0 && subject.parts[shard].empty()) {
    subject.parts[shard] = wide ? widened<double>(part) : widened<float>(part);
    if (--subject.missing == 0) {
      for (size_t s = 0; s < rows_.size(); ++s) {
        const double factor = transposed ? 1 : static_cast<double>(rows_[s]) / static_cast<double>(all_rows_);
        for (size_t i = 0; i < subject.parts[s].size(); ++i) subject.result[i] += subject.parts[s][i] * factor;
        subject.parts[s] = {};
      }
      for (ShardWaiter* waiter : waiters_) waiter->wake();
    }
  }
  if (part.count > 0 && subject.missing > 0) return false;
  const double factor = transposed ? static_cast<double>(rows_[shard]) / static_cast<double>(all_rows_) : 1;
  if (wide) {
    write<double>(subject.result, factor, out);
  } else {
    write<float>(subject.result, factor, out);
  }
  return true;
}

void BatchBarrier::attach(ShardWaiter& waiter) {
  const std::lock_guard lock(mutex_);
  waiters_.push_back(&waiter);
}

void BatchBarrier::detach(ShardWaiter& waiter) {
  const std::lock_guard lock(mutex_);
  std::erase(waiters_, &waiter);
}

// A thread takes a slot to compute, and gives it back while it waits for other shards.
void BatchBarrier::begin_work() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return slots_ > 0; });
  --slots_;
}

void BatchBarrier::end_work() {
  const std::lock_guard lock(mutex_);
  ++slots_;
  freed_.notify_one();
}

}  // namespace percale

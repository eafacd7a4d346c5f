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

BatchBarrier::BatchBarrier(std::vector<int64_t> rows, const ShardRange& own, int32_t slots)
    : rows_(std::move(rows)), slots_(slots) {
  for (size_t shard = 0; shard < rows_.size(); ++shard) {
    all_rows_ += rows_[shard];
    if (rows_[shard] == 0) continue;
    ++shards_;
    const auto number = static_cast<int64_t>(shard);
    if (own.begin <= number && number < own.end) ++own_shards_;
  }
}

BatchBarrier::Subjects::iterator BatchBarrier::subject_of(const ShardPart& part, bool transposed) {
  const auto found = subjects_.find(part.node);
  if (found != subjects_.end()) return found;
  Subject fresh;
  fresh.parts.resize(rows_.size());
  fresh.missing = own_shards_;
  fresh.transposed = transposed;
  fresh.result.resize(static_cast<size_t>(part.count));
  return subjects_.emplace(std::string(part.node), std::move(fresh)).first;
}

void BatchBarrier::finish(Subject& subject) {
  for (size_t s = 0; s < rows_.size(); ++s) {
    const double factor = subject.transposed ? 1 : static_cast<double>(rows_[s]) / static_cast<double>(all_rows_);
    for (size_t i = 0; i < subject.parts[s].size(); ++i) subject.result[i] += subject.parts[s][i] * factor;
    subject.parts[s] = {};
  }
  subject.done = true;
  for (ShardWaiter* waiter : waiters_) waiter->wake();
}

bool BatchBarrier::mean(const ShardPart& part, bool transposed, void* out) {
  const bool wide = part.dtype == DType::kF64;
  const auto shard = static_cast<size_t>(part.shard);
  const std::lock_guard lock(mutex_);
  const auto found = subject_of(part, transposed);
  Subject& subject = found->second;
  if (part.count > 0 && subject.missing > 0 && subject.parts[shard].empty()) {
    subject.parts[shard] = wide ? widened<double>(part) : widened<float>(part);
    if (--subject.missing == 0) {
      if (has_others()) {
        complete_.push_back({found->first, part.count});
        completed_.notify_all();
      } else {
        finish(subject);
      }
    }
  }
  if (part.count > 0 && !subject.done) return false;
  const double factor = transposed ? static_cast<double>(rows_[shard]) / static_cast<double>(all_rows_) : 1;
  if (wide) {
    write<double>(subject.result, factor, out);
  } else {
    write<float>(subject.result, factor, out);
  }
  return true;
}

std::optional<BatchBarrier::Complete> BatchBarrier::next_complete() {
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [this] { return closed_ || !complete_.empty(); });
  if (complete_.empty()) return std::nullopt;
  Complete out = std::move(complete_.front());
  complete_.pop_front();
  return out;
}

bool BatchBarrier::wait_complete(std::string_view node) {
  std::unique_lock lock(mutex_);
  const auto complete = [&] {
    const auto found = subjects_.find(node);
    return own_shards_ == 0 || (found != subjects_.end() && found->second.missing == 0);
  };
  completed_.wait(lock, [&] { return closed_ || complete(); });
  return complete();
}

void BatchBarrier::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  completed_.notify_all();
}

std::vector<double> BatchBarrier::part(std::string_view node, int64_t shard) {
  const std::lock_guard lock(mutex_);
  const auto found = subjects_.find(node);
  return found == subjects_.end() ? std::vector<double>() : found->second.parts[static_cast<size_t>(shard)];
}

void BatchBarrier::give(std::string_view node, const std::map<int64_t, std::vector<double>>& others) {
  const std::lock_guard lock(mutex_);
  const auto found = subjects_.find(node);
  if (found == subjects_.end()) return;  // no own shard has rows
  for (const auto& [shard, numbers] : others) found->second.parts[static_cast<size_t>(shard)] = numbers;
  finish(found->second);
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

#include "core/train/group/barrier_exchange.h"

#include <cstring>
#include <map>
#include <new>
#include <utility>

#include "core/base/thread_pool.h"

namespace percale {
namespace {

// The leader's message: an error, how many numbers a shard contributes, the node's name.
constexpr size_t kCountAt = kErrorBytes, kNameAt = kCountAt + sizeof(int64_t), kNextBytes = 2048;
constexpr int64_t kMostNumbers = int64_t{1} << 24;  // of a shard for one node

}  // namespace

BarrierExchange::BarrierExchange(Group& group, BatchBarrier& barrier, std::vector<int64_t> rows,
                                 std::function<void()> stop)
    : group_(group), barrier_(barrier), rows_(std::move(rows)), stop_(std::move(stop)) {
  while (shards_of(leader_).empty()) ++leader_;  // a batch has rows
}

Result<std::unique_ptr<BarrierExchange>> BarrierExchange::begin(Group& group, BatchBarrier& barrier,
                                                                std::vector<int64_t> rows, std::function<void()> stop) {
  std::unique_ptr<BarrierExchange> out(new BarrierExchange(group, barrier, std::move(rows), std::move(stop)));
  PERCALE_ASSIGN_OR_RETURN(out->thread_, start_thread("percale-group", [p = out.get()] { p->work(); }));
  return out;
}

BarrierExchange::~BarrierExchange() {
  if (thread_.joinable()) (void)finish(Status::out_of_memory());
}

std::vector<int64_t> BarrierExchange::shards_of(size_t rank) const {
  const ShardRange range = group_.shards_of(rank, static_cast<int64_t>(rows_.size()));
  std::vector<int64_t> out;
  for (int64_t shard = range.begin; shard < range.end; ++shard) {
    if (rows_[static_cast<size_t>(shard)] > 0) out.push_back(shard);
  }
  return out;
}

Status BarrierExchange::finish(const Status& own) {
  own_ = own;
  barrier_.close();
  thread_.join();
  const bool stopped = own.ok() || own.code() == Code::kCancelled;
  return failed() && stopped ? error_ : own;
}

void BarrierExchange::work() {
  try {
    error_ = exchange_all();
  } catch (const std::bad_alloc&) {
    error_ = Status::out_of_memory();
  }
  if (!error_.ok()) stop_();
}

Status BarrierExchange::exchange_all() {
  while (true) {
    PERCALE_ASSIGN_OR_RETURN(const Next next, exchange_next());
    if (next.node.empty()) return {};
    PERCALE_RETURN_IF_ERROR(exchange_parts(next));
  }
}

Result<BarrierExchange::Next> BarrierExchange::exchange_next() {
  std::vector<uint8_t> message(kNextBytes, 0);
  const ByteSpan bytes{message.data(), message.size()};
  std::vector<ByteSpan> sends(group_.size()), recvs(group_.size());
  Next next;
  if (leads()) {
    if (auto complete = barrier_.next_complete()) {
      next = {std::move(complete->node), complete->count};
    } else {
      write_error(own_, message.data());
    }
    if (kNameAt + next.node.size() >= kNextBytes) {
      return unimplemented("a synchronized node whose name has ", next.node.size(), " bytes");
    }
    std::memcpy(message.data() + kCountAt, &next.count, sizeof next.count);
    std::memcpy(message.data() + kNameAt, next.node.data(), next.node.size());
    sends.assign(group_.size(), bytes);
  } else {
    recvs[leader_] = bytes;
  }
  PERCALE_RETURN_IF_ERROR(group_.exchange("the next synchronized node", std::move(sends), std::move(recvs)));
  PERCALE_RETURN_IF_ERROR(read_error(message.data()).with_context(str_cat("rank ", leader_)));
  if (leads()) return next;
  const auto* const name = reinterpret_cast<const char*>(message.data()) + kNameAt;
  std::memcpy(&next.count, message.data() + kCountAt, sizeof next.count);
  next.node.assign(name, strnlen(name, kNextBytes - kNameAt));
  if (next.count < 0 || next.count > kMostNumbers) {
    return data_loss("rank ", leader_, " announces ", next.count, " numbers of a shard");
  }
  return next;
}

// Each rank's message: an error, then the numbers of its shards.
Status BarrierExchange::exchange_parts(const Next& next) {
  const bool complete = barrier_.wait_complete(next.node);
  const auto each = static_cast<size_t>(next.count) * sizeof(double);
  std::vector<std::vector<uint8_t>> messages(group_.size());
  std::vector<ByteSpan> recvs;
  for (size_t rank = 0; rank < group_.size(); ++rank) {
    messages[rank].resize(kErrorBytes + shards_of(rank).size() * each);
    recvs.push_back({messages[rank].data(), messages[rank].size()});
  }
  uint8_t* to = messages[group_.rank()].data();
  if (!complete) write_error(own_, to);
  to += kErrorBytes;
  for (const int64_t shard : shards_of(group_.rank())) {
    const std::vector<double> numbers = barrier_.part(next.node, shard);
    if (numbers.size() * sizeof(double) == each) std::memcpy(to, numbers.data(), each);
    to += each;
  }
  PERCALE_RETURN_IF_ERROR(
      group_.exchange("synchronized means", std::vector<ByteSpan>(group_.size(), recvs[group_.rank()]), recvs));
  std::map<int64_t, std::vector<double>> others;
  for (size_t rank = 0; rank < group_.size(); ++rank) {
    PERCALE_RETURN_IF_ERROR(read_error(messages[rank].data()).with_context(str_cat("rank ", rank)));
    const uint8_t* from = messages[rank].data() + kErrorBytes;
    for (const int64_t shard : shards_of(rank)) {
      if (rank != group_.rank()) {
        auto& numbers = others[shard];
        numbers.resize(static_cast<size_t>(next.count));
        std::memcpy(numbers.data(), from, each);
      }
      from += each;
    }
  }
  barrier_.give(next.node, others);
  return {};
}

}  // namespace percale

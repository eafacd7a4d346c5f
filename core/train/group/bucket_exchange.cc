#include "core/train/group/bucket_exchange.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/thread_pool.h"

namespace percale {

BucketExchange::BucketExchange(Batch batch, Exchange exchange, std::function<void()> stop)
    : batch_(std::move(batch)), exchange_(std::move(exchange)), stop_(std::move(stop)), next_(batch_.first_bucket) {
  const auto subtrees = static_cast<size_t>(std::ranges::count(batch_.subtree_rows, true));
  for (const size_t gradients : batch_.gradients) missing_.push_back(gradients * subtrees);
  own_.assign(batch_.subtree_rows.size(), nullptr);
}

Result<std::unique_ptr<BucketExchange>> BucketExchange::begin(Batch batch, Exchange exchange,
                                                              std::function<void()> stop) {
  std::unique_ptr<BucketExchange> out(new BucketExchange(std::move(batch), std::move(exchange), std::move(stop)));
  PERCALE_ASSIGN_OR_RETURN(out->thread_, start_thread("percale-group", [p = out.get()] { p->work(); }));
  return out;
}

BucketExchange::~BucketExchange() { close(); }

void BucketExchange::ready(size_t subtree, size_t tensor, const std::vector<Tensor>& sums) noexcept {
  const size_t bucket = batch_.bucket_of[tensor];
  if (bucket == kNone) return;
  const std::lock_guard lock(mutex_);
  own_[subtree] = &sums;
  if (--missing_[bucket] == 0) changed_.notify_one();
}

void BucketExchange::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Status BucketExchange::finish(const Status& own) {
  close();
  const bool stopped = own.ok() || own.code() == Code::kCancelled;
  return failed() && stopped ? error_ : own;
}

void BucketExchange::work() {
  Status status;
  try {
    status = exchange_all();
  } catch (const std::bad_alloc&) {
    status = Status::out_of_memory();
  }
  if (status.ok()) return;
  error_ = std::move(status);
  stop_();
}

Status BucketExchange::exchange_all() {
  std::unique_lock lock(mutex_);
  while (next_ < missing_.size()) {
    changed_.wait(lock, [&] { return closed_ || may_exchange(); });
    if (closed_) break;
    const SubtreeSums own = own_;
    lock.unlock();
    PERCALE_RETURN_IF_ERROR(exchange_(next_, own));
    lock.lock();
    ++next_;
  }
  return {};
}

}  // namespace percale

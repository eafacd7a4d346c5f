#include "core/train/data/prefetch.h"

#include <new>

namespace percale {

Result<ProcessPtr<Prefetcher>> Prefetcher::create(std::shared_ptr<const Dataset> dataset, DatasetPosition first,
                                                  int64_t epochs, size_t ahead, ParallelFor parallel) {
  ProcessPtr<Prefetcher> out(new Prefetcher);
  out->dataset_ = std::move(dataset);
  out->position_ = first;
  out->epochs_ = epochs;
  out->ahead_ = ahead;
  out->parallel_ = parallel;
  if (first.batch > out->dataset_->batches()) {
    return out_of_range("data set: batch ", first.batch, " is out of range, there are ", out->dataset_->batches());
  }
  if (ahead == 0) return out;
  PERCALE_ASSIGN_OR_RETURN(out->thread_, start_thread("percale-data", [p = out.get()] { p->work(); }));
  return out;
}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Advances to the next epoch at the end of one. Returns false if there are no more batches.
bool Prefetcher::advance() {
  if (position_.batch >= dataset_->batches()) position_ = {position_.epoch + 1, 0};
  return position_.epoch < epochs_;
}

void Prefetcher::work() {
  const FloatMode float_mode;
  try {
    make_batches();
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    out_of_memory_ = true;
    changed_.notify_all();
  }
}

void Prefetcher::make_batches() {
  for (bool more = true; more;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || ready_.size() < ahead_; });
      if (stop_) return;
    }
    more = advance();
    Result<std::vector<Tensor>> batch = out_of_range("data set: the last epoch is over");
    if (more) {
      batch = dataset_->batch(position_);
      more = batch.ok();
      ++position_.batch;
    }
    const std::lock_guard lock(mutex_);
    ready_.push_back(std::move(batch));
    changed_.notify_all();
  }
}

Result<std::vector<Tensor>> Prefetcher::next() {
  if (ahead_ == 0) {
    if (!advance()) return out_of_range("data set: the last epoch is over");
    PERCALE_ASSIGN_OR_RETURN(auto batch, dataset_->batch(position_, parallel_));
    ++position_.batch;
    return batch;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || out_of_memory_; });
  if (ready_.empty()) return Status::out_of_memory();
  Result<std::vector<Tensor>> out = std::move(ready_.front());
  // An error is the last entry and stays, so that later calls return it too.
  if (!out.ok()) {
    ready_.front() = out.status();
    return out;
  }
  ready_.pop_front();
  changed_.notify_all();
  return out;
}

}  // namespace percale

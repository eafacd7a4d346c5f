#include "core/train/prefetch.h"

#include <pthread.h>
#include <signal.h>

#include <new>
#include <system_error>

namespace percale {

Result<std::unique_ptr<Prefetcher>> Prefetcher::create(std::shared_ptr<const Dataset> dataset, DatasetPosition first,
                                                       int64_t epochs, size_t ahead, ParallelFor parallel) {
  std::unique_ptr<Prefetcher> out(new Prefetcher);
  out->dataset_ = std::move(dataset);
  out->position_ = first;
  out->epochs_ = epochs;
  out->ahead_ = ahead;
  out->parallel_ = parallel;
  if (first.batch > out->dataset_->batches()) {
    return out_of_range("data set: batch ", first.batch, " of ", out->dataset_->batches());
  }
  if (ahead == 0) return out;
  // A thread inherits the mask: the host's signals must not land on it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status status;
  try {
    out->thread_ = std::thread([p = out.get()] { p->work(); });
  } catch (const std::system_error& e) {
    status = resource_exhausted("no thread for the data set: ", e.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!status.ok()) return status;
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

// Moves over the end of an epoch; false when there is no further batch.
bool Prefetcher::advance() {
  if (position_.batch >= dataset_->batches()) position_ = {position_.epoch + 1, 0};
  return position_.epoch < epochs_;
}

void Prefetcher::work() {
  pthread_setname_np(pthread_self(), "percale-data");
  const FloatMode float_mode;
  for (bool more = true; more;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || ready_.size() < ahead_; });
      if (stop_) return;
    }
    more = advance();
    Result<std::vector<Tensor>> batch = out_of_range("data set: the last epoch is over");
    if (more) {
      try {
        batch = dataset_->batch(position_);
      } catch (const std::bad_alloc&) {
        batch = resource_exhausted("data set: no memory for a batch");
      }
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
  changed_.wait(lock, [&] { return !ready_.empty(); });
  Result<std::vector<Tensor>> out = std::move(ready_.front());
  // The last entry is an error, which stays for whoever asks again.
  if (!out.ok()) {
    ready_.front() = out.status();
    return out;
  }
  ready_.pop_front();
  changed_.notify_all();
  return out;
}

}  // namespace percale

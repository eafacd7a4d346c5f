// Exchanges the gradients of a batch while its shards are still being computed.
#ifndef PERCALE_CORE_TRAIN_GROUP_BUCKET_EXCHANGE_H_
#define PERCALE_CORE_TRAIN_GROUP_BUCKET_EXCHANGE_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/status.h"
#include "core/train/shards/averaging.h"

namespace percale {

// The sums of each own sub-tree; null: its shards have no rows.
using SubtreeSums = std::vector<const std::vector<Tensor>*>;

// A thread exchanges one bucket after the other, as soon as the own sums of all its gradients are
// final. Used for one batch.
class BucketExchange final : public SumWatcher {
 public:
  // Exchanges a bucket. Called by the thread.
  using Exchange = std::function<Status(size_t bucket, const SubtreeSums& own)>;
  struct Batch {
    size_t first_bucket = 0;         // those before were exchanged already
    std::vector<size_t> bucket_of;   // per tensor of the sums; kNone: it is not a gradient
    std::vector<size_t> gradients;   // per bucket: their number
    std::vector<bool> subtree_rows;  // per own sub-tree: it has rows
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // RESOURCE_EXHAUSTED without a thread. `stop`: called after a failed exchange, ends the shards
  // under way.
  static Result<std::unique_ptr<BucketExchange>> begin(Batch batch, Exchange exchange, std::function<void()> stop);
  ~BucketExchange() override;
  BucketExchange(const BucketExchange&) = delete;
  BucketExchange& operator=(const BucketExchange&) = delete;

  void ready(size_t subtree, size_t tensor, const std::vector<Tensor>& sums) noexcept override;
  // The shards have ended with `own`. Waits for the exchange under way, and begins no further one.
  // Returns the error of an exchange if that has ended the shards.
  Status finish(const Status& own);
  // After finish(): the first bucket that was not exchanged, and whether an exchange has failed.
  size_t next_bucket() const { return next_; }
  bool failed() const { return !error_.ok(); }

 private:
  BucketExchange(Batch batch, Exchange exchange, std::function<void()> stop);
  void work();
  Status exchange_all();
  bool may_exchange() const { return next_ < missing_.size() && missing_[next_] == 0; }
  void close();

  const Batch batch_;
  const Exchange exchange_;
  const std::function<void()> stop_;
  std::thread thread_;
  std::mutex mutex_;  // guards what follows, except while exchange_ runs
  std::condition_variable changed_;
  std::vector<size_t> missing_;  // per bucket: sums that are not final
  SubtreeSums own_;
  size_t next_;
  bool closed_ = false;
  Status error_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_BUCKET_EXCHANGE_H_

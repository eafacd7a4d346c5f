// The replicas that compute shards: those that share the engine's threads, and those that have
// threads of their own.
#ifndef PERCALE_CORE_TRAIN_SHARDS_REPLICAS_H_
#define PERCALE_CORE_TRAIN_SHARDS_REPLICAS_H_

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/process_ptr.h"
#include "core/train/shards/device_threads.h"

namespace percale {

// One caller at a time; lost() and lose() are thread-safe.
class Replicas {
 public:
  // Each of `count` replicas has `lanes` loops, so that it computes several shards at once.
  Replicas(size_t count, size_t lanes);
  size_t size() const { return replicas_.size(); }
  size_t loops() const { return replicas_.size() * lanes_; }
  // The loops of a replica are numbered so that the first ones of all replicas come first.
  size_t replica_of(size_t loop) const { return loop % replicas_.size(); }
  // The replica computes from now on: it is new, or replaces a lost one. `apart`: threads of its
  // own wait for its devices. RESOURCE_EXHAUSTED when the system gives no such thread.
  Status place(size_t replica, bool apart);
  bool apart(size_t replica) const { return replicas_[replica].apart; }
  bool lost(size_t replica) const { return replicas_[replica].lost; }
  void lose(size_t replica) { replicas_[replica].lost = true; }
  size_t count_left() const;
  bool any_left() const { return count_left() > 0; }

  // Runs `body` for each loop of a replica that is left; those that are not apart run on
  // `parallel`, so that with few threads one may begin when another has ended. It must throw
  // nothing.
  void run(const ParallelFor& parallel, const std::function<void(size_t loop)>& body);
  // Runs `body` for each loop that is apart and left, each on a thread of its own, and `meanwhile`
  // on the caller's. Neither may throw.
  void run_apart(const std::function<void(size_t loop)>& body, const std::function<void()>& meanwhile);
  // The loops of the replicas that are left: those that are apart, or those that are not.
  std::vector<size_t> left(bool apart) const;

 private:
  struct Replica {
    bool apart = false;
    std::atomic<bool> lost{false};
  };
  std::deque<Replica> replicas_;
  const size_t lanes_;
  ProcessPtr<DeviceThreads> threads_;  // null where no replica is apart
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_REPLICAS_H_

// A synchronisation point of the shards of a batch, for ops whose result depends on all rows.
#ifndef PERCALE_CORE_REGISTRY_SHARD_BARRIER_H_
#define PERCALE_CORE_REGISTRY_SHARD_BARRIER_H_

#include <cstdint>
#include <string_view>

#include "core/tensor/dtype.h"

namespace percale {

// A run that may have to wait for the other shards.
class ShardWaiter {
 public:
  virtual ~ShardWaiter() = default;
  // Called when the value that the run waits for may be complete.
  virtual void wake() = 0;
};

// The contribution of a shard to one node: `count` numbers of f32 or f64.
struct ShardPart {
  std::string_view node;  // the same for all shards
  int64_t shard = 0;
  DType dtype = DType::kF32;
  int64_t count = 0;
  const void* numbers = nullptr;
};

// Thread-safe.
class ShardBarrier {
 public:
  virtual ~ShardBarrier() = default;
  // Computes the mean of the contributions of all shards, weighted by their rows. `transposed`:
  // computes their sum, times the shard's share of the rows, which is the gradient of that mean.
  // Returns true when `out` holds the result. Returns false when shards are missing; call it again
  // after a wake(). The bits depend neither on the order of arrival nor on repeated calls by a
  // shard. Throws bad_alloc.
  virtual bool mean(const ShardPart& part, bool transposed, void* out) = 0;

  // The barrier wakes the waiter between attach() and detach().
  virtual void attach(ShardWaiter& waiter) = 0;
  virtual void detach(ShardWaiter& waiter) = 0;
  // A thread computes between begin_work() and end_work(), and sleeps outside of them. begin_work()
  // blocks while too many threads compute.
  virtual void begin_work() = 0;
  virtual void end_work() = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_SHARD_BARRIER_H_

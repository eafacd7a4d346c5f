// The shard barrier. The shards of a batch synchronize here in the middle of their runs if a value
// depends on the rows of all shards.
#ifndef PERCALE_CORE_REGISTRY_SHARD_MEETING_H_
#define PERCALE_CORE_REGISTRY_SHARD_MEETING_H_

#include <cstdint>
#include <string_view>

#include "core/tensor/dtype.h"

namespace percale {

// A run that may have to wait for other shards.
class ShardGuest {
 public:
  virtual ~ShardGuest() = default;
  // The data that the run waits for may have arrived.
  virtual void wake() = 0;
};

// The contribution of one shard to a node: `count` numbers of f32 or f64.
struct ShardPart {
  std::string_view node;  // the same for all shards
  int64_t shard = 0;
  DType dtype = DType::kF32;
  int64_t count = 0;
  const void* numbers = nullptr;
};

// Thread-safe.
class ShardMeeting {
 public:
  virtual ~ShardMeeting() = default;
  // Computes the mean of the contributions of all shards, weighted by their rows, into `out`. With
  // `transposed`, computes their sum times this shard's share of the rows, which is the gradient of
  // that mean.
  // Returns true if `out` was written. Returns false if other shards are still missing: call again
  // after wake(). The result has the same bits for any order of arrival, and when a shard calls
  // again. Throws bad_alloc.
  virtual bool mean(const ShardPart& part, bool transposed, void* out) = 0;

  // The guest is woken between enter() and leave().
  virtual void enter(ShardGuest& guest) = 0;
  virtual void leave(ShardGuest& guest) = 0;
  // A thread computes between begin_work() and end_work() and sleeps outside of them. begin_work()
  // waits while too many threads compute.
  virtual void begin_work() = 0;
  virtual void end_work() = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_SHARD_MEETING_H_

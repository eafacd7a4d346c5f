// Where the shards of a batch meet in the middle of their runs, when what one computes depends on the rows of all.
#ifndef PERCALE_CORE_REGISTRY_SHARD_MEETING_H_
#define PERCALE_CORE_REGISTRY_SHARD_MEETING_H_

#include <cstdint>
#include <string_view>

#include "core/tensor/dtype.h"

namespace percale {

// A run that may have to wait for others.
class ShardGuest {
 public:
  virtual ~ShardGuest() = default;
  // What it waits for may have come.
  virtual void wake() = 0;
};

// What a shard brings of one node: `count` numbers of f32 or f64.
struct ShardPart {
  std::string_view node;  // the same of all shards
  int64_t shard = 0;
  DType dtype = DType::kF32;
  int64_t count = 0;
  const void* numbers = nullptr;
};

// Thread-safe.
class ShardMeeting {
 public:
  virtual ~ShardMeeting() = default;
  // The mean of what all shards bring, by their rows; `transposed`: their sum, times the shard's part of the rows, which is the
  // gradient of that mean. True when `out` holds it; false when others are still to come: ask again after a wake().
  // The same bits whoever comes first, and for a shard that comes again. Throws bad_alloc.
  virtual bool mean(const ShardPart& part, bool transposed, void* out) = 0;

  // From enter() to leave() the guest is woken.
  virtual void enter(ShardGuest& guest) = 0;
  virtual void leave(ShardGuest& guest) = 0;
  // Threads compute between these, and sleep outside of them: begin() waits until not too many compute.
  virtual void begin_work() = 0;
  virtual void end_work() = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_SHARD_MEETING_H_

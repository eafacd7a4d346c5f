// Memory of one GPU, and host memory that the GPU reaches.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_MEMORY_H_
#define PERCALE_DEVICES_CUDA_DRIVER_MEMORY_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "devices/cuda/driver/driver.h"

namespace percale::cuda {

// Blocks of one device. Freed ones are kept for the next allocation of about their size, since the driver's own cuMemFree waits for the
// whole GPU. The library frees a block when no queue works on it any more, so a kept block can be given out at once, to any
// queue. Thread-safe; the device's context must be current.
class Memory {
 public:
  // `total`: bytes of the GPU. `limit`: the most that is held at once, kept blocks counted; 0: `total`.
  Memory(const Driver& driver, uint64_t total, uint64_t limit);
  ~Memory();  // every block
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Aligned to 256 bytes. Failure: INVALID_ARGUMENT for 0 bytes, RESOURCE_EXHAUSTED.
  abi::Address allocate(uint64_t bytes);
  void free(abi::Address memory);
  // Given out now, and the most that ever was.
  void statistics(uint64_t* used, uint64_t* peak) const;

 private:
  bool take_kept(uint64_t bytes, abi::Address* out);
  void release_kept();

  const Driver& driver_;
  const uint64_t total_, limit_;
  mutable std::mutex mutex_;
  std::unordered_map<abi::Address, uint64_t> used_blocks_;
  std::multimap<uint64_t, abi::Address> kept_;  // by size
  uint64_t used_ = 0, peak_ = 0, kept_bytes_ = 0;
};

// Pinned host memory of all devices of a plug-in, so that copies know it when they see it. Thread-safe.
class PinnedMemory {
 public:
  explicit PinnedMemory(const Driver& driver) : driver_(driver) {}
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  // A context must be current. Failure: INVALID_ARGUMENT for 0 bytes, RESOURCE_EXHAUSTED.
  void* allocate(uint64_t bytes);
  void free(void* memory);
  // Whether all these bytes lie in one block of it.
  bool contains(const void* memory, uint64_t bytes) const;

 private:
  const Driver& driver_;
  mutable std::shared_mutex mutex_;
  std::map<const char*, uint64_t> blocks_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_MEMORY_H_

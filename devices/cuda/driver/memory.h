// Memory of one GPU, and host memory that the GPU can access.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_MEMORY_H_
#define PERCALE_DEVICES_CUDA_DRIVER_MEMORY_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "devices/cuda/driver/driver.h"

namespace percale::cuda {

// Allocates blocks on one device. Freed blocks are cached for the next allocation of about the same
// size, because cuMemFree waits for the whole GPU. The library frees a block only when no stream
// uses it any more, so a cached block can be given to any stream at once. Thread-safe. The device's
// context must be current.
class Memory {
 public:
  // `total`: the GPU's memory in bytes. `limit`: the most bytes held at once, cached blocks
  // included; 0 means `total`.
  Memory(const Driver& driver, uint64_t total, uint64_t limit);
  ~Memory();  // Frees every block.
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Returns memory aligned to 256 bytes. Throws a Failure: INVALID_ARGUMENT for 0 bytes,
  // RESOURCE_EXHAUSTED without memory.
  abi::Address allocate(uint64_t bytes);
  void free(abi::Address memory);
  // Returns the bytes allocated now and their peak. Cached blocks do not count.
  void statistics(uint64_t* used, uint64_t* peak) const;

 private:
  bool take_kept(uint64_t bytes, abi::Address* out);
  void release_kept();

  const Driver& driver_;
  const uint64_t total_, limit_;
  mutable std::mutex mutex_;
  std::unordered_map<abi::Address, uint64_t> used_blocks_;
  std::multimap<uint64_t, abi::Address> kept_;  // Cached blocks by size.
  uint64_t used_ = 0, peak_ = 0, kept_bytes_ = 0;
};

// Pinned host memory of all devices of a plug-in. Copies ask it whether a host address is pinned.
// Thread-safe.
class PinnedMemory {
 public:
  explicit PinnedMemory(const Driver& driver) : driver_(driver) {}
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  // A context must be current. Throws a Failure: INVALID_ARGUMENT for 0 bytes, RESOURCE_EXHAUSTED
  // without memory.
  void* allocate(uint64_t bytes);
  void free(void* memory);
  // True if all these bytes lie in one pinned block.
  bool contains(const void* memory, uint64_t bytes) const;

 private:
  const Driver& driver_;
  mutable std::shared_mutex mutex_;
  std::map<const char*, uint64_t> blocks_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_MEMORY_H_

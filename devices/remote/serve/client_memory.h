// The memory of one client on a served device.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_CLIENT_MEMORY_H_
#define PERCALE_DEVICES_REMOTE_SERVE_CLIENT_MEMORY_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "devices/remote/serve/served_device.h"

namespace percale::remote {

// An address is a number that the client adds offsets to; it is not a pointer of this process.
// Thread-safe. Functions throw Failure.
class ClientMemory {
 public:
  // `limit`: of the bytes that are allocated at a time; 0: none.
  ClientMemory(const ServedDevice& device, uint64_t limit, size_t max_blocks)
      : device_(device), limit_(limit), max_blocks_(max_blocks) {}

  // Returns the address of a new block, a multiple of kAlignment.
  uint64_t allocate(uint64_t bytes);
  // Frees the block that begins at the address. An address of no block is ignored.
  void free(uint64_t address);
  // The bytes from the address on, which must lie in one block. They live as long as the result
  // does, also if the client frees the block meanwhile. `use` names them in errors.
  std::shared_ptr<void> find(uint64_t address, uint64_t bytes, const char* use) const;

  static constexpr uint64_t kAlignment = 64;

 private:
  struct Block;
  // Beyond all addresses of x86-64 and arm64 processes, so that a client that takes one for a
  // pointer crashes at once.
  static constexpr uint64_t kFirstAddress = uint64_t{1} << 56, kEnd = uint64_t{1} << 63;

  const ServedDevice& device_;
  const uint64_t limit_;
  const size_t max_blocks_;
  std::atomic<uint64_t> used_{0};  // also of blocks that are freed while a command uses them
  mutable std::mutex mutex_;       // guards what follows
  uint64_t next_ = kFirstAddress;  // of the next block. No address is given out twice.
  std::map<uint64_t, std::shared_ptr<Block>> blocks_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_CLIENT_MEMORY_H_

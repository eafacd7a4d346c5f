// The engine's accountant of memory: a hard limit, what is in use, the high-water mark.
#ifndef PERCALE_CORE_BASE_MEMORY_H_
#define PERCALE_CORE_BASE_MEMORY_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/status.h"

namespace percale {

inline constexpr int64_t kAlignment = 64;

// Thread-safe. Allocates 64-byte aligned memory and refuses what would exceed the limit.
class MemoryPool {
 public:
  // `limit` in bytes; 0 = none. What a pool with a parent allocates counts in both, and both limits hold.
  // `maps_files`: see maps_files(); a parent's counts instead.
  explicit MemoryPool(int64_t limit = 0, std::shared_ptr<MemoryPool> parent = nullptr, bool maps_files = true)
      : limit_(limit), maps_files_(parent == nullptr ? maps_files : parent->maps_files()), parent_(std::move(parent)) {}
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Never null on success, also for 0 bytes. RESOURCE_EXHAUSTED names what was asked and what is left.
  Result<void*> allocate(int64_t bytes);
  void free(void* memory, int64_t bytes);
  // Counts bytes that a device of the root's has allocated, as allocate() would, here and in parents but for the root, which
  // counts them itself; unbook() ends that.
  Status book(int64_t bytes);
  void unbook(int64_t bytes);

  // Whether files that are loaded stay where they are, mapped, instead of being read into the pool's memory.
  bool maps_files() const { return maps_files_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_; }
  // Bytes that may still be allocated, here and in all parents; INT64_MAX without any limit.
  int64_t room() const {
    const int64_t own = limit_ > 0 ? limit_ - used() : INT64_MAX;
    return parent_ == nullptr ? own : std::min(own, parent_->room());
  }

 private:
  // Counts here alone.
  Status count(int64_t bytes);
  void uncount(int64_t bytes);
  bool has_bookings_above() const { return parent_ != nullptr && parent_->parent_ != nullptr; }

  std::atomic<int64_t> used_{0}, peak_{0};
  const int64_t limit_;
  const bool maps_files_;
  const std::shared_ptr<MemoryPool> parent_;
};

// Lets a new block that will be filled at once have its pages in one call instead of a fault each. For blocks that stay: where the
// memory is used again and again its pages are there. Advice, which does nothing where it does not pay.
void populate(void* memory, int64_t bytes);

// The bytes that a pool counts for a request: whole units of the alignment, at least one.
int64_t booked_bytes(int64_t bytes);

// A block of memory and what ends it. Shared by the tensors that lie in it.
class Buffer {
 public:
  using Deleter = void (*)(void* user, void* data);

  // Memory of the pool, which it keeps alive. Contents undefined.
  static Result<std::shared_ptr<Buffer>> allocate(std::shared_ptr<MemoryPool> pool, int64_t bytes);
  // Memory of the system, aligned like the pool's and counted nowhere; bad_alloc when there is none. Contents undefined.
  static std::shared_ptr<Buffer> allocate_uncounted(int64_t bytes);
  // Borrowed memory; `deleter` (may be null) is called once, when the last user is gone. Where there is no memory for the
  // Buffer itself (bad_alloc), nothing was taken over: the caller still owns `data` and `user`.
  static std::shared_ptr<Buffer> wrap(void* data, int64_t bytes, Deleter deleter, void* user);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  bool ends_with(Deleter deleter) const { return deleter_ == deleter; }
  // What the deleter is called with.
  const void* user() const { return user_; }

 private:
  Buffer() = default;
  void* data_ = nullptr;
  int64_t bytes_ = 0;
  std::shared_ptr<MemoryPool> pool_;
  Deleter deleter_ = nullptr;
  void* user_ = nullptr;
};

}  // namespace percale

#endif  // PERCALE_CORE_BASE_MEMORY_H_

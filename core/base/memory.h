// Memory accounting of an engine: a hard limit, the bytes in use and their peak.
#ifndef PERCALE_CORE_BASE_MEMORY_H_
#define PERCALE_CORE_BASE_MEMORY_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/status.h"

namespace percale {

class HostFiles;  // core/file/host_files.h

inline constexpr int64_t kAlignment = 64;

// Allocates 64-byte aligned memory and refuses requests beyond the limit. Thread-safe.
class MemoryPool {
 public:
  // `limit` is in bytes; 0 means none. A pool with a parent counts its allocations in both, and
  // both limits hold. `maps_files` is the value of maps_files(); with a parent, the parent's value
  // applies instead.
  explicit MemoryPool(int64_t limit = 0, std::shared_ptr<MemoryPool> parent = nullptr, bool maps_files = true)
      : limit_(limit), maps_files_(parent == nullptr ? maps_files : parent->maps_files()), parent_(std::move(parent)) {}
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Returns memory with undefined contents, never null, also for 0 bytes. RESOURCE_EXHAUSTED names
  // the bytes requested and the bytes left.
  Result<void*> allocate(int64_t bytes);
  void free(void* memory, int64_t bytes);
  // Counts `bytes` that a device has allocated itself, in this pool and its parents except the
  // root. The root is skipped because a device of the root pool counts there already. unbook()
  // reverses it.
  Status book(int64_t bytes);
  void unbook(int64_t bytes);

  // True if loaded files are memory-mapped instead of read into memory of the pool.
  bool maps_files() const { return maps_files_; }
  // The files of the host, which loaded files may be; null if there are none. Set before use.
  const HostFiles* host_files() const { return parent_ == nullptr ? host_files_.get() : parent_->host_files(); }
  void set_host_files(std::shared_ptr<const HostFiles> files) { host_files_ = std::move(files); }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_; }
  // Returns the bytes that may still be allocated under the limits of this pool and all parents;
  // INT64_MAX without a limit.
  int64_t room() const {
    const int64_t own = limit_ > 0 ? limit_ - used() : INT64_MAX;
    return parent_ == nullptr ? own : std::min(own, parent_->room());
  }

 private:
  // Count in this pool only.
  Status count(int64_t bytes);
  void uncount(int64_t bytes);
  bool has_bookings_above() const { return parent_ != nullptr && parent_->parent_ != nullptr; }

  std::atomic<int64_t> used_{0}, peak_{0};
  const int64_t limit_;
  const bool maps_files_;
  const std::shared_ptr<MemoryPool> parent_;
  std::shared_ptr<const HostFiles> host_files_;  // of a pool without a parent
};

// Populates the pages of a new block in one system call instead of one page fault each. Meant for
// long-lived blocks that are filled at once; reused memory has its pages already. A hint that does
// nothing for sizes where it would not pay.
void populate(void* memory, int64_t bytes);

// Returns the bytes that a pool counts for a request of `bytes`: rounded up to kAlignment, at least
// one unit.
int64_t booked_bytes(int64_t bytes);

// A block of memory with the function that frees it. Tensors share ownership of it.
class Buffer {
 public:
  using Deleter = void (*)(void* user, void* data);

  // Allocates from `pool` and keeps it alive. Contents are undefined.
  static Result<std::shared_ptr<Buffer>> allocate(std::shared_ptr<MemoryPool> pool, int64_t bytes);
  // Allocates aligned system memory that no pool counts. Throws bad_alloc if there is none.
  // Contents are undefined.
  static std::shared_ptr<Buffer> allocate_uncounted(int64_t bytes);
  // Wraps borrowed memory. `deleter` (may be null) is called once, after the last owner is gone. If
  // the Buffer itself cannot be allocated (bad_alloc), ownership has not passed: the caller still
  // owns `data` and `user`.
  static std::shared_ptr<Buffer> wrap(void* data, int64_t bytes, Deleter deleter, void* user);
  // Returns a part of `whole`, which it keeps alive. The part must lie within it.
  static std::shared_ptr<Buffer> part(std::shared_ptr<Buffer> whole, int64_t offset, int64_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  bool ends_with(Deleter deleter) const { return deleter_ == deleter; }
  // The `user` argument that the deleter is called with.
  const void* user() const { return user_; }
  // The buffer that this one is a part of, or this one.
  const Buffer& whole() const { return whole_ == nullptr ? *this : whole_->whole(); }

 private:
  Buffer() = default;
  void* data_ = nullptr;
  int64_t bytes_ = 0;
  std::shared_ptr<MemoryPool> pool_;
  Deleter deleter_ = nullptr;
  void* user_ = nullptr;
  std::shared_ptr<Buffer> whole_;
};

}  // namespace percale

#endif  // PERCALE_CORE_BASE_MEMORY_H_

#include "core/base/memory.h"

#include <new>

#include "core/base/checked.h"
#include "core/system/memory.h"

namespace percale {
namespace {

// The address space of a process on current machines. Larger requests are refused without asking
// the allocator.
constexpr int64_t kMaxBlock = int64_t{1} << 47;

// Blocks of at least this size are aligned to it, so that the system can back them with huge pages
// where it offers them. 100 MB of weights then cost about 50 page faults instead of 25,000.
constexpr int64_t kLargePage = int64_t{2} << 20;

// Returns null if the system has no memory left.
void* allocate_aligned(int64_t bytes) {
  // The size is rounded up to a multiple of kAlignment.
  const auto alignment = static_cast<size_t>(bytes >= kLargePage ? kLargePage : kAlignment);
  void* memory = os::allocate_aligned(alignment, static_cast<size_t>(booked_bytes(bytes)));
  if (memory != nullptr && bytes >= kLargePage) os::prefer_large_pages(memory, static_cast<size_t>(bytes));
  return memory;
}

}  // namespace

void populate(void* memory, int64_t bytes) {
  constexpr int64_t kManyPages = int64_t{256} << 10;
  if (bytes < kLargePage && bytes >= kManyPages) os::populate_pages(memory, static_cast<size_t>(bytes));
}

int64_t booked_bytes(int64_t bytes) { return round_up(bytes > 0 ? bytes : 1, kAlignment); }

Status MemoryPool::count(int64_t bytes) {
  if (bytes < 0) return invalid_argument("cannot allocate ", bytes, " bytes");
  if (bytes > kMaxBlock) return resource_exhausted("the system cannot provide ", bytes, " bytes of memory");
  const int64_t size = booked_bytes(bytes);
  const int64_t most = limit_ > 0 ? limit_ : INT64_MAX;
  // The bytes are counted only if they fit, so that a refused large request cannot make a small
  // request of another thread fail.
  int64_t before = used_.load(std::memory_order_relaxed);
  do {
    if (size > most - before) {
      return resource_exhausted("memory limit: ", bytes, " bytes requested, ", most - before, " of ", most,
                                " left; raise memory_limit or use a smaller batch");
    }
  } while (!used_.compare_exchange_weak(before, before + size, std::memory_order_relaxed));
  const int64_t now = before + size;
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  return {};
}

void MemoryPool::uncount(int64_t bytes) { used_.fetch_sub(booked_bytes(bytes), std::memory_order_relaxed); }

Status MemoryPool::book(int64_t bytes) {
  PERCALE_RETURN_IF_ERROR(count(bytes));
  if (!has_bookings_above()) return {};
  Status above = parent_->book(bytes);
  if (!above.ok()) uncount(bytes);
  return above;
}

void MemoryPool::unbook(int64_t bytes) {
  uncount(bytes);
  if (has_bookings_above()) parent_->unbook(bytes);
}

Result<void*> MemoryPool::allocate(int64_t bytes) {
  PERCALE_RETURN_IF_ERROR(count(bytes));
  if (parent_ != nullptr) {
    auto memory = parent_->allocate(bytes);
    if (!memory.ok()) uncount(bytes);
    return memory;
  }
  void* memory = allocate_aligned(bytes);
  if (memory != nullptr) return memory;
  uncount(bytes);
  return resource_exhausted("the system cannot provide ", bytes, " bytes of memory");
}

void MemoryPool::free(void* memory, int64_t bytes) {
  if (parent_ != nullptr) {
    parent_->free(memory, bytes);
  } else {
    os::free_aligned(memory);
  }
  uncount(bytes);
}

Result<std::shared_ptr<Buffer>> Buffer::allocate(std::shared_ptr<MemoryPool> pool, int64_t bytes) {
  std::shared_ptr<Buffer> buffer(new Buffer);
  PERCALE_ASSIGN_OR_RETURN(buffer->data_, pool->allocate(bytes));
  buffer->bytes_ = bytes;
  buffer->pool_ = std::move(pool);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::allocate_uncounted(int64_t bytes) {
  auto buffer = wrap(
      nullptr, bytes, [](void*, void* memory) { os::free_aligned(memory); }, nullptr);
  buffer->data_ = allocate_aligned(bytes);
  if (buffer->data_ == nullptr) throw std::bad_alloc();
  return buffer;
}

std::shared_ptr<Buffer> Buffer::wrap(void* data, int64_t bytes, Deleter deleter, void* user) {
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->data_ = data;
  buffer->bytes_ = bytes;
  buffer->deleter_ = deleter;
  buffer->user_ = user;
  return buffer;
}

std::shared_ptr<Buffer> Buffer::part(std::shared_ptr<Buffer> whole, int64_t offset, int64_t bytes) {
  auto buffer = wrap(static_cast<char*>(whole->data()) + offset, bytes, nullptr, nullptr);
  buffer->whole_ = std::move(whole);
  return buffer;
}

Buffer::~Buffer() {
  if (pool_) {
    pool_->free(data_, bytes_);
  } else if (deleter_ != nullptr) {
    deleter_(user_, data_);
  }
}

}  // namespace percale

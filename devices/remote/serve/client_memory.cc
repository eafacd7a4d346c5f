#include "devices/remote/serve/client_memory.h"

#include <algorithm>
#include <string>

namespace percale::remote {
namespace {

// Takes bytes of a limit, and gives them back at the end.
class Share {
 public:
  Share(std::atomic<uint64_t>& used, uint64_t bytes, uint64_t limit) : used_(used), bytes_(bytes) {
    uint64_t before = used_.load();
    do {
      if (bytes > limit || before > limit - bytes) {
        throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED,
                              std::to_string(bytes) + " bytes do not fit: " + std::to_string(before) + " of " +
                                  std::to_string(limit) +
                                  " bytes are allocated; free some, or raise the memory limit of the device");
      }
    } while (!used_.compare_exchange_weak(before, before + bytes));
  }
  ~Share() { used_ -= bytes_; }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

 private:
  std::atomic<uint64_t>& used_;
  const uint64_t bytes_;
};

}  // namespace

struct ClientMemory::Block {
  Block(const ServedDevice& on, std::atomic<uint64_t>& used, uint64_t size, uint64_t limit)
      : share(used, size, limit), device(on), bytes(size), data(on.allocate(size)) {}
  ~Block() { device.free(data); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const Share share;
  const ServedDevice& device;
  const uint64_t bytes;
  void* const data;
};

uint64_t ClientMemory::allocate(uint64_t bytes) {
  if (bytes == 0) throw plugin::Failure(PERCALE_INVALID_ARGUMENT, "cannot allocate 0 bytes");
  const uint64_t all = kEnd - kFirstAddress, limit = limit_ == 0 ? all : std::min(limit_, all);
  auto block = std::make_shared<Block>(device_, used_, bytes, limit);
  const std::lock_guard lock(mutex_);
  if (blocks_.size() >= max_blocks_) {
    throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED, std::to_string(blocks_.size()) +
                                                          " blocks are allocated, and a client may have no more; free "
                                                          "some");
  }
  // At least one byte between blocks belongs to none.
  if (bytes + 2 * kAlignment >= kEnd - next_) {
    throw plugin::Failure(PERCALE_RESOURCE_EXHAUSTED, "this client has used up its addresses; open the device again");
  }
  const uint64_t address = next_;
  blocks_.emplace(address, std::move(block));
  next_ = (address + bytes + kAlignment) / kAlignment * kAlignment;
  return address;
}

void ClientMemory::free(uint64_t address) {
  std::shared_ptr<Block> last;  // freed without the mutex
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return;
  last = std::move(found->second);
  blocks_.erase(found);
}

std::shared_ptr<void> ClientMemory::find(uint64_t address, uint64_t bytes, const char* use) const {
  const std::lock_guard lock(mutex_);
  auto found = blocks_.upper_bound(address);
  if (found != blocks_.begin()) {
    const auto& [begin, block] = *--found;
    const uint64_t offset = address - begin;
    if (offset <= block->bytes && bytes <= block->bytes - offset) {
      return {block, static_cast<std::byte*>(block->data) + offset};
    }
  }
  throw plugin::Failure(PERCALE_INVALID_ARGUMENT, std::string(use) + " of " + std::to_string(bytes) +
                                                      " bytes at address " + std::to_string(address) +
                                                      " is not within a block that this client has allocated");
}

}  // namespace percale::remote

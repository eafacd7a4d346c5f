#include "tests/cuda/emulator/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace percale_emulator {
namespace {

constexpr uint64_t kRange = uint64_t{1} << 40, kAlignment = 256, kGuard = 256;
constexpr auto kGuardByte = std::byte{0xA7}, kFreshByte = std::byte{0xF1};

}  // namespace

Memory::Memory() : last_(blocks_.end()) {
  // Addresses are never reused, so that uses of freed memory are detected.
  void* pages = mmap(nullptr, kRange, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) std::abort();
  next_ = reinterpret_cast<uint64_t>(pages);
  end_ = next_ + kRange;
}

std::byte* Memory::data(Block& block) const {
  const auto at = reinterpret_cast<uintptr_t>(block.store.data()) + kGuard;
  return reinterpret_cast<std::byte*>((at + kAlignment - 1) / kAlignment * kAlignment);
}

bool Memory::guards_intact(const Block& block) const {
  const std::byte* begin = data(const_cast<Block&>(block));
  for (uint64_t i = 0; i < kGuard; ++i) {
    if (begin[block.bytes + i] != kGuardByte || *(begin - 1 - i) != kGuardByte) return false;
  }
  return true;
}

uint64_t Memory::allocate(int device, uint64_t bytes) {
  // So that no other block starts at the end.
  const uint64_t step = (bytes + 2 * kAlignment - 1) / kAlignment * kAlignment;
  if (step > end_ - next_) return 0;
  const uint64_t address = next_;
  next_ += step;
  Block& block = blocks_[address];
  block.device = device;
  block.bytes = bytes;
  block.store.assign(bytes + 2 * kGuard + kAlignment, kGuardByte);
  std::memset(data(block), static_cast<int>(kFreshByte), bytes);
  return address;
}

std::string Memory::free(uint64_t address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return "cuMemFree of what is not allocated";
  const bool intact = guards_intact(found->second);
  std::erase(touched_, &found->second);
  last_ = blocks_.end();
  blocks_.erase(found);
  return intact ? "" : "something was written beside a block";
}

uint64_t Memory::used(int device) const {
  uint64_t out = 0;
  for (const auto& [address, block] : blocks_) out += block.device == device ? block.bytes : 0;
  return out;
}

size_t Memory::blocks(int device) const {
  size_t out = 0;
  for (const auto& [address, block] : blocks_) out += block.device == device ? 1 : 0;
  return out;
}

void Memory::add_host(void* memory, uint64_t bytes) { host_[reinterpret_cast<uint64_t>(memory)] = bytes; }

bool Memory::remove_host(void* memory) { return host_.erase(reinterpret_cast<uint64_t>(memory)) > 0; }

bool Memory::is_host(const void* memory, uint64_t bytes) const {
  const auto address = reinterpret_cast<uint64_t>(memory);
  auto found = host_.upper_bound(address);
  if (found == host_.begin()) return false;
  --found;
  const uint64_t offset = address - found->first;
  return offset <= found->second && bytes <= found->second - offset;
}

void* Memory::reach(uint64_t address, uint64_t bytes) {
  const auto inside = [&](const auto& at) {
    const uint64_t offset = address - at->first;
    return address >= at->first && offset <= at->second.bytes && bytes <= at->second.bytes - offset;
  };
  if (last_ == blocks_.end() || !inside(last_)) {
    auto found = blocks_.upper_bound(address);
    if (found == blocks_.begin() || !inside(--found)) {
      return is_host(reinterpret_cast<const void*>(address), bytes) ? reinterpret_cast<void*>(address) : nullptr;
    }
    last_ = found;
  }
  Block& block = last_->second;
  if (!block.touched) {
    block.touched = true;
    touched_.push_back(&block);
  }
  return data(block) + (address - last_->first);
}

void Memory::close_ways(int device) {
  std::erase_if(ways_, [&](const auto& way) { return way.first == device || way.second == device; });
}

std::string Memory::check_touched(int device) {
  bool intact = true, own = true;
  for (Block* block : touched_) {
    intact = intact && guards_intact(*block);
    own = own && (device < 0 || block->device == device || ways_.contains({device, block->device}));
    block->touched = false;
  }
  touched_.clear();
  return !intact ? "something was written beside a block" : own ? "" : "memory of another GPU was touched";
}

}  // namespace percale_emulator

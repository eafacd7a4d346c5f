#include "devices/cuda/driver/memory.h"

#include <algorithm>
#include <string>

namespace percale::cuda {
namespace {

constexpr uint64_t kSmall = 1 << 20, kSmallGrain = 512, kLargeGrain = 128 << 10;

uint64_t rounded(uint64_t bytes) {
  const uint64_t grain = bytes < kSmall ? kSmallGrain : kLargeGrain;
  return (bytes + grain - 1) / grain * grain;
}

}  // namespace

Memory::Memory(const Driver& driver, uint64_t total, uint64_t limit)
    : driver_(driver), total_(total), limit_(limit == 0 ? total : std::min(limit, total)) {}

Memory::~Memory() {
  release_kept();
  for (const auto& [address, bytes] : used_blocks_) driver_.cuMemFree_v2(address);
}

abi::Address Memory::allocate(uint64_t asked) {
  if (asked == 0) throw Failure(PERCALE_INVALID_ARGUMENT, "cannot allocate 0 bytes");
  const std::lock_guard lock(mutex_);
  const auto refuse = [&](const char* what, uint64_t most) -> Failure {
    return Failure(PERCALE_RESOURCE_EXHAUSTED, std::to_string(asked) + " bytes requested, " + std::to_string(used_) +
                                                   " in use; " + what + std::to_string(most) + " bytes");
  };
  const bool own_limit = limit_ < total_;
  const char* const what = own_limit ? "the device's limit (device_memory_limit) is " : "the GPU has ";
  if (asked > limit_ || rounded(asked) > limit_ - std::min(limit_, used_)) throw refuse(what, limit_);
  const uint64_t bytes = rounded(asked);
  abi::Address out = 0;
  if (!take_kept(bytes, &out)) {
    if (used_ + kept_bytes_ + bytes > limit_) release_kept();
    abi::Result result = driver_.cuMemAlloc_v2(&out, bytes);
    if (result == abi::kOutOfMemory && !kept_.empty()) {
      release_kept();
      result = driver_.cuMemAlloc_v2(&out, bytes);
    }
    if (result == abi::kOutOfMemory) throw refuse("other processes use the GPU, which has ", total_);
    driver_.check(result, "cuMemAlloc of " + std::to_string(bytes) + " bytes");
    used_blocks_[out] = bytes;
    used_ += bytes;
  }
  peak_ = std::max(peak_, used_);
  return out;
}

// Takes a cached block that is at most an eighth larger.
bool Memory::take_kept(uint64_t bytes, abi::Address* out) {
  const auto found = kept_.lower_bound(bytes);
  if (found == kept_.end() || found->first > bytes + bytes / 8 || found->first > limit_ - used_) return false;
  *out = found->second;
  used_blocks_[found->second] = found->first;
  used_ += found->first;
  kept_bytes_ -= found->first;
  kept_.erase(found);
  return true;
}

void Memory::free(abi::Address memory) {
  const std::lock_guard lock(mutex_);
  const auto found = used_blocks_.find(memory);
  if (found == used_blocks_.end()) return;
  const uint64_t bytes = found->second;
  used_ -= bytes;
  kept_.emplace(bytes, memory);
  kept_bytes_ += bytes;
  used_blocks_.erase(found);
  // Other processes and other logical devices of this GPU need memory too.
  if (kept_bytes_ > total_ / 4) release_kept();
}

void Memory::release_kept() {
  for (const auto& [bytes, address] : kept_) driver_.cuMemFree_v2(address);
  kept_.clear();
  kept_bytes_ = 0;
}

void Memory::statistics(uint64_t* used, uint64_t* peak) const {
  const std::lock_guard lock(mutex_);
  *used = used_;
  *peak = peak_;
}

void* PinnedMemory::allocate(uint64_t bytes) {
  if (bytes == 0) throw Failure(PERCALE_INVALID_ARGUMENT, "cannot allocate 0 bytes");
  void* out = nullptr;
  driver_.check(driver_.cuMemHostAlloc(&out, bytes, abi::kHostPortable | abi::kHostDeviceMap),
                "cuMemHostAlloc of " + std::to_string(bytes) + " bytes");
  const std::lock_guard lock(mutex_);
  blocks_[static_cast<const char*>(out)] = bytes;
  return out;
}

void PinnedMemory::free(void* memory) {
  {
    const std::lock_guard lock(mutex_);
    if (blocks_.erase(static_cast<const char*>(memory)) == 0) return;
  }
  driver_.cuMemFreeHost(memory);
}

bool PinnedMemory::contains(const void* memory, uint64_t bytes) const {
  const auto* at = static_cast<const char*>(memory);
  const std::shared_lock lock(mutex_);
  auto found = blocks_.upper_bound(at);
  if (found == blocks_.begin()) return false;
  --found;
  const auto offset = static_cast<uint64_t>(at - found->first);
  return offset <= found->second && bytes <= found->second - offset;
}

}  // namespace percale::cuda

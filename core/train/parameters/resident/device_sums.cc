#include "core/train/parameters/resident/device_sums.h"

#include <algorithm>
#include <new>
#include <utility>

namespace percale {
namespace {

// Values are added in groups of at least this many bytes, as streams tell of them.
constexpr int64_t kGroupBytes = int64_t{4} << 20;

}  // namespace

DeviceSums::DeviceSums(size_t shards, IndexSpan fetches, DType dtype)
    : fetches_(fetches), dtype_(dtype), shards_(shards), arrived_(fetches.count, 0), added_(fetches.count, false) {
  for (Shard& shard : shards_) {
    shard.sums = this;
    shard.copies.assign(fetches.count, nullptr);
  }
  waiting_.reserve(fetches.count);
  group_.reserve(fetches.count);
}

DeviceSums::~DeviceSums() { give_back(); }

void DeviceSums::give_back() {
  for (Shard& shard : shards_) {
    for (DeviceStore::Copy*& copy : shard.copies) {
      if (auto* const lent = std::exchange(copy, nullptr)) DeviceStore::release(lent);
    }
  }
}

void DeviceSums::begin_step() {
  give_back();
  std::ranges::fill(arrived_, size_t{0});
  added_.assign(added_.size(), false);
  waiting_.clear();
  waiting_bytes_ = 0;
  status_ = {};
}

FetchWatcher* DeviceSums::results_of(size_t shard, const Device& device) {
  shards_[shard].device = &device;
  return &shards_[shard];
}

// The copy is borrowed until the step ends, because its run may fail while others still add.
void DeviceSums::arrive(Shard& shard, size_t fetch, DeviceStore::Copy* kept) noexcept {
  if (kept == nullptr || fetch < fetches_.begin || fetch >= fetches_.end()) return;
  const size_t value = fetch - fetches_.begin;
  std::unique_lock lock(mutex_);
  DeviceStore::borrow(kept);
  shard.copies[value] = kept;
  if (++arrived_[value] < shards_.size()) return;
  waiting_.push_back(value);
  waiting_bytes_ += kept->bytes();
  if (adding_) return;
  adding_ = true;
  while (waiting_bytes_ >= kGroupBytes && status_.ok()) {
    group_.swap(waiting_);
    waiting_.clear();
    waiting_bytes_ = 0;
    lock.unlock();
    Status status = add_arrived();
    lock.lock();
    for (const size_t added : group_) added_[added] = true;
    status_ = std::move(status);
  }
  adding_ = false;
}

// Adds the values of `group_`.
Status DeviceSums::add_arrived() noexcept {
  try {
    std::vector<DeviceCopies> all;
    for (const Shard& shard : shards_) {
      all.push_back({shard.device, {}});
      for (const size_t value : group_) all.back().copies.push_back(shard.copies[value]);
    }
    return all_reduce(all, dtype_);
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory();
  }
}

Status DeviceSums::finish(std::span<const std::unique_ptr<const ResidentValues>> shards) {
  give_back();
  PERCALE_RETURN_IF_ERROR(std::exchange(status_, {}));
  std::vector<DeviceCopies> rest;
  for (size_t i = 0; i < shards_.size(); ++i) {
    rest.push_back({shards_[i].device, {}});
    for (size_t value = 0; value < added_.size(); ++value) {
      if (!added_[value]) rest.back().copies.push_back(shards[i]->copy(value));
    }
  }
  return rest[0].copies.empty() ? Status() : all_reduce(rest, dtype_);
}

}  // namespace percale

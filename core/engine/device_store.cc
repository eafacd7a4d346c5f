#include "core/engine/device_store.h"

#include <algorithm>

namespace percale {

std::vector<StoreKey> variable_keys(std::span<const int32_t> variables) {
  std::vector<StoreKey> out;
  for (const int32_t variable : variables) out.push_back(StoreKey::variable(variable));
  return out;
}

// The copies on one device. The lock is held while contents are copied to the device: a second run
// that wants the same version waits for it instead of copying it again, and copies to one device
// share the bus anyway.
struct DeviceStore::Shelf {
  std::mutex mutex;
  std::map<StoreKey, std::list<Copy>> copies;

  Copy* lend(StoreKey key, const StoreVersion& version) {
    const auto found = copies.find(key);
    if (found == copies.end()) return nullptr;
    for (Copy& copy : found->second) {
      if (!copy.version_.matches(version)) continue;
      ++copy.users_;
      return &copy;
    }
    return nullptr;
  }
};

DeviceStore::DeviceStore(std::shared_ptr<MemoryPool> memory) : memory_(std::move(memory)) {}

DeviceStore::~DeviceStore() {
  for (auto& [device, shelf] : shelves_) {
    for (const auto& [key, copies] : shelf->copies) {
      for (const Copy& copy : copies) memory_->unbook(copy.booked_);
    }
  }
}

std::vector<StoreKey> DeviceStore::reserve(size_t count) {
  const int32_t first = next_resident_.fetch_add(static_cast<int32_t>(count));
  std::vector<StoreKey> out;
  for (size_t i = 0; i < count; ++i) out.push_back(StoreKey::resident(first + static_cast<int32_t>(i)));
  return out;
}

StoreKey DeviceStore::precomputed(const std::string& form) {
  const std::lock_guard lock(mutex_);
  const auto number = static_cast<int32_t>(precomputed_.size());
  return {StoreKey::Kind::kPrecomputed, precomputed_.emplace(form, number).first->second};
}

DeviceStore::Shelf& DeviceStore::shelf(const Device& device) {
  const std::lock_guard lock(mutex_);
  auto& found = shelves_[&device];
  if (found == nullptr) found = std::make_unique<Shelf>();
  return *found;
}

// Finds the oldest copy of this size that is not lent, or makes one. The shelf must be locked.
Result<DeviceStore::Copy*> DeviceStore::unused_copy(Shelf& shelf, const Device& device, StoreKey key, int64_t bytes) {
  Copy* oldest = nullptr;
  std::list<Copy>& copies = shelf.copies[key];
  for (Copy& copy : copies) {
    if (copy.users_ > 0 || copy.bytes_ != bytes) continue;
    if (oldest == nullptr || copy.version_.number < oldest->version_.number) oldest = &copy;
  }
  if (oldest != nullptr) return oldest;
  // The sizes of these depend on the data. Memory for all of them would only grow.
  if (key.kind == StoreKey::Kind::kHanded) free_unused(copies);
  std::list<Copy> made(1);  // allocated first, so that nothing fails once the memory is booked
  const int64_t booked = booked_bytes(bytes);
  PERCALE_RETURN_IF_ERROR(memory_->book(booked));
  auto memory = allocate_memory(device, bytes);
  if (!memory.ok()) {
    memory_->unbook(booked);
    return memory.status();
  }
  Copy& copy = made.front();
  copy.shelf_ = &shelf;
  copy.bytes_ = bytes;
  copy.booked_ = booked;
  copy.memory_ = std::move(memory).value();
  copies.splice(copies.end(), made);
  return &copy;
}

DeviceStore::Copy* DeviceStore::find(const Device& device, StoreKey key, const StoreVersion& version) {
  Shelf& own = shelf(device);
  const std::lock_guard lock(own.mutex);
  return own.lend(key, version);
}

Result<DeviceStore::Copy*> DeviceStore::fetch(const Device& device, StoreKey key, const StoreVersion& version,
                                              const void* contents, int64_t bytes) {
  Shelf& own = shelf(device);
  const std::lock_guard lock(own.mutex);
  if (Copy* copy = own.lend(key, version)) return copy;
  PERCALE_ASSIGN_OR_RETURN(Copy * copy, unused_copy(own, device, key, bytes));
  copy->version_ = {};
  // Not on a stream, because the next run may read the copy on another stream.
  PERCALE_RETURN_IF_ERROR(from_c(device.api().copy_from_host(device.handle(), nullptr, copy->data(), contents,
                                                             static_cast<uint64_t>(bytes)))
                              .with_context(device.name()));
  copy->version_ = version;
  copy->users_ = 1;
  return copy;
}

Result<DeviceStore::Copy*> DeviceStore::allocate(const Device& device, StoreKey key, int64_t bytes) {
  Shelf& own = shelf(device);
  const std::lock_guard lock(own.mutex);
  PERCALE_ASSIGN_OR_RETURN(Copy * copy, unused_copy(own, device, key, bytes));
  copy->version_ = {};
  copy->users_ = 1;
  return copy;
}

void DeviceStore::release(Copy* copy) {
  const std::lock_guard lock(copy->shelf_->mutex);
  --copy->users_;
}

void DeviceStore::borrow(Copy* copy) {
  const std::lock_guard lock(copy->shelf_->mutex);
  ++copy->users_;
}

bool DeviceStore::overwrite(Copy* copy) {
  const std::lock_guard lock(copy->shelf_->mutex);
  if (copy->users_ != 1) return false;
  copy->version_ = {};
  copy->users_ = 2;
  return true;
}

void DeviceStore::publish(Copy* copy, const StoreVersion& version) {
  const std::lock_guard lock(copy->shelf_->mutex);
  copy->version_ = version;
  --copy->users_;
}

Status DeviceStore::Copy::copy_to_host(const Device& device, void* to, int64_t bytes) const {
  if (bytes != bytes_) return internal_error("a copy of ", bytes_, " bytes, wanted ", bytes);
  return from_c(device.api().copy_to_host(device.handle(), nullptr, to, data(), static_cast<uint64_t>(bytes)))
      .with_context(device.name());
}

bool DeviceStore::free_unused(std::list<Copy>& copies) {
  return copies.remove_if([&](const Copy& copy) {
    if (copy.users_ > 0) return false;
    memory_->unbook(copy.booked_);
    return true;
  }) > 0;
}

void DeviceStore::drop(std::span<const StoreKey> keys) {
  const std::lock_guard lock(mutex_);
  for (auto& [device, shelf] : shelves_) {
    const std::lock_guard own(shelf->mutex);
    for (const StoreKey key : keys) {
      const auto found = shelf->copies.find(key);
      if (found == shelf->copies.end()) continue;
      free_unused(found->second);
      if (found->second.empty()) shelf->copies.erase(found);
    }
  }
}

bool DeviceStore::drop_unused() {
  bool any = false;
  const std::lock_guard lock(mutex_);
  for (auto& [device, shelf] : shelves_) {
    const std::lock_guard own(shelf->mutex);
    for (auto& [key, copies] : shelf->copies) any = free_unused(copies) || any;
  }
  return any;
}

DeviceStore::Bytes DeviceStore::bytes_on(const Device& device) const {
  Bytes out;
  const std::lock_guard lock(mutex_);
  const auto found = shelves_.find(&device);
  if (found == shelves_.end()) return out;
  const std::lock_guard own(found->second->mutex);
  for (const auto& [key, copies] : found->second->copies) {
    int64_t newest = -1;
    for (const Copy& copy : copies) newest = std::max(newest, copy.version_.number);
    for (const Copy& copy : copies) {
      const bool current = copy.version_.number >= 0 && copy.version_.number == newest;
      (current ? out.current : out.spare) += copy.bytes_;
    }
  }
  return out;
}

}  // namespace percale

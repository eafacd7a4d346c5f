#include "core/engine/device_variables.h"

#include <algorithm>

namespace percale {

class DeviceVariables::Copy {
 public:
  Shelf* shelf = nullptr;
  int64_t bytes = 0, booked = 0;
  VariableVersion version;
  int32_t users = 0;
  DeviceMemory memory;
};

// Of one device. The lock is held while a copy is made: who wants the same one waits for it, others of the device share the bus anyway.
struct DeviceVariables::Shelf {
  std::mutex mutex;
  std::map<int32_t, std::list<Copy>> copies;  // by variable

  // Lent once more; null where there is none of this version.
  Copy* lend(int32_t variable, const VariableVersion& version) {
    const auto found = copies.find(variable);
    if (found == copies.end()) return nullptr;
    for (Copy& copy : found->second) {
      if (!(copy.version == version)) continue;
      ++copy.users;
      return &copy;
    }
    return nullptr;
  }
};

DeviceVariables::DeviceVariables(std::shared_ptr<MemoryPool> memory) : memory_(std::move(memory)) {}

DeviceVariables::~DeviceVariables() {
  for (auto& [device, shelf] : shelves_) {
    for (const auto& [variable, copies] : shelf->copies) {
      for (const Copy& copy : copies) memory_->unbook(copy.booked);
    }
  }
}

void* DeviceVariables::data(const Copy& copy) { return copy.memory.get(); }
int64_t DeviceVariables::bytes(const Copy& copy) { return copy.bytes; }

int32_t DeviceVariables::number_of(const std::string& form) {
  const std::lock_guard lock(mutex_);
  return precomputed_.emplace(form, kFirstPrecomputed + static_cast<int32_t>(precomputed_.size())).first->second;
}

DeviceVariables::Shelf& DeviceVariables::shelf(const Device& device) {
  const std::lock_guard lock(mutex_);
  auto& found = shelves_[&device];
  if (found == nullptr) found = std::make_unique<Shelf>();
  return *found;
}

Result<DeviceVariables::Copy*> DeviceVariables::free_copy(Shelf& shelf, const Device& device, int32_t variable,
                                                          int64_t bytes) {
  Copy* out = nullptr;
  std::list<Copy>& copies = shelf.copies[variable];
  for (Copy& copy : copies) {
    if (copy.users > 0 || copy.bytes != bytes) continue;
    if (out == nullptr || copy.version.number < out->version.number) out = &copy;
  }
  if (out != nullptr) return out;
  std::list<Copy> made(1);  // from where it can go without an error
  const int64_t booked = booked_bytes(bytes);
  PERCALE_RETURN_IF_ERROR(memory_->book(booked));
  auto memory = allocate_memory(device, bytes);
  if (!memory.ok()) {
    memory_->unbook(booked);
    return memory.status();
  }
  Copy& copy = made.front();
  copy.shelf = &shelf;
  copy.bytes = bytes;
  copy.booked = booked;
  copy.memory = std::move(memory).value();
  copies.splice(copies.end(), made);
  return &copy;
}

Result<DeviceVariables::Copy*> DeviceVariables::read(const Device& device, int32_t variable,
                                                     const VariableVersion& version, const void* contents,
                                                     int64_t bytes) {
  Shelf& own = shelf(device);
  const std::lock_guard lock(own.mutex);
  if (Copy* copy = own.lend(variable, version)) return copy;
  PERCALE_ASSIGN_OR_RETURN(Copy * copy, free_copy(own, device, variable, bytes));
  copy->version = {};
  // Not on a queue: the next run may use another one.
  PERCALE_RETURN_IF_ERROR(from_c(device.api().copy_from_host(device.handle(), nullptr, copy->memory.get(), contents,
                                                             static_cast<uint64_t>(bytes)))
                              .with_context(device.name()));
  copy->version = version;
  copy->users = 1;
  return copy;
}

DeviceVariables::Copy* DeviceVariables::find(const Device& device, int32_t variable, const VariableVersion& version) {
  Shelf& own = shelf(device);
  const std::lock_guard lock(own.mutex);
  return own.lend(variable, version);
}

Status DeviceVariables::to_host(const Device& device, const Copy& copy, void* to, int64_t bytes) {
  if (bytes != copy.bytes) return internal_error("a copy of ", copy.bytes, " bytes, wanted ", bytes);
  return from_c(
             device.api().copy_to_host(device.handle(), nullptr, to, copy.memory.get(), static_cast<uint64_t>(bytes)))
      .with_context(device.name());
}

void DeviceVariables::release(Copy* copy) {
  const std::lock_guard lock(copy->shelf->mutex);
  --copy->users;
}

Result<DeviceVariables::Copy*> DeviceVariables::make(const Device& device, int32_t variable, int64_t bytes) {
  Shelf& own = shelf(device);
  const std::lock_guard lock(own.mutex);
  PERCALE_ASSIGN_OR_RETURN(Copy * copy, free_copy(own, device, variable, bytes));
  copy->version = {};
  copy->users = 1;
  return copy;
}

void DeviceVariables::keep(Copy* copy, const VariableVersion& version) {
  const std::lock_guard lock(copy->shelf->mutex);
  copy->version = version;
  --copy->users;
}

bool DeviceVariables::free_unused(std::list<Copy>& copies) {
  return copies.remove_if([&](const Copy& copy) {
    if (copy.users > 0) return false;
    memory_->unbook(copy.booked);
    return true;
  }) > 0;
}

void DeviceVariables::drop(const std::vector<int32_t>& variables) {
  const std::lock_guard lock(mutex_);
  for (auto& [device, shelf] : shelves_) {
    const std::lock_guard own(shelf->mutex);
    for (const int32_t variable : variables) {
      const auto found = shelf->copies.find(variable);
      if (found == shelf->copies.end()) continue;
      free_unused(found->second);
      if (found->second.empty()) shelf->copies.erase(found);
    }
  }
}

bool DeviceVariables::clear() {
  bool any = false;
  const std::lock_guard lock(mutex_);
  for (auto& [device, shelf] : shelves_) {
    const std::lock_guard own(shelf->mutex);
    for (auto& [variable, copies] : shelf->copies) any = free_unused(copies) || any;
  }
  return any;
}

DeviceVariables::Held DeviceVariables::held(const Device& device) const {
  Held out;
  const std::lock_guard lock(mutex_);
  const auto found = shelves_.find(&device);
  if (found == shelves_.end()) return out;
  const std::lock_guard own(found->second->mutex);
  for (const auto& [variable, copies] : found->second->copies) {
    int64_t newest = -1;
    for (const Copy& copy : copies) newest = std::max(newest, copy.version.number);
    for (const Copy& copy : copies) {
      const bool current = copy.version.number >= 0 && copy.version.number == newest;
      (current ? out.current : out.spare) += copy.bytes;
    }
  }
  return out;
}

}  // namespace percale

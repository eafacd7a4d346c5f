#include "core/engine/device_memory.h"

#include <algorithm>

namespace percale {

Result<DeviceMemory> DeviceMemory::allocate(const Device& device, int64_t bytes) {
  DeviceMemory out;
  PERCALE_RETURN_IF_ERROR(
      from_c(device.api().allocate(device.handle(), static_cast<uint64_t>(std::max<int64_t>(bytes, 1)), &out.data_))
          .with_context(device.name()));
  out.device_ = &device;
  return out;
}

Result<PinnedMemory> PinnedMemory::allocate(const Device& device, int64_t bytes) {
  PinnedMemory out;
  PERCALE_RETURN_IF_ERROR(from_c(device.api().allocate_host(
                                     device.handle(), static_cast<uint64_t>(std::max<int64_t>(bytes, 1)), &out.data_))
                              .with_context(device.name()));
  out.device_ = &device;
  return out;
}

Result<DeviceQueue> DeviceQueue::create(const Device& device) {
  DeviceQueue out;
  PERCALE_RETURN_IF_ERROR(from_c(device.api().queue_create(device.handle(), &out.queue_)).with_context(device.name()));
  out.device_ = &device;
  return out;
}

}  // namespace percale

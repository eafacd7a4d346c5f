#include "core/engine/device_handle.h"

#include <algorithm>

namespace percale {
namespace {

// Devices need not accept an empty allocation.
uint64_t at_least_one(int64_t bytes) { return static_cast<uint64_t>(std::max<int64_t>(bytes, 1)); }

}  // namespace

Result<DeviceMemory> allocate_memory(const Device& device, int64_t bytes) {
  void* memory = nullptr;
  PERCALE_RETURN_IF_ERROR(
      from_c(device.api().allocate(device.handle(), at_least_one(bytes), &memory)).with_context(device.name()));
  return DeviceMemory(device, memory);
}

Result<PinnedMemory> allocate_pinned(const Device& device, int64_t bytes) {
  void* memory = nullptr;
  PERCALE_RETURN_IF_ERROR(
      from_c(device.api().allocate_host(device.handle(), at_least_one(bytes), &memory)).with_context(device.name()));
  return PinnedMemory(device, memory);
}

Result<DeviceStream> create_stream(const Device& device) {
  void* stream = nullptr;
  PERCALE_RETURN_IF_ERROR(from_c(device.api().stream_create(device.handle(), &stream)).with_context(device.name()));
  return DeviceStream(device, stream);
}

}  // namespace percale

// Owners of what a device gives out: memory, streams, captured work.
#ifndef PERCALE_CORE_ENGINE_DEVICE_HANDLE_H_
#define PERCALE_CORE_ENGINE_DEVICE_HANDLE_H_

#include <cstdint>
#include <utility>

#include "core/engine/engine.h"

namespace percale {

// Owns one handle of a device and releases it on destruction. Null when default-constructed.
// Must not outlive the device.
template <void (*Release)(const Device& device, void* handle)>
class DeviceHandle {
 public:
  DeviceHandle() = default;
  DeviceHandle(const Device& device, void* handle) : device_(&device), handle_(handle) {}
  DeviceHandle(DeviceHandle&& o) noexcept : device_(o.device_), handle_(std::exchange(o.handle_, nullptr)) {}
  DeviceHandle& operator=(DeviceHandle&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(handle_, o.handle_);
    return *this;
  }
  ~DeviceHandle() {
    if (handle_ != nullptr) Release(*device_, handle_);
  }
  void* get() const { return handle_; }

 private:
  const Device* device_ = nullptr;
  void* handle_ = nullptr;
};

namespace device_handle_detail {

inline void free_memory(const Device& d, void* memory) { d.api().free(d.handle(), memory); }
inline void free_pinned(const Device& d, void* memory) { d.api().free_host(d.handle(), memory); }
inline void destroy_capture(const Device& d, void* capture) { d.api().captured_destroy(capture); }
inline void destroy_stream(const Device& d, void* stream) { d.api().stream_destroy(stream); }

}  // namespace device_handle_detail

// Memory of the device.
using DeviceMemory = DeviceHandle<device_handle_detail::free_memory>;
// Host memory that the device copies from and to without a staging copy.
using PinnedMemory = DeviceHandle<device_handle_detail::free_pinned>;
// Captured work, which the device can replay.
using DeviceCapture = DeviceHandle<device_handle_detail::destroy_capture>;
// An in-order command stream. It must be drained before it is destroyed.
using DeviceStream = DeviceHandle<device_handle_detail::destroy_stream>;

Result<DeviceMemory> allocate_memory(const Device& device, int64_t bytes);
// The device's table must have `allocate_host`.
Result<PinnedMemory> allocate_pinned(const Device& device, int64_t bytes);
Result<DeviceStream> create_stream(const Device& device);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_DEVICE_HANDLE_H_

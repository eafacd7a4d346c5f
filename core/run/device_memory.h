// Memory and queues of devices that end with their owner.
#ifndef PERCALE_CORE_RUN_DEVICE_MEMORY_H_
#define PERCALE_CORE_RUN_DEVICE_MEMORY_H_

#include <cstdint>
#include <utility>

#include "core/run/engine.h"

namespace percale {

// Device memory of one owner, freed with it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  static Result<DeviceMemory> allocate(const Device& device, int64_t bytes);
  DeviceMemory(DeviceMemory&& o) noexcept : device_(o.device_), data_(std::exchange(o.data_, nullptr)) {}
  DeviceMemory& operator=(DeviceMemory&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(data_, o.data_);
    return *this;
  }
  ~DeviceMemory() {
    if (data_ != nullptr) device_->api().free(device_->handle(), data_);
  }
  void* data() const { return data_; }

 private:
  const Device* device_ = nullptr;
  void* data_ = nullptr;
};

// Host memory that a device copies from and to without another copy. Freed with its owner.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  // For a device whose table has allocate_host.
  static Result<PinnedMemory> allocate(const Device& device, int64_t bytes);
  PinnedMemory(PinnedMemory&& o) noexcept : device_(o.device_), data_(std::exchange(o.data_, nullptr)) {}
  PinnedMemory& operator=(PinnedMemory&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(data_, o.data_);
    return *this;
  }
  ~PinnedMemory() {
    if (data_ != nullptr) device_->api().free_host(device_->handle(), data_);
  }
  void* data() const { return data_; }

 private:
  const Device* device_ = nullptr;
  void* data_ = nullptr;
};

// Work of a device that can be done again; empty, or destroyed with its owner.
class DeviceRecording {
 public:
  DeviceRecording() = default;
  DeviceRecording(const Device& device, void* recording) : device_(&device), recording_(recording) {}
  DeviceRecording(DeviceRecording&& o) noexcept
      : device_(o.device_), recording_(std::exchange(o.recording_, nullptr)) {}
  DeviceRecording& operator=(DeviceRecording&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(recording_, o.recording_);
    return *this;
  }
  ~DeviceRecording() {
    if (recording_ != nullptr) device_->api().captured_destroy(recording_);
  }
  void* get() const { return recording_; }

 private:
  const Device* device_ = nullptr;
  void* recording_ = nullptr;
};

// A queue of a device, destroyed with it. Nothing may be under way in it then.
class DeviceQueue {
 public:
  DeviceQueue() = default;
  static Result<DeviceQueue> create(const Device& device);
  DeviceQueue(DeviceQueue&& o) noexcept : device_(o.device_), queue_(std::exchange(o.queue_, nullptr)) {}
  DeviceQueue& operator=(DeviceQueue&& o) noexcept {
    std::swap(device_, o.device_);
    std::swap(queue_, o.queue_);
    return *this;
  }
  ~DeviceQueue() {
    if (queue_ != nullptr) device_->api().stream_destroy(queue_);
  }
  void* get() const { return queue_; }

 private:
  const Device* device_ = nullptr;
  void* queue_ = nullptr;
};

}  // namespace percale

#endif  // PERCALE_CORE_RUN_DEVICE_MEMORY_H_

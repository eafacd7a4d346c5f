// The device under test, and memory on it.
#ifndef PERCALE_TESTS_CONFORMANCE_SUBJECT_H_
#define PERCALE_TESTS_CONFORMANCE_SUBJECT_H_

#include <memory>

#include "core/engine/engine.h"

namespace percale::conformance {

struct Subject {
  std::shared_ptr<Engine> engine;
  const Device* device = nullptr;
};
// Set by main() before the tests run.
Subject& subject();

// Device memory. Copies use no stream: they are complete when the call returns.
class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t bytes) : device_(*subject().device), bytes_(bytes) {
    status_ = from_c(device_.api().allocate(device_.handle(), bytes, &memory_));
  }
  ~DeviceMemory() {
    if (memory_ != nullptr) device_.api().free(device_.handle(), memory_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  const Status& status() const { return status_; }
  void* get() const { return memory_; }
  uint64_t bytes() const { return bytes_; }
  Status write(uint64_t offset, const void* from, uint64_t bytes) const {
    return from_c(device_.api().copy_from_host(device_.handle(), nullptr, at(offset), from, bytes));
  }
  Status read(uint64_t offset, void* to, uint64_t bytes) const {
    return from_c(device_.api().copy_to_host(device_.handle(), nullptr, to, at(offset), bytes));
  }

 private:
  void* at(uint64_t offset) const { return static_cast<char*>(memory_) + offset; }

  const Device& device_;
  uint64_t bytes_;
  void* memory_ = nullptr;
  Status status_;
};

}  // namespace percale::conformance

#endif  // PERCALE_TESTS_CONFORMANCE_SUBJECT_H_

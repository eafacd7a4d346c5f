// A device of an engine, or all of them, for clients in other processes: a table that runs whole
// graphs there.
#ifndef PERCALE_CORE_SERVE_SERVED_DEVICE_H_
#define PERCALE_CORE_SERVE_SERVED_DEVICE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/engine/engine.h"

namespace percale {

// Thread-safe. Its memory is the host's, so that graphs on a device with memory of its own copy
// their inputs and results.
class ServedDevice {
 public:
  // `device` is the number of a device of the engine; kAllDevices: the engine places the nodes.
  // Clients may hold `memory_limit` bytes in all; 0: the engine's limit alone.
  static constexpr int32_t kAllDevices = -1;
  ServedDevice(std::shared_ptr<Engine> engine, int32_t device, int64_t memory_limit);
  ~ServedDevice();
  ServedDevice(const ServedDevice&) = delete;
  ServedDevice& operator=(const ServedDevice&) = delete;

  // "cpu:0", also if the engine calls it by its task; kAllDevicesName for all.
  const std::string& name() const { return name_; }
  static const percale_device_api& api();
  void* handle() { return this; }
  // For a transport. Lives as long as this.
  percale_served_device entry();

 private:
  struct Table;
  class Executable;

  percale_device_description describe() const;
  bool lost() const;

  const std::shared_ptr<Engine> engine_;
  const int32_t device_;
  const std::string name_;
  const std::shared_ptr<MemoryPool> memory_;
  percale_device_options options_{};
  std::mutex mutex_;
  std::map<void*, int64_t> blocks_;  // bytes by address; guarded by mutex_
};

}  // namespace percale

#endif  // PERCALE_CORE_SERVE_SERVED_DEVICE_H_

// The CPU as a device: it fills the same table of percale_plugin.h as CUDA and plug-ins.
#ifndef PERCALE_DEVICES_CPU_CPU_DEVICE_H_
#define PERCALE_DEVICES_CPU_CPU_DEVICE_H_

#include <memory>
#include <string>

#include "c_api/include/percale_plugin.h"
#include "core/base/memory.h"

namespace percale {

// The device kind "cpu" of one engine. Its devices cpu:0, cpu:1, ... are virtual: they share one
// machine, one address space and one memory pool. The engine decides how many threads work for
// each. They have no streams: a kernel's work is complete when run() returns. Thread-safe.
class CpuDevices {
 public:
  // The number of devices that one engine can open.
  static constexpr int32_t kCount = 256;

  // Allocations of the devices count in `pool`, against its limit.
  static std::shared_ptr<const CpuDevices> create(std::shared_ptr<MemoryPool> pool);
  CpuDevices(const CpuDevices&) = delete;
  CpuDevices& operator=(const CpuDevices&) = delete;

  // Borrowed. Neither the table nor devices opened through it may be used after this object is
  // destroyed.
  const percale_device_api& api() const { return api_; }
  // Returns the processor's brand name, such as "AMD EPYC 9554".
  const std::string& model() const { return model_; }
  const std::shared_ptr<MemoryPool>& pool() const { return pool_; }

 private:
  explicit CpuDevices(std::shared_ptr<MemoryPool> pool);

  std::shared_ptr<MemoryPool> pool_;
  std::string model_;
  percale_device_api api_{};
};

}  // namespace percale

#endif  // PERCALE_DEVICES_CPU_CPU_DEVICE_H_

// The CPU as a device: the table of percale_plugin.h that CUDA and strangers fill as well.
#ifndef PERCALE_DEVICES_CPU_CPU_DEVICE_H_
#define PERCALE_DEVICES_CPU_CPU_DEVICE_H_

#include <memory>
#include <string>

#include "c_api/include/percale_plugin.h"
#include "core/base/memory.h"

namespace percale {

// The kind "cpu" of one engine. Its devices cpu:0, cpu:1, ... are virtual: one machine, one address space, one pool of
// memory; how many threads work for each is the engine's affair. No queues: a kernel has done its work when run() returns.
// Thread-safe.
class CpuDevices {
 public:
  // How many devices one engine can open.
  static constexpr int32_t kCount = 256;

  // What the devices allocate counts in `pool`, against its limit.
  static std::shared_ptr<const CpuDevices> create(std::shared_ptr<MemoryPool> pool);
  CpuDevices(const CpuDevices&) = delete;
  CpuDevices& operator=(const CpuDevices&) = delete;

  // Borrowed; must not be used any more when the object is gone, nor devices opened through it.
  const percale_device_api& api() const { return api_; }
  // The processor's own name, "AMD EPYC 9554".
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

// Opens the devices that the options of an engine name.
#ifndef PERCALE_CORE_ENGINE_OPEN_DEVICES_H_
#define PERCALE_CORE_ENGINE_OPEN_DEVICES_H_

#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"

namespace percale {

struct DeviceSources {
  const EngineOptions& options;
  const std::vector<const percale_device_api*>& apis;  // kinds of device of this machine
  const percale_transport* transport;                  // may be null
  std::string build;                                   // Engine::fingerprint()
  ThreadPool& threads;
};

// In the order of the option, and the home of variables last if it had to be added. Adds kinds that
// cannot be used to `absent`. Errors as Engine::create().
Result<std::vector<std::unique_ptr<Device>>> open_devices(const DeviceSources& sources,
                                                          std::vector<AbsentDevice>& absent);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_OPEN_DEVICES_H_

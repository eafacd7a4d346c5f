// The text of the option "devices".
#ifndef PERCALE_CORE_ENGINE_DEVICE_LIST_H_
#define PERCALE_CORE_ENGINE_DEVICE_LIST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace percale {

inline constexpr int32_t kMaxDevices = 1024;
// The name of all devices of another process as one, which distributes the nodes of a graph itself.
inline constexpr std::string_view kAllDevicesName = "engine:0";

// One device that is asked for, or all devices of another process.
struct DeviceRequest {
  std::string name = {};  // "cuda:0/1", "remote:10.0.0.2:2222/cpu:0", "/job:worker/task:1"
  std::string kind = {};  // "": all devices of the process
  int32_t index = 0;
  int32_t width = 0;  // threads, 0: no cap
  // The process, if it is another one: its address, or its task in the cluster.
  std::string address = {};  // "10.0.0.2:2222", "unix:/run/worker"
  std::string job = {};
  int64_t task = -1;  // -1: all of the job
};

// Parses EngineOptions::devices, except for "all", which only the engine can resolve.
// INVALID_ARGUMENT names the item and its fault: its form, a number that is too large, a device
// that occurs twice, more than kMaxDevices.
Result<std::vector<DeviceRequest>> parse_devices(std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_DEVICE_LIST_H_

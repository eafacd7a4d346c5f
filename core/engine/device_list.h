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

// One device that is asked for.
struct DeviceRequest {
  std::string name;  // "cuda:0/1"
  std::string kind;
  int32_t index = 0;
  int32_t width = 0;  // threads, 0: no cap
};

// Parses EngineOptions::devices, except for "all", which only the engine can resolve.
// INVALID_ARGUMENT names the item and its fault: its form, a number that is too large, a device
// that occurs twice, more than kMaxDevices.
Result<std::vector<DeviceRequest>> parse_devices(std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_DEVICE_LIST_H_

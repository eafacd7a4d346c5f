// The options that decide how a function is plan.
#ifndef PERCALE_CORE_COMPILE_COMPILE_OPTIONS_H_
#define PERCALE_CORE_COMPILE_COMPILE_OPTIONS_H_

#include <string>
#include <vector>

namespace percale {

// The name by which disabled_passes switches captured work off.
inline constexpr const char* kCaptureWork = "capture_work";

struct CompileOptions {
  bool soft_placement = false;
  bool log_placement = false;  // logs the device and the reason of each node at level info
  // Computes products and their epilogues in bf16 on devices that gain by it.
  bool bf16 = false;
  // Names from device_free_passes(), and "fuse_elementwise", "layouts", "capture_work".
  std::vector<std::string> disabled_passes = {};
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_COMPILE_OPTIONS_H_

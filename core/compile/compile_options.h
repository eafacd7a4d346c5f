// The options that decide how a function is plan.
#ifndef PERCALE_CORE_COMPILE_COMPILE_OPTIONS_H_
#define PERCALE_CORE_COMPILE_COMPILE_OPTIONS_H_

#include <string>
#include <vector>

namespace percale {

inline constexpr const char* kKeepWork = "keep_work";  // the name that disabled_passes knows it by

struct CompileOptions {
  bool soft_placement = false;
  bool log_placement = false;  // logs the device and the reason of each node at level info
  // Computes products and their epilogues in bf16 on devices that gain by it.
  bool bf16 = false;
  // Names from device_free_passes(), and "fuse_elementwise", "layouts", "keep_work".
  std::vector<std::string> disabled_passes = {};
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_COMPILE_OPTIONS_H_

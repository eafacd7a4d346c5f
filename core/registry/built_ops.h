// Which ops this build contains: all, or those of the build option "ops". The schemas and kernels
// of the others are left out while compiling, with everything that only they use.
#ifndef PERCALE_CORE_REGISTRY_BUILT_OPS_H_
#define PERCALE_CORE_REGISTRY_BUILT_OPS_H_

#include <string_view>

#ifndef PERCALE_OPS
#define PERCALE_OPS ""
#endif

namespace percale {

// Names without their domains, separated by commas; "" for all ops.
inline constexpr std::string_view kOpsOfBuild = PERCALE_OPS;

constexpr bool list_has(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const size_t end = list.find(',');
    if (list.substr(0, end) == name) return true;
    list = end == std::string_view::npos ? "" : list.substr(end + 1);
  }
  return false;
}
constexpr bool is_built(std::string_view op) { return kOpsOfBuild.empty() || list_has(kOpsOfBuild, op); }

// The op of a kernel. Made from a literal only, so that the compiler knows whether it is built.
// Functions that take one are [[gnu::always_inline]]: else a compiler that optimises for size keeps
// the kernels of ops that are not built.
class OpName {
 public:
  consteval OpName(const char* text) : text_(text), built_(is_built(text)) {}
  constexpr const char* text() const { return text_; }
  constexpr bool built() const { return built_; }

 private:
  const char* text_;
  bool built_;
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_BUILT_OPS_H_

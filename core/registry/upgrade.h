// Upgrades turn nodes of older opsets into nodes of current ops. They are defined next to the ops
// and used by readers of old models.
#ifndef PERCALE_CORE_REGISTRY_UPGRADE_H_
#define PERCALE_CORE_REGISTRY_UPGRADE_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "core/base/status.h"
#include "core/registry/built_ops.h"

namespace percale {

class UpgradeContext;  // core/graph/emit/upgrade.h

// Turns nodes of an op from opsets before `before` into nodes of opset `before`. An op whose
// meaning changed several times has one entry per change, applied in sequence. A change that only
// accepts more (dtypes, negative axes) needs no entry.
struct OpUpgrade {
  std::string_view domain = {};  // "" is the ONNX domain
  std::string_view name = {};    // name of the old op, which may no longer exist
  int32_t before = 0;
  // Null if the current op is not built.
  Status (*upgrade)(UpgradeContext& context) = nullptr;
  std::string_view becomes = {};  // the current op in the same domain, if renamed

  constexpr std::string_view current() const { return becomes.empty() ? name : becomes; }
};

// A table without the functions for ops that are not built.
template <const auto& kRows>
inline constexpr auto kUpgradeTable = [] {
  std::array<OpUpgrade, std::size(kRows)> out;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = kRows[i];
    if (!is_built(out[i].current())) out[i].upgrade = nullptr;
  }
  return out;
}();

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_UPGRADE_H_

// How a node of an older opset becomes nodes of today: beside the op, for whoever reads old models.
#ifndef PERCALE_CORE_REGISTRY_UPGRADE_H_
#define PERCALE_CORE_REGISTRY_UPGRADE_H_

#include <cstdint>
#include <string_view>

#include "core/base/status.h"

namespace percale {

class UpgradeContext;  // core/graph/upgrade.h

// Takes nodes of an op from opsets before `before` to what opset `before` says. An op whose meaning changed several times
// has one entry for each change, and each leads to the next. A change that only allows more (dtypes, negative axes) has none.
struct OpUpgrade {
  std::string_view domain = {};  // "" is ONNX's own
  std::string_view name = {};    // of the old op, which may be gone today
  int32_t before = 0;
  Status (*upgrade)(UpgradeContext& context) = nullptr;
  std::string_view becomes = {};  // the op of today in the same domain, where it has another name
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_UPGRADE_H_

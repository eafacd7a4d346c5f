// Upgrades turn nodes of older opsets into nodes of current ops. They are defined next to the ops
// and used by readers of old models.
#ifndef PERCALE_CORE_REGISTRY_UPGRADE_H_
#define PERCALE_CORE_REGISTRY_UPGRADE_H_

#include <cstdint>
#include <string_view>

#include "core/base/status.h"

namespace percale {

class UpgradeContext;  // core/graph/emit/upgrade.h

// Turns nodes of an op from opsets before `before` into nodes of opset `before`. An op whose
// meaning changed several times has one entry per change, applied in sequence. A change that only
// accepts more (dtypes, negative axes) needs no entry.
struct OpUpgrade {
  std::string_view domain = {};  // "" is the ONNX domain
  std::string_view name = {};    // name of the old op, which may no longer exist
  int32_t before = 0;
  Status (*upgrade)(UpgradeContext& context) = nullptr;
  std::string_view becomes = {};  // the current op in the same domain, if renamed
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_UPGRADE_H_

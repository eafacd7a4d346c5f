#include "ops/all_ops.h"

#include <array>

#include "ops/families.h"

namespace percale {

Status register_all_ops(Registry& registry) {
  using Register = Status (*)(Registry&);
  static constexpr std::array<Register, 0> kFamilies = {};
  for (Register family : kFamilies) PERCALE_RETURN_IF_ERROR(family(registry));
  return {};
}

}  // namespace percale

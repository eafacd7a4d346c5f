// The attribute `reduction` of losses.
#ifndef PERCALE_OPS_LOSS_LOSS_REDUCTION_H_
#define PERCALE_OPS_LOSS_LOSS_REDUCTION_H_

#include <string_view>

#include "core/base/status.h"
#include "core/registry/attributes.h"
#include "core/registry/op_schema.h"

namespace percale {

inline constexpr AttrSpec kReduction = attr_string("reduction", "mean");

enum class Reduction { kNone, kSum, kMean };

inline Result<Reduction> reduction_of(const Attributes& attributes) {
  const std::string_view text = attributes.get_string("reduction", "mean");
  if (text == "none") return Reduction::kNone;
  if (text == "sum") return Reduction::kSum;
  if (text == "mean") return Reduction::kMean;
  return invalid_argument("attribute 'reduction' is '", text, "', wanted none, sum or mean");
}

// Limit for the number of partial sums of a loss. They are stored in its scratch and added in
// order.
inline constexpr int64_t kMaxLossSums = 64;

}  // namespace percale

#endif  // PERCALE_OPS_LOSS_LOSS_REDUCTION_H_

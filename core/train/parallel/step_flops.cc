#include "core/train/parallel/step_flops.h"

#include <algorithm>

#include "core/graph/flops.h"

namespace percale {

double flops_per_row(const Function& f, const Node& node) {
  const double flops = product_flops(f, node);
  if (flops == 0) return 0;
  const Shape& result = f.type(node.outputs[0]).shape;
  const double rows = result.rank() == 0 ? 1 : static_cast<double>(std::max<int64_t>(1, result[0]));
  return 3 * flops / rows;  // once forward, twice for the two gradients
}

double flops_per_row(const Function& f) {
  double out = 0;
  for (const Node& node : f.nodes) out += flops_per_row(f, node);
  return out;
}

}  // namespace percale

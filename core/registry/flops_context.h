// The input of a function that counts the arithmetic of a node: FlopsFn.
#ifndef PERCALE_CORE_REGISTRY_FLOPS_CONTEXT_H_
#define PERCALE_CORE_REGISTRY_FLOPS_CONTEXT_H_

#include <algorithm>
#include <utility>
#include <vector>

#include "core/registry/attributes.h"
#include "core/tensor/shape.h"

namespace percale {

// The shapes and attributes of one node. Unknown dims count as 1, and a value that is absent or of
// unknown rank has no elements.
class FlopsContext {
 public:
  // `attributes` must outlive the context.
  FlopsContext(const Attributes& attributes, std::vector<Shape> inputs, std::vector<Shape> outputs)
      : attributes(attributes), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  const Attributes& attributes;  // without the schema's defaults

  const Shape& input(size_t i) const { return i < inputs_.size() ? inputs_[i] : absent_; }
  const Shape& output(size_t i) const { return i < outputs_.size() ? outputs_[i] : absent_; }

  static double elements(const Shape& shape) {
    if (!shape.known_rank()) return 0;
    double out = 1;
    for (int64_t dim : shape.dims()) out *= dim < 0 ? 1 : static_cast<double>(dim);
    return out;
  }
  // Returns a dim counted from the end; `from_end` 1 is the last.
  static double dim(const Shape& shape, size_t from_end) {
    if (!shape.known_rank() || shape.rank() < from_end) return 1;
    return static_cast<double>(std::max<int64_t>(1, shape[shape.rank() - from_end]));
  }

 private:
  const Shape absent_ = Shape::unranked();
  std::vector<Shape> inputs_, outputs_;
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_FLOPS_CONTEXT_H_

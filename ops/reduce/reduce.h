// Functions shared by the reductions with kernels and those with bodies.
#ifndef PERCALE_OPS_REDUCE_REDUCE_H_
#define PERCALE_OPS_REDUCE_REDUCE_H_

#include "core/graph/emit/gradient.h"
#include "core/registry/shape_context.h"

namespace percale {

// Shape function of every Reduce op: inputs data and axes, attributes keepdims and
// noop_with_empty_axes.
Status shape_reduce(ShapeContext& context);

// Reshapes a value of a Reduce node's output shape so that it broadcasts to its input's shape.
ValueId with_reduced_dims(GradContext& g, ValueId value);

}  // namespace percale

#endif  // PERCALE_OPS_REDUCE_REDUCE_H_

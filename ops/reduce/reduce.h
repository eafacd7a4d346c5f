// What the reductions with a kernel share with those that are bodies.
#ifndef PERCALE_OPS_REDUCE_REDUCE_H_
#define PERCALE_OPS_REDUCE_REDUCE_H_

#include "core/graph/gradient.h"
#include "core/registry/shape_context.h"

namespace percale {

// The shape function of every Reduce op: data, axes; attributes keepdims and noop_with_empty_axes.
Status shape_reduce(ShapeContext& context);

// A value of a Reduce node's output shape in a shape that broadcasts to its input's.
ValueId with_reduced_dims(GradContext& g, ValueId value);

}  // namespace percale

#endif  // PERCALE_OPS_REDUCE_REDUCE_H_

// Reverse-mode differentiation of graphs. The gradients are ordinary nodes, so that they can be
// differentiated again.
#ifndef PERCALE_CORE_AUTODIFF_GRADIENTS_H_
#define PERCALE_CORE_AUTODIFF_GRADIENTS_H_

#include <string>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Adds to `f` the gradients of sum_i(grad_ys[i] * ys[i]) with respect to each of `xs`, and returns
// them. Each has the dtype and shape of its x, and is zero if no y depends on it. `ys` and `xs` are
// any floating-point values of `f`, inner ones included. If an x depends on another x, it passes
// its gradient on to it. `grad_ys` has one entry per y with its shape; kNoValue, or an empty list,
// means ones. Integer and bool values carry no gradient. Contributions to a value are added in a
// fixed order: that of the nodes that use it, last one first.
//
// Only nodes between xs and ys are differentiated. UNIMPLEMENTED names a node among them whose op
// has no gradient; `f` then contains unused nodes. Takes time linear in the size of the function.
// The lists are taken by value, because they may be members of the function, which moves while it
// grows.
Result<std::vector<ValueId>> gradients(FunctionBuilder& f, std::vector<ValueId> ys, std::vector<ValueId> xs,
                                       std::vector<ValueId> grad_ys = {});

// The same with respect to variables by name: returns the sum of the gradients of all reads of a
// variable in `f`. Then follow the gradients with respect to `xs`, as from gradients(). NOT_FOUND
// if a name is not a variable. UNIMPLEMENTED if ys depend on a read of it within the body of a
// control op: such a variable must be read outside and passed in.
Result<std::vector<ValueId>> gradients_of_variables(FunctionBuilder& f, const std::vector<ValueId>& ys,
                                                    const std::vector<std::string>& variables,
                                                    const std::vector<ValueId>& grad_ys = {},
                                                    const std::vector<ValueId>& xs = {});

}  // namespace percale

#endif  // PERCALE_CORE_AUTODIFF_GRADIENTS_H_

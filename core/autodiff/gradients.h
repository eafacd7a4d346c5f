// Reverse-mode differentiation, graph to graph: what it adds are ordinary nodes, so that gradients of gradients follow by
// themselves.
#ifndef PERCALE_CORE_AUTODIFF_GRADIENTS_H_
#define PERCALE_CORE_AUTODIFF_GRADIENTS_H_

#include <string>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Adds to `f` the gradients of sum_i(grad_ys[i] * ys[i]) with respect to each of `xs`, and returns them: each of the dtype
// and shape of its x, zeros where no y depends on it. `ys` and `xs` are any floating-point values of `f`, inner ones too; an
// x that depends on another x passes its gradient on to it. `grad_ys`: one per y, of its shape; kNoValue, or an empty list,
// is ones. Integer and bool values carry no gradient. Contributions to one value are added in a fixed order, that of the
// nodes that use it, last one first.
//
// Only nodes between xs and ys are differentiated. UNIMPLEMENTED names a node among them whose op has no gradient; `f` then
// holds nodes that nobody uses. Linear in the size of the function. The lists are taken by value: they may be lists of the
// function itself, which moves while it grows.
Result<std::vector<ValueId>> gradients(FunctionBuilder& f, std::vector<ValueId> ys, std::vector<ValueId> xs,
                                       std::vector<ValueId> grad_ys = {});

// The same with respect to variables by name: the gradients of all reads of a variable in `f`, summed. NOT_FOUND for a name
// that is no variable. UNIMPLEMENTED where ys depend on a read of it within the body of a control op: such a variable is read
// outside and handed in. Behind them stand the gradients with respect to `xs`, as gradients() gives them.
Result<std::vector<ValueId>> gradients_of_variables(FunctionBuilder& f, const std::vector<ValueId>& ys,
                                                    const std::vector<std::string>& variables,
                                                    const std::vector<ValueId>& grad_ys = {},
                                                    const std::vector<ValueId>& xs = {});

}  // namespace percale

#endif  // PERCALE_CORE_AUTODIFF_GRADIENTS_H_

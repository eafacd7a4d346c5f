// The backward walk shared by gradients() and the backward functions of control ops.
#ifndef PERCALE_CORE_AUTODIFF_REVERSE_H_
#define PERCALE_CORE_AUTODIFF_REVERSE_H_

#include <vector>

#include "core/graph/emit/gradient.h"

namespace percale {

// gradients() with a given maker of backward functions. Walks only the nodes from `first` on.
Result<std::vector<ValueId>> reverse(FunctionBuilder& f, const std::vector<ValueId>& ys, const std::vector<ValueId>& xs,
                                     const std::vector<ValueId>& grad_ys, FunctionGradients& functions,
                                     NodeId first = 0);

// Returns, per value of `f`, true if a gradient may flow from it back to one of `xs`.
std::vector<bool> dependents(const Function& f, const std::vector<ValueId>& xs);

}  // namespace percale

#endif  // PERCALE_CORE_AUTODIFF_REVERSE_H_

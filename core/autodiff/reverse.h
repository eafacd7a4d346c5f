// The walk that gradients() and the backward functions of control ops share.
#ifndef PERCALE_CORE_AUTODIFF_REVERSE_H_
#define PERCALE_CORE_AUTODIFF_REVERSE_H_

#include <vector>

#include "core/graph/gradient.h"

namespace percale {

// gradients() with the maker of backward functions given. Only nodes from `first` on are walked.
Result<std::vector<ValueId>> reverse(FunctionBuilder& f, const std::vector<ValueId>& ys, const std::vector<ValueId>& xs,
                                     const std::vector<ValueId>& grad_ys, FunctionGradients& functions,
                                     NodeId first = 0);

// Per value of `f`: whether a gradient may flow from it back to one of `xs`.
std::vector<bool> dependents(const Function& f, const std::vector<ValueId>& xs);

}  // namespace percale

#endif  // PERCALE_CORE_AUTODIFF_REVERSE_H_

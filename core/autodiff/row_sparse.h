// Row-sparse gradients, for variables that a function uses only in row lookups.
#ifndef PERCALE_CORE_AUTODIFF_ROW_SPARSE_H_
#define PERCALE_CORE_AUTODIFF_ROW_SPARSE_H_

#include <string>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// The gradient of a variable. Either dense: `values` has the variable's shape and `rows` is
// kNoValue. Or sparse: `rows` is i64 [n] with a row index per lookup (negative: none), and `values`
// is [n, ...] with the value to add to that row. Row indices may repeat.
struct VariableGradient {
  ValueId rows = kNoValue, values = kNoValue;
};

// gradients_of_variables(), but the gradients of the variables marked in `by_rows` stay sparse
// where possible: if ys depend on the variable only through lookups by Gather along axis 0 and by
// EmbeddingBag. A variable with other uses gets a dense gradient, to which GatherGrad adds its
// rows. Then follow the gradients with respect to `xs`.
Result<std::vector<VariableGradient>> gradients_of_variables_by_rows(FunctionBuilder& f, const std::vector<ValueId>& ys,
                                                                     const std::vector<std::string>& variables,
                                                                     const std::vector<bool>& by_rows,
                                                                     const std::vector<ValueId>& xs = {});

}  // namespace percale

#endif  // PERCALE_CORE_AUTODIFF_ROW_SPARSE_H_

// Variables that a function only looks rows up in: their gradients are the rows that were looked up.
#ifndef PERCALE_CORE_AUTODIFF_ROW_SPARSE_H_
#define PERCALE_CORE_AUTODIFF_ROW_SPARSE_H_

#include <string>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// The gradient of a variable: one value like it (`rows` is kNoValue), or for each looked-up index the number of its row, i64
// [n] (negative: none), and what is to be added to that row, [n, ...]. A row may stand there often.
struct VariableGradient {
  ValueId rows = kNoValue, values = kNoValue;
};

// gradients_of_variables() that leaves the gradients of the variables marked in `by_rows` as rows, where that is possible: where
// all that ys depend on of the variable are its rows as Gather along axis 0 and EmbeddingBag look them up. A variable that has
// other uses too meets a dense gradient and gets one: GatherGrad puts its rows in their places. Behind them stand the gradients
// with respect to `xs`.
Result<std::vector<VariableGradient>> gradients_of_variables_by_rows(FunctionBuilder& f, const std::vector<ValueId>& ys,
                                                                     const std::vector<std::string>& variables,
                                                                     const std::vector<bool>& by_rows,
                                                                     const std::vector<ValueId>& xs = {});

}  // namespace percale

#endif  // PERCALE_CORE_AUTODIFF_ROW_SPARSE_H_

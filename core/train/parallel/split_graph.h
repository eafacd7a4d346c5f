// A rewrite before autodiff that cuts products and tables of a forward pass into parts for several
// devices.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_SPLIT_GRAPH_H_
#define PERCALE_CORE_TRAIN_PARALLEL_SPLIT_GRAPH_H_

#include <functional>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/train/parallel/parallel_spec.h"

namespace percale {

// Weights with fewer elements stay whole unless a rule names them: transferring inputs and outputs
// would cost more.
inline constexpr int64_t kLeastSplitElements = 16384;

// A variable of which the new function reads only slices, one per part. Other functions see it
// whole.
struct SplitParameter {
  std::string variable;
  SplitForm form = SplitForm::kColumn;
  size_t axis = 0;              // axis of the variable along which it is cut
  std::vector<ValueId> slices;  // in the new function, in order
  std::string device;           // hint for nodes that join the parts: where the variable is stored
};

struct SplitBody {
  // Per value of the old function its value in the new one; kNoValue if only parts exist.
  std::vector<ValueId> values;
  std::vector<SplitParameter> parameters;
};

// Clones a function body as clone_body() does, for the values `needed`, with products cut into
// spec.splits parts. Cut are MatMul and Gemm whose second factor is a variable, perhaps reshaped,
// that has no other use, and Gather of rows of such a variable. Part k of stage s requests device s
// * splits + k of the group. Everything that stays whole requests the first device of its stage.
// `stages` is per node of `from`.
//
// A column product computes some of the outputs in each part. A row product takes some of the
// inputs in each part and adds the parts in order. Without rules, a product is cut by rows if its
// input is already cut that way, else by columns. Elementwise ops, reshapes, transposes, softmax
// and products by heads work on the parts, so nothing is joined between the two products of a pair,
// as in Megatron. A table is cut by columns. Cut by rows, each part looks up its own rows and gives
// zeros for the others.
//
// INVALID_ARGUMENT for a rule that names no product, or one that cannot be cut as stated, and if
// nothing can be cut. UNIMPLEMENTED for a rule that names a table that trains by rows, according to
// `by_rows`.
Result<SplitBody> clone_split(const Graph& graph, const Function& from, FunctionBuilder& to,
                              const std::vector<ValueId>& inputs, const std::vector<ValueId>& needed,
                              const std::vector<int32_t>& stages, const ParallelSpec& spec,
                              const std::function<bool(const Variable&)>& by_rows);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_SPLIT_GRAPH_H_

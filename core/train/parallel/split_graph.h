// A rewrite before autodiff: products and tables of a forward pass are cut into parts for several devices.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_SPLIT_GRAPH_H_
#define PERCALE_CORE_TRAIN_PARALLEL_SPLIT_GRAPH_H_

#include <functional>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/train/parallel/parallel_spec.h"

namespace percale {

// Weights of fewer elements are left whole unless a rule names them: sending what goes in and out would cost more.
inline constexpr int64_t kLeastSplitElements = 16384;

// A variable of which the new function reads slices alone, one per part. Others see it whole.
struct SplitParameter {
  std::string variable;
  SplitForm form = SplitForm::kColumn;
  size_t axis = 0;              // of the variable, that the parts lie along
  std::vector<ValueId> slices;  // in the new function, in order
  std::string device;           // hint for what joins things of the parts: where the variable lies
};

struct SplitBody {
  std::vector<ValueId>
      values;  // per value of the old function its value in the new one, kNoValue where nobody needs it whole
  std::vector<SplitParameter> parameters;
};

// clone_body() of what the values `needed` depend on, with products cut into spec.splits parts: MatMul and Gemm whose second factor is
// a variable, perhaps reshaped, that has no other use; and Gather of rows of one. Part k of stage s asks for place s * splits + k of the
// group, everything whole for the first place of its stage; `stages` is per node of `from`.
//
// A column product gives each part some of the outputs, a row product takes some of the inputs in each and adds the parts in
// their order. Without rules a product is cut by rows where its input is cut that way already, else by columns; elementwise ops,
// reshapes, transposes, softmax and products by heads work on the parts, so that nothing is joined between the two products
// of a pair, as Megatron has it. A table is cut by columns; by rows each part looks up its own and gives zeros for the others.
//
// INVALID_ARGUMENT for a rule that names no product or one that cannot be cut so, and where nothing can be cut. UNIMPLEMENTED for a
// rule that names a table that `by_rows` says trains by rows.
Result<SplitBody> clone_split(const Graph& graph, const Function& from, FunctionBuilder& to,
                              const std::vector<ValueId>& inputs, const std::vector<ValueId>& needed,
                              const std::vector<int32_t>& stages, const ParallelSpec& spec,
                              const std::function<bool(const Variable&)>& by_rows);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_SPLIT_GRAPH_H_

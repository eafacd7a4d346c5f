// The device-free passes: each takes a function of a working copy of a graph and leaves one that gives the same bits, or where
// its doc line says so the same numbers but for their last bits, always the same ones.
#ifndef PERCALE_CORE_PASSES_PASSES_H_
#define PERCALE_CORE_PASSES_PASSES_H_

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Outputs of one pure node for given inputs. core/plan has one; an engine without a device has none.
using Evaluator = std::function<Result<std::vector<Tensor>>(const OpSchema& schema, std::string_view name,
                                                            const Attributes& attributes,
                                                            const std::vector<Tensor>& inputs, size_t num_outputs)>;

struct PassContext {
  Evaluator evaluate;  // may be empty: then only Shape and Size of known shapes are folded
  // Whether a kernel of some device takes the node, whose shapes are static, whole; may be empty: then none does.
  std::function<bool(const Function& f, const Node& node)> claims;
  // Whether products will be bf16 where a kernel gains by it: narrow().
  bool narrows = false;
  // A folded value may be that large, or as large as the constants that it is made of.
  int64_t max_folded_bytes = 64 << 10;
  // Call and If are inlined while the function has at most that many nodes.
  size_t max_inlined_nodes = 100'000;
  std::set<std::string, std::less<>> disabled;  // names of passes that are left out
  // Composite nodes that expand_composites left because their shapes or sizes were not known.
  size_t waiting = 0;
  // Called after each pass that ran; may be empty.
  std::function<void(std::string_view pass, const Function& f)> dump;
};

struct Pass {
  const char* name;
  const char* doc;
  // `f` may be one of the functions of `graph`; other functions are only read. The outputs' names and order stay.
  Status (*run)(const Graph& graph, Function& f, PassContext& context);
  bool required = false;  // cannot be left out
};

// Composite nodes whose inputs have no known shapes.
size_t waiting_composites(const Function& f);

// All of them, in the order in which they run.
std::span<const Pass> device_free_passes();

// Runs the passes that are not disabled; again from the first where folding has found the branch that an If takes.
Status run_device_free_passes(const Graph& graph, Function& f, PassContext& context);

// Runs before all of them and cannot be switched off: AssignAdd becomes a read, an Add and an Assign.
Status expand_state(const Graph& graph, Function& f, PassContext& context);

// One pass per file.
Status inline_calls(const Graph& graph, Function& f, PassContext& context);
Status infer_shapes(const Graph& graph, Function& f, PassContext& context);
Status expand_composites(const Graph& graph, Function& f, PassContext& context);
Status fold_constants(const Graph& graph, Function& f, PassContext& context);
Status algebra(const Graph& graph, Function& f, PassContext& context);
Status cse(const Graph& graph, Function& f, PassContext& context);
Status dead_code(const Graph& graph, Function& f, PassContext& context);
Status recognize_norm(const Graph& graph, Function& f, PassContext& context);
Status recognize_attention(const Graph& graph, Function& f, PassContext& context);
Status recognize_attention_grad(const Graph& graph, Function& f, PassContext& context);
Status recognize_rotary(const Graph& graph, Function& f, PassContext& context);
Status recognize_activation(const Graph& graph, Function& f, PassContext& context);
Status fold_pad(const Graph& graph, Function& f, PassContext& context);
Status move_transposes(const Graph& graph, Function& f, PassContext& context);
Status move_views(const Graph& graph, Function& f, PassContext& context);
Status fold_batch_norm(const Graph& graph, Function& f, PassContext& context);

// True for a Call, and for an If whose condition is a constant: what inline_calls can dissolve.
bool can_inline(const Graph& graph, const Function& f, const Node& node);

// Gives the inputs of `f` the exact shapes that they are fed with, one per input. INVALID_ARGUMENT names an input whose
// declared shape does not allow it. infer_shapes carries them on.
Status bind_inputs(Function& f, std::span<const Shape> shapes);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_PASSES_H_

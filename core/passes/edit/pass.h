// A pass: a function that rewrites one function of a graph, and the context that it runs in.
#ifndef PERCALE_CORE_PASSES_EDIT_PASS_H_
#define PERCALE_CORE_PASSES_EDIT_PASS_H_

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Computes the outputs of one pure node from given inputs. core/plan provides one. An engine
// without a device has none.
using EvaluateNode = std::function<Result<std::vector<Tensor>>(const OpSchema& schema, std::string_view name,
                                                               const Attributes& attributes,
                                                               const std::vector<Tensor>& inputs, size_t num_outputs)>;

struct PassContext {
  // May be empty. Then only Shape and Size of known shapes are folded.
  EvaluateNode evaluate;
  // True if a kernel of some device takes the whole node, whose shapes are static. Empty means that
  // no kernel does.
  std::function<bool(const Function& f, const Node& node)> claims;
  // True if the plan will compute products in bf16 where a kernel gains by it: see narrow().
  bool narrows = false;
  // The largest folded value in bytes. A folded value may also be as large as the constants that it
  // is computed from.
  int64_t max_folded_bytes = 64 << 10;
  // Call and If are inlined while the function has at most this many nodes.
  size_t max_inlined_nodes = 100'000;
  // Names of passes that are left out.
  std::set<std::string, std::less<>> disabled;
  // Number of composite nodes that expand_composites left because their shapes or sizes were not
  // known.
  size_t waiting = 0;
  // Called after each pass that ran. May be empty.
  std::function<void(std::string_view pass, const Function& f)> dump;
};

struct Pass {
  const char* name;
  const char* doc;
  // `f` may be one of the functions of `graph`; the pass only reads the others. Names and order of
  // the outputs stay.
  Status (*run)(const Graph& graph, Function& f, PassContext& context);
  bool required = false;  // cannot be disabled
};

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_PASS_H_

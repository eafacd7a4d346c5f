// The passes that simplify a function without changing a bit of its results. passes.cc documents
// each.
#ifndef PERCALE_CORE_PASSES_SIMPLIFY_SIMPLIFY_H_
#define PERCALE_CORE_PASSES_SIMPLIFY_SIMPLIFY_H_

#include "core/passes/edit/pass.h"

namespace percale {

// Replaces AssignAdd by a read, an Add and an Assign. Runs before all passes and cannot be
// disabled.
Status expand_state(const Graph& graph, Function& f, PassContext& context);

Status inline_calls(const Graph& graph, Function& f, PassContext& context);
Status infer_shapes(const Graph& graph, Function& f, PassContext& context);
Status expand_composites(const Graph& graph, Function& f, PassContext& context);
Status fold_constants(const Graph& graph, Function& f, PassContext& context);
Status algebra(const Graph& graph, Function& f, PassContext& context);
Status cse(const Graph& graph, Function& f, PassContext& context);
Status dead_code(const Graph& graph, Function& f, PassContext& context);

// True for a Call, and for an If whose condition is a constant: the nodes that inline_calls
// replaces.
bool can_inline(const Graph& graph, const Function& f, const Node& node);

// Returns the number of composite nodes whose input shapes are not known yet.
size_t waiting_composites(const Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_SIMPLIFY_SIMPLIFY_H_

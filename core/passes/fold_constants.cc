#include "core/passes/passes.h"
#include "core/passes/propagate.h"

namespace percale {

Status fold_constants(const Graph& graph, Function& f, PassContext& context) {
  return propagate(f, context, BodyTypes(graph, context), true);
}

}  // namespace percale

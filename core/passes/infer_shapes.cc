#include "core/passes/passes.h"
#include "core/passes/propagate.h"

namespace percale {

Status infer_shapes(const Graph& graph, Function& f, PassContext& context) {
  return propagate(f, context, BodyTypes(graph, context), false);
}

}  // namespace percale

#include "core/passes/edit/propagate.h"
#include "core/passes/simplify/simplify.h"

namespace percale {

Status infer_shapes(const Graph& graph, Function& f, PassContext& context) {
  return propagate(f, context, BodyTypes(graph, context), false);
}

}  // namespace percale

#include "core/passes/edit/propagate.h"
#include "core/passes/simplify/simplify.h"

namespace percale {

Status fold_constants(const Graph& graph, Function& f, PassContext& context) {
  return propagate(f, context, BodyTypes(graph, context), true);
}

}  // namespace percale

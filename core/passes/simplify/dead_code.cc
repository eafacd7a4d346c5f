#include "core/graph/effects.h"
#include "core/passes/edit/prune.h"
#include "core/passes/edit/rewrite.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

// Drops unused optional outputs, so that a kernel can skip them and a Loop need not stack them.
void drop_unused_outputs(Function& f) {
  const std::vector<bool> used = used_values(f);
  for (Node& node : f.nodes) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const bool optional = node.op->output(i).presence != Presence::kRequired;
      if (optional && node.outputs[i] != kNoValue && !used[static_cast<size_t>(node.outputs[i])]) {
        node.outputs[i] = kNoValue;
      }
    }
    // The number of outputs defines the meaning of Split, so a variadic last output stays even if
    // it is unused.
    while (!node.outputs.empty() && node.outputs.back() == kNoValue &&
           node.op->output(node.outputs.size() - 1).presence != Presence::kVariadic) {
      node.outputs.pop_back();
    }
  }
}

}  // namespace

Status dead_code(const Graph& graph, Function& f, PassContext&) {
  // prune() has kept only the effects that the run needs.
  std::vector<bool> effects;
  for (const Node& node : f.nodes) effects.push_back(effects_of(graph, node).writes);
  const std::vector<bool> needed = needed_nodes(graph, f, f.outputs, effects);
  compact(f, needed);
  drop_unused_outputs(f);
  compact(f, std::vector<bool>(f.nodes.size(), true));
  return {};
}

}  // namespace percale

#include "core/train/parallel/split_graph.h"

#include "core/graph/clone.h"
#include "core/train/parallel/split_follow.h"
#include "core/train/parallel/split_products.h"
#include "core/train/parallel/split_values.h"

namespace percale {
namespace {

// Returns, per node, true if a control edge to a `used` node begins or ends there.
std::vector<bool> ordered_nodes(const Function& f, const std::vector<bool>& used) {
  std::vector<bool> out(f.nodes.size(), false);
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i] || f.nodes[i].control.empty()) continue;
    out[i] = true;
    for (NodeId before : f.nodes[i].control) out[static_cast<size_t>(before)] = true;
  }
  return out;
}

// Adds a node in parts, or defers it until it is needed. Returns false, and adds nothing, for a
// node that stays whole.
Result<bool> split_node(SplitValues& values, SplitProducts& products, const Node& node) {
  if (values.defer(node)) return true;
  PERCALE_ASSIGN_OR_RETURN(const bool cut, products.cut(node));
  return cut || follow_parts(values, node);
}

}  // namespace

Result<SplitBody> clone_split(const Graph& graph, const Function& from, FunctionBuilder& to,
                              const std::vector<ValueId>& inputs, const std::vector<ValueId>& needed,
                              const std::vector<int32_t>& stages, const ParallelSpec& spec,
                              const std::function<bool(const Variable&)>& by_rows) {
  Emitter e(to);
  const SplitContext context{.graph = graph, .from = from, .stages = stages, .parts = spec.splits, .e = e};
  const std::vector<bool> used = nodes_behind(from, needed);
  SplitValues values(context, inputs, used, needed);
  SplitProducts products(values, spec, by_rows);
  PERCALE_RETURN_IF_ERROR(products.check_rules(used));
  const std::vector<bool> ordered = ordered_nodes(from, used);
  const std::string device = to.device();
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const auto id = static_cast<NodeId>(i);
    bool done = false;
    if (!ordered[i]) {
      PERCALE_ASSIGN_OR_RETURN(done, split_node(values, products, from.node(id)));
    }
    if (!done) values.clone(id);
    PERCALE_RETURN_IF_ERROR(e.status());
  }
  for (ValueId v : needed) (void)values.whole(v);
  to.set_device(device);
  PERCALE_RETURN_IF_ERROR(e.status());
  PERCALE_RETURN_IF_ERROR(products.check_done());
  return values.take();
}

}  // namespace percale

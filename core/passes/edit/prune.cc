#include "core/passes/edit/prune.h"

#include "core/graph/effects.h"
#include "core/passes/edit/rewrite.h"

namespace percale {
namespace {

template <class Id>
Status check_ids(const std::vector<Id>& ids, size_t size, std::string_view what) {
  for (Id id : ids) {
    if (id < 0 || static_cast<size_t>(id) >= size) return invalid_argument(what, " ", id, " is out of range");
  }
  return {};
}

void make_input(Function& f, ValueId id, int32_t position) {
  Value& value = f.value(id);
  if (value.kind == ValueKind::kNode) {
    f.node(value.def).outputs[static_cast<size_t>(value.output)] = kNoValue;
  }
  value.kind = ValueKind::kInput;
  value.def = position;
  value.output = 0;
}

}  // namespace

std::vector<bool> needed_nodes(const Graph& graph, const Function& f, const std::vector<ValueId>& values,
                               const std::vector<bool>& targets) {
  std::vector<bool> needed = targets;
  needed.resize(f.nodes.size(), false);
  // Nodes that only carry the order may stand between a needed node and an earlier effect.
  std::vector<bool> passed(f.nodes.size(), false);
  const auto need = [&](ValueId v) {
    if (v != kNoValue && f.value(v).kind == ValueKind::kNode) needed[static_cast<size_t>(f.value(v).def)] = true;
  };
  for (ValueId v : values) need(v);
  for (size_t i = f.nodes.size(); i-- > 0;) {
    if (!needed[i] && !passed[i]) continue;
    const Node& node = f.nodes[i];
    if (needed[i]) {
      for (ValueId v : node.inputs) need(v);
    }
    for (NodeId c : node.control) {
      const auto before = static_cast<size_t>(c);
      (effects_of(graph, f.nodes[before]).lasting ? needed : passed)[before] = true;
    }
  }
  return needed;
}

Status prune(const Graph& graph, Function& f, const std::vector<ValueId>& feeds, const std::vector<ValueId>& fetches,
             const std::vector<NodeId>& targets) {
  PERCALE_RETURN_IF_ERROR(check_ids(feeds, f.values.size(), "feed"));
  PERCALE_RETURN_IF_ERROR(check_ids(fetches, f.values.size(), "fetch"));
  PERCALE_RETURN_IF_ERROR(check_ids(targets, f.nodes.size(), "target"));
  std::vector<bool> fed(f.values.size(), false), wanted(f.nodes.size(), false);
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (fed[static_cast<size_t>(feeds[i])]) return invalid_argument("'", f.value(feeds[i]).name, "' is fed twice");
    fed[static_cast<size_t>(feeds[i])] = true;
    make_input(f, feeds[i], static_cast<int32_t>(i));
  }
  for (NodeId t : targets) wanted[static_cast<size_t>(t)] = true;
  const std::vector<bool> needed = needed_nodes(graph, f, fetches, wanted);

  const auto check_fed = [&](ValueId v) -> Status {
    if (v == kNoValue || f.value(v).kind != ValueKind::kInput || fed[static_cast<size_t>(v)]) return {};
    return invalid_argument("input '", f.value(v).name, "' (", f.type(v).dtype, " ", f.type(v).shape,
                            ") is required but was not fed");
  };
  for (ValueId v : fetches) PERCALE_RETURN_IF_ERROR(check_fed(v));
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    if (!needed[i]) continue;
    for (ValueId v : f.nodes[i].inputs) PERCALE_RETURN_IF_ERROR(check_fed(v));
  }
  f.inputs = feeds;
  f.outputs = fetches;
  compact(f, needed);
  return {};
}

}  // namespace percale

#include "core/graph/effects.h"

#include <algorithm>

namespace percale {
namespace {

class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph) {}

  void add(const Node& node) {
    const OpSchema& op = *node.op;
    const bool stateful = op.has(kStateful);
    const bool reads_only = op.is(Role::kReadVariable);
    const bool observes = op.has(kObserver);
    out_.reads = out_.reads || (stateful && !observes);
    out_.writes = out_.writes || (stateful && !reads_only);
    out_.changes = out_.changes || (stateful && !reads_only && !observes);
    out_.lasting =
        out_.lasting || (stateful && !reads_only && !(op.has(kWaits) && op.find_attribute("queue") != nullptr));
    out_.random = out_.random || op.has(kRandom);
    // A control op is pure if its bodies are.
    const bool carries = carries_functions(node.attributes);
    if (stateful || op.has(kRandom) || !(op.has(kPure) || (op.has(kRuntime) && carries))) out_.pure = false;
    if (!carries) return;
    for (const auto& [name, value] : node.attributes) {
      const FunctionRef* ref = value.get_if<FunctionRef>();
      const Function* found = ref != nullptr ? graph_.find_function(ref->name) : nullptr;
      if (found != nullptr && std::find(functions_.begin(), functions_.end(), found) == functions_.end()) {
        functions_.push_back(found);
      }
    }
  }

  NodeEffects finish() {
    for (size_t i = 0; i < functions_.size(); ++i) {
      for (const Node& node : functions_[i]->nodes) add(node);
    }
    return out_;
  }

 private:
  const Graph& graph_;
  std::vector<const Function*> functions_;
  NodeEffects out_;
};

}  // namespace

bool carries_functions(const Attributes& attributes) {
  return std::any_of(attributes.begin(), attributes.end(),
                     [](const auto& entry) { return entry.second.kind() == AttrKind::kFunction; });
}

NodeEffects effects_of(const Graph& graph, const Node& node) {
  Search search(graph);
  search.add(node);
  return search.finish();
}

NodeEffects effects_of(const Graph& graph, const Function& function) {
  Search search(graph);
  for (const Node& node : function.nodes) search.add(node);
  return search.finish();
}

}  // namespace percale

#include "core/passes/inference.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/clone.h"
#include "core/graph/emit/composite.h"
#include "core/graph/validate.h"
#include "core/passes/edit/rewrite.h"
#include "core/passes/passes.h"
#include "core/passes/simplify/idle_dropout.h"
#include "core/passes/simplify/inline.h"

namespace percale {
namespace {

constexpr size_t kMaxBodies = 16;  // nesting depth of bodies
constexpr size_t kNodeFactor = 16, kMoreNodes = size_t{1} << 16;

bool is_call(const Node& node) { return node.op->is(Role::kCall); }

// Finds functions by name with a hash map, because a graph may have many.
class FunctionIndex {
 public:
  explicit FunctionIndex(const Graph& graph) {
    for (const Function& f : graph.functions) by_name_.emplace(f.name, &f);
  }
  const Function* find(const AttrValue& value) const {
    const FunctionRef* ref = value.get_if<FunctionRef>();
    const auto found = ref == nullptr ? by_name_.end() : by_name_.find(ref->name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  void each(const Node& node, const std::function<void(const Function&)>& f) const {
    for (const auto& [name, value] : node.attributes) {
      if (const Function* found = find(value)) f(*found);
    }
  }

 private:
  std::unordered_map<std::string_view, const Function*> by_name_;
};

// Checks that the outputs read only variable values from before the run. The recursion ends,
// because the validator rejects recursive calls.
class FirstValues {
 public:
  explicit FirstValues(const FunctionIndex& functions) : functions_(functions) {}

  Status check(const Graph& graph) {
    uses_of(graph.main());
    return std::move(status_);
  }

 private:
  struct Uses {
    // `reads` covers only the nodes that an output of the function needs
    std::set<std::string, std::less<>> reads, writes;
  };

  const Uses& uses_of(const Function& f) {
    const auto [entry, first] = uses_.try_emplace(&f);
    if (!first) return entry->second;
    Uses all;
    const std::vector<bool> needed = nodes_behind(f, f.outputs, false);
    for (size_t i = 0; i < f.nodes.size(); ++i) {
      const Node& node = f.nodes[i];
      const Uses uses = uses_of(node);
      if (needed[i]) {
        // an iteration sees the writes of the previous one
        const bool again = node.op->is(Role::kLoop);
        for (const std::string& name : uses.reads) {
          if (!all.writes.contains(name) && !(again && uses.writes.contains(name))) continue;
          if (status_.ok()) {
            status_ = failed_precondition(
                op_name(*node.op), " '", node.name, "' reads variable '", name,
                "' after the run has changed it, so an output would depend on more than the values of the graph");
          }
        }
        all.reads.insert(uses.reads.begin(), uses.reads.end());
      }
      all.writes.insert(uses.writes.begin(), uses.writes.end());
    }
    return uses_[&f] = std::move(all);
  }

  Uses uses_of(const Node& node) {
    Uses out;
    const std::string variable(node.attributes.get_string("variable"));
    if (node.op->has(kStateful) && !variable.empty()) {
      (node.op->is(Role::kReadVariable) ? out.reads : out.writes).insert(variable);
    }
    functions_.each(node, [&](const Function& f) {
      const Uses& inner = uses_of(f);
      out.reads.insert(inner.reads.begin(), inner.reads.end());
      out.writes.insert(inner.writes.begin(), inner.writes.end());
    });
    return out;
  }

  const FunctionIndex& functions_;
  std::unordered_map<const Function*, Uses> uses_;
  Status status_;
};

void drop_unneeded(Function& f) { compact(f, nodes_behind(f, f.outputs, false)); }

Status dissolve_calls(const Graph& graph, const FunctionIndex& functions, Function& f, size_t max_nodes) {
  for (size_t round = 0; round < kMaxFunctionDepth; ++round) {
    const auto callee = [&](const Node& node) -> Callee {
      if (!is_call(node)) return {};
      const AttrValue* value = node.attributes.find("function");
      return value == nullptr ? Callee{} : Callee{functions.find(*value), 0, str_cat(node.name, "/")};
    };
    if (!inline_bodies(graph, f, callee, max_nodes)) break;
  }
  const auto left = std::find_if(f.nodes.begin(), f.nodes.end(), is_call);
  if (left == f.nodes.end()) return {};
  return resource_exhausted("Call '", left->name, "': functions that call each other expand to more than ",
                            static_cast<uint64_t>(max_nodes), " nodes");
}

void expand(const Graph& graph, Function& f, const std::function<bool(const OpSchema&)>& keeps, size_t max_nodes) {
  std::unordered_set<std::string> stuck;  // nodes whose bodies need more known types or values
  for (size_t round = 0; round < kMaxBodies; ++round) {
    std::deque<Function> bodies;
    std::unordered_map<std::string, const Function*> body_of_node;
    for (const Node& node : f.nodes) {
      if (node.op->body == nullptr || keeps(*node.op) || stuck.contains(node.name)) continue;
      std::vector<ValueType> types;
      std::vector<const Tensor*> known;
      for (ValueId id : node.inputs) {
        types.push_back(id == kNoValue ? ValueType{} : f.type(id));
        known.push_back(id == kNoValue ? nullptr : f.constant(id));
      }
      auto body = body_of(*graph.registry, *node.op, node.name, types, known, node.attributes, node.outputs.size());
      if (body.ok()) {
        body_of_node[node.name] = &bodies.emplace_back(std::move(body).value());
      } else {
        stuck.insert(node.name);
      }
    }
    if (bodies.empty()) return;
    inline_bodies(
        graph, f,
        [&](const Node& node) -> Callee {
          const auto found = body_of_node.find(node.name);
          return found == body_of_node.end() ? Callee{} : Callee{found->second, 0, str_cat(node.name, "/")};
        },
        max_nodes);
    drop_unneeded(f);
  }
}

// Replaces a Dropout outside of training by its input, or by an Identity if an output of the
// function cannot be that input.
void leave_out_dropout(const Registry& registry, Function& f) {
  const std::vector<bool> used = used_values(f);
  Rewrite rewrite(f);
  for (Node& node : f.nodes) {
    for (ValueId& v : node.inputs) v = rewrite.now(v);
    if (!is_idle_dropout(f, node, used) || rewrite.replace(node.outputs[0], node.inputs[0])) continue;
    node.op = registry.find_op("", "Identity");
    node.inputs.resize(1);
    node.outputs.resize(1);
    node.attributes = {};
  }
  rewrite.apply();
  drop_unneeded(f);
}

// Drops functions that "main" does not reach, and variables that are not read. "init" stays if a
// remaining variable has no initial value.
void drop_unreached(Graph& graph) {
  std::set<std::string, std::less<>> functions{std::string(kMainFunction)}, read;
  const FunctionIndex index(graph);
  std::vector<const Function*> next{&graph.main()};
  while (!next.empty()) {
    const Function& f = *next.back();
    next.pop_back();
    for (const Node& node : f.nodes) {
      read.emplace(node.attributes.get_string("variable"));
      index.each(node, [&](const Function& g) {
        if (functions.insert(g.name).second) next.push_back(&g);
      });
    }
  }
  std::erase_if(graph.variables, [&](const Variable& v) { return !read.contains(v.name); });
  const bool drawn = std::any_of(graph.variables.begin(), graph.variables.end(),
                                 [](const Variable& v) { return !v.initial.defined(); });
  std::erase_if(graph.functions,
                [&](const Function& f) { return !functions.contains(f.name) && !(drawn && f.name == kInitFunction); });
}

}  // namespace

Result<std::shared_ptr<const Graph>> inference_graph(const Graph& graph,
                                                     const std::function<bool(const OpSchema&)>& keeps) {
  const FunctionIndex functions(graph);
  PERCALE_RETURN_IF_ERROR(FirstValues(functions).check(graph));
  size_t max_nodes = kMoreNodes;
  for (const Function& f : graph.functions) max_nodes += kNodeFactor * f.nodes.size();
  auto out = std::make_shared<Graph>(graph);
  for (Function& f : out->functions) {
    if (f.name == kInitFunction) continue;
    drop_unneeded(f);
    PERCALE_RETURN_IF_ERROR(
        dissolve_calls(graph, functions, f, max_nodes).with_context(str_cat("function '", f.name, "'")));
    drop_unneeded(f);
    expand(graph, f, keeps, max_nodes);
    leave_out_dropout(*graph.registry, f);
  }
  drop_unreached(*out);
  PERCALE_RETURN_IF_ERROR(validate(*out));
  return std::shared_ptr<const Graph>(std::move(out));
}

}  // namespace percale

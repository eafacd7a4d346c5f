// Passes that put other nodes in the place of a pattern: looking at who makes and who uses a value, and emitting nodes.
#ifndef PERCALE_CORE_PASSES_EDIT_EDIT_H_
#define PERCALE_CORE_PASSES_EDIT_EDIT_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/edit/rewrite.h"

namespace percale {

// A function as a pattern sees it, and what is to become of it. New nodes stand before the node that they were emitted for;
// nodes are replaced where they are, so outputs keep their names. What is no longer needed is left to dead_code. Borrows the
// function, whose arrays nobody else may change until finish().
class Edit {
 public:
  Edit(const Registry& registry, Function& f);

  const Function& function() const { return f_; }
  Function& function() { return f_; }

  // The node that makes a value with its first output: of the ONNX op `op`, or of any op; null for others, for inputs and for
  // constants.
  const Node* maker(ValueId id, std::string_view op) const;
  const Node* maker(ValueId id) const;
  NodeId id_of(const Node& node) const { return static_cast<NodeId>(&node - f_.nodes.data()); }
  // The number that a constant of one element, f32 or f64, holds.
  std::optional<double> number(ValueId id) const;
  // True for a constant of one element that is `wanted` but for the rounding of its type.
  bool is_number(ValueId id, double wanted) const;
  // The elements of a constant of integers; empty where it is none.
  std::vector<int64_t> integers(ValueId id) const;

  // True where nothing outside of `nodes` and `roots` sees a value of `nodes`, or waits for one of them all, and all have the
  // device of the first root: so the roots may stand for the whole.
  bool closed(std::span<const NodeId> nodes, std::span<const NodeId> roots) const;
  bool closed(std::span<const NodeId> nodes, NodeId root) const { return closed(nodes, {&root, 1}); }
  // True where one node alone takes the value, once, and the function does not give it out.
  bool used_once(ValueId id) const { return sole_user(id) >= 0; }
  // That node; -1 where there is none.
  NodeId sole_user(ValueId id) const;
  // Nodes that take the value, once per use; -1 for those that were emitted.
  const std::vector<NodeId>& users(ValueId id) const { return users_[static_cast<size_t>(id)]; }

  // "Mul" or "percale:SumToShape"; null where there is none.
  const OpSchema* schema(std::string_view op) const;
  ValueId constant(Tensor tensor, std::string_view name);
  ValueId ints(const std::vector<int64_t>& values);
  // A node before `before`, called `name` with a number behind where that is taken; the value that it makes, kNoValue once
  // something has gone wrong.
  ValueId emit(NodeId before, std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes = {},
               std::string_view name = {}) {
    return emit_many(before, op, inputs, 1, std::move(attributes), name)[0];
  }
  // All of `count` values.
  std::vector<ValueId> emit_many(NodeId before, std::string_view op, const std::vector<ValueId>& inputs, size_t count,
                                 Attributes attributes = {}, std::string_view name = {});
  // What `node` computes from now on; its outputs must be of the same types.
  void become(NodeId node, std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {});

  bool changed() const { return changed_; }
  // Carries it out; the first thing that went wrong.
  Status finish();

 private:
  struct Emitted {
    NodeId before;
    Node node;
  };
  const Registry& registry_;
  Function& f_;
  FreeNames names_;
  std::vector<std::vector<NodeId>> users_;  // per value, once per use
  std::vector<bool> is_output_, in_order_;  // per value; per node: control edges from or to it
  std::vector<Emitted> emitted_;
  bool changed_ = false;
  Status status_;
};

// True where the function moves parameters of the model, as a training step does: what changes bits leaves it alone.
bool trains(const Graph& graph, const Function& f);

// Per value: whether constants, and variables that the function does not assign, decide it alone. What is computed of such
// values is computed ahead of the runs.
std::vector<bool> fixed_values(const Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_EDIT_H_

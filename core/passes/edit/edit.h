// Helpers for passes that replace a pattern of nodes: Edit finds the maker and the users of a value
// and emits nodes.
#ifndef PERCALE_CORE_PASSES_EDIT_EDIT_H_
#define PERCALE_CORE_PASSES_EDIT_EDIT_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/edit/rewrite.h"

namespace percale {

// A view of a function for pattern matching, which collects changes and applies them in finish(). A
// new node is inserted before the node that it was emitted for. A replaced node keeps its position,
// so outputs keep their names. dead_code removes what is no longer needed. Borrows the function.
// Only this object may change the function's arrays until finish().
class Edit {
 public:
  Edit(const Registry& registry, Function& f);

  const Function& function() const { return f_; }
  Function& function() { return f_; }

  // Returns the node whose first output is `id`. Returns null for any other output, for inputs and
  // for constants. With `op`, also returns null unless the node is the ONNX op of that name.
  const Node* maker(ValueId id, std::string_view op) const;
  const Node* maker(ValueId id) const;
  NodeId id_of(const Node& node) const { return static_cast<NodeId>(&node - f_.nodes.data()); }
  // Returns the number in a one-element constant of type f32 or f64.
  std::optional<double> number(ValueId id) const;
  // True for a one-element constant that equals `wanted` up to the rounding of its type.
  bool is_number(ValueId id, double wanted) const;
  // Returns the elements of an integer constant; empty for any other value.
  std::vector<int64_t> integers(ValueId id) const;

  // True if `roots` can replace all of `nodes`. No node outside of `nodes` and `roots` may read a
  // value of `nodes`, none of them all may have a control edge, and all must have the device of the
  // first root.
  bool closed(std::span<const NodeId> nodes, std::span<const NodeId> roots) const;
  bool closed(std::span<const NodeId> nodes, NodeId root) const { return closed(nodes, {&root, 1}); }
  // True if exactly one node reads the value, exactly once, and the value is not an output of the
  // function.
  bool used_once(ValueId id) const { return sole_user(id) >= 0; }
  // Returns that node; -1 if there is none.
  NodeId sole_user(ValueId id) const;
  // Returns the nodes that read the value, one entry per use; -1 stands for an emitted node.
  const std::vector<NodeId>& users(ValueId id) const { return users_[static_cast<size_t>(id)]; }

  // Looks up an op by a name such as "Mul" or "percale:SumToShape". Returns null if there is none.
  const OpSchema* schema(std::string_view op) const;
  ValueId constant(Tensor tensor, std::string_view name);
  ValueId ints(const std::vector<int64_t>& values);
  // Emits a node before the node `before` and returns its output. A number is appended to `name` if
  // that is taken. Returns kNoValue once something has gone wrong.
  ValueId emit(NodeId before, std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes = {},
               std::string_view name = {}) {
    return emit_many(before, op, inputs, 1, std::move(attributes), name)[0];
  }
  // The same for a node with `count` outputs; returns all of them.
  std::vector<ValueId> emit_many(NodeId before, std::string_view op, const std::vector<ValueId>& inputs, size_t count,
                                 Attributes attributes = {}, std::string_view name = {});
  // Changes the op, inputs and attributes of `node`. Its outputs must keep their types.
  void become(NodeId node, std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {});

  bool changed() const { return changed_; }
  // Applies the changes. Returns the first error.
  Status finish();

 private:
  struct Emitted {
    NodeId before;
    Node node;
  };
  const Registry& registry_;
  Function& f_;
  FreeNames names_;
  std::vector<std::vector<NodeId>> users_;  // per value, one entry per use
  std::vector<bool> is_output_, in_order_;  // per value; per node: has a control edge
  std::vector<Emitted> emitted_;
  bool changed_ = false;
  Status status_;
};

// True if the function assigns parameters of the model, as a training step does. Passes that change
// result bits leave such a function alone.
bool trains(const Graph& graph, const Function& f);

// Marks the values that depend only on constants and on variables that the function does not
// assign. Results of such values are precomputed ahead of the runs.
std::vector<bool> fixed_values(const Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_EDIT_H_

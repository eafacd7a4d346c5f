#include "core/autodiff/row_sparse.h"

#include <algorithm>

#include "core/autodiff/gradients.h"
#include "core/graph/clone.h"
#include "core/graph/effects.h"

namespace percale {
namespace {

bool is_lookup(const Node& node) {
  if (node.op->is(Role::kEmbeddingBag)) return true;
  return node.op->is(Role::kGather) && node.attributes.get_int("axis") == 0;
}

// The reads of a variable that ys depend on, and the nodes that look rows up in them. No lookups if
// the variable has other uses.
struct Table {
  std::vector<ValueId> reads;
  std::vector<NodeId> lookups;
};

Table find_table(const Graph& graph, const Function& f, const std::vector<bool>& used, const std::vector<ValueId>& ys,
                 const Variable& variable) {
  Table out;
  if (variable.shape.rank() == 0 || variable.shape.num_elements() == 0) return {};
  const auto is_read = [&](ValueId v) { return std::find(out.reads.begin(), out.reads.end(), v) != out.reads.end(); };
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const Node& node = f.nodes[i];
    if (!used[i]) continue;
    if (node.op->is(Role::kReadVariable) && node.attributes.get_string("variable") == variable.name) {
      out.reads.push_back(node.outputs[0]);
    }
    // May read the variable.
    if (carries_functions(node.attributes) && effects_of(graph, node).reads) return {};
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k] == kNoValue || !is_read(node.inputs[k])) continue;
      if (k != 0 || !is_lookup(node)) return {};
      out.lookups.push_back(static_cast<NodeId>(i));
    }
  }
  if (std::any_of(ys.begin(), ys.end(), is_read)) return {};
  return out;
}

// Returns the row indices that a lookup used, as a list. Negative indices of Gather are wrapped;
// padding becomes -1, which is no row.
ValueId rows_of(Emitter& e, const Node& lookup, int64_t rows) {
  const ValueId indices = lookup.inputs[1];
  const ValueId wide = e.dtype(indices) == DType::kI64 ? indices : e.emit("Cast", {indices}, {{"to", DType::kI64}});
  const ValueId flat = e.emit("Reshape", {wide, e.ints({-1})});
  if (lookup.op->is(Role::kGather)) {
    const ValueId negative = e.emit("Less", {flat, e.constant(Tensor::scalar(int64_t{0}))});
    return e.emit("Where", {negative, e.emit("Add", {flat, e.constant(Tensor::scalar(rows))}), flat});
  }
  const int64_t padding = with_defaults(*lookup.op, lookup.attributes).get_int("padding_idx");
  if (padding < 0) return flat;
  const ValueId padded = e.emit("Equal", {flat, e.constant(Tensor::scalar(padding))});
  return e.emit("Where", {padded, e.constant(Tensor::scalar(int64_t{-1})), flat});
}

// Returns the values to add to each of these rows, computed from the gradient of the lookup's
// result.
ValueId values_of(Emitter& e, const Node& lookup, ValueId grad, const Shape& table) {
  if (lookup.op->is(Role::kGather)) {
    std::vector<int64_t> dims(table.begin(), table.end());
    dims[0] = -1;
    return e.emit("Reshape", {grad, e.ints(dims)});
  }
  std::vector<ValueId> operands = {grad};
  operands.insert(operands.end(), lookup.inputs.begin(), lookup.inputs.end());
  return e.emit("percale:EmbeddingBagRows", operands, lookup.attributes);
}

ValueId joined(Emitter& e, const std::vector<ValueId>& parts) {
  return parts.size() == 1 ? parts[0] : e.emit("Concat", parts, {{"axis", 0}});
}

}  // namespace

Result<std::vector<VariableGradient>> gradients_of_variables_by_rows(FunctionBuilder& f, const std::vector<ValueId>& ys,
                                                                     const std::vector<std::string>& variables,
                                                                     const std::vector<bool>& by_rows,
                                                                     const std::vector<ValueId>& xs) {
  std::vector<VariableGradient> out(variables.size());
  const std::vector<bool> used = nodes_behind(f.function(), ys, false);
  std::vector<std::string> dense;
  std::vector<Node> lookups;  // copies, because emitting moves the function's nodes
  std::vector<size_t> owner;  // per lookup: index of its variable
  for (size_t i = 0; i < variables.size(); ++i) {
    const Variable* variable = f.owner().graph().find_variable(variables[i]);
    const Table table =
        variable != nullptr && by_rows[i] ? find_table(f.owner().graph(), f.function(), used, ys, *variable) : Table{};
    if (table.lookups.empty()) {
      dense.push_back(variables[i]);
      continue;
    }
    for (NodeId id : table.lookups) {
      lookups.push_back(f.function().node(id));
      owner.push_back(i);
    }
  }
  std::vector<ValueId> looked_up;
  for (const Node& node : lookups) looked_up.push_back(node.outputs[0]);
  looked_up.insert(looked_up.end(), xs.begin(), xs.end());
  PERCALE_ASSIGN_OR_RETURN(const auto sums, gradients_of_variables(f, ys, dense, {}, looked_up));
  for (size_t i = 0; i < xs.size(); ++i) out.push_back({kNoValue, sums[dense.size() + lookups.size() + i]});
  size_t next = 0;
  Emitter e(f);
  const std::string prefix = f.name_prefix();
  f.set_name_prefix("gradients/");
  for (size_t i = 0; i < variables.size(); ++i) {
    std::vector<ValueId> rows, values;
    for (size_t k = 0; k < lookups.size(); ++k) {
      if (owner[k] != i) continue;
      const Variable& variable = *f.owner().graph().find_variable(variables[i]);
      rows.push_back(rows_of(e, lookups[k], variable.shape[0]));
      values.push_back(values_of(e, lookups[k], sums[dense.size() + k], variable.shape));
    }
    if (rows.empty()) {
      out[i].values = sums[next++];
    } else {
      out[i] = {joined(e, rows), joined(e, values)};
    }
  }
  f.set_name_prefix(prefix);
  PERCALE_RETURN_IF_ERROR(e.status());
  return out;
}

}  // namespace percale

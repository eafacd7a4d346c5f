// Builds graphs node by node. Each node is checked and its shapes are inferred as it is built, so that the error comes
// where the mistake is.
#ifndef PERCALE_CORE_GRAPH_BUILDER_H_
#define PERCALE_CORE_GRAPH_BUILDER_H_

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

class Builder;

// Appends to one function of a graph under construction. Borrowed from its Builder. Thread-compatible.
class FunctionBuilder {
 public:
  FunctionBuilder(Builder& owner, size_t index);
  FunctionBuilder(const FunctionBuilder&) = delete;
  FunctionBuilder& operator=(const FunctionBuilder&) = delete;

  // The function as it stands. The reference is good until the next function is added to the graph.
  const Function& function() const;
  // By value: the next node moves the values of the function.
  ValueType type(ValueId id) const { return function().type(id); }
  Builder& owner() const { return owner_; }

  // An input. ALREADY_EXISTS for a name that is taken; "" takes the next free name.
  Result<ValueId> add_input(std::string_view name, DType dtype, const Shape& shape);
  // A constant, kept by reference to its memory.
  Result<ValueId> add_constant(Tensor tensor, std::string_view name = {});
  // A node with `num_outputs` outputs. A name that is taken gets a number behind it. Its outputs are called as the node,
  // ":k" behind the name from the second on.
  Result<NodeId> add_node(const OpSchema& schema, const std::vector<ValueId>& inputs, Attributes attributes = {},
                          size_t num_outputs = 1, std::string_view name = {});
  // The same by op name, "Conv" or "percale:ApplyAdam".
  Result<NodeId> add_node(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes = {},
                          size_t num_outputs = 1, std::string_view name = {});
  // Gives a node other attributes and `more` outputs behind those it has; returns the new ones. What the attributes then say
  // of the outputs that are there must be compatible with their types.
  Result<std::vector<ValueId>> extend_node(NodeId id, Attributes attributes, size_t more);
  // `after` runs only when `before` has run. `before` must stand before `after`.
  Status add_control(NodeId before, NodeId after);
  Status set_outputs(std::vector<ValueId> outputs);
  // Gives a value another name; ALREADY_EXISTS when it is taken.
  Status rename(ValueId id, std::string_view name);
  // Keeps a name free for the input or the renamed value that will be called so: what is named meanwhile gets a number instead.
  void reserve_name(std::string_view name);

  // Device hint of the nodes that follow, "" for none.
  void set_device(std::string_view device) { device_ = device; }
  const std::string& device() const { return device_; }
  // Adds what else is known of a value's shape. Precondition: compatible with its shape.
  void refine_shape(ValueId id, const Shape& shape);
  // What is put before the names of the nodes that follow, such as "encoder/".
  void set_name_prefix(std::string_view prefix) { prefix_ = prefix; }
  const std::string& name_prefix() const { return prefix_; }

 private:
  Function& mutable_function();
  std::string free_name(std::string_view wanted);
  ValueId add_output(NodeId id, size_t output, const ValueType& type);
  void order_effects(NodeId id);

  struct Effects {  // of one variable, or of everything under the name ""
    NodeId last_write = -1;
    std::vector<NodeId> reads;  // since the last write
  };
  Builder& owner_;
  size_t index_;
  std::string device_, prefix_;
  std::unordered_set<std::string> names_, reserved_;
  std::unordered_map<std::string, int64_t> next_suffix_;
  std::map<std::string, Effects> effects_;
};

// A graph under construction. Thread-compatible. "main" is there from the start.
class Builder {
 public:
  explicit Builder(std::shared_ptr<const Registry> registry);
  // Goes on from a copy of a finished graph: to add gradients, layers, functions.
  explicit Builder(const Graph& graph);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  FunctionBuilder& main() { return functions_.front(); }
  // A new function. ALREADY_EXISTS for a name that is taken.
  Result<FunctionBuilder*> add_function(std::string_view name);
  // `name`, or with a number behind it, so that add_function takes it.
  std::string free_function_name(std::string_view name) const;
  // Null when there is none.
  FunctionBuilder* find_function(std::string_view name);
  // The function "init", made when first asked for.
  FunctionBuilder& init();

  // A variable. Its first value is `variable.initial`, or the output of that name that "init" will have.
  Status add_variable(Variable variable);
  const Graph& graph() const { return graph_; }
  const Registry& registry() const { return *graph_.registry; }
  void set_metadata(std::string_view key, std::string_view value);

  // The finished, validated graph. The builder is left empty.
  Result<std::shared_ptr<const Graph>> finish();

 private:
  friend class FunctionBuilder;
  Graph graph_;
  std::deque<FunctionBuilder> functions_;
  std::unordered_set<std::string> variable_names_;
};

// Emits nodes one after the other and keeps the first error, after which it does nothing and returns kNoValue: for code
// that writes many nodes. Gradient functions, layers and rewrites use it.
class Emitter {
 public:
  explicit Emitter(FunctionBuilder& builder) : builder_(builder) {}

  ValueId emit(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes = {},
               std::string_view name = {});
  std::vector<ValueId> emit_many(std::string_view op, const std::vector<ValueId>& inputs, size_t num_outputs,
                                 Attributes attributes = {}, std::string_view name = {});
  ValueId constant(Tensor tensor, std::string_view name = {});
  // A rank-0 constant of a numeric or bool dtype.
  ValueId scalar(DType dtype, double value);
  // A rank-1 i64 constant, as shapes and axes are given.
  ValueId ints(const std::vector<int64_t>& values);
  void fail(Status status);

  FunctionBuilder& builder() const { return builder_; }
  ValueType type(ValueId id) const;
  DType dtype(ValueId id) const { return type(id).dtype; }
  Shape shape(ValueId id) const { return type(id).shape; }
  const Status& status() const { return status_; }

 private:
  FunctionBuilder& builder_;
  Status status_;
};

// A tensor of rank 0 of any fixed-size dtype of 8 bits or more that holds `value` converted to it.
Tensor scalar_tensor(DType dtype, double value);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_BUILDER_H_

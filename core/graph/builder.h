// Builds graphs node by node. Each node is checked and its shapes are inferred when it is added, so
// that errors are reported at the call that caused them.
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

// Appends to one function of a graph under construction. Owned by its Builder. Thread-compatible.
class FunctionBuilder {
 public:
  FunctionBuilder(Builder& owner, size_t index);
  FunctionBuilder(const FunctionBuilder&) = delete;
  FunctionBuilder& operator=(const FunctionBuilder&) = delete;

  // The function built so far. The reference is valid until the next function is added to the
  // graph.
  const Function& function() const;
  // Returned by value, because adding a node moves the values of the function.
  ValueType type(ValueId id) const { return function().type(id); }
  Builder& owner() const { return owner_; }

  // Adds an input. ALREADY_EXISTS if the name is taken; "" picks a free name.
  Result<ValueId> add_input(std::string_view name, DType dtype, const Shape& shape);
  // Adds a constant that shares the memory of `tensor`.
  Result<ValueId> add_constant(Tensor tensor, std::string_view name = {});
  // Adds a node with `num_outputs` outputs. If the name is taken, a number is appended. The first
  // output has the node's name; output k > 0 has the name with ":k" appended.
  Result<NodeId> add_node(const OpSchema& schema, const std::vector<ValueId>& inputs, Attributes attributes = {},
                          size_t num_outputs = 1, std::string_view name = {});
  // The same by op name: "Conv" or "percale:ApplyAdam".
  Result<NodeId> add_node(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes = {},
                          size_t num_outputs = 1, std::string_view name = {});
  // Replaces the attributes of a node and appends `more` outputs, which are returned. The types
  // inferred for the existing outputs must stay compatible.
  Result<std::vector<ValueId>> extend_node(NodeId id, Attributes attributes, size_t more);
  // Makes `after` run only after `before` has run. `before` must precede `after` in the function.
  Status add_control(NodeId before, NodeId after);
  Status set_outputs(std::vector<ValueId> outputs);
  // Renames a value; ALREADY_EXISTS if the name is taken.
  Status rename(ValueId id, std::string_view name);
  // Reserves a name for an input or a renamed value. Other nodes that want the name get a number
  // appended.
  void reserve_name(std::string_view name);

  // Device hint of the nodes added from now on; "" for none.
  void set_device(std::string_view device) { device_ = device; }
  const std::string& device() const { return device_; }
  // Adds knowledge about a value's shape. Precondition: compatible with its current shape.
  void refine_shape(ValueId id, const Shape& shape);
  // Prefix of the names of the nodes added from now on, such as "encoder/".
  void set_name_prefix(std::string_view prefix) { prefix_ = prefix; }
  const std::string& name_prefix() const { return prefix_; }

 private:
  Function& mutable_function();
  std::string free_name(std::string_view wanted);
  ValueId add_output(NodeId id, size_t output, const ValueType& type);
  void order_effects(NodeId id);

  struct Effects {  // Effects on one variable; the key "" stands for all effects.
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

// A graph under construction. It contains "main" from the start. Thread-compatible.
class Builder {
 public:
  explicit Builder(std::shared_ptr<const Registry> registry);
  // Starts from a copy of a finished graph, to add gradients, layers or functions.
  explicit Builder(const Graph& graph);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  FunctionBuilder& main() { return functions_.front(); }
  // Adds a function. ALREADY_EXISTS if the name is taken.
  Result<FunctionBuilder*> add_function(std::string_view name);
  // Returns `name`, with a number appended if add_function() would refuse it.
  std::string free_function_name(std::string_view name) const;
  // Returns null if there is none.
  FunctionBuilder* find_function(std::string_view name);
  // Returns the function "init", which is created on first use.
  FunctionBuilder& init();

  // Adds a variable. Its initial value is `variable.initial`, or the output of "init" that will
  // have its name.
  Status add_variable(Variable variable);
  const Graph& graph() const { return graph_; }
  const Registry& registry() const { return *graph_.registry; }
  void set_metadata(std::string_view key, std::string_view value);

  // Validates and returns the graph. The builder is empty afterwards.
  Result<std::shared_ptr<const Graph>> finish();

 private:
  friend class FunctionBuilder;
  Graph graph_;
  std::deque<FunctionBuilder> functions_;
  std::unordered_set<std::string> variable_names_;
};

// Emits nodes one after another and keeps the first error. After an error it does nothing and
// returns kNoValue. For code that writes many nodes: gradient functions, layers, rewrites.
class Emitter {
 public:
  explicit Emitter(FunctionBuilder& builder) : builder_(builder) {}

  ValueId emit(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes = {},
               std::string_view name = {});
  std::vector<ValueId> emit_many(std::string_view op, const std::vector<ValueId>& inputs, size_t num_outputs,
                                 Attributes attributes = {}, std::string_view name = {});
  ValueId constant(Tensor tensor, std::string_view name = {});
  // Emits a rank-0 constant of a numeric or bool dtype.
  ValueId scalar(DType dtype, double value);
  // Emits a rank-1 i64 constant, the form of shapes and axes.
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

// Returns a rank-0 tensor with `value` converted to `dtype`, any fixed-size dtype of 8 bits or
// more.
Tensor scalar_tensor(DType dtype, double value);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_BUILDER_H_

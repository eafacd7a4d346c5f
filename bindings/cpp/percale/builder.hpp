/// Graphs under construction.
#ifndef PERCALE_CPP_BUILDER_HPP_
#define PERCALE_CPP_BUILDER_HPP_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percale/attribute.hpp"
#include "percale/graph.hpp"

namespace percale {

/// A value inside a builder: the output of a node, an input, a variable or a constant. An empty
/// value stands for an absent optional input. Builder calls return it after an error.
struct Value {
  percale_value id = PERCALE_NO_VALUE;  ///< number in the C ABI
  /// True if it is not empty.
  explicit operator bool() const { return id != PERCALE_NO_VALUE; }
};

/// The inputs of a node: {x, y} or a vector.
class Values {
 public:
  /// The values are borrowed for the call.
  Values(std::initializer_list<Value> values) : values_(values.begin(), values.size()) {}
  Values(std::span<const Value> values) : values_(values) {}
  Values(const std::vector<Value>& values) : values_(values) {}
  /// The values, in the order of the inputs.
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }  ///< past the last value
  /// The number of values.
  size_t size() const { return values_.size(); }
  /// The values in the form of the C ABI.
  const percale_value* ids() const {
    static_assert(sizeof(Value) == sizeof(percale_value));
    return reinterpret_cast<const percale_value*>(values_.data());
  }

 private:
  std::span<const Value> values_;
};

/// The dtype and dims of a value.
struct ValueType {
  DType dtype = DType::kInvalid;  ///< kInvalid if unknown
  bool ranked = false;            ///< true if the rank is known
  std::vector<int64_t> dims;      ///< -1 for an unknown dim; empty if not ranked
};

/// Builds a graph. It keeps its first error. Later calls then do nothing, and finish() returns the
/// error, so a graph can be written without a check on every line. status() returns the error at
/// any time. Thread-compatible.
class Builder : public Handle<percale_builder, percale_builder_release> {
 public:
  using Handle::Handle;

  /// Creates a builder of an empty graph.
  static Result<Builder> create(const Engine& engine) {
    return detail::made<Builder, percale_builder>(
        [&](percale_builder** out) { return percale_builder_create(engine.get(), out); });
  }
  /// Creates a builder that continues from a finished graph.
  static Result<Builder> from(const Engine& engine, const Graph& graph) {
    return detail::made<Builder, percale_builder>(
        [&](percale_builder** out) { return percale_builder_from_graph(engine.get(), graph.get(), out); });
  }

  /// The first error so far.
  const Status& status() const { return status_; }

  /// Returns the value with this name in the current function.
  Value find(Text name) { return one(percale_builder_find_value, name.c_str()); }
  /// Adds an input to the current function. A dim of -1 is unknown.
  Value input(Text name, DType dtype, Dims dims) {
    return one(percale_builder_input, name.c_str(), static_cast<percale_dtype>(dtype), dims.data(), dims.size());
  }
  /// Adds a constant. The tensor is shared, not copied.
  Value constant(const Tensor& tensor, const char* name = nullptr) {
    return one(percale_builder_constant, name, tensor.get());
  }
  /// Adds a trainable variable whose initial value is the tensor.
  Value variable(Text name, const Tensor& initial) {
    return one(percale_builder_variable, name.c_str(), initial.get());
  }
  /// Adds a trainable variable whose initial value an initializer draws: "zeros", "ones",
  /// "glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_normal",
  /// "random_uniform", "random_normal" or "orthogonal".
  Value variable(Text name, DType dtype, Dims dims, Text initializer) {
    return one(percale_builder_variable_initialized, name.c_str(), static_cast<percale_dtype>(dtype), dims.data(),
               dims.size(), initializer.c_str());
  }
  /// Adds a node of an op, such as "Conv", "percale:ApplyAdam", or "sample:Square" of a plug-in,
  /// and returns its outputs. The first one has the name of the node. percale/ops.hpp has one
  /// function per op of the library.
  std::vector<Value> node(Text op, Values inputs, const Attributes& attributes, size_t outputs,
                          const char* name = nullptr) {
    check(percale_builder_node, op.c_str(), name);
    return finish_node(inputs, attributes, outputs);
  }
  /// Adds a node with one output.
  Value node(Text op, Values inputs, const Attributes& attributes = {}, const char* name = nullptr) {
    return node(op, inputs, attributes, 1, name)[0];
  }
  /// Adds a composite such as "Dense" or "Conv2D". Its attributes have the names of Keras
  /// arguments.
  Value layer(Text layer, Values inputs, const Attributes& attributes = {}, const char* name = nullptr) {
    check(percale_builder_layer, layer.c_str(), name);
    return finish_node(inputs, attributes, 1)[0];
  }

  /// Begins a function of the graph. Everything until end_function() is added to it. Functions can
  /// be nested.
  void begin_function(Text name) { check(percale_builder_begin_function, name.c_str()); }
  /// Ends the function of the last begin_function().
  void end_function() { check(percale_builder_end_function); }
  /// Sets the outputs of the current function.
  void set_outputs(Values values) { check(percale_builder_set_outputs, values.ids(), values.size()); }
  /// Gives a value another name, which feeds and fetches then use.
  void rename(Value value, Text name) { check(percale_builder_rename, value.id, name.c_str()); }
  /// Sets a device hint for the nodes that follow; "" removes it.
  void set_device(Text device) { check(percale_builder_set_device, device.c_str()); }
  /// Makes the node of `after` run only once the node of `before` has run.
  void control_dependency(Value before, Value after) { check(percale_builder_control_dependency, before.id, after.id); }
  /// Returns the dtype and dims of a value.
  ValueType type(Value value) {
    ValueType out;
    percale_dtype dtype = 0;
    std::array<int64_t, 8> dims{};
    size_t rank = 0;
    check(percale_builder_value_type, value.id, &dtype, dims.data(), &rank);
    out.dtype = static_cast<DType>(dtype);
    out.ranked = status_.ok() && rank <= dims.size();
    if (out.ranked) out.dims.assign(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(rank));
    return out;
  }

  /// Adds nodes that compute the gradients of the sum of `ys` with respect to each of `xs`.
  std::vector<Value> gradients(Values ys, Values xs) {
    std::vector<Value> out(xs.size());
    check(percale_builder_gradients, ys.ids(), ys.size(), xs.ids(), xs.size(),
          reinterpret_cast<percale_value*>(out.data()));
    return out;
  }
  /// Adds the nodes of one training step, and returns the name of the target that runs one step.
  /// `optimizer` is a name or JSON.
  std::string minimize(Value loss, Text optimizer) {
    const char* target = nullptr;
    check(percale_builder_minimize, loss.id, optimizer.c_str(), &target);
    return std::string(detail::view(target));
  }
  /// Returns the validated graph, or the first error. The builder is empty afterwards.
  Result<Graph> finish() {
    if (!status_) return std::exchange(status_, Status());
    return detail::made<Graph, percale_graph>([&](percale_graph** out) { return percale_builder_finish(get(), out); });
  }

 private:
  template <class Function, class... Args>
  void check(Function function, Args... args) {
    if (status_) status_ = Status(function(get(), args...));
  }
  template <class Function, class... Args>
  Value one(Function function, Args... args) {
    Value out;
    check(function, args..., &out.id);
    if (!status_) out = Value();
    return out;
  }
  void set(const Attribute& attribute) {
    const char* name = attribute.name().c_str();
    struct Setter {
      Builder& b;
      const char* name;
      void operator()(int64_t v) { b.check(percale_builder_set_int, name, v); }
      void operator()(bool v) { (*this)(static_cast<int64_t>(v)); }
      void operator()(double v) { b.check(percale_builder_set_float, name, v); }
      void operator()(const std::string& v) { b.check(percale_builder_set_string, name, v.c_str()); }
      void operator()(const std::vector<int64_t>& v) { b.check(percale_builder_set_ints, name, v.data(), v.size()); }
      void operator()(const std::vector<double>& v) { b.check(percale_builder_set_floats, name, v.data(), v.size()); }
      void operator()(const std::vector<std::string>& v) {
        std::vector<const char*> texts;
        for (const std::string& text : v) texts.push_back(text.c_str());
        b.check(percale_builder_set_strings, name, texts.data(), texts.size());
      }
      void operator()(const Tensor* v) { b.check(percale_builder_set_tensor, name, v == nullptr ? nullptr : v->get()); }
      void operator()(const FunctionName& v) { b.check(percale_builder_set_function, name, v.name.c_str()); }
    };
    std::visit(Setter{*this, name}, attribute.value());
  }
  std::vector<Value> finish_node(Values inputs, const Attributes& attributes, size_t outputs) {
    for (Value input : inputs) check(percale_builder_add_input, input.id);
    for (const Attribute& attribute : attributes) set(attribute);
    std::vector<Value> out(outputs);
    check(percale_builder_finish_node, outputs, reinterpret_cast<percale_value*>(out.data()));
    // Callers of an op with one output read the first element even after an error.
    if (!status_ || outputs == 0) out.assign(outputs == 0 ? 1 : outputs, Value());
    return out;
  }

  Status status_;
};

}  // namespace percale

#endif  // PERCALE_CPP_BUILDER_HPP_

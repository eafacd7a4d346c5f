/// Ops: schema, shape function and gradient.
#ifndef PERCALE_CPP_PLUGIN_OP_HPP_
#define PERCALE_CPP_PLUGIN_OP_HPP_

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <vector>

#include "node.hpp"

namespace percale::plugin {

/// An input of an op, with the element types that it may have. Values with the same letter have the
/// same element type.
template <class... DTypes>
constexpr percale_op_value input(const char* name, char letter, DTypes... dtypes) {
  return {name, letter, (0u | ... | (1u << dtypes)), 0};
}
/// An input that a node may leave out.
template <class... DTypes>
constexpr percale_op_value optional_input(const char* name, char letter, DTypes... dtypes) {
  return {name, letter, (0u | ... | (1u << dtypes)), 1};
}
/// An output, whose element type the shape function sets.
constexpr percale_op_value output(const char* name, char letter) { return {name, letter, 0, 0}; }

/// A whole-number attribute with a default.
constexpr percale_op_attribute int_attribute(const char* name, int64_t value) {
  return {name, PERCALE_ATTRIBUTE_INT, 0, 1, value, 0, nullptr};
}
/// A number attribute with a default.
constexpr percale_op_attribute float_attribute(const char* name, double value) {
  return {name, PERCALE_ATTRIBUTE_FLOAT, 0, 1, 0, value, nullptr};
}
/// A text attribute with a default.
constexpr percale_op_attribute string_attribute(const char* name, const char* value) {
  return {name, PERCALE_ATTRIBUTE_STRING, 0, 1, 0, 0, value};
}
/// An attribute that a node may leave out.
constexpr percale_op_attribute optional_attribute(const char* name, percale_attribute_kind kind) {
  return {name, kind, 0, 0, 0, 0, nullptr};
}
/// An attribute that a node must give.
constexpr percale_op_attribute required_attribute(const char* name, percale_attribute_kind kind) {
  return {name, kind, 1, 0, 0, 0, nullptr};
}

/// A node whose output shapes are wanted.
class Shape {
 public:
  /// Borrows both.
  Shape(const percale_host_api& host, percale_shape_context* context) : host_(host), context_(context) {}

  /// The number of inputs, absent ones included.
  size_t inputs() const { return host_.shape->input_count(context_); }
  /// Element type of an input; PERCALE_DTYPE_INVALID for an absent one.
  percale_dtype dtype(size_t i) const { return host_.shape->input_dtype(context_, i); }
  /// Dims of an input, with -1 for an unknown dim. Empty if even the rank is unknown.
  std::optional<Dims> dims(size_t i) const {
    size_t rank = 0;
    const int64_t* dims = host_.shape->input_dims(context_, i, &rank);
    return rank == SIZE_MAX ? std::nullopt : std::optional(Dims(dims, dims + rank));
  }
  /// The elements of an input whose value is known, else NULL.
  const void* constant(size_t i) const { return host_.shape->input_constant(context_, i); }
  /// The attributes of the node.
  Attributes attributes() const { return {host_, host_.shape->attributes(context_)}; }

  /// Sets the element type and the dims of an output. Empty `dims` mean an unknown rank.
  void set_output(size_t k, percale_dtype dtype, const std::optional<Dims>& dims) {
    check(host_,
          host_.shape->set_output(context_, k, dtype, dims ? dims->data() : nullptr, dims ? dims->size() : SIZE_MAX));
  }
  /// Gives an output the element type and the dims of an input.
  void set_output_like(size_t k, size_t i) { set_output(k, dtype(i), dims(i)); }

 private:
  const percale_host_api& host_;
  percale_shape_context* context_;
};

/// An attribute that is given to a node. Borrows its text and its array.
struct Given {
  /// The attribute as the C interface has it.
  percale_attribute attribute{};

  /// A number.
  Given(const char* name, double value) : Given(name) {
    attribute.kind = PERCALE_ATTRIBUTE_FLOAT;
    attribute.f = value;
  }
  /// A whole number.
  Given(const char* name, int64_t value) : Given(name) {
    attribute.kind = PERCALE_ATTRIBUTE_INT;
    attribute.i = value;
  }
  /// A whole number.
  Given(const char* name, int value) : Given(name, int64_t{value}) {}
  /// A text.
  Given(const char* name, const char* value) : Given(name) {
    attribute.kind = PERCALE_ATTRIBUTE_STRING;
    attribute.text = value;
    attribute.text_size = PERCALE_NUL_ENDED;
  }
  /// A list of whole numbers.
  Given(const char* name, const Dims& values) : Given(name) {
    attribute.kind = PERCALE_ATTRIBUTE_INTS;
    attribute.ints = values.data();
    attribute.count = values.size();
  }
  /// A list of numbers.
  Given(const char* name, const std::vector<double>& values) : Given(name) {
    attribute.kind = PERCALE_ATTRIBUTE_FLOATS;
    attribute.floats = values.data();
    attribute.count = values.size();
  }

 private:
  explicit Given(const char* name) { attribute.name = name; }
};

/// The number of a value in the function that a gradient is added to; -1 for an absent value.
using Value = int32_t;

/// A node whose gradient is wanted, and the nodes that compute it. After the first error nothing is
/// added any more, and the gradient fails with it: a gradient function need not check.
class Gradient {
 public:
  /// Borrows both.
  Gradient(const percale_host_api& host, percale_grad_context* context) : host_(host), context_(context) {}

  /// The attributes of the node.
  Attributes attributes() const { return {host_, host_.grad->attributes(context_)}; }
  /// An input of the node.
  Value input(size_t i) const { return host_.grad->input(context_, i); }
  /// An output of the node.
  Value output(size_t k) const { return host_.grad->output(context_, k); }
  /// The gradient with respect to an output; -1 if it is zero.
  Value output_gradient(size_t k) const { return host_.grad->output_gradient(context_, k); }
  /// True if the gradient of an input is needed.
  bool wants(size_t i) const { return host_.grad->wants(context_, i) != 0; }
  /// Element type of a value.
  percale_dtype dtype(Value value) const { return host_.grad->dtype(context_, value); }
  /// Dims of a value, with -1 for an unknown dim. Empty if even the rank is unknown.
  std::optional<Dims> dims(Value value) const {
    int64_t dims[8];
    size_t rank = 0;
    host_.grad->dims(context_, value, dims, &rank);
    return rank == SIZE_MAX ? std::nullopt : std::optional(Dims(dims, dims + rank));
  }

  /// A constant of rank 0 with the element type of `like`.
  Value scalar(Value like, double value) { return host_.grad->scalar(context_, dtype(like), value); }
  /// A constant of rank 1 and element type i64.
  Value ints(const Dims& values) { return host_.grad->ints(context_, values.data(), values.size()); }
  /// Adds a node "Op" or "domain:Op" and returns its first output.
  Value emit(const char* op, std::initializer_list<Value> inputs, std::initializer_list<Given> attributes = {}) {
    const std::vector<percale_attribute> given = plain(attributes);
    return host_.grad->emit(context_, op, std::data(inputs), inputs.size(), given.data(), given.size());
  }
  /// Adds a node and returns its first `outputs` outputs.
  std::vector<Value> emit_outputs(const char* op, size_t outputs, std::initializer_list<Value> inputs,
                                  std::initializer_list<Given> attributes = {}) {
    const std::vector<percale_attribute> given = plain(attributes);
    std::vector<Value> out(outputs);
    host_.grad->emit_outputs(context_, op, std::data(inputs), inputs.size(), given.data(), given.size(), out.data(),
                             outputs);
    return out;
  }
  /// Sets the gradient with respect to an input.
  void set(size_t i, Value value) { host_.grad->set_input_gradient(context_, i, value); }

 private:
  static std::vector<percale_attribute> plain(std::initializer_list<Given> attributes) {
    std::vector<percale_attribute> out;
    for (const Given& given : attributes) out.push_back(given.attribute);
    return out;
  }

  const percale_host_api& host_;
  percale_grad_context* context_;
};

/// The table entry of an op class O, see Plugin::add_op(). The host must live as long as the
/// process.
template <class O>
percale_op op_of(const percale_host_api& host) {
  percale_op op{};
  op.struct_size = sizeof op;
  op.name = O::kName;
  op.doc = O::kDoc;
  op.since = 1;
  if constexpr (requires { O::kSince; }) op.since = O::kSince;
  op.inputs = O::kInputs;
  op.input_count = std::size(O::kInputs);
  op.outputs = O::kOutputs;
  op.output_count = std::size(O::kOutputs);
  if constexpr (requires { O::kAttributes; }) {
    op.attributes = O::kAttributes;
    op.attribute_count = std::size(O::kAttributes);
  }
  op.user = const_cast<percale_host_api*>(&host);
  op.shape = [](void* user, percale_shape_context* context) {
    const auto& table = *static_cast<const percale_host_api*>(user);
    return guarded(table, [&] {
      Shape shape(table, context);
      O::shape(shape);
    });
  };
  if constexpr (requires(Gradient & g) { O::gradient(g); }) {
    op.gradient = [](void* user, percale_grad_context* context) {
      const auto& table = *static_cast<const percale_host_api*>(user);
      return guarded(table, [&] {
        Gradient gradient(table, context);
        O::gradient(gradient);
      });
    };
  }
  return op;
}

}  // namespace percale::plugin

#endif  // PERCALE_CPP_PLUGIN_OP_HPP_

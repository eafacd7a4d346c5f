/// Attributes and nodes, as kernels read them.
#ifndef PERCALE_CPP_PLUGIN_NODE_HPP_
#define PERCALE_CPP_PLUGIN_NODE_HPP_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace percale::plugin {

/// Sizes of a shape, or a list of whole numbers.
using Dims = std::vector<int64_t>;

/// Product of the dims; 1 for rank 0.
inline int64_t elements(const Dims& dims) {
  int64_t out = 1;
  for (int64_t d : dims) out *= d;
  return out;
}

/// The attributes of a node, with the schema's defaults. Borrowed. A getter returns its second
/// argument if the attribute is absent or has another kind.
class Attributes {
 public:
  /// Borrows both.
  Attributes(const percale_host_api& host, const percale_attributes* attributes)
      : table_(host.attributes), attributes_(attributes) {}

  /// True if there is an attribute of this name.
  bool has(const char* name) const {
    percale_attribute any;
    return table_->get(attributes_, name, &any) != 0;
  }
  /// A whole number.
  int64_t get(const char* name, int64_t otherwise) const {
    table_->get_int(attributes_, name, &otherwise);
    return otherwise;
  }
  /// A number.
  double get(const char* name, double otherwise) const {
    table_->get_float(attributes_, name, &otherwise);
    return otherwise;
  }
  /// A text.
  std::string_view get(const char* name, std::string_view otherwise) const {
    const char* text = nullptr;
    size_t size = 0;
    return table_->get_string(attributes_, name, &text, &size) != 0 ? std::string_view(text, size) : otherwise;
  }
  /// A list of whole numbers.
  Dims get(const char* name, const Dims& otherwise) const {
    const int64_t* values = nullptr;
    size_t count = 0;
    return table_->get_ints(attributes_, name, &values, &count) != 0 ? Dims(values, values + count) : otherwise;
  }
  /// A list of numbers.
  std::vector<double> get(const char* name, const std::vector<double>& otherwise) const {
    const double* values = nullptr;
    size_t count = 0;
    if (table_->get_floats(attributes_, name, &values, &count) == 0) return otherwise;
    return {values, values + count};
  }
  /// One text of a list of strings; NULL past the end and if there is no such list.
  const char* string_at(const char* name, size_t index) const {
    return table_->get_string_at(attributes_, name, index, nullptr);
  }

 private:
  const percale_host_attributes_api* table_;
  const percale_attributes* attributes_;
};

/// A node that a kernel is offered. Borrows the view, so it must not outlive accepts() or plan().
class Node {
 public:
  /// Borrows both.
  Node(const percale_host_api& host, const percale_node_view* view) : host_(&host), view_(view) {}

  /// The library's functions.
  const percale_host_api& host() const { return *host_; }
  /// The node as the C interface has it.
  const percale_node_view* view() const { return view_; }
  /// Domain of the op; empty for ONNX's own.
  std::string_view domain() const { return table().domain(view_); }
  /// Name of the op.
  std::string_view op() const { return table().op(view_); }
  /// Name of the node.
  std::string name() const { return table().name(view_); }
  /// "sse4", "avx2" or "avx512": the most that kernels of the CPU may use.
  const char* isa() const { return table().isa(view_); }

  /// The number of inputs, absent ones included.
  size_t inputs() const { return table().input_count(view_); }
  /// The number of outputs, absent ones included.
  size_t outputs() const { return table().output_count(view_); }
  /// True if an input is there.
  bool has(size_t i) const { return i < inputs() && dtype(i) != PERCALE_DTYPE_INVALID; }
  /// True if an output is wanted.
  bool gives(size_t k) const { return k < outputs() && output_dtype(k) != PERCALE_DTYPE_INVALID; }
  /// Element type of an input.
  percale_dtype dtype(size_t i) const { return table().input_dtype(view_, i); }
  /// Element type of an output.
  percale_dtype output_dtype(size_t k = 0) const { return table().output_dtype(view_, k); }
  /// Dims of an input.
  Dims dims(size_t i) const {
    size_t rank = 0;
    const int64_t* dims = table().input_dims(view_, i, &rank);
    return Dims(dims, dims + rank);
  }
  /// Dims of an output.
  Dims output_dims(size_t k = 0) const {
    size_t rank = 0;
    const int64_t* dims = table().output_dims(view_, k, &rank);
    return Dims(dims, dims + rank);
  }
  /// The elements of an input whose value is known before the run, else NULL.
  const void* constant(size_t i) const { return has(i) ? table().input_constant(view_, i) : nullptr; }
  /// Layout of an input; NULL for row-major.
  const char* layout(size_t i) const { return table().input_layout(view_, i); }
  /// Layout that the output of a Reorder must have; NULL for row-major.
  const char* output_layout(size_t k) const { return table().output_layout(view_, k); }
  /// True if the input keeps its value until a variable changes.
  bool is_precomputed(size_t i) const { return table().input_is_precomputed(view_, i) != 0; }

  /// All attributes.
  Attributes attributes() const { return {*host_, table().attributes(view_)}; }
  /// A whole-number attribute, or `otherwise` if it is absent.
  int64_t attribute(const char* name, int64_t otherwise) const { return attributes().get(name, otherwise); }
  /// A number attribute, or `otherwise` if it is absent.
  double attribute(const char* name, double otherwise) const { return attributes().get(name, otherwise); }
  /// A text attribute, or `otherwise` if it is absent.
  std::string_view attribute(const char* name, std::string_view otherwise) const {
    return attributes().get(name, otherwise);
  }
  /// An attribute with a list of whole numbers, or `otherwise` if it is absent.
  Dims attribute(const char* name, const Dims& otherwise) const { return attributes().get(name, otherwise); }
  /// One text of a list of strings; NULL past the end.
  const char* attribute_string(const char* name, size_t i) const { return attributes().string_at(name, i); }

  /// The number of nodes in the body of a node "percale:Fused"; 0 for other ops. The values of a
  /// body are numbered as percale_host_node_api says; -1 is an absent one.
  size_t body_size() const { return table().body_node_count(view_); }
  /// A node of the body.
  Node body_node(size_t i) const { return {*host_, table().body_node(view_, i)}; }
  /// The value that is input `j` of a node of the body.
  int body_input(size_t i, size_t j) const { return table().body_input(view_, i, j); }
  /// The value that is the first output of a node of the body.
  int body_output(size_t i) const { return table().body_output(view_, i); }

 private:
  const percale_host_node_api& table() const { return *host_->node; }

  const percale_host_api* host_;
  const percale_node_view* view_;
};

/// The requests of a kernel for one node. While the library only asks whether the kernel takes the
/// node, there is no plan: requests then do nothing, and layouts are granted.
class KernelPlan {
 public:
  /// Borrows both. `plan` is NULL while the library only asks whether the kernel takes the node.
  KernelPlan(const percale_host_api& host, percale_kernel_plan* plan) : table_(host.kernel_plan), plan_(plan) {}

  /// True if the node is planned. False while the library only asks whether the kernel takes it.
  bool is_real() const { return plan_ != nullptr; }
  /// Requests scratch memory for each run.
  void set_scratch(uint64_t bytes) {
    if (is_real()) table_->set_scratch(plan_, bytes);
  }
  /// Allows that `output` has the address of `input`: the kernel reads each element before it
  /// writes it.
  void set_in_place(size_t output, size_t input) {
    if (is_real()) table_->set_in_place(plan_, output, input);
  }
  /// Requests a layout that takes `bytes` bytes for an operand (inputs, then outputs). Returns
  /// false if all operands must be row-major, as in constant folding.
  bool set_layout(size_t operand, const std::string& layout, uint64_t bytes) {
    return !is_real() || table_->set_layout(plan_, operand, layout.c_str(), bytes) != 0;
  }

 private:
  const percale_host_kernel_plan_api* table_;
  percale_kernel_plan* plan_;
};

}  // namespace percale::plugin

#endif  // PERCALE_CPP_PLUGIN_NODE_HPP_

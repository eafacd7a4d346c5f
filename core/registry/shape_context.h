// The input and output of a shape function.
#ifndef PERCALE_CORE_REGISTRY_SHAPE_CONTEXT_H_
#define PERCALE_CORE_REGISTRY_SHAPE_CONTEXT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/registry/attributes.h"
#include "core/registry/op_schema.h"
#include "core/tensor/tensor.h"

namespace percale {

// The static knowledge of a value.
struct ValueType {
  DType dtype = DType::kInvalid;  // kInvalid: absent
  Shape shape;
  bool operator==(const ValueType&) const = default;
};

// Marks an unknown element of `partly_known`.
inline constexpr int64_t kUnknownNumber = INT64_MIN;

// Returns the output types of a function for given input types. If, Loop and Call get their shapes
// from it.
class FunctionTypes {
 public:
  virtual ~FunctionTypes() = default;
  virtual Result<std::vector<ValueType>> output_types(std::string_view function,
                                                      const std::vector<ValueType>& inputs) const = 0;
  // True if a bool output of the function is evidently true whenever its input `input` is, because
  // it is that input or the constant true. A Loop is then known to make all its iterations.
  virtual bool keeps_true(std::string_view function, size_t output, size_t input) const = 0;
};

}  // namespace percale

// The caller that builds or binds a node fills it; the shape function borrows it.
struct percale_shape_context {
  using Status = percale::Status;

  const percale::OpSchema& schema;
  std::string_view node_name;
  const percale::Attributes& attributes;  // with the schema's defaults filled in
  std::vector<percale::ValueType> inputs;
  std::vector<const percale::Tensor*> values;  // per input: its value if known, else null
  std::vector<percale::ValueType> outputs;     // sized by the caller to the node's outputs
  const percale::FunctionTypes* functions = nullptr;
  // Per input: i64 elements of which some are known, else an undefined tensor. Empty if no input is
  // partly known.
  std::vector<percale::Tensor> partly_known = {};

  size_t num_inputs() const { return inputs.size(); }
  bool has_input(size_t i) const { return i < inputs.size() && inputs[i].dtype != percale::DType::kInvalid; }
  percale::DType dtype(size_t i) const { return inputs[i].dtype; }
  const percale::Shape& shape(size_t i) const { return inputs[i].shape; }
  // Returns the value of input i if known, else null.
  const percale::Tensor* value(size_t i) const { return i < values.size() ? values[i] : nullptr; }
  bool wants_output(size_t i) const { return i < outputs.size(); }
  void set_output(size_t i, percale::DType dtype, const percale::Shape& shape) {
    if (i < outputs.size()) outputs[i] = {dtype, shape};
  }
  // Returns INVALID_ARGUMENT with "Op 'node': " before the parts.
  template <class... Parts>
  Status error(const Parts&... parts) const {
    return percale::invalid_argument(schema.name, " '", node_name, "': ", parts...);
  }
  // Prepends the same prefix to the message of another status.
  Status error(const Status& status) const {
    return status.with_context(percale::str_cat(schema.name, " '", node_name, "'"));
  }
};

#endif  // PERCALE_CORE_REGISTRY_SHAPE_CONTEXT_H_

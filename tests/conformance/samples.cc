#include "tests/conformance/samples.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "core/graph/infer.h"
#include "core/tensor/half.h"
#include "tests/ops/op_case.h"

namespace percale::conformance {
namespace {

template <class T>
double element_as(const unsigned char* data, size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof value, sizeof value);
  if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
    return static_cast<double>(to_f32(value));
  } else {
    return static_cast<double>(value);
  }
}

// The same node over 60,033 elements, which repeat those of the row. That is enough to be split
// into pieces.
std::optional<Sample> enlarged(const Sample& row) {
  if (!row.schema->has(kElementwise) || row.inputs.empty() || row.must_fail) return {};
  const Shape shape{3, 20011};
  Sample out = row;
  out.name += ", enlarged";
  for (Tensor& input : out.inputs) {
    const int64_t bits = input.defined() ? dtype_bits(input.dtype()) : 0;
    if (bits < 8 || !(input.shape() == row.inputs[0].shape()) || input.bytes() == 0) return {};
    std::vector<char> large(static_cast<size_t>(shape.num_elements() * bits / 8));
    const auto* from = static_cast<const char*>(input.data());
    for (size_t i = 0; i < large.size(); ++i) large[i] = from[i % static_cast<size_t>(input.bytes())];
    input = Tensor::copy_of(input.dtype(), shape, large.data(), static_cast<int64_t>(large.size()));
  }
  return out;
}

float to_float(float value) { return value; }

// The same node with another floating-point type, if the op accepts it: for all floating-point
// inputs, or only for those that must have the type of the first.
template <class T>
std::optional<Sample> retyped(const Sample& row, T (*convert)(float), double tolerance, bool all = true) {
  Sample out = row;
  bool any = false;
  for (size_t at = 0; at < out.inputs.size(); ++at) {
    Tensor& input = out.inputs[at];
    if (!input.defined() || !is_float(input.dtype()) || input.dtype() == dtype_of<T>) continue;
    if (!all && row.schema->input(at).group != row.schema->input(0).group) continue;
    std::vector<T> values;
    const auto* from = static_cast<const unsigned char*>(input.data());
    for (size_t i = 0; i < static_cast<size_t>(input.num_elements()); ++i) {
      values.push_back(convert(static_cast<float>(element(input.dtype(), from, i))));
    }
    input = Tensor::copy_of(dtype_of<T>, input.shape(), values.data(), static_cast<int64_t>(values.size() * sizeof(T)));
    any = true;
  }
  out.name += str_cat(", as ", dtype_name(dtype_of<T>));
  out.tolerance = std::max(row.tolerance, tolerance);
  if (!any) return {};
  if (view_of(out).ok()) return out;
  if (all) return retyped(row, convert, tolerance, false);
  return {};
}

// A node of a random op. These ops have no rows, because no table can hold their results.
std::optional<Sample> random_sample(const OpSchema& schema, DType dtype) {
  if (!schema.has(kRandom)) return {};
  const std::vector<int64_t> dims{7, 3001};
  Attributes attributes;
  for (const AttrSpec& a : schema.attributes) {
    if (a.name == "shape") attributes.set("shape", dims);
    if (a.name == "dtype") attributes.set("dtype", dtype);
  }
  Sample out{str_cat(op_name(schema), " as ", dtype),
             &schema,
             with_defaults(schema, attributes),
             {},
             schema.outputs.size(),
             0,
             false};
  const std::vector<unsigned char> bytes(7 * 3001 * 8, 0x3F);  // 0.7 as f32 and as bf16
  for (const InputSpec& input : schema.inputs) {
    if (input.bounds == Bounds::kShape) {
      out.inputs.push_back(Tensor::vector<int64_t>(dims));
    } else if (input.name == "training_mode") {
      out.inputs.push_back(Tensor::scalar(true));
    } else if (input.presence == Presence::kOptional) {
      out.inputs.push_back(Tensor());
    } else {
      out.inputs.push_back(Tensor::copy_of(dtype, Shape(dims), bytes.data(), 7 * 3001 * dtype_bits(dtype) / 8));
    }
  }
  return out;
}

// Returns a row and the samples made from it.
std::vector<Sample> samples_of(const Sample& row) {
  std::vector<Sample> out{row};
  for (auto made : {enlarged(row), retyped<float>(row, to_float, 1e-5), retyped<F16>(row, to_f16, 2e-3),
                    retyped<BF16>(row, to_bf16, 1.6e-2)}) {
    if (made) out.push_back(std::move(*made));
  }
  return out;
}

}  // namespace

Result<NodeView> view_of(const Sample& sample) {
  std::vector<ValueType> types;
  std::vector<const Tensor*> values;
  for (const Tensor& t : sample.inputs) {
    types.push_back({t.dtype(), t.shape()});
    values.push_back(t.defined() ? &t : nullptr);
  }
  if (sample.graph != nullptr) {
    const Function& f = sample.graph->main();
    NodeView view{*sample.schema, "sample", sample.attributes, std::move(types), {f.type(f.outputs[0])}, {}};
    view.body = sample.graph->find_function(sample.attributes.find("body")->get_if<FunctionRef>()->name);
    return view;
  }
  PERCALE_ASSIGN_OR_RETURN(
      auto outputs, infer_node(*sample.schema, "sample", types, values, sample.outputs, sample.attributes, nullptr));
  return NodeView{*sample.schema, "sample", sample.attributes, std::move(types), std::move(outputs), std::move(values)};
}

double element(DType dtype, const unsigned char* data, size_t i) {
  switch (dtype) {
    case DType::kF32: return element_as<float>(data, i);
    case DType::kF64: return element_as<double>(data, i);
    case DType::kF16: return element_as<F16>(data, i);
    case DType::kBF16: return element_as<BF16>(data, i);
    default: return 0;
  }
}

Result<std::vector<Sample>> samples_for(const Registry& registry, std::string_view device_kind) {
  PERCALE_ASSIGN_OR_RETURN(const auto rows, load_op_cases(PERCALE_OP_TABLES));
  std::vector<Sample> samples;
  for (const OpCase& row : rows) {
    PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(registry, row));
    if (registry.kernels(device_kind, *schema).empty()) continue;
    for (Sample& s : samples_of({row.where + " " + row.op, schema, with_defaults(*schema, row.attributes), row.inputs,
                                 output_count(*schema, row), 2 * row.tolerance, !row.error.empty()})) {
      samples.push_back(std::move(s));
    }
  }
  for (const OpSchema* schema : registry.ops()) {
    if (registry.kernels(device_kind, *schema).empty()) continue;
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
      if (auto sample = random_sample(*schema, dtype)) samples.push_back(std::move(*sample));
    }
  }
  return samples;
}

}  // namespace percale::conformance

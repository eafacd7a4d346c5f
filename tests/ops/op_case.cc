#include "tests/ops/op_case.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/autodiff/gradients.h"
#include "core/plan/evaluate.h"
#include "core/session/session.h"
#include "core/tensor/half.h"
#include "core/text/json.h"

namespace percale {
namespace {

// ---- Reading

Result<double> number(const Json& json) {
  if (json.is_string()) {
    PERCALE_ASSIGN_OR_RETURN(const std::string text, json.as_string("v"));
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    return json.error("v", "no number: ", text);
  }
  return json.as_double("v");
}

template <class T>
Result<Tensor> read_elements(const Json& values, const Shape& shape) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  T* out = reinterpret_cast<T*>(bytes.data());
  for (size_t i = 0; i < values.size(); ++i) {
    const Json& item = values.item(i);
    if constexpr (std::is_same_v<T, bool>) {
      PERCALE_ASSIGN_OR_RETURN(const int64_t v, item.as_int("v"));
      out[i] = v != 0;
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      if (item.is_string()) {  // above the range of int64
        PERCALE_ASSIGN_OR_RETURN(const std::string text, item.as_string("v"));
        out[i] = std::stoull(text);
      } else {
        PERCALE_ASSIGN_OR_RETURN(const int64_t v, item.as_int("v"));
        out[i] = static_cast<uint64_t>(v);
      }
    } else if constexpr (std::is_integral_v<T>) {
      PERCALE_ASSIGN_OR_RETURN(const int64_t v, item.as_int("v"));
      out[i] = static_cast<T>(v);
    } else {
      PERCALE_ASSIGN_OR_RETURN(const double v, number(item));
      if constexpr (std::is_same_v<T, F16>) {
        out[i] = to_f16(round_to_odd(v));
      } else if constexpr (std::is_same_v<T, BF16>) {
        out[i] = to_bf16(round_to_odd(v));
      } else {
        out[i] = static_cast<T>(v);
      }
    }
  }
  return Tensor::copy_of(dtype_of<T>, shape, bytes.data(), static_cast<int64_t>(bytes.size()));
}

// Calls f.operator()<T>() for the element type.
template <class F>
auto with_type(DType dtype, F&& f) -> decltype(f.template operator()<float>()) {
  switch (dtype) {
    case DType::kF32: return f.template operator()<float>();
    case DType::kF64: return f.template operator()<double>();
    case DType::kF16: return f.template operator()<F16>();
    case DType::kBF16: return f.template operator()<BF16>();
    case DType::kI8: return f.template operator()<int8_t>();
    case DType::kI16: return f.template operator()<int16_t>();
    case DType::kI32: return f.template operator()<int32_t>();
    case DType::kI64: return f.template operator()<int64_t>();
    case DType::kU8: return f.template operator()<uint8_t>();
    case DType::kU16: return f.template operator()<uint16_t>();
    case DType::kU32: return f.template operator()<uint32_t>();
    case DType::kU64: return f.template operator()<uint64_t>();
    default: return f.template operator()<bool>();
  }
}

// Elements of float8, float4 and 4-bit and 2-bit integers are stored as bits; several share a byte,
// low bits first.
bool is_small(DType dtype) { return dtype >= DType::kF8E4M3FN && dtype <= DType::kI2; }

Result<Tensor> read_small(DType dtype, const Json& values, const Shape& shape) {
  const auto bits = static_cast<size_t>(dtype_bits(dtype)), per_byte = 8 / bits;
  std::vector<uint8_t> bytes((values.size() + per_byte - 1) / per_byte);
  for (size_t i = 0; i < values.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(const int64_t code, values.item(i).as_int("v"));
    if (code < 0 || code >> bits != 0) return values.error("v", "wanted the element's bits, got ", code);
    bytes[i / per_byte] = static_cast<uint8_t>(bytes[i / per_byte] | code << (i % per_byte * bits));
  }
  return Tensor::copy_of(dtype, shape, bytes.data(), static_cast<int64_t>(bytes.size()));
}

uint64_t small_element(const Tensor& tensor, size_t i) {
  const auto bits = static_cast<size_t>(dtype_bits(tensor.dtype())), per_byte = 8 / bits;
  const auto byte = static_cast<const uint8_t*>(tensor.data())[i / per_byte];
  return (uint64_t{byte} >> (i % per_byte * bits)) & ((uint64_t{1} << bits) - 1);
}

Result<Tensor> read_tensor(const Json& json) {
  if (json.is_null()) return Tensor();
  const Json *d = json.find("d"), *s = json.find("s"), *v = json.find("v");
  if (d == nullptr || s == nullptr || v == nullptr) return json.error("tensor", "wanted d, s and v");
  PERCALE_ASSIGN_OR_RETURN(const std::string name, d->as_string("d"));
  const auto dtype = dtype_from_name(name);
  if (!dtype.has_value() || (!dtypes::kAny.contains(*dtype) && !is_small(*dtype)))
    return d->error("d", "no dtype: ", name);
  PERCALE_ASSIGN_OR_RETURN(const auto dims, s->as_ints("s"));
  PERCALE_ASSIGN_OR_RETURN(const Shape shape, Shape::make(dims));
  if (static_cast<int64_t>(v->size()) != shape.num_elements()) return v->error("v", "wanted as many as ", shape);
  if (is_small(*dtype)) return read_small(*dtype, *v, shape);
  return with_type(*dtype, [&]<class T>() { return read_elements<T>(*v, shape); });
}

Result<AttrValue> read_attribute(const std::string& name, const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kInt: return AttrValue(json.as_int(name).value());
    case Json::Kind::kDouble: return AttrValue(json.as_double(name).value());
    case Json::Kind::kString: return AttrValue(json.as_string(name).value());
    case Json::Kind::kObject: {
      const Json* tensor = json.find("tensor");
      if (tensor == nullptr) return json.error(name, "wanted {\"tensor\": ...}");
      PERCALE_ASSIGN_OR_RETURN(Tensor value, read_tensor(*tensor));
      return AttrValue(std::move(value));
    }
    case Json::Kind::kArray: {
      if (json.size() > 0 && json.item(0).kind() == Json::Kind::kDouble) {
        std::vector<double> values;
        for (size_t i = 0; i < json.size(); ++i) {
          PERCALE_ASSIGN_OR_RETURN(const double v, json.item(i).as_double(name));
          values.push_back(v);
        }
        return AttrValue(std::move(values));
      }
      if (json.size() > 0 && json.item(0).is_string()) {
        std::vector<std::string> values;
        for (size_t i = 0; i < json.size(); ++i) {
          PERCALE_ASSIGN_OR_RETURN(std::string v, json.item(i).as_string(name));
          values.push_back(std::move(v));
        }
        return AttrValue(std::move(values));
      }
      PERCALE_ASSIGN_OR_RETURN(auto values, json.as_ints(name));
      return AttrValue(std::move(values));
    }
    default: return json.error(name, "no attribute");
  }
}

Status read_tensors(const Json& row, std::string_view key, std::vector<Tensor>& out) {
  const Json* list = row.find(key);
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, read_tensor(list->item(i)));
    out.push_back(std::move(tensor));
  }
  return {};
}

Result<OpCase> read_row(const Json& json) {
  static constexpr std::string_view kKeys[] = {"op", "note", "attrs", "in", "out", "tol", "error", "grad", "grad2"};
  for (size_t i = 0; i < json.size(); ++i) {
    if (std::find(std::begin(kKeys), std::end(kKeys), json.key(i)) == std::end(kKeys)) {
      return json.error(json.key(i), "no such key");
    }
  }
  OpCase row;
  const Json* op = json.find("op");
  if (op == nullptr) return json.error("op", "is required");
  PERCALE_ASSIGN_OR_RETURN(row.op, op->as_string("op"));
  if (const Json* note = json.find("note")) {
    PERCALE_ASSIGN_OR_RETURN(row.note, note->as_string("note"));
  }
  if (const Json* attributes = json.find("attrs")) {
    for (size_t i = 0; i < attributes->size(); ++i) {
      PERCALE_ASSIGN_OR_RETURN(auto value, read_attribute(attributes->key(i), attributes->item(i)));
      row.attributes.set(attributes->key(i), std::move(value));
    }
  }
  PERCALE_RETURN_IF_ERROR(read_tensors(json, "in", row.inputs));
  PERCALE_RETURN_IF_ERROR(read_tensors(json, "out", row.expected));
  if (const Json* tolerance = json.find("tol")) {
    PERCALE_ASSIGN_OR_RETURN(row.tolerance, tolerance->as_double("tol"));
  }
  if (const Json* error = json.find("error")) {
    PERCALE_ASSIGN_OR_RETURN(row.error, error->as_string("error"));
  }
  if (const Json* grad = json.find("grad")) {
    PERCALE_ASSIGN_OR_RETURN(const auto wanted, grad->as_ints("grad"));
    row.grad.assign(wanted.begin(), wanted.end());
  }
  if (const Json* grad2 = json.find("grad2")) {
    PERCALE_ASSIGN_OR_RETURN(row.grad2, grad2->as_bool("grad2"));
  }
  if (row.error.empty() && row.expected.empty() && row.grad.empty()) return json.error("out", "the row checks nothing");
  return row;
}

// ---- Comparing

// Element i as f64, and also exactly for integers.
struct Element {
  double real;
  uint64_t exact;
};
Element element(const Tensor& tensor, size_t i) {
  if (is_small(tensor.dtype())) {
    const uint64_t code = small_element(tensor, i);
    return {static_cast<double>(code), code};
  }
  return with_type(tensor.dtype(), [&]<class T>() -> Element {
    const T* values = static_cast<const T*>(tensor.data());
    if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
      return {static_cast<double>(to_f32(values[i])), 0};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {static_cast<double>(values[i]), 0};
    } else {
      return {static_cast<double>(values[i]), static_cast<uint64_t>(values[i])};
    }
  });
}

Status compare(const Tensor& got, const Tensor& want, double tolerance, const std::string& what) {
  if (got.dtype() != want.dtype() || got.shape() != want.shape()) {
    return internal_error(what, " is ", got.dtype(), " ", got.shape(), ", wanted ", want.dtype(), " ", want.shape());
  }
  for (size_t i = 0; i < static_cast<size_t>(got.num_elements()); ++i) {
    const Element g = element(got, i), w = element(want, i);
    const bool both_nan = std::isnan(g.real) && std::isnan(w.real);
    const bool equal = g.real == w.real && g.exact == w.exact;
    const bool near = std::fabs(g.real - w.real) <= tolerance * std::max(1.0, std::fabs(w.real));
    if (!both_nan && !equal && !(tolerance > 0 && std::isfinite(w.real) && near)) {
      return internal_error(what, ", element ", static_cast<uint64_t>(i), ": ", g.real, ", wanted ", w.real);
    }
  }
  return {};
}

}  // namespace

Result<const OpSchema*> schema_of(const Registry& registry, const OpCase& row) {
  const size_t colon = row.op.find(':');
  if (colon == std::string::npos) return registry.require_op("", row.op);
  return registry.require_op(row.op.substr(0, colon), row.op.substr(colon + 1));
}

size_t output_count(const OpSchema& schema, const OpCase& row) {
  if (!row.expected.empty()) return row.expected.size();
  size_t required = 0;
  for (const OutputSpec& spec : schema.outputs) required += spec.presence == Presence::kRequired ? 1 : 0;
  return std::max<size_t>(1, required);
}

namespace {

// ---- Gradients

Tensor as_f64(const Tensor& tensor) {
  std::vector<double> values;
  for (size_t i = 0; i < static_cast<size_t>(tensor.num_elements()); ++i) values.push_back(element(tensor, i).real);
  return Tensor::of<double>(tensor.shape(), values);
}

// Returns weights that differ from each other, with both signs.
Tensor weights(const Shape& shape, int64_t seed) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.push_back(std::sin(static_cast<double>(3 * i + 7 * seed + 1)) + 0.1);
  }
  return Tensor::of<double>(shape, values);
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  const auto x = a.span<double>(), y = b.span<double>();
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// A function of f64 tensors: the node with all other operands constant, its outputs, and gradients
// on demand.
struct Differentiable {
  std::unique_ptr<Builder> builder;
  std::vector<ValueId> xs, ys;
};
Shape declared(Shape shape, Known known) {
  if (known == Known::kNothing) return Shape::unranked();
  for (size_t d = 0; known == Known::kRanks && d < shape.rank(); ++d) shape[d] = kUnknownDim;
  return shape;
}

Result<Differentiable> build(const std::shared_ptr<const Registry>& registry, const OpCase& row, Known known) {
  Differentiable out;
  out.builder = std::make_unique<Builder>(registry);
  FunctionBuilder& f = out.builder->main();
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(*registry, row));
  // An input that shares its dtype with a differentiated one becomes f64, too.
  std::string groups;
  for (size_t i : row.grad) groups += schema->input(i).group;
  std::vector<ValueId> operands;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    const Tensor& tensor = row.inputs[i];
    const char group = schema->input(i).group;
    const bool in_group = group != 0 && groups.find(group) != std::string::npos;
    if (!tensor.defined()) {
      operands.push_back(kNoValue);
    } else if (std::find(row.grad.begin(), row.grad.end(), i) != row.grad.end()) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId x, f.add_input(str_cat("x", static_cast<uint64_t>(i)), DType::kF64,
                                                            declared(tensor.shape(), known)));
      operands.push_back(x);
      out.xs.push_back(x);
    } else {
      PERCALE_ASSIGN_OR_RETURN(const ValueId c, f.add_constant(in_group ? as_f64(tensor) : tensor));
      operands.push_back(c);
    }
  }
  PERCALE_ASSIGN_OR_RETURN(const NodeId node,
                           f.add_node(*schema, operands, row.attributes, output_count(*schema, row)));
  for (ValueId y : f.function().node(node).outputs) {
    if (f.type(y).dtype == DType::kF64) out.ys.push_back(y);
  }
  if (out.ys.empty()) return internal_error("no output is of dtype f64");
  return out;
}

using Tensors = std::vector<Tensor>;

Result<Tensors> evaluate(const Differentiable& built, const std::vector<ValueId>& wanted, const Tensors& inputs) {
  Function f = built.builder->main().function();
  f.outputs = wanted;
  return evaluate_function(*built.builder->graph().registry, "cpu", f, inputs, std::make_shared<MemoryPool>());
}

// Compares `slopes`, the claimed derivatives of L = sum weights . f(x), with (L(x + h) - L(x - h))
// / 2h.
Status compare_slopes(const Differentiable& built, const std::vector<ValueId>& fs, const Tensors& inputs,
                      const Tensors& slopes, double tolerance, const std::string& what) {
  const auto loss = [&](const Tensors& at) -> Result<double> {
    PERCALE_ASSIGN_OR_RETURN(const Tensors values, evaluate(built, fs, at));
    double sum = 0;
    for (size_t k = 0; k < values.size(); ++k) {
      sum += dot(values[k], weights(values[k].shape(), static_cast<int64_t>(k)));
    }
    return sum;
  };
  constexpr double kStep = 1e-5;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (slopes[k].dtype() != DType::kF64 || slopes[k].shape() != inputs[k].shape()) {
      return internal_error(what, " of input ", static_cast<uint64_t>(k), " is ", slopes[k].dtype(), " ",
                            slopes[k].shape(), ", wanted ", inputs[k].shape());
    }
    for (size_t i = 0; i < static_cast<size_t>(inputs[k].num_elements()); ++i) {
      Tensors up = inputs, down = inputs;
      up[k] = as_f64(inputs[k]);
      down[k] = as_f64(inputs[k]);
      up[k].mutable_span<double>()[i] += kStep;
      down[k].mutable_span<double>()[i] -= kStep;
      PERCALE_ASSIGN_OR_RETURN(const double above, loss(up));
      PERCALE_ASSIGN_OR_RETURN(const double below, loss(down));
      const double want = (above - below) / (2 * kStep), got = slopes[k].span<double>()[i];
      if (!(std::fabs(got - want) <= tolerance * std::max(1.0, std::fabs(want)))) {
        return internal_error(what, " of input ", static_cast<uint64_t>(k), ", element ", static_cast<uint64_t>(i),
                              ": ", got, ", differences give ", want);
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<OpCase>> load_op_cases(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  if (error || files.empty()) return not_found("no tables in ", folder);
  std::sort(files.begin(), files.end());
  std::vector<OpCase> out;
  for (const auto& path : files) {
    std::ifstream stream(path);
    std::string line;
    for (int64_t n = 1; std::getline(stream, line); ++n) {
      if (line.empty()) continue;
      const std::string where = str_cat(path.filename().string(), ":", n);
      auto json = Json::parse(line);
      if (!json.ok()) return json.status().with_context(where);
      auto row = read_row(*json);
      if (!row.ok()) return row.status().with_context(where);
      row->where = where;
      out.push_back(*row);
    }
  }
  return out;
}

Result<std::vector<std::string>> cpu_kernels(const Registry& registry, const OpCase& row) {
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(registry, row));
  std::vector<std::string> out;
  for (const Kernel& kernel : registry.kernels("cpu", *schema)) out.emplace_back(kernel.name);
  if (schema->body != nullptr) out.emplace_back(kBodyKernel);
  return out;
}

Status check_forward(const Registry& registry, const OpCase& row, const std::string& kernel) {
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(registry, row));
  const auto got = evaluate_node(registry, "cpu", *schema, "test", row.attributes, row.inputs,
                                 output_count(*schema, row), std::make_shared<MemoryPool>(), {}, kernel);
  if (!row.error.empty()) {
    if (got.ok()) return internal_error("succeeded, wanted the error '", row.error, "'");
    if (got.status().message().find(row.error) != std::string_view::npos) return {};
    // The kernel does not support the row
    if (got.status().code() == Code::kUnimplemented) return got.status();
    return internal_error("failed with '", got.status().to_string(), "', wanted '", row.error, "'");
  }
  if (!got.ok()) return got.status();
  for (size_t i = 0; i < row.expected.size(); ++i) {
    if (!row.expected[i].defined()) continue;
    PERCALE_RETURN_IF_ERROR(
        compare((*got)[i], row.expected[i], row.tolerance, str_cat("output ", static_cast<uint64_t>(i))));
  }
  return {};
}

Status check_on_device(const std::shared_ptr<Engine>& engine, const std::string& device, const OpCase& row) {
  const Registry& registry = *engine->registry();
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(registry, row));
  if (registry.kernels(engine->find_device(device)->kind(), *schema).empty()) {
    return unimplemented("no kernel for the op");
  }
  if (row.error.empty() && row.expected.empty()) return unimplemented("a row of gradients alone");
  // Operands that must be known before the run become constants of the graph; the others are fed.
  Builder builder(engine->registry());
  FunctionBuilder& f = builder.main();
  std::vector<ValueId> operands;
  std::vector<std::string> feeds;
  Tensors given;
  for (size_t i = 0; i < row.inputs.size(); ++i) {
    const Tensor& tensor = row.inputs[i];
    if (!tensor.defined()) {
      operands.push_back(kNoValue);
    } else if (schema->input(i).bounds == Bounds::kShape) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId c, f.add_constant(tensor));
      operands.push_back(c);
    } else {
      feeds.push_back(str_cat("x", static_cast<uint64_t>(i)));
      given.push_back(tensor);
      PERCALE_ASSIGN_OR_RETURN(const ValueId x, f.add_input(feeds.back(), tensor.dtype(), tensor.shape()));
      operands.push_back(x);
    }
  }
  f.set_device(device);
  const auto made = f.add_node(*schema, operands, row.attributes, output_count(*schema, row));
  const auto expected_error = [&](const Status& status) -> Status {
    if (row.error.empty() || status.message().find(row.error) != std::string_view::npos) {
      return row.error.empty() ? status : Status();
    }
    if (status.code() == Code::kUnimplemented) return status;
    return internal_error("failed with '", status.to_string(), "', wanted '", row.error, "'");
  };
  if (!made.ok()) return expected_error(made.status());
  std::vector<ValueId> wanted;
  std::vector<size_t> compared;
  const auto& outputs = f.function().node(*made).outputs;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k] == kNoValue) continue;
    if (row.error.empty() && (k >= row.expected.size() || !row.expected[k].defined())) continue;
    wanted.push_back(outputs[k]);
    compared.push_back(k);
  }
  RunSpec spec;
  for (const std::string& name : feeds) spec.feeds.push_back(name);
  for (size_t k = 0; k < wanted.size(); ++k) {
    spec.fetches.push_back(str_cat("y", static_cast<uint64_t>(k)));
    PERCALE_RETURN_IF_ERROR(f.rename(wanted[k], spec.fetches.back()));
  }
  PERCALE_RETURN_IF_ERROR(f.set_outputs(wanted));
  const auto graph = builder.finish();
  if (!graph.ok()) return expected_error(graph.status());
  PERCALE_ASSIGN_OR_RETURN(const auto session, Session::create(engine, *graph, nullptr));
  const auto got = session->run(spec, given);
  if (!got.ok()) return expected_error(got.status());
  if (!row.error.empty()) return internal_error("succeeded, wanted the error '", row.error, "'");
  for (size_t k = 0; k < wanted.size(); ++k) {
    PERCALE_RETURN_IF_ERROR(compare((*got)[k], row.expected[compared[k]], row.tolerance,
                                    str_cat("output ", static_cast<uint64_t>(compared[k]))));
  }
  return {};
}

Status check_gradient(const std::shared_ptr<const Registry>& registry, const OpCase& row, Known known) {
  PERCALE_ASSIGN_OR_RETURN(Differentiable built, build(registry, row, known));
  FunctionBuilder& f = built.builder->main();
  Tensors inputs;
  for (size_t i : row.grad) inputs.push_back(as_f64(row.inputs[i]));
  PERCALE_ASSIGN_OR_RETURN(const Tensors values, evaluate(built, built.ys, inputs));
  const auto weight_constants = [&](const Tensors& like) -> Result<std::vector<ValueId>> {
    std::vector<ValueId> out;
    for (size_t k = 0; k < like.size(); ++k) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId w, f.add_constant(weights(like[k].shape(), static_cast<int64_t>(k))));
      out.push_back(w);
    }
    return out;
  };
  PERCALE_ASSIGN_OR_RETURN(const auto grad_ys, weight_constants(values));
  PERCALE_ASSIGN_OR_RETURN(const auto first, gradients(f, built.ys, built.xs, grad_ys));
  PERCALE_ASSIGN_OR_RETURN(const Tensors slopes, evaluate(built, first, inputs));
  PERCALE_RETURN_IF_ERROR(compare_slopes(built, built.ys, inputs, slopes, 1e-6, "the gradient"));
  if (!row.grad2) return {};
  PERCALE_ASSIGN_OR_RETURN(const auto grad_slopes, weight_constants(slopes));
  PERCALE_ASSIGN_OR_RETURN(const auto second, gradients(f, first, built.xs, grad_slopes));
  PERCALE_ASSIGN_OR_RETURN(const Tensors curvatures, evaluate(built, second, inputs));
  return compare_slopes(built, first, inputs, curvatures, 1e-5, "the second gradient");
}

}  // namespace percale

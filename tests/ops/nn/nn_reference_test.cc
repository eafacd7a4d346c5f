// Compares the neural-network ops with PyTorch's values and gradients (reference_nn.py), on every
// kernel that accepts the node.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/autodiff/gradients.h"
#include "core/file/file.h"
#include "core/graph/builder.h"
#include "core/plan/evaluate.h"
#include "core/tensor/half.h"
#include "core/text/json.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

Tensor tensor_of(DType dtype, const Shape& shape, const std::vector<double>& values) {
  const auto fill = [&]<class T>(auto&& convert) {
    std::vector<T> out;
    for (double v : values) out.push_back(convert(v));
    return Tensor::copy_of(dtype, shape, out.data(), static_cast<int64_t>(out.size() * sizeof(T)));
  };
  switch (dtype) {
    case DType::kF64: return fill.operator()<double>([](double v) { return v; });
    case DType::kF32: return fill.operator()<float>([](double v) { return static_cast<float>(v); });
    case DType::kF16: return fill.operator()<F16>([](double v) { return to_f16(static_cast<float>(v)); });
    case DType::kBF16: return fill.operator()<BF16>([](double v) { return to_bf16(static_cast<float>(v)); });
    case DType::kI64: return fill.operator()<int64_t>([](double v) { return static_cast<int64_t>(v); });
    case DType::kI32: return fill.operator()<int32_t>([](double v) { return static_cast<int32_t>(v); });
    case DType::kI8: return fill.operator()<int8_t>([](double v) { return static_cast<int8_t>(v); });
    case DType::kU8: return fill.operator()<uint8_t>([](double v) { return static_cast<uint8_t>(v); });
    default: FAIL("no tensor of ", std::string(dtype_name(dtype))); return {};
  }
}

std::vector<double> values_of(const Tensor& t) {
  std::vector<double> out;
  const auto read = [&]<class T>(auto&& convert) {
    for (const T& v : t.span<T>()) out.push_back(convert(v));
  };
  switch (t.dtype()) {
    case DType::kF64: read.operator()<double>([](double v) { return v; }); break;
    case DType::kF32: read.operator()<float>([](float v) { return static_cast<double>(v); }); break;
    case DType::kF16: read.operator()<F16>([](F16 v) { return static_cast<double>(to_f32(v)); }); break;
    case DType::kBF16: read.operator()<BF16>([](BF16 v) { return static_cast<double>(to_f32(v)); }); break;
    case DType::kI64: read.operator()<int64_t>([](int64_t v) { return static_cast<double>(v); }); break;
    case DType::kI32: read.operator()<int32_t>([](int32_t v) { return static_cast<double>(v); }); break;
    case DType::kI8: read.operator()<int8_t>([](int8_t v) { return static_cast<double>(v); }); break;
    case DType::kU8: read.operator()<uint8_t>([](uint8_t v) { return static_cast<double>(v); }); break;
    default: FAIL("no values of ", std::string(dtype_name(t.dtype())));
  }
  return out;
}

// A tensor of the file: ["f64", [2,3], [...]]; dtype kInvalid for null.
struct Given {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::vector<double> values;

  bool present() const { return dtype != DType::kInvalid; }
  // Converts floats to `to`; other types stay.
  Tensor as(DType to) const {
    if (!present()) return {};
    return tensor_of(dtype == DType::kF64 ? to : dtype, shape, values);
  }
};

Given read_tensor(const Json& json) {
  Given out;
  if (json.is_null()) return out;
  out.dtype = *dtype_from_name(json.item(0).as_string("dtype").value());
  out.shape = Shape(json.item(1).as_ints("shape").value());
  const Json& data = json.item(2);
  for (size_t i = 0; i < data.size(); ++i) {
    if (data.item(i).is_string()) {
      const std::string text = data.item(i).as_string("element").value();
      constexpr double kInf = std::numeric_limits<double>::infinity();
      out.values.push_back(text == "nan" ? std::nan("") : text == "inf" ? kInf : -kInf);
    } else {
      out.values.push_back(data.item(i).as_double("element").value());
    }
  }
  return out;
}

std::vector<Given> read_tensors(const Json& json) {
  std::vector<Given> out;
  for (size_t i = 0; i < json.size(); ++i) out.push_back(read_tensor(json.item(i)));
  return out;
}

Attributes read_attributes(const OpSchema& schema, const Json& json) {
  Attributes out;
  for (size_t i = 0; i < json.size(); ++i) {
    const Json& value = json.item(i);
    const AttrSpec* spec = schema.find_attribute(json.key(i));
    REQUIRE_MESSAGE(spec != nullptr, json.key(i));
    switch (spec->kind) {
      case AttrKind::kInt: out.set(json.key(i), value.as_int(json.key(i)).value()); break;
      case AttrKind::kFloat: out.set(json.key(i), value.as_double(json.key(i)).value()); break;
      case AttrKind::kString: out.set(json.key(i), value.as_string(json.key(i)).value()); break;
      default: out.set(json.key(i), value.as_ints(json.key(i)).value());
    }
  }
  return out;
}

struct Case {
  std::string op;
  const OpSchema* schema = nullptr;
  Attributes attributes;
  std::vector<Given> inputs, outputs, seeds, grads;
  size_t number = 0;

  std::vector<Tensor> operands(DType dtype) const {
    std::vector<Tensor> out;
    for (const Given& g : inputs) out.push_back(g.as(dtype));
    return out;
  }
};

struct Reference {
  TestOps ops;
  Json json;
  std::vector<Case> cases;
  std::shared_ptr<MemoryPool> pool = std::make_shared<MemoryPool>();
};

const OpSchema* schema_of(const Registry& registry, std::string_view op) {
  const size_t colon = op.find(':');
  return colon == std::string_view::npos ? registry.find_op("", op)
                                         : registry.find_op(op.substr(0, colon), op.substr(colon + 1));
}

Reference load_reference() {
  Reference r;
  auto ops = make_test_ops();
  REQUIRE_MESSAGE(ops.ok(), ops.status().to_string());
  r.ops = *ops;
  const auto text = read_file(PERCALE_REFERENCE_NN);
  REQUIRE_MESSAGE(text.ok(), text.status().to_string());
  auto json = Json::parse(*text);
  REQUIRE_MESSAGE(json.ok(), json.status().to_string());
  r.json = std::move(json).value();
  const Json& cases = *r.json.find("cases");
  for (size_t i = 0; i < cases.size(); ++i) {
    const Json& c = cases.item(i);
    Case& out = r.cases.emplace_back();
    out.number = i;
    out.op = c.find("op")->as_string("op").value();
    out.schema = schema_of(*r.ops.registry, out.op);
    REQUIRE_MESSAGE(out.schema != nullptr, out.op);
    out.attributes = read_attributes(*out.schema, *c.find("attributes"));
    out.inputs = read_tensors(*c.find("inputs"));
    out.outputs = read_tensors(*c.find("outputs"));
    out.seeds = read_tensors(*c.find("seeds"));
    out.grads = read_tensors(*c.find("grads"));
  }
  return r;
}

// Returns the distance relative to the largest magnitude of the expected tensor, at least 1.
// Infinities and NaN must be the same.
double distance(const std::vector<double>& got, const std::vector<double>& want) {
  if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
  double scale = 1, worst = 0;
  for (double v : want) {
    if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]) && std::isnan(got[i])) continue;
    if (got[i] == want[i]) continue;
    const double d = std::abs(got[i] - want[i]) / scale;
    if (!(d <= worst)) worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
  }
  return worst;
}

double tolerance(DType dtype) {
  switch (dtype) {
    case DType::kF64: return 2e-9;
    case DType::kF32: return 2e-5;
    case DType::kF16: return 2e-2;
    default: return 1e-1;
  }
}

struct Differentiated {
  std::shared_ptr<const Graph> graph;
  std::vector<size_t> xs;  // the inputs that have a gradient
};

// A graph of the case's inputs and seeds. Its outputs are the loss and the gradients of the inputs
// that have one. With `unknown` the first dim of every input is unknown while the graph is built.
Result<Differentiated> differentiate(const Reference& r, const Case& c, DType dtype, bool unknown) {
  Builder builder(r.ops.registry);
  FunctionBuilder& f = builder.main();
  std::vector<ValueId> inputs;
  const auto add_input = [&](const Given& g) -> Result<ValueId> {
    Shape shape = g.shape;
    if (unknown && shape.rank() > 0) shape[0] = kUnknownDim;
    return f.add_input("", g.dtype == DType::kF64 ? dtype : g.dtype, shape);
  };
  Differentiated out;
  std::vector<ValueId> xs, ys, seeds;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(kNoValue);
    if (!c.inputs[i].present()) continue;
    PERCALE_ASSIGN_OR_RETURN(inputs.back(), add_input(c.inputs[i]));
    if (!c.grads[i].present()) continue;
    xs.push_back(inputs.back());
    out.xs.push_back(i);
  }
  PERCALE_ASSIGN_OR_RETURN(const NodeId node, f.add_node(*c.schema, inputs, c.attributes, c.outputs.size()));
  for (size_t k = 0; k < c.seeds.size(); ++k) {
    if (!c.seeds[k].present()) continue;
    PERCALE_ASSIGN_OR_RETURN(const ValueId seed, add_input(c.seeds[k]));
    seeds.push_back(seed);
    ys.push_back(f.function().node(node).outputs[k]);
  }
  PERCALE_ASSIGN_OR_RETURN(auto grads, gradients(f, ys, xs, seeds));
  grads.insert(grads.begin(), ys.begin(), ys.end());
  PERCALE_RETURN_IF_ERROR(f.set_outputs(grads));
  PERCALE_ASSIGN_OR_RETURN(out.graph, builder.finish());
  return out;
}

Result<std::vector<Tensor>> run(const Reference& r, const Differentiated& d, const Case& c,
                                const std::vector<Tensor>& operands, DType dtype) {
  std::vector<Tensor> feeds;
  for (const Tensor& t : operands) {
    if (t.defined()) feeds.push_back(t);
  }
  for (const Given& seed : c.seeds) {
    if (seed.present()) feeds.push_back(seed.as(dtype));
  }
  return evaluate_function(*d.graph, "cpu", d.graph->main(), feeds, r.pool);
}

bool has_gradient(const Case& c) {
  for (const Given& g : c.grads) {
    if (g.present()) return true;
  }
  return false;
}

std::string name_of(const Case& c) {
  std::string out = str_cat("case ", static_cast<uint64_t>(c.number), ": ", c.op);
  for (const Given& g : c.inputs) out += g.present() ? str_cat(" ", g.shape) : " -";
  return out;
}

}  // namespace

TEST_CASE("every kernel of every dtype computes what PyTorch computes") {
  const Reference r = load_reference();
  std::map<std::string, int> runs;
  for (const Case& c : r.cases) {
    CAPTURE(name_of(c));
    for (DType dtype : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
      CAPTURE(std::string(dtype_name(dtype)));
      for (const Kernel& kernel : r.ops.registry->kernels("cpu", *c.schema)) {
        const auto got = evaluate_node(*r.ops.registry, "cpu", *c.schema, "n", c.attributes, c.operands(dtype),
                                       c.outputs.size(), r.pool, {}, kernel.name);
        if (!got.ok() && got.status().code() == Code::kUnimplemented) continue;
        CAPTURE(std::string(kernel.name));
        REQUIRE_MESSAGE(got.ok(), got.status().to_string());
        ++runs[kernel.name];
        for (size_t k = 0; k < c.outputs.size(); ++k) {
          if (!c.outputs[k].present()) continue;
          CHECK((*got)[k].shape().to_string() == c.outputs[k].shape.to_string());
          // Rounded inputs may have another maximum.
          if (c.op == "MaxPool" && k == 1 && is_float((*got)[0].dtype()) && dtype_bits(dtype) < 32) continue;
          CHECK(distance(values_of((*got)[k]), c.outputs[k].values) < tolerance(dtype));
        }
      }
    }
  }
  // All ops are covered.
  std::set<const OpSchema*> schemas;
  for (const Case& c : r.cases) schemas.insert(c.schema);
  for (const OpSchema* schema : schemas) {
    for (const Kernel& kernel : r.ops.registry->kernels("cpu", *schema))
      CHECK_MESSAGE(runs[kernel.name] > 0, kernel.name);
  }
}

TEST_CASE("gradients are PyTorch's, with shapes known before and with an open batch") {
  const Reference r = load_reference();
  for (const Case& c : r.cases) {
    if (!has_gradient(c)) continue;
    CAPTURE(name_of(c));
    for (DType dtype : {DType::kF64, DType::kF32}) {
      for (bool unknown : {false, true}) {
        CAPTURE(std::string(dtype_name(dtype)));
        CAPTURE(unknown);
        const auto d = differentiate(r, c, dtype, unknown);
        REQUIRE_MESSAGE(d.ok(), d.status().to_string());
        const auto got = run(r, *d, c, c.operands(dtype), dtype);
        REQUIRE_MESSAGE(got.ok(), got.status().to_string());
        const size_t first = got->size() - d->xs.size();
        for (size_t i = 0; i < d->xs.size(); ++i) {
          const Given& want = c.grads[d->xs[i]];
          CAPTURE(d->xs[i]);
          CHECK((*got)[first + i].shape().to_string() == want.shape.to_string());
          CHECK(distance(values_of((*got)[first + i]), want.values) < tolerance(dtype));
        }
      }
    }
  }
}

TEST_CASE("gradients agree with central differences") {
  const Reference r = load_reference();
  constexpr double kStep = 1e-6;
  std::map<std::string, int> done;  // a few of each op are enough: PyTorch's values cover the rest
  for (const Case& c : r.cases) {
    if (!has_gradient(c) || ++done[c.op] > 12) continue;
    CAPTURE(name_of(c));
    const auto d = differentiate(r, c, DType::kF64, false);
    REQUIRE_MESSAGE(d.ok(), d.status().to_string());
    const auto at = run(r, *d, c, c.operands(DType::kF64), DType::kF64);
    REQUIRE_MESSAGE(at.ok(), at.status().to_string());
    const size_t ys = at->size() - d->xs.size();
    const auto loss = [&](const std::vector<Tensor>& operands) {
      const auto got = run(r, *d, c, operands, DType::kF64);
      REQUIRE(got.ok());
      double sum = 0;
      size_t y = 0;
      for (const Given& seed : c.seeds) {
        if (!seed.present()) continue;
        const auto values = values_of((*got)[y++]);
        for (size_t i = 0; i < values.size(); ++i) sum += values[i] * seed.values[i];
      }
      return sum;
    };
    for (size_t k = 0; k < d->xs.size(); ++k) {
      const size_t input = d->xs[k];
      const auto grad = values_of((*at)[ys + k]);
      const size_t stride = std::max<size_t>(1, grad.size() / 7);
      for (size_t i = 0; i < grad.size(); i += stride) {
        auto operands = c.operands(DType::kF64);
        double& x = operands[input].mutable_span<double>()[i];
        const double before = x;
        x = before + kStep;
        const double up = loss(operands);
        x = before - kStep;
        const double down = loss(operands);
        CHECK(grad[i] == doctest::Approx((up - down) / (2 * kStep)).epsilon(1e-4).scale(1));
      }
    }
  }
}

TEST_CASE("five steps of each optimizer are PyTorch's") {
  const Reference r = load_reference();
  const Json& all = *r.json.find("optimizers");
  std::map<std::string, int> runs;
  for (size_t n = 0; n < all.size(); ++n) {
    const Json& json = all.item(n);
    const std::string op = json.find("op")->as_string("op").value();
    const OpSchema* schema = schema_of(*r.ops.registry, op);
    REQUIRE(schema != nullptr);
    const Attributes attributes = read_attributes(*schema, *json.find("attributes"));
    const double rate = json.find("learning_rate")->as_double("learning_rate").value();
    const auto slots = static_cast<size_t>(json.find("slots")->as_int("slots").value());
    const Given start = read_tensor(*json.find("param"));
    const auto grads = read_tensors(*json.find("grads")), params = read_tensors(*json.find("params"));
    for (DType dtype : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
      for (const Kernel& kernel : r.ops.registry->kernels("cpu", *schema)) {
        CAPTURE(op);
        CAPTURE(std::string(dtype_name(dtype)));
        CAPTURE(std::string(kernel.name));
        std::vector<Tensor> state = {start.as(dtype)};
        const std::vector<double> zeros(start.values.size(), 0.0);
        for (size_t i = 0; i < slots; ++i) state.push_back(tensor_of(dtype, start.shape, zeros));
        for (size_t step = 0; step < grads.size(); ++step) {
          std::vector<Tensor> inputs = {state[0], grads[step].as(dtype)};
          inputs.insert(inputs.end(), state.begin() + 1, state.end());
          // Without momentum, ApplyRMSProp has no buffer.
          if (op == "percale:ApplyRMSProp" && slots == 1) inputs.push_back(Tensor());
          inputs.push_back(tensor_of(dtype == DType::kF64 ? dtype : DType::kF32, {}, {rate}));
          if (schema->input(inputs.size()).name == "step")
            inputs.push_back(Tensor::scalar(static_cast<int64_t>(step + 1)));
          const auto got = evaluate_node(*r.ops.registry, "cpu", *schema, "step", attributes, inputs, slots + 1, r.pool,
                                         {}, kernel.name);
          if (!got.ok() && got.status().code() == Code::kUnimplemented) break;
          REQUIRE_MESSAGE(got.ok(), got.status().to_string());
          ++runs[kernel.name];
          state = *got;
          CHECK(distance(values_of(state[0]), params[step].values) < tolerance(dtype));
        }
      }
    }
    for (const Kernel& kernel : r.ops.registry->kernels("cpu", *schema))
      CHECK_MESSAGE(runs[kernel.name] > 0, kernel.name);
  }
}

}  // namespace percale

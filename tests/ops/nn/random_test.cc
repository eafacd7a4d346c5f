// Random numbers depend only on seed, id, step and row; dropout and its gradient use the same mask.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/autodiff/gradients.h"
#include "core/graph/builder.h"
#include "core/graph/infer.h"
#include "core/plan/evaluate.h"
#include "core/plan/kernel_choice.h"
#include "ops/random/random_stream.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

std::shared_ptr<Registry> registry() {
  auto ops = make_test_ops();
  REQUIRE(ops.ok());
  return ops->registry;
}

ParallelFor backwards() {
  return {[](void*, int64_t pieces, ParallelFor::Body body, void* arg) {
            for (int64_t i = pieces; i-- > 0;) body(arg, i);
          },
          nullptr};
}

struct Run {
  int64_t step = 0, first_row = 0;
  ParallelFor parallel = {};
};

// Calls evaluate_node with the run's own step and row.
std::vector<Tensor> evaluate(const Registry& r, const OpSchema& schema, const Attributes& attributes,
                             const std::vector<Tensor>& inputs, size_t num_outputs, const Run& how = {}) {
  std::vector<ValueType> types;
  std::vector<const Tensor*> values;
  for (const Tensor& t : inputs) {
    types.push_back({t.dtype(), t.shape()});
    values.push_back(t.defined() ? &t : nullptr);
  }
  auto outputs = infer_node(schema, "n", types, values, num_outputs, attributes, nullptr);
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().to_string());
  const Attributes full = with_defaults(schema, attributes);
  const NodeView view{schema, "n", full, types, *outputs, values};
  const auto kernel = choose_kernel(r, "cpu", view, nullptr);
  REQUIRE_MESSAGE(kernel.ok(), kernel.status().to_string());
  const auto pool = std::make_shared<MemoryPool>();
  std::vector<Tensor> results;
  std::vector<void*> operands;
  for (const Tensor& t : inputs) operands.push_back(t.data());
  for (const ValueType& type : *outputs) {
    results.push_back(Tensor::allocate(pool, type.dtype, type.shape).value());
    operands.push_back(results.back().data());
  }
  const auto scratch = Buffer::allocate(pool, (*kernel)->scratch_bytes()).value();
  RunContext run;
  run.parallel = how.parallel;
  run.step = how.step;
  run.first_row = how.first_row;
  (*kernel)->run(percale_launch{operands.data(), scratch->data(), nullptr, &run});
  REQUIRE(run.error.load() == 0);
  return results;
}

Tensor shape_tensor(const std::vector<int64_t>& dims) { return Tensor::vector(std::span<const int64_t>(dims)); }

std::vector<float> draw(const Registry& r, const char* op, const std::vector<int64_t>& dims, Attributes attributes,
                        const Run& how = {}) {
  const auto out = evaluate(r, *r.find_op("percale", op), attributes, {shape_tensor(dims)}, 1, how);
  const auto values = out[0].span<float>();
  return {values.begin(), values.end()};
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
}

struct Moments {
  double mean = 0, variance = 0, fourth = 0;
};
Moments moments(const std::vector<float>& values) {
  const auto n = static_cast<double>(values.size());
  Moments m;
  for (float v : values) m.mean += static_cast<double>(v) / n;
  for (float v : values) {
    const double d = static_cast<double>(v) - m.mean;
    m.variance += d * d / n;
    m.fourth += d * d * d * d / n;
  }
  return m;
}

}  // namespace

TEST_CASE("uniform numbers are the words of Philox under the node's key, in the row's order") {
  const auto r = registry();
  const auto got = draw(*r, "RandomUniform", {3, 6}, {{"seed", 7}, {"id", 5}}, {.step = 11, .first_row = 100});
  const RandomStream stream(0, 7, 5, 11);
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t i = 0; i < 6; ++i) {
      const uint32_t word = stream.block(100 + row, i / 4)[static_cast<size_t>(i % 4)];
      CHECK(got[static_cast<size_t>(row * 6 + i)] == static_cast<float>(word >> 8) / 16777216.0f);
    }
  }
}

TEST_CASE("random numbers do not depend on how the batch is cut nor on the order of the pieces") {
  const auto r = registry();
  for (const char* op : {"RandomUniform", "RandomNormal"}) {
    CAPTURE(op);
    const auto whole = draw(*r, op, {64, 333}, {{"id", 1}});
    auto parts = draw(*r, op, {20, 333}, {{"id", 1}});
    const auto rest = draw(*r, op, {44, 333}, {{"id", 1}}, {.first_row = 20});
    parts.insert(parts.end(), rest.begin(), rest.end());
    CHECK(parts == whole);
    CHECK(draw(*r, op, {64, 333}, {{"id", 1}}, {.parallel = backwards()}) == whole);
    CHECK(draw(*r, op, {64, 333}, {{"id", 2}}) != whole);
    CHECK(draw(*r, op, {64, 333}, {{"id", 1}, {"seed", 1}}) != whole);
    CHECK(draw(*r, op, {64, 333}, {{"id", 1}}, {.step = 1}) != whole);
  }
}

TEST_CASE("random numbers have the moments of their distribution") {
  const auto r = registry();
  const auto uniform = draw(*r, "RandomUniform", {400, 500}, {{"low", -1.0}, {"high", 3.0}});
  for (float v : uniform) REQUIRE((v >= -1.0f && v < 3.0f));
  CHECK(moments(uniform).mean == doctest::Approx(1).epsilon(0.01));
  CHECK(moments(uniform).variance == doctest::Approx(16.0 / 12).epsilon(0.01));
  const Moments normal = moments(draw(*r, "RandomNormal", {400, 500}, {{"mean", 2.0}, {"scale", 0.5}}));
  CHECK(normal.mean == doctest::Approx(2).epsilon(0.005));
  CHECK(normal.variance == doctest::Approx(0.25).epsilon(0.02));
  CHECK(normal.fourth == doctest::Approx(3 * 0.0625).epsilon(0.03));
}

TEST_CASE("ONNX's random ops take shape and dtype from attributes or from their input") {
  const auto r = registry();
  const std::vector<int64_t> dims = {2, 3};
  const auto f64 = evaluate(*r, *r->find_op("", "RandomNormal"), {{"shape", dims}, {"dtype", DType::kF64}}, {}, 1);
  CHECK(f64[0].dtype() == DType::kF64);
  CHECK(f64[0].shape() == Shape{2, 3});
  const Tensor like = Tensor::of<int64_t>({4}, std::vector<int64_t>{1, 2, 3, 4});
  const auto f16 = evaluate(*r, *r->find_op("", "RandomUniformLike"), {{"dtype", DType::kF16}}, {like}, 1);
  CHECK(f16[0].dtype() == DType::kF16);
  CHECK(f16[0].shape() == Shape{4});
  // An integer input does not select a dtype for random numbers.
  const auto refused =
      infer_node(*r->find_op("", "RandomUniformLike"), "n", {{DType::kI64, Shape{4}}}, {nullptr}, 1, {}, nullptr);
  CHECK(refused.status().code() == Code::kInvalidArgument);
}

TEST_CASE("dropout keeps a share of 1 - ratio, scales it, and says which") {
  const auto r = registry();
  const OpSchema& dropout = *r->find_op("", "Dropout");
  const std::vector<float> ones(100000, 1.0f);
  const Tensor x = Tensor::of<float>({100, 1000}, ones), ratio = Tensor::scalar(0.2f);
  const auto got = evaluate(*r, dropout, {{"id", 3}}, {x, ratio, Tensor::scalar(true)}, 2);
  double kept = 0;
  for (size_t i = 0; i < ones.size(); ++i) {
    const bool keep = got[1].span<bool>()[i];
    REQUIRE(got[0].span<float>()[i] == (keep ? 1.25f : 0.0f));
    kept += keep ? 1 : 0;
  }
  CHECK(kept / 1e5 == doctest::Approx(0.8).epsilon(0.01));
  const auto again = evaluate(*r, dropout, {{"id", 3}}, {x, ratio, Tensor::scalar(true)}, 2, {.parallel = backwards()});
  CHECK(same_bytes(got[0], again[0]));

  for (const auto& inputs : {std::vector<Tensor>{x, ratio, Tensor::scalar(false)}, std::vector<Tensor>{x},
                             std::vector<Tensor>{x, Tensor::scalar(0.0f), Tensor::scalar(true)}}) {
    const auto same = evaluate(*r, dropout, {}, inputs, 2);
    CHECK(same_bytes(same[0], x));
    for (bool keep : same[1].span<bool>()) REQUIRE(keep);
  }
  const auto none = evaluate(*r, dropout, {}, {x, Tensor::scalar(1.0f), Tensor::scalar(true)}, 1);
  for (float v : none[0].span<float>()) REQUIRE(v == 0.0f);
}

TEST_CASE("a dropout ratio outside [0, 1] fails the run") {
  const auto r = registry();
  const auto pool = std::make_shared<MemoryPool>();
  for (float ratio : {-0.5f, 2.0f, std::nanf("")}) {
    const auto got = evaluate_node(*r, "cpu", *r->find_op("", "Dropout"), "n", {},
                                   {Tensor::scalar(1.0f), Tensor::scalar(ratio), Tensor::scalar(true)}, 1, pool);
    CHECK(got.status().code() == Code::kInvalidArgument);
  }
}

TEST_CASE("the gradient of dropout uses the mask of the forward pass without keeping it") {
  const auto r = registry();
  Builder builder(r);
  FunctionBuilder& f = builder.main();
  const ValueId x = f.add_input("x", DType::kF32, {kUnknownDim, 50}).value();
  Emitter e(f);
  const ValueId y = e.emit("Dropout", {x, e.scalar(DType::kF32, 0.25), e.constant(Tensor::scalar(true))});
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  const auto grads = gradients(f, {y}, {x});
  REQUIRE_MESSAGE(grads.ok(), grads.status().to_string());
  REQUIRE(f.set_outputs({y, (*grads)[0]}).ok());
  const std::vector<float> ones(40 * 50, 1.0f);
  const auto got =
      evaluate_function(*r, "cpu", f.function(), {Tensor::of<float>({40, 50}, ones)}, std::make_shared<MemoryPool>());
  REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  CHECK(same_bytes((*got)[0], (*got)[1]));
}

TEST_CASE("state ops name a variable and have no kernel: the executor carries them out") {
  const auto r = registry();
  for (const char* op : {"ReadVariable", "Assign", "AssignAdd"}) {
    const OpSchema* schema = r->find_op("percale", op);
    REQUIRE(schema != nullptr);
    CHECK(schema->has(kStateful));
    CHECK(schema->has(kRuntime));
    CHECK(r->kernels("cpu", *schema).empty());
  }
  const OpSchema& read = *r->find_op("percale", "ReadVariable");
  const Attributes attributes = {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{2, 3}}};
  const auto types = infer_node(read, "n", {}, {}, 1, attributes, nullptr);
  REQUIRE_MESSAGE(types.ok(), types.status().to_string());
  CHECK((*types)[0].dtype == DType::kF32);
  CHECK((*types)[0].shape == Shape{2, 3});
  Attributes bad = attributes;
  bad.set("dtype", 99);
  CHECK_FALSE(infer_node(read, "n", {}, {}, 1, bad, nullptr).ok());
  CHECK_FALSE(infer_node(read, "n", {}, {}, 1, {{"variable", "w"}}, nullptr).ok());
}

TEST_CASE("no kernel's bits depend on the order in which its pieces run") {
  const auto r = registry();
  const auto numbers = [&](std::vector<int64_t> dims, int64_t id, DType dtype) {
    return evaluate(*r, *r->find_op("percale", "RandomNormal"), {{"id", id}, {"dtype", dtype}}, {shape_tensor(dims)},
                    1)[0];
  };
  std::vector<int64_t> label_values;
  for (int64_t i = 0; i < 4000; ++i) label_values.push_back(i * 7 % 10);
  const Tensor labels = Tensor::vector(std::span<const int64_t>(label_values));
  const std::vector<int64_t> five = {5, 5}, two = {2, 2};
  const auto pool = std::make_shared<MemoryPool>();
  for (DType t : {DType::kF32, DType::kF64}) {
    const Tensor x = numbers({8, 4, 28, 28}, 1, t), w = numbers({6, 4, 5, 5}, 2, t), b = numbers({6}, 3, t);
    const Tensor dy = numbers({8, 6, 24, 24}, 4, t), half = numbers({8, 4, 14, 14}, 5, t);
    const Tensor c4 = numbers({4}, 6, t), scores = numbers({4000, 10}, 7, t), one = numbers({}, 8, t);
    const Tensor row = numbers({10}, 9, t), p = numbers({3, 40000}, 10, t), g = numbers({3, 40000}, 11, t);
    const Tensor v = numbers({3, 40000}, 12, t), squares = numbers({300, 200}, 13, t),
                 right = numbers({200, 150}, 14, t);
    const Attributes pooled = {{"kernel_shape", two}, {"strides", two}};
    struct Item {
      const char* op;
      std::vector<Tensor> inputs;
      size_t outputs;
      Attributes attributes = {};
    };
    const Item items[] = {
        {"Conv", {x, w, b}, 1},
        {"percale:ConvGradInput", {dy, w}, 1, {{"spatial_shape", std::vector<int64_t>{28, 28}}}},
        {"percale:ConvGradWeight", {x, dy}, 2, {{"kernel_shape", five}}},
        {"MaxPool", {x}, 2, pooled},
        {"percale:MaxPoolGrad", {half, x}, 1, pooled},
        {"AveragePool", {x}, 1, pooled},
        {"BatchNormalization", {x, c4, c4, c4, c4}, 3, {{"training_mode", 1}}},
        {"percale:BatchNormalizationGrad", {x, x, c4}, 3, {{"training_mode", 1}}},
        {"percale:LayerNormalizationGrad", {scores, scores, row}, 3},
        {"Softmax", {scores}, 1},
        {"SoftmaxCrossEntropyLoss", {scores, labels}, 2},
        {"percale:SoftmaxCrossEntropyGrad", {one, scores, labels}, 1},
        {"MatMul", {squares, right}, 1},
        {"percale:ApplySGD", {p, g, one}, 1},
        {"percale:ApplyMomentum", {p, g, v, one}, 2},
    };
    for (const Item& item : items) {
      const std::string_view name = item.op;
      const bool ours = name.starts_with("percale:");
      const OpSchema& schema = *r->find_op(ours ? "percale" : "", ours ? name.substr(8) : name);
      for (const Kernel& kernel : r->kernels("cpu", schema)) {
        CAPTURE(std::string(kernel.name));
        const auto forth =
            evaluate_node(*r, "cpu", schema, "n", item.attributes, item.inputs, item.outputs, pool, {}, kernel.name);
        if (!forth.ok() && forth.status().code() == Code::kUnimplemented) continue;
        REQUIRE_MESSAGE(forth.ok(), forth.status().to_string());
        const auto back = evaluate_node(*r, "cpu", schema, "n", item.attributes, item.inputs, item.outputs, pool,
                                        backwards(), kernel.name);
        REQUIRE(back.ok());
        for (size_t i = 0; i < item.outputs; ++i) CHECK(same_bytes((*forth)[i], (*back)[i]));
      }
    }
  }
}

}  // namespace percale

// LeNet: forward, backward and an Adam step run on SIMD kernels, give the f64 results, and learn.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/autodiff/gradients.h"
#include "core/graph/builder.h"
#include "core/plan/evaluate.h"
#include "core/plan/kernel_choice.h"
#include "devices/cpu/simd/simd.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

constexpr int64_t kBatch = 16;

// The function of a step. Inputs: images, labels, then parameter, m and v of each parameter, then
// the step number. Outputs: the loss, then new parameter, m and v of each.
struct LeNet {
  std::unique_ptr<Builder> builder;
  std::vector<Shape> params;
};

LeNet build(const std::shared_ptr<Registry>& registry, DType dtype) {
  LeNet net;
  net.builder = std::make_unique<Builder>(registry);
  FunctionBuilder& f = net.builder->main();
  Emitter e(f);
  net.params = {{6, 1, 5, 5}, {6}, {16, 6, 5, 5}, {16}, {400, 120}, {120}, {120, 84}, {84}, {84, 10}, {10}};
  ValueId x = f.add_input("images", dtype, {kBatch, 1, 28, 28}).value();
  const ValueId labels = f.add_input("labels", DType::kI64, {kBatch}).value();
  std::vector<ValueId> params, m, v;
  for (const Shape& shape : net.params) {
    params.push_back(f.add_input("", dtype, shape).value());
    m.push_back(f.add_input("", dtype, shape).value());
    v.push_back(f.add_input("", dtype, shape).value());
  }
  const ValueId step = f.add_input("step", DType::kI64, {}).value();
  const std::vector<int64_t> two = {2, 2}, pads = {2, 2, 2, 2};
  for (size_t layer = 0; layer < 2; ++layer) {
    const std::vector<ValueId> inputs = {x, params[2 * layer], params[2 * layer + 1]};
    x = layer == 0 ? e.emit("Conv", inputs, {{"pads", pads}}) : e.emit("Conv", inputs);
    x = e.emit("MaxPool", {e.emit("Relu", {x})}, {{"kernel_shape", two}, {"strides", two}});
  }
  x = e.emit("Reshape", {x, e.ints({kBatch, -1})});
  for (size_t layer = 2; layer < 5; ++layer) {
    x = e.emit("Gemm", {x, params[2 * layer], params[2 * layer + 1]});
    if (layer < 4) x = e.emit("Relu", {x});
  }
  const ValueId loss = e.emit("SoftmaxCrossEntropyLoss", {x, labels});
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  const auto grads = gradients(f, {loss}, params);
  REQUIRE_MESSAGE(grads.ok(), grads.status().to_string());
  std::vector<ValueId> outputs = {loss};
  const ValueId rate = e.scalar(dtype, 0.002);
  for (size_t i = 0; i < params.size(); ++i) {
    const auto out = e.emit_many("percale:ApplyAdam", {params[i], (*grads)[i], m[i], v[i], rate, step}, 3);
    outputs.insert(outputs.end(), out.begin(), out.end());
  }
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(f.set_outputs(outputs).ok());
  return net;
}

Tensor numbers(DType dtype, const Shape& shape, double scale, uint32_t seed) {
  std::vector<double> values;
  uint32_t state = seed;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back((static_cast<double>(state >> 8) / 8388608.0 - 1) * scale);
  }
  if (dtype == DType::kF64) return Tensor::of<double>(shape, values);
  return Tensor::of<float>(shape, std::vector<float>(values.begin(), values.end()));
}

std::vector<Tensor> first_feeds(const LeNet& net, DType dtype) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < kBatch; ++i) labels.push_back(i * 3 % 10);
  std::vector<Tensor> feeds = {numbers(dtype, {kBatch, 1, 28, 28}, 1, 1),
                               Tensor::vector(std::span<const int64_t>(labels))};
  uint32_t seed = 2;
  for (const Shape& shape : net.params) {
    const int64_t fan_in = shape.rank() == 4 ? shape.product(1, 4) : shape[0];
    feeds.push_back(numbers(dtype, shape, shape.rank() > 1 ? std::sqrt(3.0 / static_cast<double>(fan_in)) : 0, seed++));
    feeds.push_back(numbers(dtype, shape, 0, 1));
    feeds.push_back(numbers(dtype, shape, 0, 1));
  }
  feeds.push_back(Tensor::scalar(int64_t{1}));
  return feeds;
}

double loss_of(const Tensor& t) {
  return t.dtype() == DType::kF64 ? t.span<double>()[0] : static_cast<double>(t.span<float>()[0]);
}

// Returns the losses of `steps` steps, and the parameters after them.
std::vector<double> train(const std::shared_ptr<Registry>& registry, DType dtype, int64_t steps,
                          std::vector<Tensor>& params) {
  const LeNet net = build(registry, dtype);
  const auto pool = std::make_shared<MemoryPool>();
  auto feeds = first_feeds(net, dtype);
  std::vector<double> losses;
  for (int64_t step = 1; step <= steps; ++step) {
    feeds.back() = Tensor::scalar(step);
    const auto out = evaluate_function(*registry, "cpu", net.builder->main().function(), feeds, pool);
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    losses.push_back(loss_of((*out)[0]));
    for (size_t i = 1; i < out->size(); ++i) feeds[i + 1] = (*out)[i];
  }
  params.clear();
  for (size_t i = 0; i < net.params.size(); ++i) params.push_back(feeds[2 + 3 * i]);
  return losses;
}

}  // namespace

TEST_CASE("every node of LeNet's training step that computes in f32 is taken by a SIMD kernel") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  if (simd::detect_isa() == simd::Isa::kNone) return;
  const LeNet net = build(ops->registry, DType::kF32);
  const Function& f = net.builder->main().function();
  for (const Node& node : f.nodes) {
    const Attributes full = with_defaults(*node.op, node.attributes);
    NodeView view{*node.op, node.name, full, {}, {}, {}};
    for (ValueId id : node.inputs) {
      view.inputs.push_back(id == kNoValue ? ValueType{} : f.type(id));
      view.values.push_back(f.constant(id));
    }
    for (ValueId id : node.outputs) view.outputs.push_back(id == kNoValue ? ValueType{} : f.type(id));
    const auto kernel = choose_kernel(*ops->registry, "cpu", view, nullptr);
    REQUIRE_MESSAGE(kernel.ok(), kernel.status().to_string());
    const std::string_view op = node.op->name;
    if (op == "Reshape" || op == "Shape" || op == "Expand") continue;  // views and single numbers
    CAPTURE(node.name);
    const bool simd = std::string_view((*kernel)->name()).starts_with("simd.");
    CHECK_MESSAGE(simd, (*kernel)->name());
  }
}

TEST_CASE("LeNet learns, and f32 follows f64") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  std::vector<Tensor> narrow, wide;
  const auto f64 = train(ops->registry, DType::kF64, 12, wide);
  const auto f32 = train(ops->registry, DType::kF32, 12, narrow);
  CHECK(f64.front() > 2);
  CHECK(f64.back() < 0.5 * f64.front());
  for (size_t i = 0; i < 6; ++i) CHECK(f32[i] == doctest::Approx(f64[i]).epsilon(1e-3));
  CHECK(f32.back() < 0.5 * f32.front());
}

}  // namespace percale

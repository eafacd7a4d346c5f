// Compares gradients, and forward nodes in training, in oneDNN's kernels and in the core's own.
#include "core/autodiff/gradients.h"
#include "tests/onednn/nets.h"

namespace percale {
namespace {

constexpr double kRounding = 3e-2;  // rounding error of bf16 in sums of some hundred products

// Concatenates values of any shape to one row of f32.
ValueId joined(Net& net, const std::vector<ValueId>& values) {
  std::vector<ValueId> rows;
  for (ValueId value : values) {
    const ValueId wide = net.e.emit("Cast", {value}, {{"to", DType::kF32}});
    rows.push_back(net.e.emit("Reshape", {wide, net.e.ints({-1})}));
  }
  return net.e.emit("Concat", rows, {{"axis", 0}});
}

// The shapes of a convolution and the attributes that match them.
struct Case {
  Shape x, w, y;
  Attributes attributes;
  DType dtype;
  bool bias;
};

Case draw_case(Random& random) {
  const int64_t spatial = random.pick(1, 3), groups = random.pick(0, 4) == 0 ? random.pick(2, 4) : 1;
  Case c{.x = {random.pick(1, 4), groups * random.pick(1, 24)},
         .w = {groups * random.pick(1, 24)},
         .y = {},
         .attributes = {{"group", groups}},
         .dtype = random.coin() ? DType::kF32 : DType::kBF16,
         .bias = random.coin()};
  c.w.push_back(c.x[1] / groups);
  c.y = {c.x[0], c.w[0]};
  std::vector<int64_t> strides, dilations, pads, behind, kernel;
  for (int64_t d = 0; d < spatial; ++d) {
    kernel.push_back(random.pick(1, 3));
    strides.push_back(random.pick(1, 2));
    dilations.push_back(random.pick(0, 3) == 0 ? 2 : 1);
    pads.push_back(random.pick(0, kernel.back() / 2));
    behind.push_back(random.pick(0, kernel.back() / 2));
    c.x.push_back(random.pick(6, spatial == 3 ? 9 : 16));
    c.w.push_back(kernel.back());
    const int64_t reach = (kernel.back() - 1) * dilations.back() + 1;
    c.y.push_back((c.x.back() + pads.back() + behind.back() - reach) / strides.back() + 1);
  }
  pads.insert(pads.end(), behind.begin(), behind.end());
  c.attributes.set("kernel_shape", kernel);
  c.attributes.set("strides", strides);
  c.attributes.set("dilations", dilations);
  c.attributes.set("pads", pads);
  return c;
}

TEST_CASE("gradients of convolutions of all kinds, and convolutions by changing weights, agree with the core's own") {
  const Engines engines;
  Random random(11);
  size_t forward = 0, input = 0, weight = 0, core = 0;
  for (int round = 0; round < 60; ++round) {
    const Case c = draw_case(random);
    const Tensor x = random.tensor(c.x);
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(round);
    CAPTURE(c.x.to_string());
    CAPTURE(c.w.to_string());
    CAPTURE(c.y.to_string());
    const std::string kernels = compare(
        engines, x,
        [&](const std::shared_ptr<Engine>& engine) {
          Random weights(seed);
          Net net(engine, weights, c.x);
          Emitter& e = net.e;
          const auto typed = [&](ValueId v) { return e.emit("Cast", {v}, {{"to", c.dtype}}); };
          // A factor of one that depends on x, so that it is not precomputed.
          const ValueId one = e.emit(
              "Exp", {e.emit("Mul", {e.emit("ReduceMax", {net.x}, {{"keepdims", 0}}), e.scalar(DType::kF32, 0.0)})});
          const ValueId image = typed(net.x), dy = typed(e.emit("Mul", {net.weight(c.y), one}));
          const ValueId w = typed(e.emit("Mul", {net.weight(c.w), one}));
          Attributes back = c.attributes;
          back.set("spatial_shape", std::vector<int64_t>(c.x.begin() + 2, c.x.end()));
          std::vector<ValueId> results{e.emit("Conv", {image, w}, c.attributes),
                                       e.emit("percale:ConvGradInput", {dy, w}, back)};
          for (ValueId v : e.emit_many("percale:ConvGradWeight", {image, dy}, c.bias ? 2 : 1, c.attributes)) {
            results.push_back(v);
          }
          return net.finish(joined(net, results));
        },
        c.dtype == DType::kF32 ? 2e-5 : kRounding);
    forward += runs(kernels, "onednn.conv");
    input += runs(kernels, "onednn.conv_grad_input");
    weight += runs(kernels, "onednn.conv_grad_weight");
    if (c.dtype == DType::kF32 && c.x.rank() < 5) {
      for (const char* kernel : {"simd.conv_grad_input", "simd.conv_grad_weight"}) CHECK(runs(kernels, kernel) == 1);
      ++core;
    }
  }
  CHECK(core > 10);
  for (size_t taken : {forward, input, weight}) CHECK(taken > 8);
}

TEST_CASE("a net of three spatial dims is trained in oneDNN's formats") {
  const Engines engines;
  Random random(12);
  const Shape x{4, 3, 10, 12, 9};
  const Tensor input = random.tensor(x);
  const std::string kernels = compare(
      engines, input,
      [&](const std::shared_ptr<Engine>& engine) {
        Random weights(13);
        Net net(engine, weights, x);
        Emitter& e = net.e;
        std::vector<ValueId> variables;
        const auto weight = [&](const Shape& shape) {
          variables.push_back(net.weight(shape));
          return variables.back();
        };
        std::vector<ValueId> moving;
        const auto layer = [&](ValueId from, int64_t in, int64_t out) {
          const ValueId y = e.emit("Conv", {from, weight({out, in, 3, 3, 3})}, {{"auto_pad", "SAME_UPPER"}});
          const auto norm =
              e.emit_many("BatchNormalization", {y, weight({out}), weight({out}), net.weight({out}), net.weight({out})},
                          3, {{"training_mode", 1}, {"momentum", 0.75}});
          moving.insert(moving.end(), norm.begin() + 1, norm.end());
          return e.emit("Relu", {norm[0]});
        };
        const Attributes window{{"kernel_shape", std::vector<int64_t>{3, 2, 2}},
                                {"strides", std::vector<int64_t>{2, 2, 2}},
                                {"pads", std::vector<int64_t>{1, 0, 0, 1, 0, 0}}};
        const ValueId first = e.emit("MaxPool", {layer(net.x, 3, 24)}, window);
        const ValueId second = e.emit("AveragePool", {layer(first, 24, 32)}, window);
        const ValueId flat = e.emit("Flatten", {e.emit("GlobalAveragePool", {second})});
        const ValueId y = e.emit("Gemm", {flat, weight({32, 5})});
        const ValueId loss = e.emit("ReduceMean", {e.emit("Mul", {y, y})}, {{"keepdims", 0}});
        REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
        std::vector<ValueId> results = get(gradients(e.builder(), {loss}, variables));
        results.insert(results.end(), moving.begin(), moving.end());
        results.push_back(y);
        return net.finish(joined(net, results));
      },
      1e-4);
  CAPTURE(kernels);
  CHECK(runs(kernels, "onednn.conv") == 2);
  CHECK(runs(kernels, "onednn.conv_grad_weight") == 2);
  CHECK(runs(kernels, "onednn.conv_grad_input") == 1);
  for (const char* kernel : {"onednn.batch_norm", "onednn.batch_norm_grad", "onednn.relu_grad"}) {
    CHECK(runs(kernels, kernel) == 2);
  }
  CHECK(runs(kernels, "onednn.pool_grad") == 3);
}

TEST_CASE("gradients of pools in bf16 agree with the core's own") {
  const Engines engines;
  Random random(14);
  size_t taken = 0;
  for (int round = 0; round < 30; ++round) {
    const int64_t spatial = random.pick(1, 3);
    Shape x{random.pick(1, 3), random.pick(1, 40)}, y(x);
    std::vector<int64_t> kernel, strides, pads;
    for (int64_t d = 0; d < spatial; ++d) {
      kernel.push_back(random.pick(2, 3));
      strides.push_back(random.pick(1, 3));
      pads.push_back(random.pick(0, 1));
      x.push_back(random.pick(5, spatial == 3 ? 8 : 20));
      y.push_back((x.back() + 2 * pads.back() - kernel.back()) / strides.back() + 1);
    }
    pads.insert(pads.end(), pads.begin(), pads.end());
    Attributes attributes{{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}};
    const Tensor input = random.tensor(x);
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    const bool maximum = random.coin();
    CAPTURE(round);
    CAPTURE(x.to_string());
    const std::string kernels = compare(
        engines, input,
        [&](const std::shared_ptr<Engine>& engine) {
          Random weights(seed);
          Net net(engine, weights, x);
          Emitter& e = net.e;
          const ValueId image = e.emit("Cast", {net.x}, {{"to", DType::kBF16}});
          const ValueId dy = e.emit("Cast", {net.weight(y)}, {{"to", DType::kBF16}});
          if (maximum) return net.finish(joined(net, {e.emit("percale:MaxPoolGrad", {dy, image}, attributes)}));
          Attributes average = attributes;
          average.set("count_include_pad", static_cast<int64_t>(seed % 2));
          average.set("spatial_shape", std::vector<int64_t>(x.begin() + 2, x.end()));
          return net.finish(joined(net, {e.emit("percale:AveragePoolGrad", {dy}, average)}));
        },
        kRounding);
    taken += runs(kernels, "onednn.pool_grad");
  }
  CHECK(taken > 20);
}

TEST_CASE("gradients of layer normalisation agree with the core's own") {
  const Engines engines;
  Random random(15);
  for (int round = 0; round < 20; ++round) {
    Shape x;
    for (int64_t d = random.pick(1, 3); d > 0; --d) x.push_back(random.pick(1, 30));
    x.push_back(random.pick(1, 300));
    const auto rank = static_cast<int64_t>(x.rank());
    const int64_t axis = random.pick(0, 2) == 0 ? -2 : -1;
    const Shape scale(x.dims().subspan(static_cast<size_t>(rank + axis)));
    const Tensor input = random.tensor(x);
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(axis);
    const std::string kernels = compare(
        engines, input,
        [&](const std::shared_ptr<Engine>& engine) {
          Random weights(seed);
          Net net(engine, weights, x);
          return net.finish(
              joined(net, net.e.emit_many("percale:LayerNormalizationGrad", {net.weight(x), net.x, net.weight(scale)},
                                          3, {{"axis", axis}, {"epsilon", 1e-2}})));
        },
        1e-4);
    CHECK(runs(kernels, "onednn.layer_norm_grad") == 1);
  }
}

}  // namespace
}  // namespace percale

// Compares convolutions and products in bf16 tiles with the core's f32 kernels.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/onednn/nets.h"

namespace percale {
namespace {

SessionOptions in_bf16() {
  SessionOptions options;
  options.compile.bf16 = true;
  return options;
}

// Rounds to -1, 0 and 1. Sums of some thousand products of such numbers are exact in f32, and below
// 256 also in bf16.
ValueId whole(Net& net, ValueId v) { return net.e.emit("Round", {v}); }

struct Case {
  Shape x, w;
  std::vector<int64_t> strides, dilations, pads;

  Attributes attributes() const { return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}}; }
};

// A convolution with few pixels, whole blocks of channels and enough weights.
Case random_conv(Random& random) {
  Case c{Shape{random.pick(1, 2), 0}, Shape{0, 0}, {}, {}, {0, 0, 0, 0}};
  int64_t taps = 1;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t kernel = random.pick(1, 3), dilation = random.pick(1, 2), reach = (kernel - 1) * dilation;
    c.x.push_back(reach + random.pick(1, 10));
    c.w.push_back(kernel);
    c.dilations.push_back(dilation);
    c.strides.push_back(random.pick(1, 3));
    for (size_t end = 0; end < 2; ++end) c.pads[2 * end + d] = random.pick(0, reach);
    taps *= kernel;
  }
  c.x[1] = c.w[1] = 32 * random.pick(taps > 2 ? 2 : 16, taps > 2 ? 12 : 24);
  c.w[0] = 65536 / (c.w[1] * taps) + random.pick(1, 100);
  return c;
}

TEST_CASE("convolutions of few pixels give what is exact, whatever their window does") {
  const Engines engines;
  Random random(31);
  size_t taken = 0;
  for (int round = 0; round < 80; ++round) {
    const Case c = random_conv(random);
    const bool bias = random.coin(), relu = random.coin();
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(c.x.to_string());
    CAPTURE(c.w.to_string());
    CAPTURE(round);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, c.x);
      std::vector<ValueId> inputs{whole(net, net.x), whole(net, net.weight(c.w))};
      if (bias) inputs.push_back(whole(net, net.weight({c.w[0]})));
      const ValueId y = net.e.emit("Conv", inputs, c.attributes());
      return net.finish(relu ? net.e.emit("Relu", {y}) : y);
    };
    taken += runs(compare(engines, random.tensor(c.x), build, 0, in_bf16()), "onednn.tiles");
  }
  CHECK(taken >= (computes_in_tiles() ? size_t{70} : size_t{0}));
}

TEST_CASE("convolutions of many pixels and weights give what is exact, two sides of the image at a time") {
  const Engines engines;
  Random random(35);
  size_t taken = 0;
  for (int round = 0; round < 12; ++round) {
    const int64_t height = random.pick(1, 40),
                  width = std::min<int64_t>(4096 / height, 400 / height + random.pick(1, 40));
    const int64_t down = std::min<int64_t>(height, random.pick(1, 3)), across = down == 1 ? 3 : random.pick(1, 5);
    const int64_t channels = 32 * random.pick(6, 10),
                  columns = (1 << 18) / (channels * down * across) + random.pick(1, 64);
    const bool image_of_one_column = random.coin();
    Shape x{1, channels, height, width + across - 1}, w{columns, channels, down, across};
    if (image_of_one_column) x = {1, channels, height * width, 1}, w = {columns, channels, down * across, 1};
    CAPTURE(x.to_string());
    CAPTURE(w.to_string());
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(36);
      Net net(engine, weights, x);
      return net.finish(net.e.emit("Conv", {whole(net, net.x), whole(net, net.weight(w))}));
    };
    taken += runs(compare(engines, random.tensor(x), build, 0, in_bf16()), "onednn.tiles");
  }
  CHECK(taken >= (computes_in_tiles() ? size_t{11} : size_t{0}));
}

TEST_CASE("products of few rows give what is exact, be the matrix transposed or not") {
  const Engines engines;
  Random random(32);
  size_t taken = 0;
  for (int round = 0; round < 30; ++round) {
    const int64_t m = random.pick(33, 256), k = 32 * random.pick(16, 40), n = (1 << 19) / k + random.pick(1, 200);
    const bool gemm = random.coin(), transposed = random.coin(), bias = random.coin(), addend = random.coin();
    const Shape x{m, k};
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(n);
    CAPTURE(round);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      Emitter& e = net.e;
      std::vector<ValueId> inputs{whole(net, net.x),
                                  whole(net, net.weight(gemm && transposed ? Shape{n, k} : Shape{k, n}))};
      if (gemm && bias) inputs.push_back(whole(net, net.weight({n})));
      ValueId y = gemm ? e.emit("Gemm", inputs, {{"transB", int64_t{transposed}}}) : e.emit("MatMul", inputs);
      if (!gemm && bias) y = e.emit("Add", {y, whole(net, net.weight({n}))});
      if (addend) y = e.emit("Add", {whole(net, net.weight({m, n})), y});
      return net.finish(y);
    };
    taken += runs(compare(engines, random.tensor(x), build, 0, in_bf16()), "onednn.tiles");
  }
  CHECK(taken >= (computes_in_tiles() ? size_t{28} : size_t{0}));
}

TEST_CASE("what follows convolutions and products in tiles agrees with the core") {
  const Engines engines;
  Random random(33);
  size_t taken = 0;
  for (int round = 0; round < 60; ++round) {
    const bool conv = random.coin();
    const int64_t kind = random.pick(0, kFollowers);
    const Case c = random_conv(random);
    const Shape x = conv ? c.x : Shape{2, random.pick(17, 100), 640};
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(kind);
    CAPTURE(round);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      const ValueId y = conv ? net.e.emit("Conv", {whole(net, net.x), whole(net, net.weight(c.w))}, c.attributes())
                             : net.e.emit("MatMul", {whole(net, net.x), whole(net, net.weight({640, 832}))});
      return net.finish(follow(net, y, kind, net.e.shape(y)));
    };
    taken += runs(compare(engines, random.tensor(x), build, 0.01, in_bf16()), "onednn.tiles");
  }
  CHECK(taken >= (computes_in_tiles() ? size_t{25} : size_t{0}));
}

// Multiplies by an identity matrix, with numbers that bf16 represents exactly.
TEST_CASE("functions behind sums in tiles are those of the definition") {
  const Engines engines;
  const int64_t rows = 64, n = 768;
  std::vector<float> numbers(static_cast<size_t>(rows * n)), identity(static_cast<size_t>(n * n));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(static_cast<int64_t>(i % 511) - 255) / 16;
  for (int64_t i = 0; i < n; ++i) identity[static_cast<size_t>(i * (n + 1))] = 1;
  numbers[0] = 0x1p100f, numbers[1] = -0x1p100f, numbers[2] = 0x1p-100f, numbers[3] = -0x1p-100f;
  const Tensor x = Tensor::of<float>({rows, n}, numbers);

  struct Function {
    const char* name;
    std::function<ValueId(Emitter&, ValueId)> emit;
    std::function<double(double)> exact;
  };
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const auto of = [](const char* op, const Attributes& attributes) {
    return [=](Emitter& e, ValueId v) { return e.emit(op, {v}, attributes); };
  };
  const std::vector<Function> functions{
      {"Gelu", of("Gelu", {}), [](double v) { return v * 0.5 * std::erfc(-v * std::sqrt(0.5)); }},
      {"Gelu by tanh", of("Gelu", {{"approximate", "tanh"}}),
       [&](double v) { return v * sigmoid(2 * std::sqrt(2 / 3.14159265358979) * (v + 0.044715 * v * v * v)); }},
      {"Swish", of("Swish", {{"alpha", 1.5}}), [&](double v) { return v * sigmoid(1.5 * v); }},
      {"Sigmoid", of("Sigmoid", {}), sigmoid},
      {"Relu", of("Relu", {}), [](double v) { return std::max(v, 0.0); }},
  };
  for (const Function& f : functions) {
    CAPTURE(std::string(f.name));
    const auto& engine = engines.onednn[0];
    Random unused(1);
    Net net(engine, unused, x.shape());
    const ValueId w = net.e.emit("Constant", {}, {{"value", Tensor::of<float>({n, n}, identity)}});
    const Outcome got = run(engine, net.finish(f.emit(net.e, net.e.emit("MatMul", {net.x, w}))), x, in_bf16());
    CAPTURE(got.kernels);
    CHECK(runs(got.kernels, "onednn.tiles") == (computes_in_tiles() ? 1 : 0));
    const auto y = got.y.span<float>();
    double worst = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const double exact = f.exact(numbers[i]);
      worst = std::max(worst, std::fabs(double{y[i]} - exact) / std::max(1.0, std::fabs(exact)));
    }
    CHECK(worst < 1e-6);
  }
}

}  // namespace
}  // namespace percale

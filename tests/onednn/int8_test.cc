// Compares integer products in oneDNN's kernels and in the core's own: the integers must be equal.
#include "tests/onednn/nets.h"

namespace percale {
namespace {

bool has_vnni() {
  const Engines engines;
  Random random(1);
  const Shape x{1, 64};
  const std::string kernels = compare(
      engines, random.integers(DType::kU8, x, 0, 255),
      [&](const std::shared_ptr<Engine>& engine) {
        Random weights(2);
        Net net(engine, weights, x, DType::kU8);
        const ValueId w = net.e.constant(weights.integers(DType::kI8, {64, 64}, -128, 127));
        return net.finish(net.e.emit("MatMulInteger", {net.x, w}));
      },
      0);
  return kernels.find("the CPU has no VNNI") == std::string::npos;
}

struct Bytes {
  DType dtype;
  int64_t low, high;
};
Bytes draw_type(Random& random) { return random.coin() ? Bytes{DType::kU8, 0, 255} : Bytes{DType::kI8, -128, 127}; }

// Emits a scalar of that type as a node's input.
ValueId number(Net& net, const Bytes& type, int64_t value) {
  return net.e.scalar(type.dtype, static_cast<double>(value));
}
// Returns scales in [0.5, 1.5] times `size`. Powers of two cause ties.
ValueId scales(Net& net, Random& random, int64_t count, double size, bool ties) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    const double v = ties ? (random.coin() ? 0.5 : 1) : static_cast<double>(random.pick(5000, 15000)) / 10000;
    values.push_back(static_cast<float>(v * size));
  }
  if (count == 1) return net.e.constant(Tensor::of<float>(Shape{}, values));
  return net.e.constant(Tensor::of<float>(Shape{count}, values));
}

// Parameters that all these ops share: the types, the zero points, and the source of x.
struct Common {
  Bytes x, y, w;
  bool quantizes = false, ties = false, per_channel = false;
  int64_t x_zero = 0, y_zero = 0;
  unsigned seed = 0;
  bool moving_zero = false;  // x's zero point is computed in the run
};
Common draw_common(Random& random) {
  Common c{draw_type(random), draw_type(random), draw_type(random)};
  c.quantizes = random.coin();
  c.ties = random.coin();
  c.per_channel = random.coin();
  c.x_zero = random.pick(0, 2) == 0 ? 0 : random.pick(c.x.low, c.x.high);
  c.y_zero = random.pick(0, 2) == 0 ? 0 : random.pick(c.y.low, c.y.high);
  c.seed = static_cast<unsigned>(random.pick(0, 1'000'000));
  c.moving_zero = !c.quantizes && random.coin();
  return c;
}

ValueId zero_of_x(Net& net, const Common& c) {
  return c.moving_zero ? net.e.emit("ReduceMax", {net.x}, {{"keepdims", 0}}) : number(net, c.x, c.x_zero);
}

TEST_CASE("convolutions of integers give the integers that the core's own give") {
  if (!has_vnni()) return;
  const Engines engines;
  Random random(11);
  size_t taken = 0;
  for (int round = 0; round < 100; ++round) {
    const Common c = draw_common(random);
    const int64_t spatial = random.pick(1, 3), group = random.pick(0, 2) == 0 ? random.pick(1, 6) : 1;
    const bool depthwise = random.pick(0, 4) == 0;
    const int64_t in = depthwise ? random.pick(1, 40) : group * random.pick(1, 40);
    const int64_t groups = depthwise ? in : group;
    Shape x{random.pick(1, 2), in}, w{groups * random.pick(1, depthwise ? 2 : 30), in / groups};
    std::vector<int64_t> strides;
    for (int64_t d = 0; d < spatial; ++d) {
      x.push_back(random.pick(5, spatial == 3 ? 6 : 14));
      w.push_back(random.pick(1, 3));
      strides.push_back(random.pick(1, 2));
    }
    Attributes attributes{{"group", groups}, {"strides", strides}};
    if (random.coin()) attributes.set("auto_pad", "SAME_UPPER");
    const bool bias = random.coin();
    CAPTURE(x.to_string());
    CAPTURE(w.to_string());
    CAPTURE(round);
    const Tensor input = random.integers(c.x.dtype, x, c.x.low, c.x.high);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(c.seed);
      Net net(engine, weights, x, c.x.dtype);
      const ValueId kernel = net.e.constant(weights.integers(c.w.dtype, w, c.w.low, c.w.high));
      const ValueId x_zero = zero_of_x(net, c), zero = number(net, c.w, c.w.low + 128);
      if (!c.quantizes) {
        return net.finish(net.e.emit("ConvInteger", {net.x, kernel, x_zero, zero}, attributes));
      }
      std::vector<ValueId> inputs{net.x,
                                  scales(net, weights, 1, 1, c.ties),
                                  x_zero,
                                  kernel,
                                  scales(net, weights, c.per_channel ? w[0] : 1, 1.0 / 64, c.ties),
                                  zero,
                                  scales(net, weights, 1, 4, c.ties),
                                  number(net, c.y, c.y_zero)};
      if (bias) inputs.push_back(net.e.constant(weights.integers(DType::kI32, {w[0]}, -9000, 9000)));
      return net.finish(net.e.emit("QLinearConv", inputs, attributes));
    };
    const char* const kernel = c.quantizes ? "onednn.qlinear_conv" : "onednn.conv_integer";
    taken += runs(compare(engines, input, build, 0), kernel);
    SessionOptions plain;
    plain.compile.disabled_passes = {"layouts"};
    compare(engines, input, build, 0, plain);
  }
  CHECK(taken > 75);
}

TEST_CASE("products of integers give the integers that the core's own give") {
  if (!has_vnni()) return;
  const Engines engines;
  Random random(12);
  size_t taken = 0, rounds = 100;
  for (size_t round = 0; round < rounds; ++round) {
    const Common c = draw_common(random);
    const int64_t k = random.pick(1, 200), n = random.pick(2, 200),
                  b_zero = random.coin() ? 0 : random.pick(c.w.low, c.w.high);
    Shape x;
    for (int64_t d = random.pick(1, 3); d > 0; --d) x.push_back(random.pick(1, 9));
    Shape w;
    if (random.pick(0, 3) == 0) {
      for (size_t d = 0; d + 1 < x.rank(); ++d) w.push_back(x[d]);
    }
    w.push_back(k);
    w.push_back(n);
    x.push_back(k);
    CAPTURE(x.to_string());
    CAPTURE(w.to_string());
    CAPTURE(round);
    const Tensor input = random.integers(c.x.dtype, x, c.x.low, c.x.high);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(c.seed);
      Net net(engine, weights, x, c.x.dtype);
      const ValueId b = net.e.constant(weights.integers(c.w.dtype, w, c.w.low, c.w.high));
      const ValueId x_zero = zero_of_x(net, c), zero = number(net, c.w, b_zero);
      if (!c.quantizes) return net.finish(net.e.emit("MatMulInteger", {net.x, b, x_zero, zero}));
      return net.finish(
          net.e.emit("QLinearMatMul", {net.x, scales(net, weights, 1, 1, c.ties), x_zero, b,
                                       scales(net, weights, c.per_channel ? n : 1, 1.0 / 64, c.ties), zero,
                                       scales(net, weights, 1, 4, c.ties), number(net, c.y, c.y_zero)}));
    };
    const char* const kernel = c.quantizes ? "onednn.qlinear_matmul" : "onednn.matmul_integer";
    taken += runs(compare(engines, input, build, 0), kernel);
    SessionOptions plain;
    plain.compile.disabled_passes = {"layouts"};
    compare(engines, input, build, 0, plain);
  }
  CHECK(taken > 85);
}

TEST_CASE("a quantised net keeps oneDNN's format, and gives the integers that the core's own kernels give") {
  if (!has_vnni()) return;
  const Engines engines;
  Random random(14);
  const Shape x{2, 3, 33, 31};
  const auto build = [&](const std::shared_ptr<Engine>& engine) {
    Random weights(15);
    Net net(engine, weights, x, DType::kU8);
    Emitter& e = net.e;
    const auto conv = [&](ValueId from, int64_t in, int64_t out, int64_t size) {
      const ValueId w = e.constant(weights.integers(DType::kI8, {out, in, size, size}, -128, 127));
      const ValueId zero = e.scalar(DType::kI8, 0), y_zero = e.scalar(DType::kU8, 90);
      return e.emit("QLinearConv",
                    {from, scales(net, weights, 1, 1, false), y_zero, w, scales(net, weights, out, 1.0 / 64, false),
                     zero, scales(net, weights, 1, 30, false), y_zero},
                    {{"auto_pad", "SAME_UPPER"}});
    };
    const ValueId first = e.emit("MaxPool", {conv(net.x, 3, 32, 3)}, {{"kernel_shape", std::vector<int64_t>{2, 2}}});
    const ValueId joined = e.emit("Concat", {conv(first, 32, 48, 1), conv(first, 32, 16, 3)}, {{"axis", 1}});
    const ValueId real =
        e.emit("Sub", {e.emit("Cast", {conv(joined, 64, 64, 3)}, {{"to", DType::kF32}}), e.scalar(DType::kF32, 90)});
    const ValueId scaled = e.emit("Relu", {e.emit("Mul", {real, e.scalar(DType::kF32, 0.25)})});
    return net.finish(e.emit("QuantizeLinear", {scaled, e.scalar(DType::kF32, 0.5), e.scalar(DType::kU8, 7)}));
  };
  const std::string kernels = compare(engines, random.integers(DType::kU8, x, 0, 255), build, 0);
  CAPTURE(kernels);
  CHECK(runs(kernels, "onednn.qlinear_conv") == 4);
  for (const char* kernel : {"onednn.pool", "onednn.concat", "onednn.cast", "onednn.chain", "onednn.quantize"})
    CHECK(runs(kernels, kernel) == 1);
  CHECK(count_of(kernels, "\"portable") == 0);
}

TEST_CASE("numbers are quantised as the core does it") {
  if (!has_vnni()) return;
  const Engines engines;
  Random random(18);
  size_t taken = 0;
  for (int round = 0; round < 80; ++round) {
    const Common c = draw_common(random);
    Shape x{random.pick(1, 3), random.pick(1, 40)};
    while (random.coin() && x.rank() < 4) x.push_back(random.pick(1, 12));
    const bool conv = x.rank() == 4 && random.coin(), has_zero = random.coin();
    const int64_t rank = static_cast<int64_t>(x.rank()), axis = random.pick(-rank, rank - 1);
    CAPTURE(x.to_string());
    CAPTURE(axis);
    CAPTURE(c.per_channel);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(c.seed);
      Net net(engine, weights, x);
      Emitter& e = net.e;
      const ValueId from = conv ? e.emit("Conv", {net.x, net.weight({24, x[1], 1, 1})}) : net.x;
      const Shape shape = e.shape(from);
      const int64_t places = shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
      const int64_t count = c.per_channel && places > 1 ? places : 1;
      std::vector<ValueId> with{scales(net, weights, count, 1.0 / 64, c.ties)};
      if (has_zero && count == 1) {
        with.push_back(number(net, c.y, c.y_zero));
      } else if (has_zero) {
        with.push_back(e.constant(weights.integers(c.y.dtype, {count}, c.y.low, c.y.high)));
      }
      // Many of these numbers lie between two integers, and some exceed the range of the type.
      const ValueId grid = e.emit("Mul", {e.emit("Round", {e.emit("Mul", {from, e.scalar(DType::kF32, 500)})}),
                                          e.scalar(DType::kF32, 1.0 / 128)});
      with.insert(with.begin(), conv ? from : grid);
      return net.finish(e.emit("QuantizeLinear", with, {{"axis", axis}}));
    };
    // The results of a convolution differ in last bits.
    taken += runs(compare(engines, random.tensor(x), build, conv ? 1 : 0), "onednn.quantize");
  }
  CHECK(taken > 30);
}

TEST_CASE("a layer that quantises as it runs agrees with the core's own kernels") {
  if (!has_vnni()) return;
  const Engines engines;
  Random random(16);
  const Shape x{33, 700};
  const auto build = [&](const std::shared_ptr<Engine>& engine) {
    Random weights(17);
    Net net(engine, weights, x);
    Emitter& e = net.e;
    const std::vector<ValueId> q = e.emit_many("DynamicQuantizeLinear", {net.x}, 3);
    const ValueId w = e.constant(weights.integers(DType::kI8, {700, 130}, -90, 90));
    const ValueId sums = e.emit("MatMulInteger", {q[0], w, q[2], e.scalar(DType::kI8, 0)});
    const ValueId scale = e.emit("Mul", {q[1], net.weight({130})});
    const ValueId real = e.emit("Mul", {e.emit("Cast", {sums}, {{"to", DType::kF32}}), scale});
    return net.finish(e.emit("Add", {real, net.weight({130})}));
  };
  const std::string kernels = compare(engines, random.tensor(x), build);
  for (const char* kernel : {"onednn.quantize", "onednn.matmul_integer", "onednn.cast"}) {
    CHECK(runs(kernels, kernel) == 1);
  }
}

// Produces the largest possible sums, for zero points of 0 and others, and for weights of one sign,
// of both, and far from 0.
TEST_CASE("sums beyond 24 bits are exact, on the way and at the end") {
  if (!has_vnni()) return;
  const Engines engines;
  const Shape x{2, 300, 9, 9};
  const Tensor input = Tensor::of<uint8_t>(x, std::vector<uint8_t>(static_cast<size_t>(x.num_elements()), 255));
  struct Weights {
    Bytes type;
    int64_t zero;
    bool large;  // the sums minus their zero point, or the plain sums
  };
  constexpr Weights kWeights[] = {{{DType::kI8, 121, 127}, 0, true},    {{DType::kI8, -127, 127}, 0, true},
                                  {{DType::kI8, -9, 9}, 0, false},      {{DType::kU8, 119, 137}, 128, false},
                                  {{DType::kU8, 119, 137}, 127, false}, {{DType::kU8, 230, 250}, 240, true}};
  for (const int64_t zero : {0, 1}) {
    for (const Weights& w : kWeights) {
      for (const bool conv : {false, true}) {
        CAPTURE(conv);
        CAPTURE(zero);
        CAPTURE(w.type.low);
        const std::string kernels = compare(
            engines, input,
            [&](const std::shared_ptr<Engine>& engine) {
              Random weights(13);
              Net net(engine, weights, x, DType::kU8);
              const ValueId x_zero = net.e.scalar(DType::kU8, static_cast<double>(zero));
              const ValueId w_zero = number(net, w.type, w.zero);
              const auto weight = [&](const Shape& shape) {
                return net.e.constant(weights.integers(w.type.dtype, shape, w.type.low, w.type.high));
              };
              if (conv) return net.finish(net.e.emit("ConvInteger", {net.x, weight({20, 300, 3, 3}), x_zero, w_zero}));
              const ValueId rows = net.e.emit("Reshape", {net.x, net.e.ints({18, 2700})});
              return net.finish(net.e.emit("MatMulInteger", {rows, weight({2700, 40}), x_zero, w_zero}));
            },
            0);
        const bool middle = w.zero == 0 || w.zero == 128,
                   takes = ((zero == 0 && middle) || !w.large) && (middle || !conv);
        CHECK(runs(kernels, conv ? "onednn.conv_integer" : "onednn.matmul_integer") == (takes ? size_t{1} : size_t{0}));
      }
    }
  }
}

}  // namespace
}  // namespace percale

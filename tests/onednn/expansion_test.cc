// Compares a fused 1 x 1 convolution and depthwise convolution with the core's kernels.
#include "tests/onednn/nets.h"

namespace percale {
namespace {

ValueId activate(Emitter& e, ValueId y, int64_t kind) {
  switch (kind) {
    case 0: return e.emit("Clip", {y, e.scalar(DType::kF32, 0), e.scalar(DType::kF32, 6)});
    case 1: return e.emit("Relu", {y});
    case 2: return e.emit("HardSwish", {y});
    default: return y;
  }
}

TEST_CASE("expansions of large images go by bands of rows and agree with the core") {
  const Engines engines;
  Random random(41);
  size_t taken = 0;
  for (int round = 0; round < 24; ++round) {
    const int64_t in = 8 * random.pick(1, 4), wide = 16 * random.pick(2, 8), kernel = random.coin() ? 3 : 5;
    const int64_t side = 24 + 8 * random.pick(0, 8), stride = random.pick(1, 2), kind = random.pick(0, 3);
    const bool narrow = random.coin(), bias = random.coin(), followed = random.coin();
    const Shape x{random.pick(1, 2), in, (narrow ? 3 << 19 : 3 << 18) / (wide * side) + random.pick(2, 9), side};
    std::vector<int64_t> pads(4);
    for (int64_t& p : pads) p = random.pick(0, kernel / 2);
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(wide);
    CAPTURE(round);
    SessionOptions options;
    options.compile.bf16 = narrow;
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      Emitter& e = net.e;
      std::vector<ValueId> first{net.x, net.weight({wide, in, 1, 1})};
      if (bias) first.push_back(net.weight({wide}));
      std::vector<ValueId> then{activate(e, e.emit("Conv", first), kind), net.weight({wide, 1, kernel, kernel})};
      if (bias) then.push_back(net.weight({wide}));
      const ValueId y =
          e.emit("Conv", then, {{"group", wide}, {"pads", pads}, {"strides", std::vector<int64_t>{stride, stride}}});
      return net.finish(
          e.emit("Relu", {followed ? e.emit("Conv", {e.emit("Relu", {y}), net.weight({16, wide, 1, 1})}) : y}));
    };
    const std::string kernels = compare(engines, random.tensor(x), build, narrow ? 0.02 : 2e-5, options);
    taken += runs(kernels, "onednn.expansion");
  }
  CHECK(taken > (computes_in_tiles() ? size_t{18} : size_t{8}));
}

}  // namespace
}  // namespace percale

// Compares Winograd convolutions with the core's own, which add products directly.
#include <algorithm>
#include <cmath>

#include "tests/onednn/nets.h"

namespace percale {
namespace {

// Epilogues that the kernel computes itself, and a sum with itself, which it does not.
constexpr int64_t kBounds = 3, kAddsRelu = 4, kAddsImage = 5, kSwish = 6, kKinds = 8;
ValueId follow_winograd(Net& net, ValueId y, int64_t kind, const Shape& shape) {
  Emitter& e = net.e;
  if (kind <= kBounds) return follow(net, y, kind, shape);
  if (kind == kAddsImage) return e.emit("Relu", {e.emit("Add", {net.x, y})});
  if (kind == kSwish) return e.emit("Swish", {y}, {{"alpha", 1.5}});
  if (kind != kAddsRelu) return e.emit("Add", {y, y});
  const ValueId sum = e.emit("Add", {e.emit("Relu", {net.x}), y});
  return e.emit("Clip", {sum, e.scalar(DType::kF32, 0), e.scalar(DType::kF32, 6)});
}

TEST_CASE("Winograd's convolutions of any sizes, and what follows them, agree with the core's own") {
  const Engines engines;
  Random random(11);
  size_t taken = 0;
  for (int round = 0; round < 60; ++round) {
    const int64_t kind = random.pick(0, kKinds - 1), in = 16 * random.pick(1, 6);
    const bool adds_image = kind == kAddsRelu || kind == kAddsImage;
    const int64_t out = adds_image ? in : 16 * random.pick(1, 6);
    const bool same = adds_image || random.coin();
    const Shape x{random.pick(1, 3), in, random.pick(7, 30), random.pick(7, 30)}, w{out, in, 3, 3};
    std::vector<int64_t> pads(4, 1);
    if (!same) {
      for (int64_t& p : pads) p = random.pick(0, 2);
    }
    const bool bias = random.coin();
    const Tensor input = random.tensor(x);
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(w.to_string());
    CAPTURE(round);
    CAPTURE(kind);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      std::vector<ValueId> inputs{net.x, net.weight(w)};
      if (bias) inputs.push_back(net.weight({out}));
      const ValueId y = net.e.emit("Conv", inputs, {{"pads", pads}});
      return net.finish(follow_winograd(net, y, kind, net.e.shape(y)));
    };
    // The tolerance covers rounding errors of the sums that clipping leaves.
    const std::string kernels = compare(engines, input, build, 1e-4);
    taken += runs(kernels, "onednn.winograd");
  }
  CHECK(taken > 40);
}

TEST_CASE("many tiles of Winograd's go in rounds, and a net of several such layers keeps one format") {
  const Engines engines;
  Random random(12);
  const Shape x{1, 32, 131, 127};
  const std::string kernels = compare(engines, random.tensor(x), [&](const std::shared_ptr<Engine>& engine) {
    Random weights(13);
    Net net(engine, weights, x);
    Emitter& e = net.e;
    const auto conv = [&](ValueId from, int64_t in, int64_t out) {
      return e.emit("Conv", {from, net.weight({out, in, 3, 3}), net.weight({out})}, {{"auto_pad", "SAME_UPPER"}});
    };
    const ValueId first = e.emit("Relu", {conv(net.x, 32, 48)});
    const ValueId second = e.emit("Relu", {e.emit("Add", {conv(first, 48, 48), first})});
    return net.finish(e.emit("GlobalAveragePool", {conv(second, 48, 160)}));
  });
  CAPTURE(kernels);
  CHECK(runs(kernels, "onednn.winograd") == 3);
}

TEST_CASE("without layouts, who needs formats of its own leaves the layer to others") {
  const Engines engines;
  Random random(16);
  const Shape x{1, 32, 28, 28};
  SessionOptions options;
  options.compile.disabled_passes = {"layouts"};
  const auto build = [&](const std::shared_ptr<Engine>& engine) {
    Random weights(17);
    Net net(engine, weights, x);
    const ValueId y = net.e.emit("Conv", {net.x, net.weight({32, 32, 3, 3})}, {{"auto_pad", "SAME_UPPER"}});
    return net.finish(net.e.emit("Relu", {y}));
  };
  const std::string kernels = compare(engines, random.tensor(x), build, 2e-5, options);
  CAPTURE(kernels);
  CHECK(runs(kernels, "onednn.winograd") == 0);
}

// Compared with sums in f64, the error is at most three times that of f32 products that are added
// directly.
TEST_CASE("Winograd's convolutions are nearly as exact as others") {
  const Engines engines;
  Random random(14);
  const int64_t channels = 256, size = 12;
  const Shape x{1, channels, size, size}, w{32, channels, 3, 3};
  const Tensor image = random.tensor(x);
  for (const int64_t pad : {0, 1}) {  // tiles of 4 and of 2 results
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(15);
      Net net(engine, weights, x);
      return net.finish(net.e.emit("Conv", {net.x, net.weight(w)}, {{"pads", std::vector<int64_t>(4, pad)}}));
    };
    const Outcome got = run(engines.onednn[0], build(engines.onednn[0]), image);
    REQUIRE(runs(got.kernels, "onednn.winograd") == 1);
    Random again(15);
    const Tensor weights = again.tensor(w);
    const auto a = image.span<float>(), b = weights.span<float>(), y = got.y.span<float>();
    const int64_t side = size - 2 + 2 * pad;
    double worst = 0, largest = 0;
    for (int64_t o = 0; o < w[0]; ++o) {
      for (int64_t i = 0; i < side * side; ++i) {
        double sum = 0;
        for (int64_t c = 0; c < channels; ++c) {
          for (int64_t k = 0; k < 9; ++k) {
            const int64_t h = i / side + k / 3 - pad, v = i % side + k % 3 - pad;
            if (h < 0 || h >= size || v < 0 || v >= size) continue;
            sum += double{a[static_cast<size_t>((c * size + h) * size + v)]} *
                   double{b[static_cast<size_t>((o * channels + c) * 9 + k)]};
          }
        }
        worst = std::max(worst, std::fabs(sum - double{y[static_cast<size_t>(o * side * side + i)]}));
        largest = std::max(largest, std::fabs(sum));
      }
    }
    CAPTURE(pad);
    CHECK(worst <= 4e-6 * largest);
  }
}

}  // namespace
}  // namespace percale

// Compares images in channels-first and channels-last layout with the core's own kernels, which
// only know the first.
#include "tests/onednn/nets.h"

namespace percale {
namespace {

TEST_CASE("images of any dims and channels come to convolutions and back as they are") {
  const Engines engines;
  Random random(21);
  size_t turned = 0;
  for (int round = 0; round < 60; ++round) {
    const int64_t spatial = random.pick(1, 3), in = random.pick(1, 70), out = random.pick(1, 70);
    Shape x{random.pick(1, 3), in};
    for (int64_t i = 0; i < spatial; ++i) x.push_back(random.pick(1, spatial == 1 ? 300 : spatial == 2 ? 40 : 12));
    if (spatial == 2 && random.coin()) x[3] = 1;
    const bool narrow = random.coin();
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(out);
    CAPTURE(narrow);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      Emitter& e = net.e;
      const auto as = [&](ValueId v, DType dtype) { return typed(e, narrow, v, dtype); };
      Shape w{out, in};
      for (size_t i = 2; i < x.rank(); ++i) w.push_back(x[i] == 1 ? 1 : 3);
      const ValueId y =
          e.emit("Conv", {as(net.x, DType::kBF16), as(net.weight(w), DType::kBF16)}, {{"auto_pad", "SAME_UPPER"}});
      return net.finish(as(y, DType::kF32));
    };
    turned += runs(compare(engines, random.tensor(x), build, narrow ? 1e-2 : 2e-5), "onednn.images");
  }
  CHECK(turned > 20);
}

TEST_CASE("channels of images that lie pixel by pixel are joined, be there one or many") {
  const Engines engines;
  Random random(23);
  size_t joined = 0;
  for (int round = 0; round < 40; ++round) {
    const Shape x{random.pick(1, 2), random.pick(5, 40), random.pick(1, 50), random.pick(1, 50)};
    std::vector<int64_t> parts;
    for (int64_t left = random.pick(2, 4); left > 0; --left) parts.push_back(random.pick(1, random.coin() ? 5 : 200));
    const bool narrow = random.coin();
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(narrow);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      Emitter& e = net.e;
      const auto as = [&](ValueId v, DType dtype) { return typed(e, narrow, v, dtype); };
      std::vector<ValueId> images;
      for (int64_t channels : parts) {
        images.push_back(
            e.emit("Conv", {as(net.x, DType::kBF16), as(net.weight({channels, x[1], 1, 1}), DType::kBF16)}));
      }
      return net.finish(as(e.emit("Concat", images, {{"axis", 1}}), DType::kF32));
    };
    joined += runs(compare(engines, random.tensor(x), build, narrow ? 1e-2 : 2e-5), "onednn.concat");
  }
  CHECK(joined > 15);
}

TEST_CASE("means of images that lie in a format are pools, however their axes are written") {
  const Engines engines;
  Random random(24);
  size_t pooled = 0;
  for (int round = 0; round < 24; ++round) {
    const Shape x{random.pick(1, 3), 32, random.pick(2, 20), random.pick(2, 20)};
    const bool narrow = random.coin(), keeps = random.coin(), negative = random.coin(), turned = random.coin();
    std::vector<int64_t> axes = negative ? std::vector<int64_t>{-2, -1} : std::vector<int64_t>{2, 3};
    if (turned) std::swap(axes[0], axes[1]);
    CAPTURE(x.to_string());
    CAPTURE(narrow);
    CAPTURE(keeps);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(25);
      Net net(engine, weights, x);
      Emitter& e = net.e;
      const auto as = [&](ValueId v, DType dtype) { return typed(e, narrow, v, dtype); };
      const ValueId y = e.emit("Conv", {as(net.x, DType::kBF16), as(net.weight({48, 32, 3, 3}), DType::kBF16)},
                               {{"auto_pad", "SAME_UPPER"}});
      const ValueId by = e.constant(Tensor::of<int64_t>({2}, axes));
      return net.finish(as(e.emit("ReduceMean", {y, by}, {{"keepdims", int64_t{keeps}}}), DType::kF32));
    };
    pooled += runs(compare(engines, random.tensor(x), build, narrow ? 1e-2 : 2e-5), "onednn.pool");
  }
  CHECK(pooled == 24);
}

TEST_CASE("images of one row and of one column are pooled as they lie") {
  const Engines engines;
  Random random(26);
  for (const bool column : {false, true}) {
    const std::vector<int64_t> axis{column ? 3 : 2};
    for (const bool narrow : {false, true}) {
      CAPTURE(column);
      CAPTURE(narrow);
      const Shape x = column ? Shape{2, 32, 30, 1} : Shape{2, 32, 1, 30},
                  w = column ? Shape{48, 32, 5, 1} : Shape{48, 32, 1, 5};
      const auto build = [&](const std::shared_ptr<Engine>& engine) {
        Random weights(27);
        Net net(engine, weights, x);
        Emitter& e = net.e;
        const auto as = [&](ValueId v, DType dtype) { return typed(e, narrow, v, dtype); };
        const ValueId y = e.emit("Conv", {as(net.x, DType::kBF16), as(net.weight(w), DType::kBF16)});
        const ValueId flat = e.emit("Squeeze", {y, e.constant(Tensor::of<int64_t>({1}, axis))});
        return net.finish(as(e.emit("GlobalMaxPool", {flat}), DType::kF32));
      };
      const std::string kernels = compare(engines, random.tensor(x), build, narrow ? 1e-2 : 2e-5);
      CHECK(runs(kernels, "onednn.pool") == 1);
      CHECK(runs(kernels, "Reorder") <= 2);  // for the image and the weights
    }
  }
}

TEST_CASE("images that lie in a format are enlarged there, and only by repeating pixels") {
  const Engines engines;
  Random random(28);
  for (int round = 0; round < 40; ++round) {
    const Shape x{random.pick(1, 2), 32, random.pick(1, 9), random.pick(1, 9)};
    const bool narrow = random.coin(), sizes = random.coin();
    std::vector<float> scales{1, 1, static_cast<float>(random.pick(1, 4)), static_cast<float>(random.pick(1, 4))};
    struct Mode {
      const char *place, *nearest;
      bool repeats;
    };
    const Mode modes[] = {{"asymmetric", "floor", true},
                          {"half_pixel", "round_prefer_floor", true},
                          {"pytorch_half_pixel", "round_prefer_ceil", true},
                          {"asymmetric", "ceil", false},
                          {"half_pixel", "floor", false}};
    const Mode& mode = modes[random.pick(0, 4)];
    const bool odd = !sizes && random.pick(0, 3) == 0;
    if (odd) scales[2] += 0.25f;
    CAPTURE(x.to_string());
    CAPTURE(scales[2]);
    CAPTURE(scales[3]);
    CAPTURE(mode.place);
    CAPTURE(mode.nearest);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(29);
      Net net(engine, weights, x);
      Emitter& e = net.e;
      const auto as = [&](ValueId v, DType dtype) { return typed(e, narrow, v, dtype); };
      const auto conv = [&](ValueId v) { return e.emit("Conv", {v, as(net.weight({32, 32, 1, 1}), DType::kBF16)}); };
      const ValueId y = conv(as(net.x, DType::kBF16));
      std::vector<int64_t> target;
      for (size_t d = 0; d < 4; ++d) target.push_back(x[d] * static_cast<int64_t>(scales[d]));
      std::vector<ValueId> inputs{y, kNoValue, kNoValue, kNoValue};
      if (sizes) {
        inputs[3] = e.constant(Tensor::of<int64_t>({4}, target));
      } else {
        inputs[2] = e.constant(Tensor::of<float>({4}, scales));
        inputs.pop_back();
      }
      const ValueId large =
          e.emit("Resize", inputs,
                 {{"mode", "nearest"}, {"coordinate_transformation_mode", mode.place}, {"nearest_mode", mode.nearest}});
      return net.finish(as(conv(large), DType::kF32));
    };
    const std::string kernels = compare(engines, random.tensor(x), build, narrow ? 1e-2 : 2e-5);
    CHECK(runs(kernels, "onednn.enlarge") == (mode.repeats && !odd ? 1 : 0));
  }
}

TEST_CASE("images of few channels are narrowed to the nearest, ties to even") {
  const Engines engines;
  Random random(22);
  size_t taken = 0;
  for (const int64_t channels : {2, 3, 4}) {
    const Shape x{2, channels, 37, 41};
    Tensor input = random.tensor(x);
    for (float& v : input.mutable_span<float>()) {
      // Steps of 1/256; those of bf16 are 1/128 there.
      if (random.coin()) v = 1 + static_cast<float>(random.pick(0, 511)) / 256;
    }
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Net net(engine, random, x);
      const ValueId narrow = net.e.emit("Cast", {net.x}, {{"to", DType::kBF16}});
      return net.finish(net.e.emit("Cast", {narrow}, {{"to", DType::kF32}}));
    };
    taken += runs(compare(engines, input, build, 0), "onednn.narrow_images");
  }
  CHECK(taken == (computes_in_tiles() ? 3 : 0));
}

}  // namespace
}  // namespace percale

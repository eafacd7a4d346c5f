// Compares transposed convolutions in oneDNN's kernel and in the core's own.
#include "tests/onednn/nets.h"

namespace percale {
namespace {

// A random ConvTranspose; all attributes of ONNX occur.
struct Case {
  Shape x, w;
  Attributes attributes;
  bool bias = false;
};

Case draw_case(Random& random) {
  const int64_t spatial = random.pick(1, 3), group = random.pick(0, 9) == 0 ? random.pick(2, 6) : 1;
  const bool wide = random.pick(0, 4) > 0;  // enough channels for oneDNN
  Case c;
  c.x = {random.pick(1, 2), group * (wide ? random.pick(16, 40) : random.pick(1, 9))};
  c.w = {c.x[1], wide ? random.pick(16, 40) : random.pick(1, 9)};
  c.bias = random.coin();
  std::vector<int64_t> strides, dilations, pads(static_cast<size_t>(2 * spatial)), padding, shape;
  for (int64_t d = 0; d < spatial; ++d) {
    c.x.push_back(random.pick(3, spatial == 3 ? 5 : 12));
    c.w.push_back(random.pick(1, 4));
    strides.push_back(random.pick(1, 3));
    dilations.push_back(random.pick(0, 5) == 0 ? 2 : 1);
    const int64_t full = (c.x.back() - 1) * strides.back() + (c.w.back() - 1) * dilations.back() + 1;
    padding.push_back(random.pick(0, std::max(strides.back(), dilations.back()) - 1));
    shape.push_back(full - random.pick(0, 2));
  }
  for (int64_t& p : pads) p = random.pick(0, 1);
  c.attributes = {{"group", group}, {"strides", strides}, {"dilations", dilations}};
  switch (random.pick(0, 4)) {
    case 0: c.attributes.set("auto_pad", "SAME_UPPER"); break;
    case 1: c.attributes.set("auto_pad", "SAME_LOWER"); break;
    case 2: c.attributes.set("output_shape", shape); break;
    default: c.attributes.set("pads", pads); break;
  }
  if (random.coin()) c.attributes.set("output_padding", padding);
  return c;
}

TEST_CASE("transposed convolutions of all kinds agree with the core's own") {
  const Engines engines;
  Random random(5);
  size_t taken = 0;
  for (int round = 0; round < 150; ++round) {
    const Case c = draw_case(random);
    const Tensor input = random.tensor(c.x);
    const bool conv = random.coin();
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(c.x.to_string());
    CAPTURE(c.w.to_string());
    CAPTURE(round);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, c.x);
      // The result of a convolution is in a format.
      std::vector<int64_t> ones(c.x.rank(), 1);
      ones[0] = ones[1] = c.x[1];
      const ValueId x = conv ? net.e.emit("Conv", {net.x, net.weight(Shape(ones))}) : net.x;
      std::vector<ValueId> inputs{x, net.weight(c.w)};
      if (c.bias) inputs.push_back(net.weight({c.w[1] * c.attributes.get_int("group", 1)}));
      return net.finish(net.e.emit("Relu", {net.e.emit("ConvTranspose", inputs, c.attributes)}));
    };
    taken += runs(compare(engines, input, build), "onednn.conv_transpose");
    SessionOptions plain;
    plain.compile.disabled_passes = {"layouts"};
    compare(engines, input, build, 2e-5, plain);
    SessionOptions bf16;
    bf16.compile.bf16 = true;
    compare(engines, input, build, 0.02, bf16);
  }
  CHECK(taken > 25);
}

}  // namespace
}  // namespace percale

// Compares LSTM in bf16 tiles with the core's own.
#include "tests/onednn/nets.h"

namespace percale {
namespace {

constexpr int64_t kGates = 4;

TEST_CASE("an LSTM in bf16 agrees with the core's own, whatever it is given and asked for") {
  const Engines engines;
  Random random(21);
  size_t taken = 0;
  for (int round = 0; round < 40; ++round) {
    const int64_t steps = random.pick(1, 9), batch = random.pick(1, 5), inputs = random.pick(1, 70);
    const int64_t hidden = random.pick(1, 90), wanted = random.pick(0, 2);
    const bool bias = random.coin(), begins = random.coin(), reverse = random.coin(), named = random.coin();
    const Shape x{steps, batch, inputs};
    const Tensor input = random.tensor(x);
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(hidden);
    CAPTURE(wanted);
    CAPTURE(round);
    const std::string kernels = compare(
        engines, input,
        [&](const std::shared_ptr<Engine>& engine) {
          Random weights(seed);
          Net net(engine, weights, x);
          Emitter& e = net.e;
          const auto half = [&](ValueId v) { return e.emit("Cast", {v}, {{"to", DType::kBF16}}); };
          std::vector<ValueId> operands{half(net.x), half(net.weight({1, kGates * hidden, inputs})),
                                        half(net.weight({1, kGates * hidden, hidden}))};
          if (bias || begins) operands.push_back(bias ? half(net.weight({1, 2 * kGates * hidden})) : kNoValue);
          if (begins) {
            operands.push_back(kNoValue);
            for (int i = 0; i < 2; ++i) operands.push_back(half(net.weight({1, batch, hidden})));
          }
          Attributes attributes{{"hidden_size", hidden}, {"direction", reverse ? "reverse" : "forward"}};
          if (named) attributes.set("activations", std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"});
          const std::vector<ValueId> out = e.emit_many("LSTM", operands, static_cast<size_t>(wanted + 1), attributes);
          return net.finish(e.emit("Cast", {out[static_cast<size_t>(wanted)]}, {{"to", DType::kF32}}));
        },
        0.03);
    taken += runs(kernels, "onednn.lstm");
  }
  CHECK(taken >= (computes_in_tiles() ? size_t{35} : size_t{0}));
}

}  // namespace
}  // namespace percale

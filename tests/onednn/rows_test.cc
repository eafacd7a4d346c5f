// Compares softmax and layer normalisation in oneDNN's kernels and in the core's own.
#include "tests/onednn/nets.h"

namespace percale {
namespace {

// Emits the node in bf16, between Casts.
ValueId in_bf16(Net& net, std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes) {
  std::vector<ValueId> narrow;
  for (ValueId id : inputs) narrow.push_back(net.e.emit("Cast", {id}, {{"to", DType::kBF16}}));
  return net.e.emit("Cast", {net.e.emit(op, narrow, std::move(attributes))}, {{"to", DType::kF32}});
}

TEST_CASE("softmax along any axis, of what lies in a format or in order, agrees with the core's own") {
  const Engines engines;
  Random random(21);
  size_t taken = 0;
  for (int round = 0; round < 120; ++round) {
    Shape x;
    for (int64_t d = random.pick(2, 4); d > 0; --d) x.push_back(random.pick(1, 40));
    // oneDNN gets an image of one column as one of one row.
    if (x.rank() == 4 && random.pick(0, 4) == 0) x[3] = 1;
    const auto rank = static_cast<int64_t>(x.rank());
    const int64_t axis = random.pick(-rank, rank - 1);
    const bool conv = rank == 4 && random.coin(), bf16 = random.pick(0, 3) == 0;
    const char* const op = random.coin() ? "Softmax" : "LogSoftmax";
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(axis);
    CAPTURE(bf16);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      const ValueId from = conv ? net.e.emit("Conv", {net.x, net.weight({24, x[1], 1, 1})}) : net.x;
      const Attributes attributes{{"axis", axis}};
      return net.finish(bf16 ? in_bf16(net, op, {from}, attributes) : net.e.emit(op, {from}, attributes));
    };
    const std::string kernels = compare(engines, random.tensor(x), build, bf16 ? 0.02 : 2e-5);
    taken += runs(kernels, "onednn.softmax") + runs(kernels, "onednn.log_softmax");
  }
  CHECK(taken > 40);
}

TEST_CASE("layer normalisation agrees with the core's own") {
  const Engines engines;
  Random random(22);
  size_t taken = 0;
  for (int round = 0; round < 40; ++round) {
    const Shape x{random.pick(1, 8), random.pick(30, 90), random.pick(8, 30), random.pick(8, 30)};
    const int64_t axis = random.pick(2, 3);
    const bool bias = random.coin(), bf16 = random.pick(0, 3) == 0;
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(axis);
    CAPTURE(bf16);
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      Shape row;
      for (auto d = static_cast<size_t>(axis); d < 4; ++d) row.push_back(x[d]);
      std::vector<ValueId> inputs{net.x, net.weight(row)};
      if (bias) inputs.push_back(net.weight(row));
      const Attributes attributes{{"axis", axis}, {"epsilon", 1e-3}};
      const char* const op = "LayerNormalization";
      return net.finish(bf16 ? in_bf16(net, op, inputs, attributes) : net.e.emit(op, inputs, attributes));
    };
    taken += runs(compare(engines, random.tensor(x), build, bf16 ? 0.02 : 2e-5), "onednn.layer_norm");
  }
  CHECK(taken > 10);
}

}  // namespace
}  // namespace percale

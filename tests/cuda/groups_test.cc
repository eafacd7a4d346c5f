// Tests normalisations and losses that are fused with their neighbours: the bits of the nodes one
// by one, in fewer kernels.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/autodiff/gradients.h"
#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/cuda/emulated.h"
#include "tests/cuda/random.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"
#include "tests/support/same_bits.h"

namespace percale {
namespace {

// A net under construction on the GPU, and its feeds.
struct Net {
  std::shared_ptr<Engine> engine;
  Builder builder;
  Emitter e;
  Random random;
  RunSpec spec;
  std::vector<Tensor> given;
  std::vector<ValueType> types;

  Net() : engine(engine_of_both()), builder(engine->registry()), e(builder.main()), random(4) {
    builder.main().set_device("cuda:0");
  }
  static std::shared_ptr<Engine> engine_of_both() {
    EngineOptions options;
    options.threads = 1;
    options.devices = "cpu:0,cuda:0";
    return get(make_test_engine(options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
  }

  ValueId input(const Tensor& value) {
    spec.feeds.push_back("x" + std::to_string(given.size()));
    given.push_back(value);
    types.push_back({value.dtype(), value.shape()});
    return get(builder.main().add_input(spec.feeds.back(), value.dtype(), value.shape()));
  }
  ValueId input(const Shape& shape) { return input(random.tensor(shape, 0.1f, 1)); }

  // Runs the net with and without groups. Returns the kernels of the groups in order.
  std::vector<std::string> run(const std::vector<ValueId>& outputs, bool bf16) {
    REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
    for (ValueId v : outputs) spec.fetches.push_back(builder.main().function().value(v).name);
    REQUIRE(builder.main().set_outputs(outputs).ok());
    const auto graph = get(builder.finish());
    SessionOptions options;
    options.compile.bf16 = bf16;
    const auto session = get(Session::create(engine, graph, nullptr, options));
    options.compile.disabled_passes = {"fuse_elementwise"};
    const auto one_by_one = get(Session::create(engine, graph, nullptr, options));
    const std::vector<Tensor> got = get(session->run(spec, given)), want = get(one_by_one->run(spec, given));
    for (size_t i = 0; i < got.size(); ++i) {
      CAPTURE(spec.fetches[i]);
      CHECK(same_bits(got[i], want[i]));
    }
    const std::string kernels = get(session->explain(spec, types, "kernels"));
    const std::string begin = R"("op":"percale:Fused","device":"cuda:0","kernel":"cuda.)";
    std::vector<std::string> out;
    for (size_t at = kernels.find(begin); at != std::string::npos; at = kernels.find(begin, at)) {
      at += begin.size();
      out.push_back(kernels.substr(at, kernels.find('"', at) - at));
    }
    return out;
  }
};

// Conv, BatchNormalization and Relu, then a second Conv and BatchNormalization, a residual and
// Relu, and the gradients.
TEST_CASE("batch normalisation takes what follows it along, and its gradient that of Relu") {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (const bool trains : {true, false}) {
      CAPTURE(dtype_name(dtype));
      CAPTURE(trains);
      Net net;
      Emitter& e = net.e;
      const auto input = [&](const Shape& shape) { return e.emit("Cast", {net.input(shape)}, {{"to", dtype}}); };
      const auto norm = [&](ValueId x) {
        const ValueId y = e.emit("Conv", {x, input({16, 16, 1, 1})});
        const Shape channels{16};
        const ValueId scale = input(channels), bias = input(channels), mean = input(channels),
                      variance = input(channels);
        return e.emit_many("BatchNormalization", {y, scale, bias, mean, variance}, 3, {{"training_mode", 1}});
      };
      const ValueId x = input({2, 16, 5, 5});
      const auto inner = norm(x), outer = norm(e.emit("Relu", {inner[0]}));
      const ValueId y = e.emit("Relu", {e.emit("Add", {outer[0], x})});
      std::vector<ValueId> outputs{y, inner[1], inner[2], outer[1], outer[2]};
      if (trains) {
        for (ValueId g : get(gradients(net.builder.main(), {y}, {x}))) outputs.push_back(g);
      }
      CHECK(net.run(outputs, false) == std::vector<std::string>(trains ? 3 : 2, "batch_norm"));
    }
  }
}

// Two layers of a language model, with a normalisation before each and a loss, in mixed precision.
TEST_CASE("normalisation of rows and a loss take Casts along") {
  for (const bool weighted : {false, true}) {
    CAPTURE(weighted);
    Net net;
    Emitter& e = net.e;
    constexpr int64_t kRows = 70, kSize = 96, kClasses = 300;
    const ValueId x = net.input({kRows, kSize}), scale = net.input({kSize}), bias = net.input({kSize}),
                  w = net.input({kSize, kSize}), head = net.input({kSize, kClasses});
    std::vector<int64_t> numbers(kRows);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i) % kClasses;
    const ValueId labels = net.input(Tensor::of<int64_t>({kRows}, numbers));
    ValueId y = e.emit("Add", {x, e.emit("MatMul", {e.emit("LayerNormalization", {x, scale, bias}), w})});
    const ValueId logits = e.emit("MatMul", {e.emit("LayerNormalization", {y, scale}), head});
    std::vector<ValueId> operands{logits, labels};
    if (weighted) operands.push_back(net.input({kClasses}));
    const ValueId loss = e.emit("SoftmaxCrossEntropyLoss", operands, {{"ignore_index", 3}});
    std::vector<ValueId> outputs{loss};
    for (ValueId g : get(gradients(net.builder.main(), {loss}, {x, scale, bias, w, head}))) outputs.push_back(g);
    const std::vector<std::string> groups = net.run(outputs, true);
    const auto count = [&](const char* name) { return std::count(groups.begin(), groups.end(), name); };
    CHECK(count("row_norm") == 4);
    CHECK(count("class_loss") == (weighted ? 0 : 2));
  }
}

TEST_CASE("Clip within a group leaves what is neither below nor above its limits as it is") {
  const float nan = std::nanf("");
  for (const DType dtype : {DType::kF32, DType::kF16}) {
    for (const float limit : {0.0f, nan}) {
      CAPTURE(dtype_name(dtype));
      CAPTURE(limit);
      Net net;
      Emitter& e = net.e;
      const ValueId given = net.input(Tensor::of<float>({6}, std::vector<float>{-0.0f, 0, nan, 7, -3, 6}));
      const ValueId x = e.emit("Cast", {given}, {{"to", dtype}});
      const ValueId y = e.emit("Clip", {x, e.scalar(dtype, static_cast<double>(limit)), e.scalar(dtype, 6)});
      CHECK(net.run({e.emit("Neg", {y})}, false) == std::vector<std::string>{"fused"});
    }
  }
}

}  // namespace
}  // namespace percale

// Programs of the device that are kept and played again: the results of those that are not, in fewer launches.
#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/run/session.h"
#include "tests/cuda/emulated.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"

namespace percale {
namespace {

std::shared_ptr<Engine> gpu() {
  EngineOptions options;
  options.devices = "cuda:0";
  return get(make_test_engine(options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
}

constexpr int64_t kRows = 5, kColumns = 33;

// y = a few layers of x, through Dropout or a bad index where asked for.
enum class Kind { kPlain, kRandom, kGathers };
std::shared_ptr<const Graph> net(const std::shared_ptr<Engine>& engine, Kind kind) {
  Builder builder(engine->registry());
  Emitter e(builder.main());
  std::mt19937 random(3);
  const auto weights = [&](const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (float& v : values) v = std::uniform_real_distribution<float>(-0.3f, 0.3f)(random);
    return e.constant(Tensor::of<float>(shape, values));
  };
  ValueId y = get(builder.main().add_input("x", DType::kF32, Shape{kRows, kColumns}));
  const ValueId index = get(builder.main().add_input("index", DType::kI64, Shape{2}));
  for (int layer = 0; layer < 4; ++layer) {
    y = e.emit("Softmax", {e.emit("Add", {e.emit("MatMul", {y, weights({kColumns, kColumns})}), weights({kColumns})})});
    if (kind == Kind::kRandom && layer == 1) {
      y = e.emit("Dropout", {y, e.scalar(DType::kF32, 0.5), e.constant(Tensor::scalar(true))}, {{"seed", 7}});
    }
  }
  y = e.emit("Gather", {y, index});
  REQUIRE(e.status().ok());
  REQUIRE(builder.main().rename(y, "y").ok());
  REQUIRE(builder.main().set_outputs({y}).ok());
  return get(builder.finish());
}

std::vector<Tensor> feeds(int run, int64_t index) {
  std::mt19937 random(static_cast<unsigned>(run));
  std::vector<float> x(kRows * kColumns);
  for (float& v : x) v = std::uniform_real_distribution<float>(-1, 1)(random);
  return {Tensor::of<float>({kRows, kColumns}, x), Tensor::of<int64_t>({2}, std::vector<int64_t>{0, index})};
}

const RunSpec kSpec{.feeds = {"x", "index"}, .fetches = {"y"}};

TEST_CASE("a program that is kept gives what it gives without, run by run") {
  const auto engine = gpu();
  for (const Kind kind : {Kind::kPlain, Kind::kRandom}) {
    CAPTURE(static_cast<int>(kind));
    const auto graph = net(engine, kind);
    SessionOptions options;
    options.disabled_passes = {"keep_work"};
    const auto kept = get(Session::create(engine, graph, nullptr));
    const auto plain = get(Session::create(engine, graph, nullptr, std::move(options)));
    const uint64_t before = emulator_count("played");
    for (int run = 0; run < 6; ++run) {
      CAPTURE(run);
      RunSpec spec = kSpec;
      const Tensor got = get(kept->run(spec, feeds(run, 3)))[0], want = get(plain->run(spec, feeds(run, 3)))[0];
      CHECK(std::memcmp(got.data(), want.data(), static_cast<size_t>(want.bytes())) == 0);
    }
    const uint64_t count = emulator_count("played") - before;
    if (is_emulated()) CHECK(count == 5u);
  }
}

TEST_CASE("a bad index in a program that is kept is told in the name of its node, and the next run is well") {
  const auto engine = gpu();
  const auto session = get(Session::create(engine, net(engine, Kind::kGathers), nullptr));
  for (int run = 0; run < 6; ++run) {
    CAPTURE(run);
    const bool bad = run % 2 == 1;
    const auto got = session->run(kSpec, feeds(run, bad ? 99 : 3));
    CHECK(got.ok() == !bad);
    if (bad) CHECK(got.status().message().find("Gather") != std::string::npos);
  }
}

}  // namespace
}  // namespace percale

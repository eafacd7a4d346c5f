// Programs of the device that are kept and played again: the results of those that are not, in fewer launches.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/run/session.h"
#include "core/train/trainer.h"
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

// loss = the mean square of a few layers of x, whose weights are variables.
std::shared_ptr<const Graph> layers(const std::shared_ptr<Engine>& engine) {
  Builder builder(engine->registry());
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  std::mt19937 random(3);
  ValueId y = get(f.add_input("x", DType::kF32, Shape{-1, kColumns}));
  for (int layer = 0; layer < 4; ++layer) {
    const auto weights = [&](const char* name, const Shape& shape) {
      std::vector<float> values(static_cast<size_t>(shape.num_elements()));
      for (float& v : values) v = std::uniform_real_distribution<float>(-0.3f, 0.3f)(random);
      const std::string full = name + std::to_string(layer);
      REQUIRE(builder
                  .add_variable(
                      {.name = full, .dtype = DType::kF32, .shape = shape, .initial = Tensor::of<float>(shape, values)})
                  .ok());
      return e.emit(
          "percale:ReadVariable", {},
          {{"variable", full}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>(shape.begin(), shape.end())}});
    };
    y = e.emit("Tanh",
               {e.emit("Add", {e.emit("MatMul", {y, weights("w", {kColumns, kColumns})}), weights("b", {kColumns})})});
  }
  const ValueId loss = e.emit("ReduceMean", {e.emit("Mul", {y, y})}, {{"keepdims", int64_t{0}}});
  REQUIRE(e.status().ok());
  REQUIRE(f.rename(loss, "loss").ok());
  REQUIRE(f.set_outputs({loss}).ok());
  return get(builder.finish());
}

std::unique_ptr<Trainer> trainer(const std::shared_ptr<Engine>& engine, ParameterSpec::Where where) {
  TrainerOptions options;
  options.optimizer = get(parse_optimizer("adam"));
  options.parameters.where = where;
  options.publishing.when = Publishing::When::kByHand;
  options.devices = {"cuda:0"};
  options.shards = 1;
  return get(Trainer::create(engine, get(model_of_mean_loss(*layers(engine), "loss")), nullptr, options));
}

TEST_CASE("a step of a device that has its parameters is one piece, and a variable that comes from the host cuts it") {
  const auto engine = gpu();
  const auto kept = trainer(engine, ParameterSpec::Where::kDevice), host = trainer(engine, ParameterSpec::Where::kHost);
  for (int step = 0; step < 8; ++step) {
    CAPTURE(step);
    const std::vector<Tensor> batch{feeds(step, 0)[0]};
    const uint64_t before = emulator_count("played"), launches = emulator_count("launches");
    const double loss = get(kept->step({"x"}, batch));
    const uint64_t played = emulator_count("played") - before;
    // The parameters take turns in two places, and what lay alike twice is kept while it is enqueued once more.
    if (is_emulated() && step >= 5) {
      CHECK(played == 1u);
      CHECK(emulator_count("launches") - launches == 1u);
    }
    CHECK(std::abs(loss - get(host->step({"x"}, batch))) <= 1e-6 * loss);
  }
}

TEST_CASE("a session's variables come to the device once, and from then on its program is one piece") {
  const auto engine = gpu();
  const auto graph = layers(engine);
  const auto session = get(Session::create(engine, graph, get(initialize_variables(engine, graph, 1))));
  const RunSpec spec{.feeds = {"x"}, .fetches = {"loss"}};
  const Tensor x = feeds(0, 0)[0];
  for (int run = 0; run < 6; ++run) {
    CAPTURE(run);
    const uint64_t before = emulator_count("played"), launches = emulator_count("launches");
    get(session->run(spec, std::vector<Tensor>{x}));
    if (!is_emulated()) continue;
    CHECK(emulator_count("played") - before == (run < 2 ? 0u : 1u));
    if (run > 2) CHECK(emulator_count("launches") - launches == 1u);
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

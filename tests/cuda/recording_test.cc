// Tests captured segments of the device: replaying them gives the same results in fewer launches.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/initialize.h"
#include "core/session/recurrent_call.h"
#include "core/session/session.h"
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

// y = a few layers of x, with a Dropout or an invalid index if requested.
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
    options.compile.disabled_passes = {"capture_work"};
    const auto kept = get(Session::create(engine, graph, nullptr));
    const auto plain = get(Session::create(engine, graph, nullptr, std::move(options)));
    const uint64_t before = emulator_count("replayed");
    for (int run = 0; run < 6; ++run) {
      CAPTURE(run);
      RunSpec spec = kSpec;
      const Tensor got = get(kept->run(spec, feeds(run, 3)))[0], want = get(plain->run(spec, feeds(run, 3)))[0];
      CHECK(std::memcmp(got.data(), want.data(), static_cast<size_t>(want.bytes())) == 0);
    }
    const uint64_t count = emulator_count("replayed") - before;
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
    const uint64_t before = emulator_count("replayed"), launches = emulator_count("launches");
    const double loss = get(kept->step({"x"}, batch));
    const uint64_t replayed = emulator_count("replayed") - before;
    // The parameters alternate between two places. A segment with the same addresses a second time
    // is captured while it is enqueued once more.
    if (is_emulated() && step >= 5) {
      CHECK(replayed == 1u);
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
    const uint64_t before = emulator_count("replayed"), launches = emulator_count("launches");
    get(session->run(spec, std::vector<Tensor>{x}));
    if (!is_emulated()) continue;
    CHECK(emulator_count("replayed") - before == (run < 2 ? 0u : 1u));
    if (run > 2) CHECK(emulator_count("launches") - launches == 1u);
  }
}

// Computes the next of a few words from all words before it, whose rows are cached. Words and rows
// are recurrent state.
std::shared_ptr<const Graph> decoder(const std::shared_ptr<Engine>& engine) {
  constexpr int64_t kWords = 23, kPlaces = 8;
  Builder builder(engine->registry());
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  std::mt19937 random(5);
  std::vector<float> values(kWords * kColumns);
  for (float& v : values) v = std::uniform_real_distribution<float>(-1, 1)(random);
  const ValueId table = e.constant(Tensor::of<float>({kWords, kColumns}, values));
  std::vector<int64_t> places(kPlaces);
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
  const ValueId down = e.constant(Tensor::of<int64_t>({kPlaces, 1}, places)),
                along = e.constant(Tensor::of<int64_t>({1, kPlaces}, places));
  const ValueId word = get(f.add_input("word", DType::kI64, Shape{1})),
                rows = get(f.add_input("rows", DType::kF32, Shape{kPlaces, kColumns})),
                place = get(f.add_input("place", DType::kI64, Shape{1}));
  const ValueId row = e.emit("Gather", {table, word});
  const ValueId next_rows = e.emit("Where", {e.emit("Equal", {down, place}), row, rows}, {}, "next_rows");
  const ValueId scores =
      e.emit("MatMul", {row, e.emit("Transpose", {next_rows}, {{"perm", std::vector<int64_t>{1, 0}}})});
  const ValueId seen = e.emit("Where", {e.emit("LessOrEqual", {along, place}), scores, e.scalar(DType::kF32, -1e9)});
  const ValueId mixed = e.emit("MatMul", {e.emit("Softmax", {seen}), next_rows});
  const ValueId of_words =
      e.emit("MatMul", {mixed, e.emit("Transpose", {table}, {{"perm", std::vector<int64_t>{1, 0}}})});
  const ValueId next = e.emit("ArgMax", {of_words}, {{"axis", 1}, {"keepdims", 0}});
  // Without this offset the same word would repeat for ever.
  const ValueId next_word = e.emit("Mod", {e.emit("Add", {next, e.ints({3})}), e.ints({kWords})}, {}, "next_word");
  const ValueId next_place = e.emit("Mod", {e.emit("Add", {place, e.ints({1})}), e.ints({kPlaces})}, {}, "next_place");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(f.set_outputs({next_word, next_rows, next_place}).ok());
  return get(builder.finish());
}

TEST_CASE("words that are handed on stay on the device with all that belongs to them, and a word is one piece") {
  std::vector<std::vector<int64_t>> texts;
  for (const std::string devices : {"cpu:0", "cuda:0"}) {
    EngineOptions options;
    options.devices = devices;
    const auto engine = get(make_test_engine(options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
    const RunSpec spec{.feeds = {"word", "rows", "place"}, .fetches = {"next_word", "next_rows", "next_place"}};
    const Tensor one = Tensor::of<int64_t>({1}, std::vector<int64_t>{0}),
                 rows = Tensor::of<float>({8, kColumns}, std::vector<float>(8 * kColumns));
    const auto run = get(RecurrentCall::create(get(Session::create(engine, decoder(engine), nullptr)), spec,
                                               {{DType::kI64, {1}}, {DType::kF32, {8, kColumns}}, {DType::kI64, {1}}},
                                               {{0, 0}, {1, 1}, {2, 2}}));
    CHECK(run->is_on_devices() == (devices == "cuda:0"));
    std::vector<int64_t>& text = texts.emplace_back();
    for (int i = 0; i < 20; ++i) {
      CAPTURE(i);
      std::vector<Tensor> feeds(3), outputs{Tensor::of<int64_t>({1}, std::vector<int64_t>{-1}), {}, {}};
      if (i == 0) feeds = {one, rows, one};
      const uint64_t launches = emulator_count("launches");
      REQUIRE(run->run(feeds, outputs, {}).ok());
      text.push_back(outputs[0].span<int64_t>()[0]);
      if (is_emulated() && run->is_on_devices() && i > 5) CHECK(emulator_count("launches") - launches == 1u);
    }
  }
  CHECK(texts[0] == texts[1]);
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

// States of recurrent layers: a sequence in two halves gives the result of the whole.
#include <cmath>

#include "core/session/initialize.h"
#include "core/session/session.h"
#include "core/train/layers/layers.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr int64_t kBatch = 2, kSteps = 6, kFeatures = 3, kUnits = 4;

// Returns the time steps `begin` to `end` of sequences by a formula.
Tensor steps(const std::shared_ptr<MemoryPool>& pool, int64_t begin, int64_t end) {
  Tensor out = *Tensor::allocate(pool, DType::kF32, Shape{kBatch, end - begin, kFeatures});
  float* to = out.mutable_span<float>().data();
  for (int64_t b = 0; b < kBatch; ++b) {
    for (int64_t t = begin; t < end; ++t) {
      for (int64_t k = 0; k < kFeatures; ++k) *to++ = std::sin(static_cast<float>(7 * b + 3 * t + k));
    }
  }
  return out;
}

struct Net {
  std::shared_ptr<const Graph> graph;
  std::vector<std::string> states;
};

// Makes one layer "cell" over [?, ?, features]. With `given`, its initial states are inputs.
Net net_of(const std::shared_ptr<Engine>& engine, const char* layer, bool given) {
  const bool lstm = std::string_view(layer) == "LSTM";
  Builder b(engine->registry());
  std::vector<ValueId> inputs = {*b.main().add_input("x", DType::kF32, Shape{kUnknownDim, kUnknownDim, kFeatures})};
  Net out;
  for (const char* state : {"state_h", "state_c"}) {
    if (!lstm && std::string_view(state) == "state_c") continue;
    out.states.push_back(str_cat("cell/", state));
    if (given) inputs.push_back(*b.main().add_input(state, DType::kF32, Shape{kUnknownDim, kUnits}));
  }
  const auto y = add_layer(b.main(), layer, "cell", inputs, {{"units", kUnits}, {"return_state", 1}});
  REQUIRE_MESSAGE(y.ok(), y.status().to_string());
  std::vector<ValueId> outputs = {*y};
  for (const std::string& state : out.states) outputs.push_back(b.main().function().find_value(state));
  REQUIRE_OK(b.main().set_outputs(outputs));
  out.graph = *b.finish();
  return out;
}

std::vector<Tensor> run(const std::shared_ptr<Engine>& engine, const Net& net,
                        const std::shared_ptr<Variables>& variables, std::vector<std::string> feeds,
                        const std::vector<Tensor>& values) {
  const auto session = *Session::create(engine, net.graph, variables);
  RunSpec spec;
  spec.feeds = std::move(feeds);
  spec.fetches = {"cell"};
  spec.fetches.insert(spec.fetches.end(), net.states.begin(), net.states.end());
  auto out = session->run(spec, values);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return *out;
}

}  // namespace

TEST_CASE("states that are handed on continue a sequence") {
  const auto engine = engine_of(1);
  for (const char* layer : {"LSTM", "GRU", "SimpleRNN"}) {
    CAPTURE(layer);
    const Net first = net_of(engine, layer, false), second = net_of(engine, layer, true);
    const auto variables = *initialize_variables(engine, first.graph, 3);
    const auto whole = run(engine, first, variables, {"x"}, {steps(engine->memory(), 0, kSteps)});
    const auto half = run(engine, first, variables, {"x"}, {steps(engine->memory(), 0, 2)});
    // The last output is the last state.
    CHECK(std::ranges::equal(whole[0].span<float>(), whole[1].span<float>()));
    std::vector<std::string> feeds = {"x", "state_h"};
    std::vector<Tensor> values = {steps(engine->memory(), 2, kSteps), half[1]};
    if (half.size() > 2) feeds.emplace_back("state_c"), values.push_back(half[2]);
    const auto rest = run(engine, second, variables, feeds, values);
    for (size_t i = 0; i < whole.size(); ++i) {
      for (size_t k = 0; k < whole[i].span<float>().size(); ++k) {
        CHECK(rest[i].span<float>()[k] == doctest::Approx(whole[i].span<float>()[k]).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("layers of a SPEC take states by their names") {
  const auto engine = engine_of(1);
  const auto spec = parse_spec(R"({"model": [
      {"layer": "LSTM", "units": 4, "return_state": true, "name": "encoder"},
      {"layer": "LSTM", "units": 4, "inputs": ["x", "encoder/state_h", "encoder/state_c"], "name": "decoder"},
      {"layer": "Dense", "units": 1}], "loss": "mse", "optimizer": "sgd"})");
  REQUIRE_MESSAGE(spec.ok(), spec.status().to_string());
  const auto model = build_model(*spec, engine->registry(), Shape{kUnknownDim, kSteps, kFeatures}, std::nullopt);
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  const auto wrong = parse_spec(R"({"model": [{"layer": "GRU", "units": 4, "name": "a"},
      {"layer": "GRU", "units": 4, "inputs": ["x", "a/state_c"]}], "loss": "mse", "optimizer": "sgd"})");
  REQUIRE(wrong.ok());
  const Status status =
      build_model(*wrong, engine->registry(), Shape{kUnknownDim, kSteps, kFeatures}, std::nullopt).status();
  CHECK(status.message().find("there is no layer 'a/state_c' before it") != std::string_view::npos);
}

}  // namespace percale

// Ops of a plug-in that have the names of Percale's own: they are nothing special.
#include <percale/ops.hpp>

#include "bindings/cpp/tests/good.h"

using namespace percale;

namespace {

Engine engine_with_namesakes() {
  return good(Engine::create(Options("engine").set("plugin_path", PERCALE_NAMESAKES_PLUGIN)));
}

// (2 x + 1) - w, by the three ops of the plug-in, which name the variable in their attributes.
Value line(Builder& b, Value x, Value w) {
  const Value doubled = b.node("sample:ReadVariable", {x}, {{"variable", "w"}}, "doubled");
  const Value increased = b.node("sample:Assign", {doubled}, {{"variable", "w"}}, "increased");
  return b.node("sample:Conv", {increased, w}, {{"group", int64_t{1}}}, "difference");
}

std::vector<float> numbers(const Tensor& tensor) {
  const auto all = good(tensor.as<float>());
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("a plug-in's ReadVariable, Assign and Conv compute their own functions and touch no variable") {
  const Engine engine = engine_with_namesakes();
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {2});
  const Value w = b.variable("w", floats({10, 20}, {2}));
  const Value y = line(b, x, w);
  const Value dx = b.gradients({y}, {x})[0], dw = b.gradients({y}, {w})[0];
  // An elementwise node behind the Conv: accelerators fuse it with Percale's Conv.
  b.set_outputs({ops::Relu(b, y), dx, dw});
  const Graph graph = good(b.finish());
  const Variables variables = good(graph.variables(engine));
  const std::string before = good(variables.digest());
  Session session = good(Session::create(engine, graph, variables));
  for (int run = 0; run < 2; ++run) {
    const auto out = good(session.run({{"x", floats({7, 8}, {2})}}, graph.outputs()));
    CHECK(numbers(out[0]) == std::vector<float>{5, 0});
    CHECK(numbers(out[1]) == std::vector<float>{2, 2});
    CHECK(numbers(out[2]) == std::vector<float>{-1, -1});
  }
  CHECK(good(variables.digest()) == before);
}

TEST_CASE("values that the namesakes compute from constants and variables may be computed ahead of the runs") {
  const Engine engine = engine_with_namesakes();
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {2});
  const Value w = b.variable("w", floats({10, 20}, {2}));
  b.set_outputs({ops::Add(b, x, line(b, b.constant(floats({1, 2}, {2})), w))});
  const Graph graph = good(b.finish());
  Session session = good(Session::create(engine, graph, good(graph.variables(engine))));
  const auto out = good(session.run({{"x", floats({100, 200}, {2})}}, graph.outputs()));
  CHECK(numbers(out[0]) == std::vector<float>{93, 185});
}

TEST_CASE("a model with namesakes trains, on several shards, and its loss is that of the formula") {
  const Engine engine = engine_with_namesakes();
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {-1, 1}), t = b.input("t", DType::kF32, {-1, 1});
  // The Conv of the plug-in does not broadcast, so w gets a row per row of x.
  const Value w = b.variable("w", floats({0}, {1}));
  const Value rows = ops::Expand(b, w, ops::Shape(b, x));
  const Value error = ops::Sub(b, line(b, x, rows), t);
  b.set_outputs({ops::ReduceMean(b, ops::Mul(b, error, error), {}, {.keepdims = 0}, "loss")});
  const Graph graph = good(b.finish());
  const Variables variables = good(graph.variables(engine));
  Trainer trainer = good(Trainer::create(
      engine, graph, variables,
      Options("trainer").set("optimizer", R"({"name": "sgd", "learning_rate": 0.25})").set("shards", "2")));
  const Tensor xs = floats({0, 1, 2, 3}, {4, 1}), ts = floats({-3, -1, 1, 3}, {4, 1});
  // 2 x + 1 - w = t for w = 4. Each step halves the distance: the loss is (4 / 2^k)^2.
  double wanted = 16;
  for (int step = 0; step < 6; ++step, wanted /= 4) {
    CHECK(good(trainer.step({{"x", xs}, {"t", ts}})) == doctest::Approx(wanted).epsilon(1e-6));
  }
}

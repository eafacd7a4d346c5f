// Plug-ins on the kit percale_plugin.hpp, as a host sees them.
#include <percale/ops.hpp>

#include "bindings/cpp/tests/good.h"

using namespace percale;

namespace {

Engine engine_with(const char* plugin) { return good(Engine::create(Options("engine").set("plugin_path", plugin))); }

// A graph with one node of `op`, its gradient, and a session that runs both.
struct OneNode {
  Engine engine;
  Session session;

  OneNode(const char* plugin, const char* op, int64_t count, const Attributes& attributes = {})
      : engine(engine_with(plugin)) {
    Builder b = good(Builder::create(engine));
    const Value x = b.input("x", DType::kF32, {count});
    const Value y = b.node(op, {x}, attributes, "y");
    const std::vector<Value> dx = b.gradients({y}, {x});
    b.set_outputs({y, dx[0]});
    graph = good(b.finish());
    session = good(Session::create(engine, graph));
  }
  Result<std::vector<Tensor>> run(const std::vector<float>& x) {
    return session.run({{"x", floats(x, {static_cast<int64_t>(x.size())})}}, graph.outputs());
  }
  std::vector<float> values(const std::vector<float>& x, size_t output) {
    const auto out = good(TensorOf<float>::from(std::move(good(run(x))[output])));
    return {out.begin(), out.end()};
  }

  Graph graph;
};

}  // namespace

TEST_CASE("the plug-in of 40 lines computes, and its gradient is that of finite differences") {
  OneNode square(PERCALE_SQUARE_PLUGIN, "sample:Square", 5);
  const std::vector<float> x{-2, -0.5F, 0, 1, 3};
  const std::vector<float> y = square.values(x, 0), dx = square.values(x, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    CHECK(y[i] == x[i] * x[i]);
    const float h = 1.0F / 64;
    std::vector<float> above = x, below = x;
    above[i] += h;
    below[i] -= h;
    const float slope = (square.values(above, 0)[i] - square.values(below, 0)[i]) / (2 * h);
    CHECK(dx[i] == doctest::Approx(slope).epsilon(1e-4));
  }
}

TEST_CASE("shape function, gradient and kernel read attributes, and the gradient emits some") {
  OneNode halves(PERCALE_KIT_PLUGIN, "kit:Halves", 6, {{"factor", 3.0}});
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  CHECK(halves.values(x, 0) == std::vector<float>{3, 6, 9});
  CHECK(halves.values(x, 1) == std::vector<float>{3, 3, 3, 0, 0, 0});
}

TEST_CASE("a Failure in a run keeps its code and message, another exception is INTERNAL") {
  OneNode halves(PERCALE_KIT_PLUGIN, "kit:Halves", 4);
  const auto negative = halves.run({-1, 2, 3, 4});
  REQUIRE_FALSE(negative);
  CHECK(negative.error().code() == Code::kInternal);
  CHECK(negative.error().message().find("Halves 'y': a negative number") != std::string::npos);

  OneNode failing(PERCALE_KIT_PLUGIN, "kit:Halves", 4, {{"names", std::vector<std::string>{"a", "fail"}}});
  const auto lost = failing.run({1, 2, 3, 4});
  REQUIRE_FALSE(lost);
  CHECK(lost.error().code() == Code::kDataLoss);
  CHECK(lost.error().message().find("Halves 'y': as it was told") != std::string::npos);
}

TEST_CASE("a refusal of a kernel is in the message of the node that nobody runs") {
  const Engine engine = engine_with(PERCALE_KIT_PLUGIN);
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF64, {4});
  b.set_outputs({b.node("kit:Halves", {x}, {}, "y")});
  const Graph graph = good(b.finish());
  Session session = good(Session::create(engine, graph));
  const Tensor fed = good(Tensor::adopt(std::vector<double>{1, 2, 3, 4}, {4}));
  const auto out = session.run({{"x", fed}}, graph.outputs());
  REQUIRE_FALSE(out);
  CHECK(out.error().code() == Code::kUnimplemented);
  CHECK(out.error().message().find("kit.halves: it works in f32 alone") != std::string::npos);
}

TEST_CASE("exceptions of a shape function are errors of the node") {
  const Engine engine = engine_with(PERCALE_KIT_PLUGIN);
  const auto error_of = [&](const Attributes& attributes) {
    Builder b = good(Builder::create(engine));
    const Value x = b.input("x", DType::kF32, {4});
    b.set_outputs({b.node("kit:Halves", {x}, attributes, "y")});
    auto graph = b.finish();
    REQUIRE_FALSE(graph);
    return graph.error();
  };
  const Status wrong = error_of({{"parts", int64_t{0}}}), broken = error_of({{"mode", "broken"}});
  CHECK(wrong.code() == Code::kInvalidArgument);
  CHECK(wrong.message().find("Halves 'y': wants a vector and parts") != std::string::npos);
  CHECK(broken.code() == Code::kInternal);
  CHECK(broken.message().find("broken on purpose") != std::string::npos);
}

TEST_CASE("a plug-in may be opened by several engines") {
  const Engine first = engine_with(PERCALE_KIT_PLUGIN), second = engine_with(PERCALE_KIT_PLUGIN);
  for (const Engine* engine : {&first, &second}) {
    CHECK(good(engine->describe("info")).find("\"name\":\"kit\",\"version\":\"0.5\"") != std::string::npos);
  }
}

// Graphs with other dims of their inputs.
#include <percale/ops.hpp>

#include "bindings/cpp/tests/good.h"

using namespace percale;

TEST_CASE("a fixed dim of a graph is freed or set, by name or by axis") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {2, 2});
  const Value w = b.variable("w", floats({1, 2, 3, 4}, {2, 2}));
  b.set_outputs({ops::MatMul(b, x, w, "y")});
  const Graph graph = good(b.finish());
  const auto with = [&](std::vector<std::string> dims) { return graph.with_dims(dims); };

  const Graph free = good(with({"batch=?"}));
  CHECK(good(free.value_type("x")).dims == std::vector<int64_t>{-1, 2});
  CHECK(good(free.value_type("y")).dims == std::vector<int64_t>{-1, 2});
  Session session = good(Session::create(engine, free, good(free.variables(engine))));
  const Tensor rows = floats({1, 0, 0, 1, 1, 1}, {3, 2});
  const auto out = good(session.run({{"x", rows}}, {"y"}));
  const auto y = good(out[0].as<float>());
  CHECK(std::vector<float>(y.begin(), y.end()) == std::vector<float>{1, 2, 3, 4, 4, 6});

  CHECK(good(good(with({"x:0=5"})).value_type("y")).dims == std::vector<int64_t>{5, 2});
  CHECK(good(graph.value_type("x")).dims == std::vector<int64_t>{2, 2});
  const auto typo = with({"batc=?"}), unfit = with({"x:1=3"});
  CHECK(typo.error().code() == Code::kNotFound);
  CHECK(typo.error().message().find("did you mean 'batch'") != std::string::npos);
  CHECK(unfit.error().code() == Code::kInvalidArgument);
  CHECK(unfit.error().message().find("'y'") != std::string::npos);
}

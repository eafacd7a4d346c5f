#include <cmath>
#include <percale/ops.hpp>

#include "bindings/cpp/tests/good.h"

using namespace percale;

TEST_CASE("a graph is built, run, written as bytes, and read again") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {-1, 2});
  const Value w = b.variable("w", floats({1, 2, 3, 4}, {2, 2}));
  const Value y = ops::Gemm(b, x, w, {}, {.transB = 1}, "y");
  CHECK(b.type(y).dims == std::vector<int64_t>{-1, 2});
  b.set_outputs({y});
  const Graph graph = good(b.finish());
  CHECK(graph.inputs() == std::vector<std::string>{"x"});
  const auto in = good(graph.input_types()), results = good(graph.output_types());
  CHECK(in.size() == 1);
  for (const FeedType& type : in) {
    CHECK(type.name == "x");
    CHECK(type.dtype == DType::kF32);
    CHECK(type.dims == std::vector<int64_t>{-1, 2});
  }
  CHECK(results.size() == 1);
  // The range is a temporary.
  for (const FeedType& type : *graph.output_types()) CHECK(type.dims == std::vector<int64_t>{-1, 2});
  CHECK(graph.value_type("z").error().code() == Code::kNotFound);
  const Variables variables = good(graph.variables(engine));
  CHECK(variables.names() == std::vector<std::string>{"w"});

  const std::string bytes = good(graph.serialize(variables));
  const Graph again = good(Graph::load(engine, std::as_bytes(std::span(bytes))));
  const Variables own = good(again.variables(engine));
  CHECK(good(own.digest()) == good(variables.digest()));
  Session session = good(Session::create(engine, again, own));
  const std::vector<float> row = {10, 1};
  const Tensor fed = good(Tensor::borrow(std::span(row), {1, 2}));
  const auto out =
      good(TensorOf<float>::from(std::move(good(session.run({{"x", fed}}, {graph.outputs()[0].c_str()}))[0])));
  CHECK(std::vector<float>(out.begin(), out.end()) == std::vector<float>{12, 34});

  const std::vector<FeedType> types{{"x", DType::kF32, {1, 2}}};
  CHECK(good(session.draw(types, again.outputs(), "svg")).find("cpu:0") != std::string::npos);
  CHECK(good(again.draw("html")).starts_with("<!doctype html>"));
  CHECK(session.draw(types, again.outputs(), "svg", "no trace").error().code() == Code::kInvalidArgument);
}

TEST_CASE("a run tells which version of the variables it read") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {2});
  b.set_outputs({ops::Mul(b, x, b.variable("w", floats({1, 1}, {2})), "y")});
  const Graph graph = good(b.finish());
  Variables variables = good(graph.variables(engine));
  Session session = good(Session::create(engine, graph, variables));
  const Tensor in = floats({3, 4}, {2});
  CHECK(good(session.run_versioned({{"x", in}}, {"y"})).variables_version == 1);
  good(variables.assign("w", floats({10, 10}, {2})));
  const auto second = good(session.run_versioned({{"x", in}}, {"y"}));
  CHECK(second.variables_version == 2);
  CHECK(second.variables_version == variables.version());
  CHECK(good(second.results[0].as<float>())[1] == 40);
  CHECK(session.run_versioned({{"x", in}}, {"y"}, {}, 0).error().code() == Code::kDeadlineExceeded);
}

TEST_CASE("ops with several outputs give them by name, those that were not asked for empty") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {4});
  const Tensor two = good(Tensor::adopt(std::vector<int64_t>{2}, {1}));
  const auto top = ops::TopK(b, x, b.constant(two));
  const auto pooled =
      ops::MaxPool(b, ops::Reshape(b, x, b.constant(good(Tensor::adopt(std::vector<int64_t>{1, 1, 4}, {3})))),
                   {.kernel_shape = std::vector<int64_t>{2}, .strides = std::vector<int64_t>{2}});
  CHECK(pooled.Y);
  CHECK_FALSE(pooled.Indices);
  const auto parts = ops::Split(b, 2, x, {}, {.axis = 0, .num_outputs = 2});
  CHECK(parts.size() == 2);
  b.set_outputs({top.Values, top.Indices, parts[1]});
  const Graph graph = good(b.finish());
  Session session = good(Session::create(engine, graph));
  const auto out = good(session.run({{"x", floats({3, 9, 1, 5}, {4})}}, graph.outputs()));
  CHECK(good(out[0].as<float>())[1] == 5);
  CHECK(good(out[1].as<int64_t>())[1] == 3);
  CHECK(good(out[2].as<float>())[0] == 1);
}

TEST_CASE("gradients are nodes like any other") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {3});
  const auto dx = b.gradients({ops::Mul(b, x, x)}, {x});
  b.set_outputs(dx);
  const Graph graph = good(b.finish());
  Session session = good(Session::create(engine, graph));
  const auto out = good(session.run({{"x", floats({1, -2, 5}, {3})}}, graph.outputs()));
  CHECK(good(out[0].as<float>())[2] == 10);
}

TEST_CASE("a prepared call writes into bound tensors and checks how many there are") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  b.set_outputs({ops::Exp(b, b.input("x", DType::kF32, {-1}), "y")});
  const Graph graph = good(b.finish());
  const Session session = good(Session::create(engine, graph));
  const std::vector<FeedType> types = {{"x", DType::kF32, {3}}};
  Call call = good(Call::create(session, types, graph.outputs()));
  CHECK(good(call.output_type(0)).dims == std::vector<int64_t>{3});
  CHECK(call.run().code() == Code::kFailedPrecondition);
  CHECK(call.bind({}, {}).code() == Code::kInvalidArgument);
  std::vector<float> in = {0, 1, 2}, out(3);
  std::vector<Tensor> inputs, outputs;
  inputs.push_back(good(Tensor::borrow(std::span(in), {3})));
  outputs.push_back(good(Tensor::borrow(std::span(out), {3})));
  good(call.bind(std::move(inputs), std::move(outputs)));
  good(call.run());
  CHECK(out[2] == doctest::Approx(std::exp(2.0)));
  in[2] = 0;
  good(call.run());
  CHECK(out[2] == 1);
}

TEST_CASE("a prepared call hands on what a run gives") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  b.set_outputs({ops::Add(b, b.input("x", DType::kF32, {2}), b.input("s", DType::kF32, {2}), "y")});
  const Graph graph = good(b.finish());
  const Session session = good(Session::create(engine, graph));
  const std::vector<FeedType> types = {{"x", DType::kF32, {2}}, {"s", DType::kF32, {2}}};
  Call call = good(Call::create(session, types, graph.outputs()));
  good(call.carry(0, 1));
  CHECK(call.carry(1, 1).code() == Code::kOutOfRange);
  for (const bool first : {true, false, false}) {
    std::vector<Tensor> inputs, outputs;
    inputs.push_back(floats({1, 2}, {2}));
    inputs.push_back(first ? floats({10, 20}, {2}) : Tensor());
    outputs.push_back(first ? Tensor() : floats({0, 0}, {2}));
    good(call.bind(std::move(inputs), std::move(outputs)));
    good(call.run());
  }
  CHECK(good(call.outputs()[0].as<float>())[1] == 26);
}

TEST_CASE("a prepared call ends with its time or its cancellation, even before it begins") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  b.set_outputs({ops::Exp(b, b.input("x", DType::kF32, {-1}), "y")});
  const Graph graph = good(b.finish());
  const Session session = good(Session::create(engine, graph));
  const std::vector<FeedType> feeds = {{"x", DType::kF32, {2}}};
  Call call = good(Call::create(session, feeds, {"y"}));
  CHECK(call.run_until(PERCALE_FOREVER).code() == Code::kFailedPrecondition);
  std::vector<Tensor> inputs, outputs;
  inputs.push_back(floats({0, 1}, {2}));
  outputs.push_back(floats({0, 0}, {2}));
  good(call.bind(std::move(inputs), std::move(outputs)));
  Cancellation cancellation = good(Cancellation::create());
  good(call.run_until(PERCALE_FOREVER, cancellation));
  CHECK(good(call.outputs()[0].as<float>())[1] == doctest::Approx(std::exp(1.0f)));
  for (const int64_t timeout : {int64_t{0}, int64_t{-2}, int64_t{-5'000'000'000}, INT64_MIN}) {
    CHECK(call.run_until(timeout).code() == Code::kDeadlineExceeded);
  }
  cancellation.share().cancel();
  CHECK(cancellation.cancelled());
  CHECK(call.run_until(PERCALE_FOREVER, cancellation).code() == Code::kCancelled);
  good(call.run());
}

TEST_CASE("a time below zero has run out, unless it is PERCALE_FOREVER") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  b.set_outputs({ops::Exp(b, b.input("x", DType::kF32, {-1}), "y")});
  const Graph graph = good(b.finish());
  Session session = good(Session::create(engine, graph));
  const Tensor x = floats({0, 1}, {2});
  for (const int64_t timeout : {int64_t{0}, int64_t{-2}, INT64_MIN}) {
    CHECK(session.run({{"x", x}}, {"y"}, {}, timeout).error().code() == Code::kDeadlineExceeded);
    CHECK(good(session.run_async({{"x", x}}, {"y"}, {}, timeout)).wait().code() == Code::kDeadlineExceeded);
  }
  CHECK(good(session.run({{"x", x}}, {"y"}, {}, PERCALE_FOREVER)).size() == 1);
  Event event = good(session.run_async({{"x", x}}, {"y"}));
  good(event.wait(PERCALE_FOREVER));
  good(event.wait(-2));  // it is over
}

TEST_CASE("memory that a tensor has adopted lives as long as its last owner") {
  Tensor first = floats({1, 2, 3}, {3});
  const Tensor second = first.share();
  first.reset();
  CHECK(good(second.as<float>())[2] == 3);
}

TEST_CASE("a cluster is described in code or by TF_CONFIG") {
  const Cluster cluster =
      good(Cluster::from_json(R"({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})"));
  CHECK(cluster.jobs() == std::vector<std::string>{"worker"});
  CHECK(cluster.address("worker", 1) == "b:2");
  CHECK_FALSE(cluster.address("worker", 7));
  CHECK(cluster.role() == std::pair<std::string, int64_t>("worker", 1));
}

TEST_CASE("events tell when a run is over, once") {
  const Engine engine = good(Engine::create());
  Builder b = good(Builder::create(engine));
  b.set_outputs({ops::Neg(b, b.input("x", DType::kF32, {1}), "y")});
  const Graph graph = good(b.finish());
  Session session = good(Session::create(engine, graph));
  Event event = good(session.run_async({{"x", floats({4}, {1})}}, graph.outputs()));
  good(event.wait());
  CHECK(event.ready());
  int told = 0;
  good(event.on_ready([&told] { ++told; }));
  CHECK(told == 1);
  CHECK(good(good(event.result(0)).as<float>())[0] == -4);
}

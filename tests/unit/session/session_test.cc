#include "core/session/session.h"

#include <doctest/doctest.h>

#include <numeric>

#include "core/graph/builder.h"
#include "core/session/initialize.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

std::shared_ptr<Engine> engine_with(const std::string& devices, int32_t threads = 1) {
  EngineOptions options;
  options.devices = devices;
  options.threads = threads;
  auto engine = make_test_engine(options);
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  return *engine;
}

Tensor floats(std::vector<float> values, Shape shape) { return Tensor::of<float>(shape, values); }

std::vector<float> values_of(const Tensor& t) {
  const auto s = t.span<float>();
  return {s.begin(), s.end()};
}

#define REQUIRE_OK(expr)                                \
  do {                                                  \
    const Status status_ = (expr);                      \
    REQUIRE_MESSAGE(status_.ok(), status_.to_string()); \
  } while (false)

// Builds y = relu(x * w + b) and s = sum(y) through the public Builder.
std::shared_ptr<const Graph> small_graph(const Engine& engine, const std::string& second_device = "") {
  Builder builder(engine.registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{kUnknownDim, 3});
  const ValueId w = e.constant(floats({1, -2, 3}, {3}), "w");
  const ValueId xw = e.emit("Mul", {x, w}, {}, "xw");
  builder.main().set_device(second_device);
  const ValueId y = e.emit("Relu", {xw}, {}, "y");
  builder.main().set_device("");
  const ValueId s = e.emit("ReduceSum", {y}, {{"keepdims", 0}}, "s");
  REQUIRE_OK(e.status());
  REQUIRE_OK(builder.main().set_outputs({y, s}));
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

TEST_CASE("a session computes what the fetches need, for any batch, and keeps its plans") {
  const auto engine = engine_with("cpu:0");
  const auto session = *Session::create(engine, small_graph(*engine), nullptr);
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y", "s"}};
  for (int64_t rows : {1, 2, 2, 1}) {
    std::vector<float> x(static_cast<size_t>(rows * 3));
    std::iota(x.begin(), x.end(), 1.0f);
    const auto out = session->run(spec, std::vector{floats(x, {rows, 3})});
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    CHECK(values_of((*out)[0])[2] == 9);
    CHECK((*out)[0].shape() == Shape{rows, 3});
    CHECK(values_of((*out)[1])[0] == (rows == 1 ? 10.0f : 32.0f));
  }
  CHECK(session->stats().plans == 2);
  CHECK(session->stats().cache_hits == 2);
}

// Notes which fetches are there, and their first elements at that time, which it overwrites.
struct EarlyFetches final : FetchWatcher {
  explicit EarlyFetches(const std::vector<Tensor>& of) : outputs(of) {}
  void ready(size_t fetch, DeviceStore::Copy*) noexcept override {
    told.emplace_back(fetch, outputs[fetch].span<float>()[0]);
    outputs[fetch].mutable_span<float>()[0] = -1;
  }

  const std::vector<Tensor>& outputs;
  std::vector<std::pair<size_t, float>> told;
};

TEST_CASE("a watcher is told of each fetch as soon as it is there and nothing reads it any more") {
  const auto engine = engine_with("cpu:0");
  const auto session = *Session::create(engine, small_graph(*engine), nullptr);
  const std::vector<Tensor> feeds = {floats({1, 2, 3}, {1, 3})};
  std::vector<Tensor> outputs = {floats({0}, {}), floats({0, 0, 0}, {1, 3}), floats({0, 0, 0}, {1, 3})};
  EarlyFetches early(outputs);
  RunOptions options;
  options.watcher = &early;
  const std::vector<ValueType> types = {{DType::kF32, Shape{1, 3}}};
  const auto plan = session->prepare({.feeds = {"x"}, .fetches = {"s", "y", "x"}}, types);
  REQUIRE_OK(plan.status());
  for (int round = 0; round < 2; ++round) {
    early.told.clear();
    REQUIRE_OK(session->run(**plan, feeds, outputs, options));
    // The sum reads y. The input is copied at the end.
    CHECK(early.told == std::vector<std::pair<size_t, float>>{{0, 10.0F}, {1, 1.0F}});
    CHECK(values_of(outputs[2]) == std::vector<float>{1, 2, 3});
  }
}

TEST_CASE("any value may be fed, and what would have computed it does not run") {
  const auto engine = engine_with("cpu:0");
  const auto session = *Session::create(engine, small_graph(*engine), nullptr);
  const auto out = session->run({.feeds = {"xw"}, .fetches = {"s"}}, std::vector{floats({-1, 5, 7}, {1, 3})});
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  CHECK(values_of((*out)[0])[0] == 12);
}

TEST_CASE("one element under any shape may be fed for a scalar, and becomes one") {
  const auto engine = engine_with("cpu:0");
  const auto session = *Session::create(engine, small_graph(*engine), nullptr);
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{});
  const ValueId y = e.emit("Add", {x, x}, {}, "y");
  REQUIRE_OK(e.status());
  REQUIRE_OK(builder.main().set_outputs({y, x}));
  const auto scalars = *Session::create(engine, *builder.finish(), nullptr);
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y", "x"}};
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1}}) {
    const auto out = scalars->run(spec, std::vector{floats({4}, shape)});
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    CHECK((*out)[0].shape() == Shape{});
    CHECK((*out)[1].shape() == Shape{});
    CHECK(values_of((*out)[0]) == std::vector<float>{8});
  }
  CHECK(scalars->run(spec, std::vector{floats({4, 5}, {2})}).status().message() ==
        "feed 'x' is f32 [2], wanted f32 []");
  CHECK_FALSE(session->run({.feeds = {"x"}, .fetches = {"s"}}, std::vector{floats({4}, {1})}).ok());
}

TEST_CASE("a value crosses between CPU devices without a copy and with the same result") {
  for (int32_t threads : {1, 2, 3}) {
    const auto engine = engine_with("cpu:0,cpu:1", threads);
    const auto session = *Session::create(engine, small_graph(*engine, "cpu:1"), nullptr);
    for (int i = 0; i < 50; ++i) {
      const auto out =
          session->run({.feeds = {"x"}, .fetches = {"s", "y", "xw"}}, std::vector{floats({1, 2, 3}, {1, 3})});
      REQUIRE_MESSAGE(out.ok(), out.status().to_string());
      CHECK(values_of((*out)[0])[0] == 10);
      CHECK(values_of((*out)[2]) == std::vector<float>{1, -4, 9});
    }
    const auto plan =
        session->explain({.feeds = {"x"}, .fetches = {"s"}}, std::vector{ValueType{DType::kF32, {1, 3}}}, "plan");
    REQUIRE(plan.ok());
    CHECK(plan->find("\"device\":\"cpu:1\"") != std::string::npos);
    CHECK(plan->find("\"value\":\"xw\",\"from\":\"cpu:0\",\"to\":\"cpu:1\"") != std::string::npos);
  }
}

// w <- w + x, and the old w is fetched.
std::shared_ptr<const Graph> counter_graph(const Engine& engine) {
  Builder builder(engine.registry());
  Emitter e(builder.main());
  REQUIRE_OK(builder.add_variable({.name = "w", .dtype = DType::kF32, .shape = {2}, .initial = floats({1, 2}, {2})}));
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{2});
  const Attributes w{{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{2}}};
  const ValueId old = e.emit("percale:ReadVariable", {}, w, "old");
  const ValueId next = e.emit("Add", {old, x}, {}, "next");
  e.emit_many("percale:Assign", {next}, 0, {{"variable", "w"}}, "step");
  REQUIRE_OK(e.status());
  REQUIRE_OK(builder.main().set_outputs({old}));
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

TEST_CASE("assignments become a new version of the variables when the run has succeeded") {
  const auto engine = engine_with("cpu:0");
  const auto graph = counter_graph(*engine);
  const auto variables = *initialize_variables(engine, graph, 1);
  const auto session = *Session::create(engine, graph, variables);
  const auto before = variables->current();
  const RunSpec spec{.feeds = {"x"}, .fetches = {"old", "next"}, .targets = {"step"}};
  for (int i = 0; i < 3; ++i) {
    const auto out = session->run(spec, std::vector{floats({10, 20}, {2})});
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    CHECK(values_of((*out)[0])[0] == 1 + 10 * static_cast<float>(i));
    CHECK(values_of((*out)[1])[0] == 11 + 10 * static_cast<float>(i));
  }
  CHECK(values_of(variables->current()->values[0]) == std::vector<float>{31, 62});
  CHECK(variables->current()->number == 4);
  CHECK(values_of(before->values[0]) == std::vector<float>{1, 2});

  CancelToken cancelled;
  cancelled.cancel();
  const auto refused = session->run(spec, std::vector{floats({10, 20}, {2})}, {.cancel = &cancelled});
  CHECK(refused.status().code() == Code::kCancelled);
  CHECK(variables->current()->number == 4);
}

TEST_CASE(
    "a value whose shape is known only with the feeds is assigned when it has the variable's shape, else refused") {
  const auto engine = engine_with("cpu:0");
  Builder builder(engine->registry());
  REQUIRE_OK(builder.add_variable({"v", DType::kF32, Shape{2}, true, false, floats({0, 0}, {2})}));
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{kUnknownDim});
  Emitter e(builder.main());
  e.emit_many("percale:Assign", {e.emit("Neg", {x})}, 0, {{"variable", "v"}}, "put");
  REQUIRE_OK(e.status());
  const auto graph = builder.finish();
  REQUIRE_OK(graph.status());
  const auto table = Variables::create((*graph)->variables, {(*graph)->variables[0].initial});
  REQUIRE_OK(table.status());
  const auto session = *Session::create(engine, *graph, *table);
  const RunSpec spec{.feeds = {"x"}, .targets = {"put"}};
  const auto wide = session->run(spec, std::vector{floats(std::vector<float>(1000, 1), {1000})});
  REQUIRE_FALSE(wide.ok());
  CHECK(wide.status().message().find("variable 'v' is f32 [2], the value is f32 [1000]") != std::string::npos);
  REQUIRE_OK(session->run(spec, std::vector{floats({1, 2}, {2})}).status());
  CHECK(values_of((*table)->current()->values[0]) == std::vector<float>{-1, -2});
}

TEST_CASE("views of an input, a constant, a variable and of one value twice are fetched as what they show") {
  for (const bool disabled : {false, true}) {
    const auto engine = engine_with("cpu:0");
    Builder builder(engine->registry());
    Emitter e(builder.main());
    REQUIRE_OK(
        builder.add_variable({.name = "w", .dtype = DType::kF32, .shape = {4}, .initial = floats({1, 2, 3, 4}, {4})}));
    const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{2, 3});
    const ValueId w = e.emit("percale:ReadVariable", {},
                             {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{4}}}, "w");
    const ValueId of_input = e.emit("Reshape", {x, e.ints({3, 2})}, {}, "of_input");
    const ValueId of_constant = e.emit("Unsqueeze", {e.constant(floats({5, 6}, {2})), e.ints({0})}, {}, "of_constant");
    const ValueId of_variable = e.emit("Reshape", {w, e.ints({2, 2})}, {}, "of_variable");
    const ValueId y = e.emit("Neg", {of_input}, {}, "y");
    const ValueId once = e.emit("Flatten", {y}, {{"axis", 0}}, "once");
    const ValueId twice = e.emit("Squeeze", {once}, {}, "twice");
    const ValueId same = e.emit("Identity", {of_input}, {}, "same");
    const ValueId next = e.emit("Mul", {e.emit("Reshape", {of_variable, e.ints({4})}), e.scalar(DType::kF32, 2)});
    e.emit_many("percale:Assign", {e.emit("Identity", {next})}, 0, {{"variable", "w"}}, "step");
    REQUIRE_OK(e.status());
    REQUIRE_OK(builder.main().set_outputs({of_input, of_constant, of_variable, once, twice, same}));
    const auto graph = *builder.finish();
    const auto variables = *initialize_variables(engine, graph, 1);
    SessionOptions options;
    if (disabled) options.compile.disabled_passes = {"fold_constants", "algebra", "cse"};
    const auto session = *Session::create(engine, graph, variables, options);
    const RunSpec spec{.feeds = {"x"},
                       .fetches = {"of_input", "of_constant", "of_variable", "once", "twice", "same", "y"},
                       .targets = {"step"}};
    for (int i = 0; i < 3; ++i) {
      const auto out = session->run(spec, std::vector{floats({1, 2, 3, 4, 5, 6}, {2, 3})});
      REQUIRE_MESSAGE(out.ok(), out.status().to_string());
      const float s = static_cast<float>(1 << i);
      CHECK((*out)[0].shape() == Shape{3, 2});
      CHECK(values_of((*out)[0]) == std::vector<float>{1, 2, 3, 4, 5, 6});
      CHECK((*out)[1].shape() == Shape{1, 2});
      CHECK(values_of((*out)[1]) == std::vector<float>{5, 6});
      CHECK((*out)[2].shape() == Shape{2, 2});
      CHECK(values_of((*out)[2]) == std::vector<float>{s, 2 * s, 3 * s, 4 * s});
      CHECK((*out)[3].shape() == Shape{1, 6});
      CHECK((*out)[4].shape() == Shape{6});
      for (size_t k : {3, 4, 6}) CHECK(values_of((*out)[k]) == std::vector<float>{-1, -2, -3, -4, -5, -6});
      CHECK(values_of((*out)[5]) == std::vector<float>{1, 2, 3, 4, 5, 6});
      for (size_t k = 0; k < out->size(); ++k) {
        for (size_t j = 0; j < k; ++j) CHECK((*out)[j].data() != (*out)[k].data());
      }
    }
    const auto kernels = session->explain(spec, std::vector{ValueType{DType::kF32, {2, 3}}}, "kernels");
    REQUIRE(kernels.ok());
    CHECK(kernels->find("Reshape") == std::string::npos);
    CHECK(kernels->find("Identity") == std::string::npos);
  }
}

TEST_CASE("with exclusive state an assignment works in the variable's own memory") {
  const auto engine = engine_with("cpu:0");
  const auto graph = counter_graph(*engine);
  const auto session = *Session::create(engine, graph, nullptr);
  const std::vector<Tensor> state{floats({1, 2}, {2})};
  const RunSpec spec{.feeds = {"x"}, .fetches = {}, .targets = {"step"}, .binding = RunBinding::exclusive()};
  for (int i = 0; i < 2; ++i) {
    const auto out = session->run(spec, std::vector{floats({1, 1}, {2})}, {.values = RunValues::of_caller(state)});
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  }
  CHECK(values_of(state[0]) == std::vector<float>{3, 4});
  // An empty arena: no second copy of the variable.
  CHECK(session->stats().planned_peak_bytes == kAlignment);
}

TEST_CASE("errors name what was asked for and what is nearest") {
  const auto engine = engine_with("cpu:0");
  const auto session = *Session::create(engine, small_graph(*engine), nullptr);
  const auto missing = session->run({.feeds = {"x"}, .fetches = {"xww"}}, std::vector{floats({1, 2, 3}, {1, 3})});
  CHECK(missing.status().code() == Code::kNotFound);
  CHECK(missing.status().message().find("'xw'") != std::string_view::npos);
  const auto wrong = session->run({.feeds = {"x"}, .fetches = {"y"}}, std::vector{floats({1, 2}, {1, 2})});
  CHECK(wrong.status().message() == "feed 'x' is f32 [1,2], wanted f32 [?,3]");
  const auto unfed = session->run({.feeds = {}, .fetches = {"y"}}, {});
  CHECK(unfed.status().code() == Code::kInvalidArgument);
  const auto nowhere = Session::create(engine_with(""), small_graph(*engine), nullptr);
  CHECK((*nowhere)->run({.feeds = {"x"}, .fetches = {"y"}}, std::vector{floats({1, 2, 3}, {1, 3})}).status().code() ==
        Code::kFailedPrecondition);
}

}  // namespace
}  // namespace percale

#include <doctest/doctest.h>

#include <cstring>

#include "core/graph/builder.h"
#include "core/session/initialize.h"
#include "core/session/session.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

std::shared_ptr<Engine> test_engine() {
  auto engine = make_test_engine();
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  return *engine;
}

std::shared_ptr<const Graph> finished(Builder& builder, const Emitter& e, std::vector<ValueId> outputs) {
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().set_outputs(std::move(outputs)).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

Tensor run_one(const std::shared_ptr<Engine>& engine, const std::shared_ptr<const Graph>& graph, RunSpec spec,
               std::vector<Tensor> feeds) {
  const auto session = *Session::create(engine, graph, nullptr);
  const auto out = session->run(spec, feeds);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return (*out)[0];
}

TEST_CASE("If runs the branch that its condition names, and what follows goes on with its result") {
  const auto engine = test_engine();
  Builder builder(engine->registry());
  for (const char* name : {"twice", "negated"}) {
    FunctionBuilder* f = *builder.add_function(name);
    Emitter e(*f);
    const ValueId x = *f->add_input("x", DType::kF32, Shape{2});
    const ValueId y = std::string_view(name) == "twice" ? e.emit("Add", {x, x}) : e.emit("Neg", {x});
    REQUIRE(e.status().ok());
    REQUIRE(f->set_outputs({y}).ok());
  }
  Emitter e(builder.main());
  const ValueId c = *builder.main().add_input("c", DType::kBool, Shape{});
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{2});
  const ValueId y =
      e.emit("If", {c, x}, {{"then_branch", FunctionRef{"twice"}}, {"else_branch", FunctionRef{"negated"}}});
  const ValueId z = e.emit("Add", {y, x}, {}, "z");
  const auto graph = finished(builder, e, {z});
  for (const bool condition : {true, false}) {
    const Tensor z_value = run_one(engine, graph, {.feeds = {"c", "x"}, .fetches = {"z"}},
                                   {Tensor::scalar(condition), Tensor::of<float>({2}, std::vector<float>{1, 5})});
    CHECK(z_value.span<float>()[1] == (condition ? 15.0f : 0.0f));
  }
}

// Powers of two: p is carried and doubled in each iteration; the list of all of them is scanned.
TEST_CASE("Loop carries values from trip to trip and stacks what it scans") {
  const auto engine = test_engine();
  Builder builder(engine->registry());
  FunctionBuilder* body = *builder.add_function("body");
  {
    Emitter e(*body);
    *body->add_input("i", DType::kI64, Shape{});
    const ValueId going = *body->add_input("going", DType::kBool, Shape{});
    const ValueId p = *body->add_input("p", DType::kF32, Shape{1});
    const ValueId factor = *body->add_input("factor", DType::kF32, Shape{});
    const ValueId next = e.emit("Mul", {p, factor});
    REQUIRE(e.status().ok());
    REQUIRE(body->set_outputs({going, next, next}).ok());
  }
  Emitter e(builder.main());
  const ValueId trips = *builder.main().add_input("trips", DType::kI64, Shape{});
  const ValueId factor = *builder.main().add_input("factor", DType::kF32, Shape{});
  const ValueId start = e.constant(Tensor::of<float>({1}, std::vector<float>{1}));
  const auto out = e.emit_many("Loop", {trips, kNoValue, start, factor}, 2,
                               {{"body", FunctionRef{"body"}}, {"num_carried", 1}}, "loop");
  const auto graph = finished(builder, e, out);
  const auto session = *Session::create(engine, graph, nullptr);
  for (const int64_t n : {0, 1, 6}) {
    const auto got = session->run({.feeds = {"trips", "factor"}, .fetches = {"loop", "loop:1"}},
                                  std::vector{Tensor::scalar(n), Tensor::scalar(2.0f)});
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    CHECK((*got)[0].span<float>()[0] == static_cast<float>(1 << n));
    CHECK((*got)[1].shape() == Shape{n, 1});
    for (int64_t i = 0; i < n; ++i)
      CHECK((*got)[1].span<float>()[static_cast<size_t>(i)] == static_cast<float>(2 << i));
  }
  CancelToken cancelled;
  cancelled.cancel();
  CHECK(session
            ->run({.feeds = {"trips", "factor"}, .fetches = {"loop"}},
                  std::vector{Tensor::scalar(int64_t{5}), Tensor::scalar(2.0f)}, {.cancel = &cancelled})
            .status()
            .code() == Code::kCancelled);
}

TEST_CASE("what bodies hand on without a change lies in memory of its own when it leaves the run") {
  const auto engine = test_engine();
  Builder builder(engine->registry());
  const Tensor initial = Tensor::of<float>({3}, std::vector<float>{4, 5, 6});
  REQUIRE(builder.add_variable({.name = "w", .dtype = DType::kF32, .shape = {3}, .initial = initial}).ok());
  for (const char* name : {"same", "negated"}) {
    FunctionBuilder* body = *builder.add_function(name);
    Emitter e(*body);
    const ValueId w = *body->add_input("w_in", DType::kF32, Shape{3});
    const ValueId x = *body->add_input("x_in", DType::kF32, Shape{3});
    const bool same = std::string_view(name) == "same";
    REQUIRE(body->set_outputs({same ? w : e.emit("Neg", {w}), x}).ok());
    REQUIRE(e.status().ok());
  }
  Emitter e(builder.main());
  const ValueId choice = *builder.main().add_input("choice", DType::kBool, Shape{});
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{3});
  const ValueId weights = e.emit("percale:ReadVariable", {},
                                 {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{3}}});
  const auto out = e.emit_many("If", {choice, weights, x}, 2,
                               {{"then_branch", FunctionRef{"same"}}, {"else_branch", FunctionRef{"negated"}}}, "if");
  const auto graph = finished(builder, e, out);
  const auto variables = *initialize_variables(engine, graph, 0);
  const auto session = *Session::create(engine, graph, variables);
  const Tensor fed = Tensor::of<float>({3}, std::vector<float>{1, 2, 3});
  for (const bool same : {true, false, true}) {
    const auto got =
        session->run({.feeds = {"choice", "x"}, .fetches = {"if", "if:1"}}, std::vector{Tensor::scalar(same), fed});
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    CHECK((*got)[0].span<float>()[1] == (same ? 5 : -5));
    CHECK((*got)[1].span<float>()[1] == 2);
    for (const Tensor& t : *got) std::memset(t.data(), 0, static_cast<size_t>(t.bytes()));
  }
  CHECK(fed.span<float>()[1] == 2);
  CHECK(variables->current()->values[0].span<float>()[1] == 5);
}

TEST_CASE("a shape that a run computes is planned when it is known, once for each") {
  const auto engine = test_engine();
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{6});
  const ValueId shape = *builder.main().add_input("shape", DType::kI64, Shape{2});
  const ValueId y = e.emit("Reshape", {e.emit("Neg", {x}), shape}, {}, "y");
  const ValueId s = e.emit("ReduceSum", {y, e.ints({0})}, {{"keepdims", 0}}, "s");
  const auto graph = finished(builder, e, {s});
  const auto session = *Session::create(engine, graph, nullptr);
  const Tensor numbers = Tensor::of<float>({6}, std::vector<float>{1, 2, 3, 4, 5, 6});
  for (const int64_t rows : {2, 3, 2, 6}) {
    const std::vector<int64_t> dims{rows, -1};
    const auto got = session->run({.feeds = {"x", "shape"}, .fetches = {"s"}},
                                  std::vector{numbers, Tensor::vector(std::span<const int64_t>(dims))});
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    CHECK((*got)[0].shape() == Shape{6 / rows});
    if (rows == 2) CHECK((*got)[0].span<float>()[0] == -5);
  }
  CHECK(session->stats().plans == 4);  // the first part once, the second for three shapes
  const std::vector<int64_t> wrong{4, -1};
  const auto refused = session->run({.feeds = {"x", "shape"}, .fetches = {"s"}},
                                    std::vector{numbers, Tensor::vector(std::span<const int64_t>(wrong))});
  CHECK(refused.status().code() == Code::kInvalidArgument);
}

TEST_CASE("how many elements a run keeps is known from the numbers that it computes") {
  const auto engine = test_engine();
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{kUnknownDim});
  const ValueId above = e.emit("Greater", {x, e.scalar(DType::kF32, 2)});
  const ValueId kept = e.emit("Compress", {e.emit("Neg", {x}), above}, {{"axis", 0}});
  const std::vector<ValueId> distinct = e.emit_many("Unique", {kept}, 2, {}, "u");
  const ValueId y = e.emit("Mul", {distinct[0], e.scalar(DType::kF32, 10)}, {}, "y");
  const auto graph = finished(builder, e, {y, distinct[1]});
  const auto session = *Session::create(engine, graph, nullptr);
  const auto run = [&](std::vector<float> numbers) {
    const auto size = static_cast<int64_t>(numbers.size());
    const auto got =
        session->run({.feeds = {"x"}, .fetches = {"y", "u:1"}}, std::vector{Tensor::of<float>({size}, numbers)});
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    const auto values = (*got)[0].span<float>();
    const auto places = (*got)[1].span<int64_t>();
    return std::pair(std::vector<float>(values.begin(), values.end()),
                     std::vector<int64_t>(places.begin(), places.end()));
  };
  using Numbers = std::vector<float>;
  using Places = std::vector<int64_t>;
  for (int again = 0; again < 2; ++again) {
    CHECK(run({1, 5, 3, 5, 2, 4}) == std::pair(Numbers{-50, -40, -30}, Places{0, 3, 1}));
    CHECK(run({1, 2}) == std::pair(Numbers{}, Places{}));
    CHECK(run({3, 3, 3, 3}) == std::pair(Numbers{-30}, Places{0}));
  }
}

TEST_CASE("what depends on variables alone is computed once per version of them") {
  const auto engine = test_engine();
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const Tensor first = Tensor::of<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  REQUIRE(builder.add_variable({.name = "w", .dtype = DType::kF32, .shape = {2, 3}, .initial = first}).ok());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{2});
  const ValueId w = e.emit("percale:ReadVariable", {},
                           {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{2, 3}}});
  const ValueId y = e.emit("MatMul", {e.emit("Transpose", {w}, {}, "wt"), x}, {}, "y");
  const auto graph = finished(builder, e, {y});
  const auto variables = *initialize_variables(engine, graph, 0);
  const auto session = *Session::create(engine, graph, variables);
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
  const std::vector<Tensor> feeds{Tensor::of<float>({2}, std::vector<float>{1, 1})};
  Trace trace;
  for (int i = 0; i < 3; ++i) CHECK((*session->run(spec, feeds, {.trace = &trace}))[0].span<float>()[0] == 5);
  const auto count = [&](std::string_view what) {
    const std::string json = trace.to_json();
    size_t n = 0;
    for (size_t at = json.find(what); at != std::string::npos; at = json.find(what, at + 1)) ++n;
    return n;
  };
  CHECK(count("Transpose wt") == 1);
  CHECK(count("MatMul y") == 3);
  REQUIRE(variables->publish({{0, Tensor::of<float>({2, 3}, std::vector<float>(6, 10))}}).ok());
  CHECK((*session->run(spec, feeds, {.trace = &trace}))[0].span<float>()[0] == 20);
  CHECK(count("Transpose wt") == 2);
}

// Builds y = the sum over `trips` iterations of transposed(w) x, or of -transposed(w) x if `choice`
// is false: a branch within the body of a loop captures w. With `counts`, w grows by one first.
std::shared_ptr<const Graph> nested_reads(const std::shared_ptr<Engine>& engine, bool counts) {
  Builder builder(engine->registry());
  const Tensor first = Tensor::of<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  REQUIRE(builder.add_variable({.name = "w", .dtype = DType::kF32, .shape = {2, 3}, .initial = first}).ok());
  for (const bool negative : {false, true}) {
    FunctionBuilder* f = *builder.add_function(negative ? "negative" : "positive");
    Emitter e(*f);
    const ValueId w = *f->add_input("w", DType::kF32, Shape{2, 3}), x = *f->add_input("x", DType::kF32, Shape{2});
    const ValueId y = e.emit("MatMul", {e.emit("Transpose", {w}, {}, "wt"), x}, {}, "product");
    REQUIRE(f->set_outputs({negative ? e.emit("Neg", {y}) : y}).ok());
    REQUIRE(e.status().ok());
  }
  FunctionBuilder* body = *builder.add_function("body");
  Emitter inner(*body);
  REQUIRE(body->add_input("trip", DType::kI64, Shape{}).ok());
  const ValueId going = *body->add_input("going", DType::kBool, Shape{});
  const ValueId sum = *body->add_input("sum", DType::kF32, Shape{3});
  const ValueId choice = *body->add_input("choice", DType::kBool, Shape{});
  const ValueId w = *body->add_input("w", DType::kF32, Shape{2, 3}), x = *body->add_input("x", DType::kF32, Shape{2});
  const ValueId part = inner.emit("If", {choice, w, x},
                                  {{"then_branch", FunctionRef{"positive"}}, {"else_branch", FunctionRef{"negative"}}});
  REQUIRE(body->set_outputs({going, inner.emit("Add", {sum, part})}).ok());
  REQUIRE(inner.status().ok());

  FunctionBuilder& main = builder.main();
  Emitter e(main);
  const ValueId trips = *main.add_input("trips", DType::kI64, Shape{});
  const ValueId given = *main.add_input("choice", DType::kBool, Shape{});
  const ValueId vector = *main.add_input("x", DType::kF32, Shape{2});
  const ValueId ones = *main.add_constant(Tensor::of<float>({2, 3}, std::vector<float>(6, 1)));
  if (counts) e.emit_many("percale:AssignAdd", {ones}, 0, {{"variable", "w"}}, "count");
  const ValueId weights =
      e.emit("percale:ReadVariable", {},
             {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{2, 3}}}, "w");
  const ValueId zero = *main.add_constant(Tensor::of<float>({3}, std::vector<float>(3, 0)));
  const auto out = e.emit_many("Loop", {trips, kNoValue, zero, given, weights, vector}, 1,
                               {{"body", FunctionRef{"body"}}, {"num_carried", 1}}, "y");
  return finished(builder, e, out);
}

std::vector<Tensor> loop_feeds(int64_t trips, bool choice) {
  return {Tensor::scalar(trips), Tensor::scalar(choice), Tensor::of<float>({2}, std::vector<float>{1, 1})};
}

TEST_CASE("what bodies compute of a variable that they capture is computed once per version of it") {
  const auto engine = test_engine();
  const auto graph = nested_reads(engine, false);
  const auto variables = *initialize_variables(engine, graph, 0);
  const auto session = *Session::create(engine, graph, variables);
  const RunSpec spec{.feeds = {"trips", "choice", "x"}, .fetches = {"y"}};
  Trace trace;
  const auto run = [&](bool choice) {
    const auto got = session->run(spec, loop_feeds(3, choice), {.trace = &trace});
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    return (*got)[0].span<float>()[0];
  };
  const auto transposed = [&] {
    const std::string json = trace.to_json();
    size_t n = 0;
    for (size_t at = json.find("Transpose "); at != std::string::npos; at = json.find("Transpose ", at + 1)) ++n;
    return n;
  };
  CHECK(run(true) == 15);
  CHECK(run(false) == -15);
  CHECK(run(true) == 15);
  const size_t before = transposed();
  CHECK(before >= 1);
  CHECK(before <= 2);  // once per branch, or once for both
  REQUIRE(variables->publish({{0, Tensor::of<float>({2, 3}, std::vector<float>(6, 10))}}).ok());
  CHECK(run(true) == 60);
  CHECK(run(true) == 60);
  CHECK(transposed() == before + 1);

  RunSpec with_w = spec;
  with_w.feeds.push_back("w");
  std::vector<Tensor> feeds = loop_feeds(2, true);
  feeds.push_back(Tensor::of<float>({2, 3}, std::vector<float>(6, 100)));
  const auto fed = session->run(with_w, feeds);
  REQUIRE_MESSAGE(fed.ok(), fed.status().to_string());
  CHECK((*fed)[0].span<float>()[0] == 400);
}

TEST_CASE("a body sees a variable as it was where it was read, also in a run that assigns it") {
  const auto engine = test_engine();
  const auto graph = nested_reads(engine, true);
  const auto variables = *initialize_variables(engine, graph, 0);
  const auto session = *Session::create(engine, graph, variables);
  for (const float want : {7.0f, 9.0f, 11.0f}) {
    const auto got =
        session->run({.feeds = {"trips", "choice", "x"}, .fetches = {"y"}, .targets = {"count"}}, loop_feeds(1, true));
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    CHECK((*got)[0].span<float>()[0] == want);
  }
}

TEST_CASE("an addition to a variable is a read, a sum and an assignment") {
  const auto engine = test_engine();
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const Tensor zero = Tensor::of<float>({2}, std::vector<float>{0, 0});
  REQUIRE(builder.add_variable({.name = "n", .dtype = DType::kF32, .shape = {2}, .initial = zero}).ok());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{2});
  e.emit_many("percale:AssignAdd", {x}, 0, {{"variable", "n"}}, "add");
  e.emit_many("percale:AssignAdd", {x}, 0, {{"variable", "n"}}, "again");
  const auto graph = finished(builder, e, {});
  const auto variables = *initialize_variables(engine, graph, 0);
  const auto session = *Session::create(engine, graph, variables);
  const std::vector<Tensor> feeds{Tensor::of<float>({2}, std::vector<float>{1, 3})};
  for (int i = 0; i < 2; ++i) {
    const auto out = session->run({.feeds = {"x"}, .targets = {"add", "again"}}, feeds);
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  }
  CHECK(variables->current()->values[0].span<float>()[1] == 12);
}

}  // namespace
}  // namespace percale

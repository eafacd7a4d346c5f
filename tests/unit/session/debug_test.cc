// CheckNumerics, Print and Assert in a session: which nodes stay, what is reported, and what
// happens to variables.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/autodiff/gradients.h"
#include "core/graph/builder.h"
#include "core/session/initialize.h"
#include "core/session/session.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

struct Lines {
  std::vector<std::string> said;
  static void write(void* user, LogLevel level, std::string_view message) {
    CHECK((level == LogLevel::kInfo));
    static_cast<Lines*>(user)->said.emplace_back(message);
  }
};

std::shared_ptr<Engine> listening(Lines& lines, LogLevel level = LogLevel::kInfo) {
  EngineOptions options;
  options.devices = "cpu:0";
  options.threads = 1;
  auto engine = make_test_engine(options);
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  (*engine)->log() = {&Lines::write, &lines, level};
  return *engine;
}

Tensor floats(std::vector<float> values) {
  return Tensor::of<float>(Shape{static_cast<int64_t>(values.size())}, values);
}

template <class F>
std::shared_ptr<Session> session_of(const std::shared_ptr<Engine>& engine, F&& build, bool variables = false) {
  Builder builder(engine->registry());
  Emitter e(builder.main());
  build(builder, e);
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  const auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  auto session = Session::create(engine, *graph, variables ? *initialize_variables(engine, *graph, 1) : nullptr);
  REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  return std::move(*session);
}

TEST_CASE("Print gives its input on and says its first elements through the log callback alone") {
  Lines lines;
  const auto engine = listening(lines);
  const auto session = session_of(engine, [](Builder& b, Emitter& e) {
    const ValueId x = *b.main().add_input("x", DType::kF32, Shape{kUnknownDim});
    e.emit("Neg", {e.emit("percale:Print", {x}, {{"message", "x = "}}, "shown")}, {}, "y");
    e.emit("percale:Print", {e.emit("Greater", {x, e.scalar(DType::kF32, 2)})}, {{"summarize", -1}}, "all");
  });
  const auto out = session->run({.feeds = {"x"}, .fetches = {"y"}}, std::vector{floats({1, 2.5, -3, 4})});
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  CHECK((*out)[0].span<float>()[1] == -2.5f);
  CHECK(lines.said == std::vector<std::string>{"x = [1 2.5 -3...]"});
  // y does not need the second node, but that one follows the first by a control edge, so the first
  // runs as well.
  CHECK(session->run({.feeds = {"x"}, .fetches = {"all"}}, std::vector{floats({1, 3})}).ok());
  CHECK(lines.said == std::vector<std::string>{"x = [1 2.5 -3...]", "x = [1 3]", "[false true]"});
  engine->log().level = LogLevel::kWarning;
  CHECK(session->run({.feeds = {"x"}, .fetches = {"y"}}, std::vector{floats({1})}).ok());
  CHECK(lines.said.size() == 3);
}

TEST_CASE("a line of Print ends where its room ends") {
  Lines lines;
  const auto engine = listening(lines);
  const auto session = session_of(engine, [](Builder& b, Emitter& e) {
    const ValueId x = *b.main().add_input("x", DType::kF32, Shape{kUnknownDim});
    e.emit("percale:Print", {x}, {{"message", std::string(5000, 'm')}, {"summarize", -1}}, "y");
  });
  REQUIRE(session->run({.feeds = {"x"}, .fetches = {"y"}}, std::vector{floats(std::vector<float>(4000, 0.125f))}).ok());
  REQUIRE(lines.said.size() == 1);
  CHECK(lines.said[0].size() <= 2048);
  CHECK(lines.said[0].starts_with(std::string(1024, 'm')));
  CHECK(lines.said[0].substr(1024).starts_with("[0.125 0.125"));
  CHECK(lines.said[0].ends_with("0.125 ...]"));
}

TEST_CASE("Assert and Print stay before later assignments, and a failed Assert leaves the variables") {
  Lines lines;
  const auto engine = listening(lines);
  const auto session = session_of(
      engine,
      [](Builder& b, Emitter& e) {
        REQUIRE(b.add_variable({.name = "w", .dtype = DType::kF32, .shape = {2}, .initial = floats({1, 2})}).ok());
        const ValueId x = *b.main().add_input("x", DType::kF32, Shape{2});
        // No node uses the results of these two; the assignment after them keeps them.
        e.emit("percale:Print", {x}, {{"message", "seen "}}, "print");
        e.emit_many("percale:Assert", {e.emit("Greater", {x, e.scalar(DType::kF32, 0)})}, 0,
                    {{"message", "x must be positive"}}, "assert");
        e.emit_many("percale:Assign", {x}, 0, {{"variable", "w"}}, "assign");
        e.emit("percale:ReadVariable", {},
               {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{2}}}, "now");
      },
      true);
  const RunSpec step{.feeds = {"x"}, .fetches = {}, .targets = {"assign"}}, look{.feeds = {"x"}, .fetches = {"now"}};
  const auto ran = session->run(step, std::vector{floats({3, 4})});
  REQUIRE_MESSAGE(ran.ok(), ran.status().to_string());
  CHECK(lines.said == std::vector<std::string>{"seen [3 4]"});
  const auto failed = session->run(step, std::vector{floats({5, -6})});
  CHECK(failed.status().code() == Code::kFailedPrecondition);
  CHECK(failed.status().message() == "Assert 'assert': x must be positive: element 1 of the condition is false");
  const auto again = session->run(step, std::vector{floats({7, 8})});
  REQUIRE_MESSAGE(again.ok(), again.status().to_string());
  CHECK(lines.said.size() == 3);
}

TEST_CASE("Assert gives X on only where the condition holds") {
  Lines lines;
  const auto session = session_of(listening(lines), [](Builder& b, Emitter& e) {
    const ValueId c = *b.main().add_input("c", DType::kBool, Shape{});
    const ValueId x = *b.main().add_input("x", DType::kF32, Shape{kUnknownDim});
    e.emit("Neg", {e.emit("percale:Assert", {c, x}, {}, "held")}, {}, "y");
  });
  const RunSpec spec{.feeds = {"c", "x"}, .fetches = {"y"}};
  const auto out = session->run(spec, std::vector{Tensor::scalar(true), floats({1, 2})});
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  CHECK((*out)[0].span<float>()[1] == -2);
  const auto failed = session->run(spec, std::vector{Tensor::scalar(false), floats({1, 2})});
  CHECK(failed.status().message() == "Assert 'held': element 0 of the condition is false");
}

TEST_CASE(
    "What a body prints it says once, though its gradient computes it again; a failed Assert in a body fails the run") {
  Lines lines;
  const auto engine = listening(lines);
  const auto session = session_of(engine, [](Builder& b, Emitter& e) {
    FunctionBuilder* f = *b.add_function("watched");
    Emitter body(*f);
    const ValueId h = *f->add_input("h", DType::kF32, Shape{2});
    const ValueId held = body.emit("percale:Assert", {body.emit("Greater", {h, body.scalar(DType::kF32, 0)}), h});
    body.emit("percale:Print", {h}, {{"message", "unused "}});
    REQUIRE(f->set_outputs({body.emit("Exp", {body.emit("percale:Print", {held}, {{"message", "h = "}})})}).ok());
    REQUIRE_MESSAGE(body.status().ok(), body.status().to_string());
    const ValueId x = *b.main().add_input("x", DType::kF32, Shape{2});
    const ValueId c = *b.main().add_input("c", DType::kBool, Shape{});
    const ValueId y =
        e.emit("If", {c, x}, {{"then_branch", FunctionRef{"watched"}}, {"else_branch", FunctionRef{"watched"}}}, "y");
    const auto slopes = gradients(b.main(), std::vector{e.emit("ReduceSum", {y})}, std::vector{x}, {});
    REQUIRE_MESSAGE(slopes.ok(), slopes.status().to_string());
    e.emit("Identity", {(*slopes)[0]}, {}, "slope");
  });
  const RunSpec both{.feeds = {"x", "c"}, .fetches = {"y", "slope"}};
  const auto out = session->run(both, std::vector{floats({1, 2}), Tensor::scalar(true)});
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  CHECK((*out)[0].span<float>()[1] == (*out)[1].span<float>()[1]);  // the derivative of exp
  CHECK(lines.said == std::vector<std::string>{"unused [1 2]", "h = [1 2]"});
  const auto failed = session->run(both, std::vector{floats({1, -2}), Tensor::scalar(false)});
  CHECK(failed.status().message().find("element 1 of the condition is false") != std::string::npos);
}

TEST_CASE("CheckNumerics fails the run at the first element that is not finite, forward and backward") {
  Lines lines;
  const auto session = session_of(listening(lines), [](Builder& b, Emitter& e) {
    const ValueId x = *b.main().add_input("x", DType::kF32, Shape{kUnknownDim});
    const ValueId y =
        e.emit("Sqrt", {e.emit("percale:CheckNumerics", {x}, {{"message", "weights"}}, "checked")}, {}, "y");
    const auto slopes = gradients(b.main(), std::vector{e.emit("ReduceSum", {y})}, std::vector{x}, {});
    REQUIRE_MESSAGE(slopes.ok(), slopes.status().to_string());
    e.emit("Identity", {(*slopes)[0]}, {}, "slope");
  });
  const RunSpec forward{.feeds = {"x"}, .fetches = {"y"}}, backward{.feeds = {"x"}, .fetches = {"slope"}};
  CHECK(session->run(forward, std::vector{floats({1, 4, 0})}).ok());
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(session->run(forward, std::vector{floats({1, 4, inf, inf})}).status().message() ==
        "CheckNumerics 'checked': weights: element 2 is infinite or NaN");
  CHECK(session->run(backward, std::vector{floats({1, 4})}).ok());
  // The derivative of the square root at 0 is infinite.
  const auto failed = session->run(backward, std::vector{floats({1, 0})});
  CHECK(failed.status().code() == Code::kInvalidArgument);
  CHECK(failed.status().message().find("gradient: weights: element 1 is infinite or NaN") != std::string::npos);
}

}  // namespace
}  // namespace percale

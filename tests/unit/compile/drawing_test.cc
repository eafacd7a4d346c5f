// Pictures of plans.
#include "core/compile/report/drawing.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/compile/report/plan_picture.h"
#include "core/engine/trace.h"
#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/support/get.h"
#include "tests/support/sim_engine.h"

namespace percale {
namespace {

const RunSpec kSpec{.feeds = {"x"}, .fetches = {"y"}};
const std::vector<ValueType> kTypes{{DType::kF32, Shape{64, 64}}};

// x -> Tanh "a" on cpu:0 -> MatMul "b" on cpu:1 -> Neg "y" on cpu:0.
std::shared_ptr<const Graph> there_and_back(const Engine& engine) {
  Builder builder(engine.registry());
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  const ValueId x = *f.add_input("x", DType::kF32, Shape{64, 64});
  f.set_device("cpu:0");
  const ValueId a = e.emit("Tanh", {x}, {}, "a");
  f.set_device("cpu:1");
  const ValueId b = e.emit("MatMul", {a, x}, {}, "b");
  f.set_device("cpu:0");
  const ValueId y = e.emit("Neg", {b}, {}, "y");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(f.set_outputs({y}).ok());
  return get(builder.finish());
}

const Box& box_of(const Picture& picture, std::string_view name, BoxKind kind = BoxKind::kNode) {
  const auto found = std::find_if(picture.boxes.begin(), picture.boxes.end(),
                                  [&](const Box& b) { return b.name == name && b.kind == kind; });
  REQUIRE(found != picture.boxes.end());
  return *found;
}

// The kinds of the links between nodes, from the first to the last.
std::vector<LinkKind> kinds_between(const Picture& picture, std::string_view from, std::string_view to) {
  std::vector<LinkKind> out;
  for (const Link& link : picture.links) {
    const Box& source = picture.boxes[static_cast<size_t>(link.from)];
    const Box& target = picture.boxes[static_cast<size_t>(link.to)];
    if (source.name == from && target.name == to && target.kind == BoxKind::kNode) out.push_back(link.kind);
  }
  return out;
}

}  // namespace

TEST_CASE("a plan's picture has each node's device and kernel, and tells what passes between devices") {
  const auto engine = sim_engine(2, "cpu=2x1");
  const auto session = *Session::create(engine, there_and_back(*engine), nullptr);
  const Picture picture = picture_of(*get(session->prepare(kSpec, kTypes)));
  CHECK(box_of(picture, "a").device == "cpu:0");
  CHECK(box_of(picture, "b").device == "cpu:1");
  CHECK(box_of(picture, "b").detail.starts_with("cpu:1 \xC2\xB7 "));
  CHECK(box_of(picture, "x", BoxKind::kInput).detail == "f32 [64,64]");
  CHECK(box_of(picture, "y", BoxKind::kOutput).detail == "f32 [64,64]");
  CHECK(kinds_between(picture, "a", "b") == std::vector{LinkKind::kTransfer});
  CHECK(kinds_between(picture, "b", "y") == std::vector{LinkKind::kTransfer});
  CHECK(kinds_between(picture, "x", "a") == std::vector{LinkKind::kValue});
  for (const Link& link : picture.links) CHECK(link.from < link.to);
}

TEST_CASE("what waits for a condition is drawn between the programs, with the functions that it may call") {
  const auto engine = sim_engine(1, "cpu:0");
  Builder builder(engine->registry());
  for (const char* name : {"twice", "negated"}) {
    FunctionBuilder* f = *builder.add_function(name);
    Emitter e(*f);
    const ValueId x = *f->add_input("x", DType::kF32, Shape{2});
    const ValueId y = std::string_view(name) == "twice" ? e.emit("Add", {x, x}) : e.emit("Neg", {x});
    REQUIRE(f->set_outputs({y}).ok());
  }
  Emitter e(builder.main());
  const ValueId c = *builder.main().add_input("c", DType::kBool, Shape{});
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{2});
  const ValueId a = e.emit("Tanh", {x}, {}, "before");
  const AttrValue twice = FunctionRef{"twice"}, negated = FunctionRef{"negated"};
  const ValueId i = e.emit("If", {c, a}, {{"then_branch", twice}, {"else_branch", negated}}, "choice");
  const ValueId z = e.emit("Tanh", {i}, {}, "after");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().set_outputs({z}).ok());
  const auto session = *Session::create(engine, get(builder.finish()), nullptr);
  const RunSpec spec{.feeds = {"c", "x"}, .fetches = {"after"}};
  const std::vector<ValueType> types{{DType::kBool, Shape{}}, {DType::kF32, Shape{2}}};
  const Picture picture = picture_of(*get(session->prepare(spec, types)));
  CHECK(box_of(picture, "choice").chips.size() == 2);
  CHECK(kinds_between(picture, "before", "choice").size() == 1);
  CHECK(kinds_between(picture, "choice", "after").size() == 1);
  const std::string page = get(session->draw(spec, types, "html", ""));
  CHECK(page.find("\"title\":\"negated\"") != std::string::npos);
}

TEST_CASE("the times of a trace stand on the nodes of graph and plan; nodes that run as one share theirs") {
  const auto engine = sim_engine(2, "cpu=2x1");
  const auto graph = there_and_back(*engine);
  const auto session = *Session::create(engine, graph, nullptr);
  Trace trace;
  const std::string members[] = {"a", "y"};
  trace.add("MatMul b", "cpu:1", 0, 5000, "kernel");
  trace.add("Fused both", "cpu:0", 5000, 9000, "kernel", members);
  for (const std::string& svg :
       {get(draw_graph(*graph, "svg", trace.to_json())), get(session->draw(kSpec, kTypes, "svg", trace.to_json()))}) {
    CHECK(svg.find("5 \xC2\xB5s") != std::string::npos);
    CHECK(svg.find("2 \xC2\xB5s") != std::string::npos);
    CHECK(svg.find("in all 9 \xC2\xB5s") != std::string::npos);
  }
  CHECK(draw_graph(*graph, "svg", "{\"a\": 1}").status().code() == Code::kInvalidArgument);
}

}  // namespace percale

// Sessions on several devices: placement by cost, its report in the plan, and bits that do not
// depend on it.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/engine/trace_reader.h"
#include "core/graph/builder.h"
#include "core/session/session.h"
#include "core/text/json.h"
#include "tests/support/same_bits.h"
#include "tests/support/sim_engine.h"

namespace percale {
namespace {

constexpr int64_t kSize = 256;
const RunSpec kSpec{.feeds = {"x"}, .fetches = {"y"}};

// Builds two branches of three products each, "b0/0" to "b1/2", and their sum "y". `hints` gives
// the devices of the branches, or with "begin on" those of their first nodes, "b0/begin" and
// "b1/begin".
std::shared_ptr<const Graph> two_branches(const Engine& engine, const std::vector<std::string>& hints = {"", ""}) {
  Builder builder(engine.registry());
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  const ValueId x = *f.add_input("x", DType::kF32, Shape{kSize, kSize});
  std::vector<ValueId> ends;
  for (size_t b = 0; b < 2; ++b) {
    const bool begin = hints[b].starts_with("begin on ");
    f.set_device(begin ? hints[b].substr(9) : hints[b]);
    ValueId v = e.emit(b == 0 ? "Tanh" : "Sigmoid", {x}, {}, str_cat("b", uint64_t{b}, "/begin"));
    if (begin) f.set_device("");
    for (int i = 0; i < 3; ++i) v = e.emit("MatMul", {v, x}, {}, str_cat("b", uint64_t{b}, "/", i));
    ends.push_back(v);
  }
  f.set_device("");
  const ValueId y = e.emit("Add", ends, {}, "y");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(f.set_outputs({y}).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

Tensor input() {
  std::vector<float> x(kSize * kSize);
  for (size_t i = 0; i < x.size(); ++i) x[i] = (static_cast<float>(i % 23) - 11) / 512;
  return Tensor::of<float>(Shape{kSize, kSize}, x);
}

Tensor result_of(Session& session) {
  auto out = session.run(kSpec, std::vector{input()});
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return (*out)[0];
}

Json plan_of(Session& session) {
  const auto text = session.explain(kSpec, std::vector<ValueType>{{DType::kF32, Shape{kSize, kSize}}}, "plan");
  REQUIRE_MESSAGE(text.ok(), text.status().to_string());
  auto json = Json::parse(*text);
  REQUIRE(json.ok());
  return *json;
}

const Json& node_of(const Json& plan, std::string_view name) {
  const Json& nodes = *plan.find("nodes");
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (*nodes.item(i).find("node")->as_string("") == name) return nodes.item(i);
  }
  FAIL("the plan lacks the node");
  return nodes;
}

std::string device_of(const Json& plan, std::string_view name) {
  return *node_of(plan, name).find("device")->as_string("");
}

}  // namespace

TEST_CASE("two heavy branches go to two devices of a thread each, with the numbers in the plan and one device's bits") {
  const auto one = sim_engine(4, "cpu:0");
  const auto alone = *Session::create(one, two_branches(*one), nullptr);
  const Tensor want = result_of(*alone);
  const Json single = plan_of(*alone);
  CHECK(*node_of(single, "b1/1").find("reason")->as_string("") == "the only device");
  CHECK(node_of(single, "b1/1").find("candidates")->size() == 0);

  const auto engine = sim_engine(4, "cpu=4x1");
  const auto session = *Session::create(engine, two_branches(*engine), nullptr);
  const Json plan = plan_of(*session);
  for (const char* name : {"b0/0", "b0/2"}) CHECK(device_of(plan, name) == "cpu:0");
  for (const char* name : {"b1/0", "b1/1"}) CHECK(device_of(plan, name) == "cpu:1");
  const Json& product = node_of(plan, "b1/1");
  CHECK(product.find("reason")->as_string("")->starts_with("where it finishes first: takes "));
  REQUIRE(product.find("candidates")->size() == 4);
  CHECK(*product.find("candidates")->item(1).find("end_seconds")->as_double("") <
        *product.find("candidates")->item(0).find("end_seconds")->as_double(""));
  CHECK(*plan.find("placement")->find("expected_seconds")->as_double("") > 0);
  CHECK(same_bits(result_of(*session), want));

  // Devices that share one thread would only take turns.
  const auto narrow = sim_engine(1, "cpu=4x1");
  const auto turns = *Session::create(narrow, two_branches(*narrow), nullptr);
  CHECK(device_of(plan_of(*turns), "b1/1") == "cpu:0");
  CHECK(same_bits(result_of(*turns), want));
}

TEST_CASE("a node stands with the node that it names; a name that was never there is an error") {
  const auto engine = sim_engine(2, "cpu=4x1");
  const auto session = *Session::create(engine, two_branches(*engine, {"cpu:3", "colocate:b0/1"}), nullptr);
  const Json plan = plan_of(*session);
  CHECK(device_of(plan, "b1/0") == "cpu:3");
  CHECK(device_of(plan, "b1/2") == "cpu:3");
  const auto wrong = *Session::create(engine, two_branches(*engine, {"", "colocate:b0/9"}), nullptr);
  const Status status = wrong->run(kSpec, std::vector{input()}).status();
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.message() ==
        "Sigmoid 'b1/begin': asks to stand with 'b0/9', which is no node of function 'main' and no variable");
}

namespace {

// The branches start on sim:0 and on sim:1; cost decides where they continue.
std::vector<std::string> begin_apart() { return {"begin on sim:0", "begin on sim:1"}; }

// Makes sim:1 forty times slower than needed.
void slow_down() {
  percale_sim_faults slow{};
  slow.slow = 40;
  percale_sim_set_faults(sim_plugin(), 1, &slow);
}

}  // namespace

TEST_CASE("a session that measures moves work off a device that proves slow, and the bits stay") {
  const auto engine = sim_engine(2, "cpu:0,sim:0,sim:1");
  const auto graph = two_branches(*engine, begin_apart());
  const auto steady = *Session::create(engine, graph, nullptr);
  const auto session = *Session::create(engine, graph, nullptr, {.measures = true, .costs = {}});
  slow_down();
  const std::string before = device_of(plan_of(*session), "b1/1");
  CHECK(before == "sim:1");
  const Tensor want = result_of(*session);
  for (int i = 0; i < 8; ++i) CHECK(same_bits(result_of(*session), want));
  const Json after = plan_of(*session);
  for (const char* name : {"b0/0", "b0/1", "b1/0", "b1/1"}) CHECK(device_of(after, name) != "sim:1");
  CHECK(device_of(after, "b1/begin") == "sim:1");  // as requested
  CHECK(same_bits(result_of(*session), want));
  CHECK(session->stats().plans == 2);
  // Without the option no node moves.
  for (int i = 0; i < 9; ++i) CHECK(same_bits(result_of(*steady), want));
  CHECK(device_of(plan_of(*steady), "b1/1") == "sim:1");
  CHECK(steady->stats().plans == 1);
}

TEST_CASE("a trace of one session tells another one what nodes cost") {
  const auto engine = sim_engine(2, "cpu:0,sim:0,sim:1");
  const auto graph = two_branches(*engine, begin_apart());
  const auto session = *Session::create(engine, graph, nullptr);
  slow_down();
  Trace trace;
  for (int i = 0; i < 2; ++i) REQUIRE(session->run(kSpec, std::vector{input()}, {.trace = &trace}).ok());
  auto costs = times_of_trace(trace.to_json());
  REQUIRE_MESSAGE(costs.ok(), costs.status().to_string());
  REQUIRE(costs->of("sim:1") != nullptr);
  double slow = 0, fast = 0;
  for (const auto& [key, entry] : *costs->of("sim:1")) slow = std::max(slow, entry.seconds);
  for (const auto& [key, entry] : *costs->of("sim:0")) fast = std::max(fast, entry.seconds);
  CHECK(slow > 4 * fast);
  const auto informed = *Session::create(engine, graph, nullptr, {.measures = false, .costs = *costs});
  CHECK(device_of(plan_of(*session), "b1/1") == "sim:1");
  CHECK(device_of(plan_of(*informed), "b1/1") != "sim:1");
  CHECK(same_bits(result_of(*informed), result_of(*session)));
}

TEST_CASE("a trace names the nodes that ran as one, and a text that is no trace says where") {
  const auto engine = sim_engine(1, "cpu:0");
  const auto session = *Session::create(engine, two_branches(*engine), nullptr);
  Trace trace;
  REQUIRE(session->run(kSpec, std::vector{input()}, {.trace = &trace}).ok());
  const std::string json = trace.to_json();
  const auto costs = times_of_trace(json);
  REQUIRE_MESSAGE(costs.ok(), costs.status().to_string());
  const MeasuredTimes::Entries& all = *costs->of("cpu:0");
  CHECK(std::any_of(all.begin(), all.end(), [](const auto& e) {
    const auto& nodes = e.second.nodes;
    return nodes.size() > 1 && std::find(nodes.begin(), nodes.end(), "y") != nodes.end();
  }));
  size_t nodes = 0;
  for (const auto& [key, entry] : all) nodes += entry.nodes.size();
  CHECK(nodes == 9);
  for (const char* wrong : {"", "[]", "{}", R"({"traceEvents": 3})", R"({"traceEvents": [{"name": "x"}]})",
                            R"({"traceEvents": [{"ph": "X", "name": "MatMul a", "tid": "one", "dur": 1}]})",
                            R"({"traceEvents": [{"ph": "X", "name": "MatMul a", "tid": 1}]})"}) {
    CAPTURE(wrong);
    CHECK(times_of_trace(wrong).status().code() == Code::kInvalidArgument);
  }
}

TEST_CASE("partitions that a device takes whole are traced, and measured as one") {
  const auto engine = sim_engine(1, "cpu:0,sim_partition:0");
  const auto session = *Session::create(engine, two_branches(*engine, {"sim_partition:0", ""}), nullptr);
  Trace trace;
  REQUIRE(session->run(kSpec, std::vector{input()}, {.trace = &trace}).ok());
  const auto costs = times_of_trace(trace.to_json());
  REQUIRE(costs.ok());
  REQUIRE(costs->of("sim_partition:0") != nullptr);
  CHECK(costs->of("sim_partition:0")->begin()->second.nodes.size() == 4);
}

TEST_CASE("log_placement tells each node's device and reason when a plan is made, and only then") {
  const auto engine = sim_engine(2, "cpu=2x1");
  std::vector<std::string> lines;
  engine->log().user = &lines;
  engine->log().level = LogLevel::kInfo;
  engine->log().write = [](void* user, LogLevel, std::string_view text) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(text);
  };
  const auto quiet = *Session::create(engine, two_branches(*engine), nullptr);
  result_of(*quiet);
  CHECK(lines.empty());
  const auto session = *Session::create(engine, two_branches(*engine), nullptr, {.compile = {.log_placement = true}});
  result_of(*session);
  CHECK(lines.size() == 10);  // nine nodes and the total
  CHECK(lines[0].starts_with("placement: Tanh 'b0/begin' on cpu:0: "));
  result_of(*session);
  CHECK(lines.size() == 10);
}

}  // namespace percale

// Runs random graphs, placed at random on four devices with two kinds of memory. Each is compared
// with an independent description: exactly the nodes that the fetches need run, no value is
// transferred twice, and the bits are those of one device.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "core/compile/plan.h"
#include "core/graph/builder.h"
#include "core/passes/device/fuse_elementwise.h"
#include "core/passes/passes.h"
#include "core/plan/layout.h"
#include "core/session/initialize.h"
#include "core/session/session.h"
#include "core/text/json.h"
#include "tests/support/sim_engine.h"

namespace percale {
namespace {

constexpr int kDeviceCount = 4, kHost = 0;
const Shape kShape{6, 4};

// An independent description of the graph.
struct Described {
  struct Node {
    std::string name, op;
    std::vector<int> inputs;  // values
    std::vector<int> after;   // nodes that must have run
    int device = kHost;
  };
  struct Value {
    std::string name;
    int node = -1;  // the node that computes it; -1: an input or the variable
  };
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<int> fed, fetched;
  std::shared_ptr<const Graph> graph;

  std::vector<std::string> names(const std::vector<int>& of) const {
    std::vector<std::string> out;
    for (const int v : of) out.push_back(values[static_cast<size_t>(v)].name);
    return out;
  }
};

// Values 0 to 2 are the variable "w" and the inputs "x" and "y".
Described random_graph(const Engine& engine, uint32_t seed) {
  std::mt19937 random(seed);
  Described d;
  Builder builder(engine.registry());
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  std::vector<float> numbers(24);
  for (float& v : numbers) v = static_cast<float>(random() % 17) / 16 - 0.5f;
  REQUIRE(builder
              .add_variable(
                  {.name = "w", .dtype = DType::kF32, .shape = kShape, .initial = Tensor::of<float>(kShape, numbers)})
              .ok());
  const ValueId square =
      e.constant(Tensor::of<float>(Shape{4, 4}, std::span<const float>(numbers).first(16)), "square");
  std::vector<ValueId> ids = {
      e.emit("percale:ReadVariable", {},
             {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{6, 4}}}, "read"),
      *f.add_input("x", DType::kF32, kShape), *f.add_input("y", DType::kF32, kShape)};
  d.values = {{"read"}, {"x"}, {"y"}};
  std::vector<NodeId> made;
  const size_t count = 2 + random() % 14;
  const auto any = [&] { return static_cast<int>(random() % d.values.size()); };
  while (made.size() < count) {
    Described::Node node{"n" + std::to_string(made.size()), "", {any()}, {}, static_cast<int>(random() % kDeviceCount)};
    const uint32_t kind = random() % 6;
    size_t outputs = 1;
    if (kind < 2) node.inputs.push_back(any());
    if (kind == 5) outputs = 2;
    constexpr const char* kOps[] = {"Add", "Mul", "MatMul", "Tanh", "Softmax", "TopK"};
    node.op = kOps[kind];
    std::vector<ValueId> operands;
    for (const int v : node.inputs) operands.push_back(ids[static_cast<size_t>(v)]);
    if (kind == 2) operands.push_back(square);
    if (kind == 5) operands.push_back(e.ints({4}));  // the sorted row and the original positions
    f.set_device(engine.devices()[static_cast<size_t>(node.device)]->name());
    const auto given = e.emit_many(node.op, operands, outputs, {}, node.name);
    REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
    f.set_device("");
    const auto id = static_cast<NodeId>(f.function().nodes.size() - 1);
    if (!made.empty() && random() % 6 == 0) {
      const auto before = random() % made.size();
      REQUIRE(f.add_control(made[before], id).ok());
      node.after.push_back(static_cast<int>(before));
    }
    d.values.push_back({node.name, static_cast<int>(made.size())});
    ids.push_back(given[0]);  // positions are i64 and are not used further
    made.push_back(id);
    d.nodes.push_back(std::move(node));
  }
  std::vector<ValueId> outputs;
  for (size_t v = 3; v < ids.size(); ++v) {
    if (random() % 4 != 0 && v + 1 < ids.size()) continue;
    d.fetched.push_back(static_cast<int>(v));
    outputs.push_back(ids[v]);
  }
  d.fed = {1, 2};
  // A value within the graph may also be fed, which replaces the node that computes it.
  const int within = any();
  const bool fetched = std::find(d.fetched.begin(), d.fetched.end(), within) != d.fetched.end();
  if (within > 2 && !fetched && random() % 3 == 0) d.fed.push_back(within);
  REQUIRE(f.set_outputs(outputs).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  d.graph = *graph;
  return d;
}

// Returns the nodes that the fetches need, not looking past fed values. A control edge alone does
// not make a node run, unless the node has a lasting effect.
std::set<int> closure(const Described& d) {
  std::set<int> out;
  std::vector<int> open;
  const auto need = [&](int value) {
    const int node = d.values[static_cast<size_t>(value)].node;
    if (node >= 0 && std::find(d.fed.begin(), d.fed.end(), value) == d.fed.end()) open.push_back(node);
  };
  for (const int v : d.fetched) need(v);
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (!out.insert(node).second) continue;
    for (const int v : d.nodes[static_cast<size_t>(node)].inputs) need(v);
  }
  return out;
}

// Returns one transfer for each value and each device that reads it and does not have it.
std::set<std::pair<std::string, int>> crossings(const Described& d, const std::set<int>& running) {
  std::set<std::pair<std::string, int>> out;
  for (const int n : running) {
    const Described::Node& node = d.nodes[static_cast<size_t>(n)];
    for (const int v : node.inputs) {
      // Fed values go to each device from the host.
      if (std::find(d.fed.begin(), d.fed.end(), v) != d.fed.end()) continue;
      const Described::Value& value = d.values[static_cast<size_t>(v)];
      const int from = value.node < 0 ? kHost : d.nodes[static_cast<size_t>(value.node)].device;
      if (from != node.device) out.insert({value.name, node.device});
    }
  }
  return out;
}

std::multiset<std::string> executed(const Trace& trace) {
  std::multiset<std::string> out;
  const auto json = Json::parse(trace.to_json());
  REQUIRE(json.ok());
  const Json& events = *json->find("traceEvents");
  for (size_t i = 0; i < events.size(); ++i) {
    if (*events.item(i).find("ph")->as_string("ph") == "X") {
      out.insert(*events.item(i).find("name")->as_string("name"));
    }
  }
  return out;
}

Tensor numbers_from(float first) {
  std::vector<float> out(24);
  for (size_t i = 0; i < out.size(); ++i) out[i] = first + static_cast<float>(i * 7 % 11) * 0.1f;
  return Tensor::of<float>(kShape, out);
}

const SessionOptions& without_passes() {
  static const SessionOptions options = [] {
    SessionOptions out;
    for (const Pass& pass : device_free_passes()) out.compile.disabled_passes.emplace_back(pass.name);
    out.compile.disabled_passes.emplace_back(kFuseElementwise);
    out.compile.disabled_passes.emplace_back(kLayouts);
    return out;
  }();
  return options;
}

std::string text_of(const Described& d) {
  std::string out;
  for (const Described::Node& n : d.nodes) {
    out += str_cat("\n", n.name, " ", n.op, " on device ", n.device, " of");
    for (const int v : n.inputs) out += str_cat(" ", d.values[static_cast<size_t>(v)].name);
    for (const int before : n.after) out += str_cat(" after ", d.nodes[static_cast<size_t>(before)].name);
  }
  for (const std::string& name : d.names(d.fed)) out += str_cat("\nfed ", name);
  for (const std::string& name : d.names(d.fetched)) out += str_cat("\nfetched ", name);
  return out;
}

// With `whole`, some devices take partitions. Their individual nodes cannot be observed.
void check_graph(const std::shared_ptr<Engine>& engine, uint32_t seed, bool whole) {
  const Described d = random_graph(*engine, seed);
  const std::string text = text_of(d);
  CAPTURE(seed);
  CAPTURE(text);
  const auto variables = *initialize_variables(engine, d.graph, 0);
  std::vector<Tensor> feeds;
  for (size_t i = 0; i < d.fed.size(); ++i) feeds.push_back(numbers_from(static_cast<float>(i) * 0.3f - 0.7f));
  const RunSpec spec{.feeds = d.names(d.fed), .fetches = d.names(d.fetched), .binding = RunBinding::changing()};
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});

  // Without passes: every node runs by itself, on the device that the graph names.
  const auto plain = *Session::create(engine, d.graph, variables, without_passes());
  const auto plan = plain->prepare(spec, types);
  REQUIRE_MESSAGE(plan.ok(), plan.status().to_string());
  Trace trace;
  std::vector<Tensor> placed(spec.fetches.size());
  RunOptions options;
  options.trace = &trace;
  const Status status = plain->run(**plan, feeds, placed, options);
  REQUIRE_MESSAGE(status.ok(), status.to_string());
  if (!whole) {
    const std::set<int> needed = closure(d);
    std::multiset<std::string> names;
    for (const int n : needed) {
      names.insert(d.nodes[static_cast<size_t>(n)].op + " " + d.nodes[static_cast<size_t>(n)].name);
    }
    CHECK(executed(trace) == names);
    std::multiset<std::pair<std::string, int>> sent;
    for (const Transfer& t : (*plan)->transfers) {
      const auto to = static_cast<size_t>(t.to_part);
      if (t.to_input >= 0) sent.insert({t.value, (*plan)->programs[to].part.device});
    }
    const auto wanted = crossings(d, needed);
    CHECK(sent == std::multiset<std::pair<std::string, int>>(wanted.begin(), wanted.end()));
  }

  // With all passes, on the same devices and on one device.
  const auto optimised = *Session::create(engine, d.graph, variables);
  const auto together = optimised->run(spec, feeds);
  REQUIRE_MESSAGE(together.ok(), together.status().to_string());
  auto copy = std::make_shared<Graph>(*d.graph);
  for (Node& node : copy->functions[0].nodes) node.device.clear();
  const auto alone = *Session::create(engine, copy, variables);
  RunSpec at_home = spec;
  at_home.group = {kHost};
  const auto want = alone->run(at_home, feeds);
  REQUIRE_MESSAGE(want.ok(), want.status().to_string());
  for (size_t i = 0; i < placed.size(); ++i) {
    const Tensor& right = (*want)[i];
    const auto bytes = static_cast<size_t>(right.bytes());
    CHECK(std::memcmp(placed[i].data(), right.data(), bytes) == 0);
    CHECK(std::memcmp((*together)[i].data(), right.data(), bytes) == 0);
  }
}

}  // namespace

TEST_CASE("random graphs over four devices run what the fetches need, send nothing twice, and give one device's bits") {
  for (const int32_t threads : {1, 3}) {
    const auto engine = sim_engine(threads, "cpu:0,cpu:1,sim:0,sim:1");
    for (uint32_t seed = 0; seed < 5000; ++seed) check_graph(engine, seed + (threads == 1 ? 0 : 5000), false);
  }
}

TEST_CASE("random graphs over devices that take partitions whole give one device's bits, and none waits for itself") {
  for (const int32_t threads : {1, 3}) {
    const auto engine = sim_engine(threads, "cpu:0,sim_partition:0,sim:0,sim_partition:1");
    for (uint32_t seed = 0; seed < 1000; ++seed) check_graph(engine, seed + (threads == 1 ? 20000 : 30000), true);
  }
}

}  // namespace percale

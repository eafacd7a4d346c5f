#include "core/graph/validate.h"

#include <doctest/doctest.h>

#include <functional>

#include "tests/unit/graph/sample.h"

namespace percale {
namespace {

using sample::must;
using sample::seconds;

// Applies `change`, which must make the sample graph invalid, and returns the validator's error.
std::string error_after(const std::function<void(Graph&)>& change) {
  Graph graph = *sample::everything();
  REQUIRE(validate(graph).ok());
  change(graph);
  const Status status = validate(graph);
  CHECK_FALSE(status.ok());
  return std::string(status.message());
}

Node& node(Graph& graph, std::string_view name) {
  for (Node& n : graph.functions[0].nodes) {
    if (n.name == name) return n;
  }
  FAIL("no such node");
  return graph.functions[0].nodes[0];
}

Value& value(Graph& graph, std::string_view name) {
  return graph.functions[0].value(graph.functions[0].find_value(name));
}

TEST_CASE(
    "every index of a graph that is off by one or far off is refused, or leaves a graph that is valid in itself") {
  const std::vector<int32_t> wrong = {-2, -1, 0, 1, 2, 3, 1000, INT32_MAX, INT32_MIN};
  const auto sweep = [&](const std::function<std::vector<int32_t*>(Graph&)>& indices) {
    Graph probe = *sample::everything();
    const size_t count = indices(probe).size();
    size_t refused = 0;
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < wrong.size() + 2; ++k) {
        Graph graph = *sample::everything();
        int32_t& index = *indices(graph)[i];
        const int32_t before = index;
        index = k < wrong.size() ? wrong[k] : before + (k == wrong.size() ? 1 : -1);
        if (index != before && !validate(graph).ok()) ++refused;
      }
    }
    return refused;
  };
  const auto each_function = [](Graph& g, auto&& add) {
    std::vector<int32_t*> out;
    for (Function& f : g.functions) add(f, out);
    return out;
  };
  CHECK(sweep([&](Graph& g) {
          return each_function(g, [](Function& f, auto& out) {
            for (Node& n : f.nodes) {
              for (auto* list : {&n.inputs, &n.outputs, &n.control}) {
                for (int32_t& i : *list) out.push_back(&i);
              }
            }
          });
        }) > 100);
  CHECK(sweep([&](Graph& g) {
          return each_function(g, [](Function& f, auto& out) {
            for (Value& v : f.values) {
              out.push_back(&v.def);
              out.push_back(&v.output);
            }
          });
        }) > 100);
  CHECK(sweep([&](Graph& g) {
          return each_function(g, [](Function& f, auto& out) {
            for (int32_t& i : f.inputs) out.push_back(&i);
            for (int32_t& i : f.outputs) out.push_back(&i);
          });
        }) > 30);
}

TEST_CASE("errors name the place") {
  CHECK(error_after([](Graph& g) {
          node(g, "y").inputs[1] = 99;
        }).starts_with("function 'main': node 'y': input 1: there is no value 99, the function has "));
  CHECK(error_after([](Graph& g) {
          node(g, "y").outputs[0] = -7;
        }).starts_with("function 'main': value 'y': its definition does not list this value"));
  CHECK(error_after([](Graph& g) { g.functions[0].outputs[1] = 1000; }) ==
        "function 'main': output 1: there is no value 1000");
  CHECK(error_after([](Graph& g) { value(g, "flags").type.dtype = DType::kU8; }) ==
        "function 'main': constant 'flags' is declared u8 [3], but its tensor is bool [3]");
  CHECK(error_after([](Graph& g) {
          value(g, "y").type.dtype = DType::kF64;
        }).starts_with("function 'main': test:Add 'y': output 0 is declared f64"));
}

TEST_CASE("cycles are refused: a node takes no value of itself or of a later node, nor waits for one") {
  CHECK(error_after([](Graph& g) { node(g, "y").inputs[0] = node(g, "y").outputs[0]; }).find("topological order") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) { node(g, "rich").inputs[1] = node(g, "y").outputs[0]; }).find("topological order") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) {
          const auto last = static_cast<NodeId>(g.functions[0].nodes.size()) - 1;
          node(g, "read").control = {last};
        }).find("is not an earlier node") != std::string::npos);
  CHECK(error_after([](Graph& g) { node(g, "y").control = {1, 0}; }).find("ascending") != std::string::npos);
  CHECK(error_after([](Graph& g) { node(g, "y").control = {0, 0}; }).find("ascending") != std::string::npos);
}

TEST_CASE("dtypes, shapes and sizes out of range are refused") {
  constexpr int64_t kBig = int64_t{1} << 40;
  CHECK(error_after([](Graph& g) { value(g, "x").type.dtype = static_cast<DType>(99); }).find("99 is not a dtype") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) { value(g, "x").type.dtype = DType::kInvalid; }).find("not a dtype") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) { value(g, "x").type.shape = Shape{-2}; }).find("dim 0 is -2") != std::string::npos);
  CHECK(error_after([](Graph& g) { value(g, "x").type.shape = Shape{kBig + 1}; }).find("dim 0") != std::string::npos);
  CHECK(error_after([](Graph& g) {
          value(g, "any").type.shape = Shape{kBig, kBig};
        }).find("exceeds 2^63") != std::string::npos);
  CHECK(error_after([](Graph& g) {
          g.variables[0].shape = Shape{kBig, kBig};
        }).find("variable 'w'") != std::string::npos);
  CHECK(error_after([](Graph& g) { g.variables[0].shape = Shape{-1}; }).find("variable 'w'") != std::string::npos);
  CHECK(error_after([](Graph& g) {
          g.variables[0].shape = Shape{3};
        }).find("the first value is f32 [2], wanted f32 [3]") != std::string::npos);
  CHECK(error_after([](Graph& g) { g.variables[0].dtype = DType::kF64; }).find("variable 'w'") != std::string::npos);
}

TEST_CASE("zero dims and empty tensors are good") {
  Builder builder(sample::registry());
  FunctionBuilder& f = builder.main();
  const ValueId a = must(f.add_input("a", DType::kF32, Shape{0, 1 << 20}));
  const ValueId b = must(f.add_constant(Tensor::of<float>(Shape{0, 1 << 20}, {})));
  REQUIRE(f.set_outputs({sample::add(f, a, b)}).ok());
  CHECK(builder.finish().ok());
}

TEST_CASE("names must be there, unique, of sane length and printable") {
  const auto rename = [](auto&& pick, std::string name) { return error_after([&](Graph& g) { pick(g) = name; }); };
  const auto of_value = [](Graph& g) -> std::string& { return g.functions[0].values[1].name; };
  const auto of_node = [](Graph& g) -> std::string& { return g.functions[0].nodes[1].name; };
  const auto of_function = [](Graph& g) -> std::string& { return g.functions[1].name; };
  const auto of_variable = [](Graph& g) -> std::string& { return g.variables[1].name; };
  for (const std::string& bad : {std::string(), std::string("a\0b", 3), std::string("a\nb"), std::string(4097, 'x')}) {
    CAPTURE(bad.size());
    CHECK(rename(of_value, bad).find("name") != std::string::npos);
    CHECK(rename(of_node, bad).find("name") != std::string::npos);
    CHECK(rename(of_function, bad).find("name") != std::string::npos);
    CHECK(rename(of_variable, bad).find("name") != std::string::npos);
  }
  CHECK(rename(of_value, "x").find("two values have this name") != std::string::npos);
  CHECK(rename(of_node, "read").find("two nodes have the name 'read'") != std::string::npos);
  CHECK(rename(of_function, "main").find("two functions have the name 'main'") != std::string::npos);
  CHECK(rename(of_variable, "w").find("two variables have the name 'w'") != std::string::npos);
}

TEST_CASE("attributes, variables and functions that a node names must be there") {
  CHECK(error_after([](Graph& g) { node(g, "read").attributes.set("variable", "v"); }).find("'v' is not declared") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) {
          node(g, "call").attributes.set("body", FunctionRef{"none"});
        }).find("no function 'none'") != std::string::npos);
  CHECK(error_after([](Graph& g) { node(g, "call").attributes.erase("body"); }).find("required") != std::string::npos);
  CHECK(error_after([](Graph& g) { node(g, "rich").attributes.set("int", 1.5); }).find("of kind float, wanted int") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) { node(g, "rich").attributes.set("inte", 1); }).find("did you mean 'int'") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) {
          Node& y = node(g, "y");
          g.functions[0].outputs = {};
          g.functions[0].values.pop_back();
          y.outputs[0] = kNoValue;
        }).find("test:Add 'y': output 0 is required") != std::string::npos);
  CHECK(error_after([](Graph& g) { g.functions.erase(g.functions.begin()); }).find("'main' as its first") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) { g.functions[0].constants[0] = Tensor(); }).find("has no tensor") !=
        std::string::npos);
}

// main calls f1, f1 calls f2, and so on. `backwards` reverses the order of the functions in the
// graph.
Graph chain(size_t depth, bool backwards) {
  Graph graph;
  graph.registry = sample::registry();
  graph.functions.emplace_back().name = "main";
  for (size_t i = 1; i <= depth; ++i) {
    graph.functions.emplace_back().name = str_cat("f", static_cast<uint64_t>(backwards ? depth + 1 - i : i));
  }
  const OpSchema* call = graph.registry->find_op("test", "Call");
  for (Function& f : graph.functions) {
    const uint64_t number = f.name == "main" ? 0 : std::stoull(f.name.substr(1));
    if (number == depth) continue;
    Node n;
    n.name = "call";
    n.op = call;
    n.attributes.set("body", FunctionRef{str_cat("f", number + 1)});
    f.nodes.push_back(std::move(n));
  }
  return graph;
}

TEST_CASE("functions nest sixteen deep at most and never in a circle, in whatever order they stand") {
  for (bool backwards : {false, true}) {
    CAPTURE(backwards);
    CHECK(validate(chain(16, backwards)).ok());
    CHECK_FALSE(validate(chain(17, backwards)).ok());
    CHECK_FALSE(validate(chain(100, backwards)).ok());
  }
  Graph circle = chain(3, false);
  Node back;
  back.name = "back";
  back.op = circle.registry->find_op("test", "Call");
  back.attributes.set("body", FunctionRef{"f1"});
  circle.functions[3].nodes.push_back(back);
  CHECK(validate(circle).message().find("recursively") != std::string::npos);
}

TEST_CASE("init gives each variable without a first value its own, and has no inputs") {
  CHECK(error_after([](Graph& g) { g.variables[0].initial = Tensor(); }).find("'init' has no output of this name") !=
        std::string::npos);
  CHECK(error_after([](Graph& g) {
          g.variables[1].dtype = DType::kF64;
        }).find("variable 'late': the first value is f32") != std::string::npos);
  CHECK(error_after([](Graph& g) {
          Function& init = *g.find_function("init");
          init.values.push_back({"extra", {DType::kF32, {}}, ValueKind::kInput, 0, 0});
          init.inputs.push_back(static_cast<ValueId>(init.values.size()) - 1);
        }).find("'init' must have no inputs") != std::string::npos);
}

// A chain of `length` additions; each adds the previous value to itself.
Graph long_graph(size_t length) {
  Graph graph;
  graph.registry = sample::registry();
  Function& f = graph.functions.emplace_back();
  f.name = "main";
  f.values.push_back({"x", {DType::kF32, Shape{2}}, ValueKind::kInput, 0, 0});
  f.inputs = {0};
  const OpSchema* add = graph.registry->find_op("test", "Add");
  for (size_t i = 0; i < length; ++i) {
    const auto id = static_cast<int32_t>(i);
    Node n;
    n.name = str_cat("n", id);
    n.op = add;
    n.inputs = {id, id};
    n.outputs = {id + 1};
    f.nodes.push_back(std::move(n));
    f.values.push_back({str_cat("v", id), {DType::kF32, Shape{2}}, ValueKind::kNode, id, 0});
  }
  f.outputs = {static_cast<ValueId>(length)};
  return graph;
}

TEST_CASE(
    "the time grows with the graph and not faster: a hundred thousand nodes in a row, as many variables and calls") {
  Graph graph = long_graph(100000);
  for (int i = 0; i < 100000; ++i) {
    graph.variables.push_back({str_cat("w", i), DType::kF32, Shape{}, true, false, Tensor::scalar(0.0F)});
    Node read;
    read.name = str_cat("read", i);
    read.op = graph.registry->find_op("test", "Read");
    read.attributes.set("variable", str_cat("w", i));
    Function& f = graph.functions[0];
    const auto id = static_cast<int32_t>(f.nodes.size());
    read.outputs = {static_cast<ValueId>(f.values.size())};
    f.values.push_back({str_cat("r", i), {DType::kF32, Shape{}}, ValueKind::kNode, id, 0});
    f.nodes.push_back(std::move(read));
    graph.functions.emplace_back().name = str_cat("f", i);
    Node call;
    call.name = str_cat("call", i);
    call.op = graph.registry->find_op("test", "Call");
    call.attributes.set("body", FunctionRef{str_cat("f", i)});
    graph.functions[0].nodes.push_back(std::move(call));
  }
  CHECK(seconds([&] {
          const Status status = validate(graph);
          CAPTURE(status.to_string());
          CHECK(status.ok());
        }) < 10);  // quadratic lookups would take minutes
}

TEST_CASE("a wide function called by many small nodes ends with an error, soon") {
  Graph graph = long_graph(1);
  Function& wide = graph.functions.emplace_back();
  wide.name = "wide";
  for (int i = 0; i < 50000; ++i) {
    wide.values.push_back({str_cat("c", i), {DType::kF32, {}}, ValueKind::kConstant, 0, 0});
    wide.outputs.push_back(i);
  }
  wide.constants.push_back(Tensor::scalar(1.0F));
  for (int i = 0; i < 50000; ++i) {
    Node call;
    call.name = str_cat("call", i);
    call.op = graph.registry->find_op("test", "Call");
    call.attributes.set("body", FunctionRef{"wide"});
    graph.functions[0].nodes.push_back(std::move(call));
  }
  CHECK(seconds([&] { CHECK(validate(graph).code() == Code::kResourceExhausted); }) < 5);
}

TEST_CASE("a cycle a million nodes long ends with an error, soon") {
  Graph graph = long_graph(1000000);
  graph.functions[0].nodes[0].inputs[0] = 1000000;
  CHECK(seconds([&] { CHECK(validate(graph).message().find("topological order") != std::string::npos); }) < 5);
}

}  // namespace
}  // namespace percale

// Fusion in sessions: the same bits, kernels reported by name, groups that are put back, and order
// across devices.
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"
#include "tests/support/same_bits.h"

namespace percale {
namespace {

#define REQUIRE_OK(expr)                                \
  do {                                                  \
    const Status status_ = (expr);                      \
    REQUIRE_MESSAGE(status_.ok(), status_.to_string()); \
  } while (false)

std::shared_ptr<Engine> engine_with(const std::string& isa, const std::string& devices = "cpu:0", int32_t threads = 2) {
  EngineOptions options;
  options.devices = devices;
  options.threads = threads;
  options.isa = isa;
  return get(make_test_engine(options));
}

// Returns the instruction sets of this machine as options.
std::vector<std::string> isas() {
  std::vector<std::string> out;
  for (const char* isa : {"sse4", "avx2", "avx512", "neon"}) {
    EngineOptions options;
    options.isa = isa;
    if (get(make_test_ops(options)).isa == isa) out.emplace_back(isa);
  }
  return out;
}

size_t count_of(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// A graph with values for its inputs and one fetch, "out".
struct Case {
  Builder builder;
  Emitter e;
  std::vector<std::string> names;
  std::vector<Tensor> feeds;

  explicit Case(const Engine& engine) : builder(engine.registry()), e(builder.main()) {}
  ValueId input(Tensor value) {
    names.push_back(str_cat("in", static_cast<uint64_t>(names.size())));
    feeds.push_back(value);
    return get(builder.main().add_input(names.back(), value.dtype(), value.shape()));
  }
  std::shared_ptr<const Graph> finish(ValueId out) {
    REQUIRE_OK(e.status());
    REQUIRE_OK(builder.main().rename(out, "out"));
    REQUIRE_OK(builder.main().set_outputs({out}));
    return get(builder.finish());
  }
};

struct Outcome {
  Tensor fused;
  std::string kernels, passes;  // with fusion
};

// Runs the graph with and without fusion. Checks that the bits agree and that without fusion there
// is no Fused node.
Outcome run_both_ways(const std::shared_ptr<Engine>& engine, const Case& c, const std::shared_ptr<const Graph>& graph) {
  const RunSpec spec{.feeds = c.names, .fetches = {"out"}};
  std::vector<ValueType> types;
  for (const Tensor& feed : c.feeds) types.push_back({feed.dtype(), feed.shape()});
  const auto fused = get(Session::create(engine, graph, nullptr));
  const auto plain =
      get(Session::create(engine, graph, nullptr, {.compile = {.disabled_passes = {"fuse_elementwise"}}}));
  Outcome out{get(fused->run(spec, c.feeds))[0], get(fused->explain(spec, types, "kernels")),
              get(fused->explain(spec, types, "passes"))};
  const Tensor expected = get(plain->run(spec, c.feeds))[0];
  const std::string alone = get(plain->explain(spec, types, "kernels"));
  CHECK(alone.find("percale:Fused") == std::string::npos);
  CAPTURE(out.kernels);
  CAPTURE(alone);
  CHECK(same_bits(out.fused, expected));
  return out;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  size_t pick(size_t n) { return static_cast<size_t>(engine_()) % n; }
  // Numbers of all magnitudes; with `wild` also infinities and zeros of both signs.
  Tensor tensor(const Shape& shape, bool wild) {
    const std::array<float, 5> special = {0.0f, -0.0f, std::numeric_limits<float>::infinity(), 1e30f, -1e-30f};
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (float& v : values) {
      v = (static_cast<float>(engine_() % 20001) - 10000) * (engine_() % 7 == 0 ? 0.01f : 0.0003f);
      if (wild && engine_() % 50 == 0) v = special[pick(special.size())];
    }
    return Tensor::of(shape, std::span<const float>(values));
  }

 private:
  std::mt19937 engine_;
};

// Adds one elementwise node over `values`, of which the first has the whole shape.
ValueId add_elementwise(Emitter& e, Random& random, const std::vector<ValueId>& values) {
  static constexpr std::array kUnary = {"Neg",   "Abs",     "Sqrt", "Exp", "Log",  "Reciprocal",  "Floor",    "Ceil",
                                        "Round", "Sigmoid", "Tanh", "Erf", "Relu", "HardSigmoid", "HardSwish"};
  static constexpr std::array kBinary = {"Add", "Sub", "Mul", "Div", "Max", "Min"};
  const ValueId x = values[random.pick(values.size())], y = values[random.pick(values.size())];
  switch (random.pick(10)) {
    case 0: return e.emit("LeakyRelu", {x}, {{"alpha", 0.125}});
    case 1: return e.emit("Clip", {x, e.scalar(DType::kF32, -0.5), e.scalar(DType::kF32, 0.75)});
    case 2: return e.emit("Sum", {x, y, values[0]});
    case 3: return e.emit("Mean", {x, values[0], y});
    case 4: return e.emit("Pow", {x, e.scalar(DType::kF32, 2)});
    case 5: return e.emit("percale:ReluGrad", {values.back(), values.back()});
    case 6: return e.emit(random.pick(2) == 0 ? "Swish" : "Gelu", {x});
    case 7: return e.emit(kUnary[random.pick(kUnary.size())], {x});
    default: return e.emit(kBinary[random.pick(kBinary.size())], {x, y});
  }
}

// Returns broadcast operands for a shape: [last], [last two], [], a column, and one number per
// channel.
std::vector<ValueId> rows_of(Case& c, Random& random, const Shape& shape, bool wild) {
  std::vector<ValueId> out{c.input(random.tensor(Shape(shape.dims().last(1)), wild)),
                           c.input(random.tensor(Shape{}, wild)), c.e.scalar(DType::kF32, 0.3)};
  if (shape.rank() > 1) out.push_back(c.input(random.tensor(Shape(shape.dims().last(2)), wild)));
  if (shape.rank() > 1) {
    Shape column = shape;
    column[shape.rank() - 1] = 1;
    out.push_back(c.input(random.tensor(column, wild)));
  }
  if (shape.rank() > 2) {
    Shape channels(std::vector<int64_t>(shape.rank() - 1, 1));
    channels[0] = shape[1];
    out.push_back(c.input(random.tensor(channels, wild)));
  }
  return out;
}

// A product or convolution, and the kernel that computes it with its epilogue.
struct Anchor {
  const char* kernel;
  const char* op;
  std::vector<Shape> inputs;
  Attributes attributes = {};
  bool constant_weights = false;  // the last input is no feed
};
ValueId add_anchor(Case& c, Random& random, const Anchor& anchor) {
  std::vector<ValueId> inputs;
  for (const Shape& shape : anchor.inputs) {
    const Tensor value = random.tensor(shape, false);
    const bool constant = anchor.constant_weights && inputs.size() + 1 == anchor.inputs.size();
    inputs.push_back(constant ? c.e.constant(value) : c.input(value));
  }
  return c.e.emit(anchor.op, inputs, anchor.attributes);
}

}  // namespace

TEST_CASE(
    "a fused tree of elementwise nodes gives the bits of its nodes one by one, the same for AVX2 and "
    "AVX-512") {
  const std::vector<Shape> shapes{{1},       {7},          {2, 3},       {33, 5},     {4, 1100},
                                  {3, 5, 7}, {2, 3, 8, 9}, {40, 30, 70}, {3, 5, 300}, {2, 3, 20, 17}};
  std::map<std::string, std::shared_ptr<Engine>> engines;
  for (const std::string& isa : isas()) engines[isa] = engine_with(isa);
  size_t chains = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    std::map<std::string, Tensor> results;
    for (const auto& [isa, engine] : engines) {
      CAPTURE(isa);
      Random random(seed);
      const Shape& shape = shapes[random.pick(shapes.size())];
      Case c(*engine);
      std::vector<ValueId> values{c.input(random.tensor(shape, true)), c.input(random.tensor(shape, true))};
      for (ValueId row : rows_of(c, random, shape, true)) values.push_back(row);
      ValueId last = values[0];
      for (size_t n = 2 + random.pick(20); n > 0; --n) {
        std::swap(values[0], values[random.pick(2)]);
        last = add_elementwise(c.e, random, values);
        if (c.e.shape(last) == shape) values.push_back(last);
      }
      last = c.e.emit("Add", {values.back(), values[0]});
      const Outcome outcome = run_both_ways(engine, c, c.finish(last));
      chains += count_of(outcome.kernels, "\"kernel\":\"simd.chain\"");
      results[isa] = outcome.fused;
    }
    if (results.contains("avx2") && results.contains("avx512")) CHECK(same_bits(results["avx2"], results["avx512"]));
  }
  if (!engines.empty()) CHECK(chains > 100);
}

TEST_CASE("products and convolutions with an epilogue give the bits of the nodes one by one") {
  const std::vector<Anchor> anchors = {
      {"matmul_chain", "MatMul", {{37, 130}, {130, 23}}},
      {"matmul_chain", "MatMul", {{3, 4, 5}, {3, 5, 6}}},
      {"matmul_chain", "MatMul", {{2, 3, 300}, {300, 40}}},
      {"gemm_chain", "Gemm", {{2, 300}, {40, 300}}, {{"transB", 1}}},
      {"gemm_chain", "Gemm", {{20, 30}, {30, 40}, {40}}},
      {"gemm_chain", "Gemm", {{30, 20}, {30, 40}, {20, 1}}, {{"transA", 1}, {"alpha", 0.5}, {"beta", 2.0}}},
      {"conv_chain", "Conv", {{2, 6, 11, 9}, {8, 6, 3, 3}, {8}}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}},
      {"conv_chain", "Conv", {{2, 6, 15}, {4, 3, 5}}, {{"group", 2}, {"strides", std::vector<int64_t>{2}}}},
      {"conv_chain", "Conv", {{2, 1, 5, 6}, {1, 1, 1, 1}}, {}, true}};
  enum class Epilogue { kRelu, kRow, kRowRelu, kReluRow, kTree };
  for (const std::string& isa : isas()) {
    CAPTURE(isa);
    const auto engine = engine_with(isa);
    for (size_t m = 0; m < anchors.size(); ++m) {
      for (const Epilogue epilogue : {Epilogue::kRelu, Epilogue::kRow, Epilogue::kRowRelu, Epilogue::kReluRow,
                                      Epilogue::kTree, Epilogue::kTree}) {
        CAPTURE(m);
        CAPTURE(static_cast<int>(epilogue));
        Random random(static_cast<unsigned>(m * 10) + static_cast<unsigned>(epilogue));
        Case c(*engine);
        const ValueId y = add_anchor(c, random, anchors[m]);
        const Shape shape = c.e.shape(y);
        const ValueId row = c.input(random.tensor(Shape(shape.dims().last(1)), false));
        ValueId last = y;
        switch (epilogue) {
          case Epilogue::kRelu: last = c.e.emit("Relu", {y}); break;
          case Epilogue::kRow: last = c.e.emit("Add", {row, y}); break;
          case Epilogue::kRowRelu: last = c.e.emit("Relu", {c.e.emit("Add", {y, row})}); break;
          case Epilogue::kReluRow: last = c.e.emit("Add", {c.e.emit("Relu", {y}), row}); break;
          case Epilogue::kTree: {
            std::vector<ValueId> values{y, row, c.input(random.tensor(shape, false))};
            for (int i = 0; i < 4; ++i) {
              last = add_elementwise(c.e, random, values);
              if (c.e.shape(last) == shape) values.push_back(last);
            }
            last = c.e.emit("Sub", {values.back(), y});
            break;
          }
        }
        // Only the epilogue uses a bias that is fed, so there is a group of two or more nodes.
        const Outcome outcome = run_both_ways(engine, c, c.finish(last));
        CHECK(count_of(outcome.kernels, str_cat("\"kernel\":\"simd.", anchors[m].kernel, "\"")) == 1);
      }
    }
  }
}

TEST_CASE("what a kernel cannot express is put back, and the plan says why") {
  if (isas().empty()) return;
  const auto engine = engine_with("auto");
  Case c(*engine);
  const ValueId x = c.input(Random(1).tensor({5, 4}, false));
  const ValueId low = c.input(Tensor::scalar(0.1f));
  const ValueId sine = c.e.emit("Exp", {c.e.emit("Sin", {x})}, {}, "sine");
  const ValueId total = c.e.emit("ReduceSum", {sine}, {{"keepdims", 1}});
  const ValueId clipped = c.e.emit("Neg", {c.e.emit("Clip", {c.e.emit("Sub", {x, total}), low})}, {}, "clipped");
  const Outcome outcome = run_both_ways(engine, c, c.finish(c.e.emit("Tanh", {c.e.emit("ReduceSum", {clipped})})));
  CAPTURE(outcome.passes);
  CHECK(outcome.kernels.find("percale:Fused") == std::string::npos);
  CHECK(outcome.passes.find("{\"node\":\"sine\",\"reason\":\"simd.chain: has no step for op Sin") != std::string::npos);
  CHECK(outcome.passes.find("requires constant limits of Clip") != std::string::npos);
  CHECK(outcome.passes.find("simd.conv_chain: requires a body with the anchor Conv") != std::string::npos);
}

TEST_CASE("a group over no elements at all runs, with a number per channel, too") {
  const auto engine = engine_with("auto");
  Case c(*engine);
  const ValueId x = c.input(Tensor::of<float>(Shape{2, 0, 3}, {}));
  const ValueId sum = c.e.emit("Add", {x, c.input(Random(1).tensor({2, 1, 1}, false))});
  const Outcome outcome = run_both_ways(engine, c, c.finish(c.e.emit("Relu", {sum}, {}, "y")));
  CHECK((outcome.fused.shape() == Shape{2, 0, 3}));
}

TEST_CASE("the kernels that stood before the one that runs a fused node say why they refused it") {
  if (isas().empty()) return;
  const auto engine = engine_with("auto");
  Case c(*engine);
  const ValueId y =
      c.e.emit("MatMul", {c.input(Random(1).tensor({5, 4}, false)), c.input(Random(2).tensor({4, 3}, false))});
  const Outcome outcome = run_both_ways(engine, c, c.finish(c.e.emit("Relu", {y}, {}, "y")));
  CHECK(outcome.kernels.find(
            "{\"node\":\"y\",\"op\":\"percale:Fused\",\"device\":\"cpu:0\",\"kernel\":\"simd.matmul_chain\",") !=
        std::string::npos);
  CHECK(outcome.kernels.find(
            "\"refused\":[{\"kernel\":\"simd.chain\",\"reason\":\"requires a body without an anchor\"}") !=
        std::string::npos);
}

TEST_CASE("on several devices each part is fused by itself, and nodes that others wait for stay") {
  for (const int32_t threads : {1, 3}) {
    const auto engine = engine_with("auto", "cpu:0,cpu:1", threads);
    Case c(*engine);
    const ValueId x = c.input(Random(3).tensor({40, 40}, false));
    auto& main = c.builder.main();
    const auto node_of = [&](ValueId id) { return main.function().value(id).def; };
    main.set_device("cpu:0");
    const ValueId a1 = c.e.emit("Exp", {x}, {}, "a1"), a2 = c.e.emit("Neg", {a1}, {}, "a2");
    const ValueId a3 = c.e.emit("Tanh", {a2}, {}, "a3"), a4 = c.e.emit("Mul", {a3, x}, {}, "a4");
    main.set_device("cpu:1");
    const ValueId b1 = c.e.emit("Abs", {x}, {}, "b1"), b2 = c.e.emit("Sqrt", {b1}, {}, "b2");
    const ValueId b3 = c.e.emit("Mul", {b2, b1}, {}, "b3"), b4 = c.e.emit("Add", {b3, a4}, {}, "b4");
    REQUIRE_OK(main.add_control(node_of(a2), node_of(b2)));
    const auto graph = c.finish(c.e.emit("Relu", {b4}, {}, "b5"));
    const RunSpec spec{.feeds = c.names, .fetches = {"out"}};
    const auto session = get(Session::create(engine, graph, nullptr));
    const std::vector<ValueType> types{{DType::kF32, {40, 40}}};
    const std::string plan = get(session->explain(spec, types, "plan"));
    CAPTURE(plan);
    CHECK(plan.find("{\"value\":\"a2\",\"from\":\"cpu:0\",\"to\":\"cpu:1\",\"bytes\":0}") != std::string::npos);
    CHECK(plan.find("{\"node\":\"a2\",\"op\":\"Neg\"") != std::string::npos);
    CHECK(plan.find("{\"node\":\"b2\",\"op\":\"Sqrt\"") != std::string::npos);
    if (!isas().empty()) {
      CHECK(plan.find("{\"node\":\"a4\",\"op\":\"percale:Fused\",\"device\":\"cpu:0\"") != std::string::npos);
      CHECK(plan.find("{\"node\":\"b5\",\"op\":\"percale:Fused\",\"device\":\"cpu:1\"") != std::string::npos);
    }
    for (int i = 0; i < 20; ++i) run_both_ways(engine, c, graph);
  }
}

}  // namespace percale

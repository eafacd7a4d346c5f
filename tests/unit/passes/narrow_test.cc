#include "core/passes/narrow.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/unit/graph_util.h"

namespace percale {
namespace {

Tensor random_f32(const Shape& shape, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& v : values) v = std::uniform_real_distribution<float>(-1, 1)(engine);
  return Tensor::of<float>(shape, values);
}

// y = softmax(MatMul(Relu(MatMul(x, w) + b), w)) + Exp(x): products, what follows them, and what does not.
struct Net {
  std::shared_ptr<const Registry> registry = all_ops();
  Builder builder{registry};
  Graph graph;

  Net() {
    Build b(builder.main());
    const ValueId x = b.input("x", {128, 64}, DType::kF32);
    const ValueId w = b.constant(random_f32({64, 64}, 1), "w"), bias = b.constant(random_f32({64}, 2), "bias");
    const ValueId first = b.op("Relu", {b.op("Add", {b.op("MatMul", {x, w}, {}, "one"), bias}, {}, "sum")}, {}, "act");
    const ValueId second = b.op("MatMul", {first, w}, {}, "two");
    const ValueId y = b.op("Add", {b.op("Softmax", {second}, {}, "soft"), b.op("Exp", {x}, {}, "exp")}, {}, "y");
    b.outputs({y, first});
    graph = *get(builder.finish());
  }
};

std::string dtypes(const Function& f) {
  std::string out;
  for (const Node& node : f.nodes) out += str_cat(node.name, ":", f.type(node.outputs[0]).dtype, " ");
  return out;
}

TEST_CASE("products and what follows them become bf16, all else stays; the results are those but for rounding") {
  Net net;
  Function f = net.graph.main();
  const NarrowOptions options{[](const Node&) { return true; }, {}};
  NarrowOptions with_constants = options;
  for (size_t i = 0; i < f.values.size(); ++i)
    with_constants.prepared.push_back(f.values[i].kind == ValueKind::kConstant);
  check(narrow(net.graph, f, with_constants));
  // An output is there when it is made: whoever waits for it may be waited for.
  CHECK(dtypes(f) ==
        "x/bf16:bf16 w/bf16:bf16 one:bf16 bias/bf16:bf16 sum:bf16 act:bf16 act/f32:f32 two:bf16 two/f32:f32 soft:f32 "
        "exp:f32 y:f32 ");
  const Tensor x = random_f32({128, 64}, 3);
  const auto want = evaluate(net.graph, net.graph.main(), {x}), got = evaluate(net.graph, f, {x});
  for (size_t k = 0; k < want.size(); ++k) {
    REQUIRE(got[k].dtype() == DType::kF32);
    CHECK(f.value(f.outputs[k]).name == net.graph.main().value(net.graph.main().outputs[k]).name);
    const auto a = got[k].span<float>(), b = want[k].span<float>();
    bool same = true;
    for (size_t i = 0; i < a.size(); ++i) {
      CHECK(std::fabs(a[i] - b[i]) < 0.02f * (1 + std::fabs(b[i])));
      same = same && a[i] == b[i];
    }
    CHECK(!same);
  }
}

TEST_CASE("images are enlarged in bf16 by repeating pixels, in f32 by means of them; scales stay what they are") {
  const std::vector<float> times{1, 1, 2, 2};
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {1, 64, 16, 16}, DType::kF32), w = b.constant(random_f32({64, 64, 3, 3}, 4), "w");
  const ValueId y = b.op("Conv", {x, w}, {}, "conv"), scales = b.constant(Tensor::of<float>({4}, times), "scales");
  b.outputs({b.op("Relu", {b.op("Resize", {y, kNoValue, scales}, {{"mode", "nearest"}}, "larger")}, {}, "one"),
             b.op("Relu", {b.op("Resize", {y, kNoValue, scales}, {{"mode", "linear"}}, "smooth")}, {}, "two")});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  check(narrow(*graph, f, {[](const Node&) { return true; }, {}}));
  CHECK(dtypes(f).find("larger:bf16") != std::string::npos);
  CHECK(dtypes(f).find("smooth:f32") != std::string::npos);
  CHECK(dtypes(f).find("scales/bf16") == std::string::npos);
}

TEST_CASE("an operand that would be rounded for an elementwise node alone keeps it in f32") {
  Net net;
  Function f = net.graph.main();
  check(narrow(net.graph, f, {[](const Node&) { return true; }, {}}));  // nothing is prepared
  CHECK(dtypes(f).find("sum:f32") != std::string::npos);
  CHECK(dtypes(f).find("one:bf16") != std::string::npos);
}

TEST_CASE("a product that computes little for what would be rounded stays f32, but not behind one that is bf16") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {1, 32, 64}, DType::kF32);
  const ValueId depth = b.constant(random_f32({32, 1, 3}, 1), "depth");
  const ValueId point = b.constant(random_f32({32, 32, 1}, 2), "point");
  const ValueId first = b.op("Conv", {x, depth}, {{"group", 32}}, "first");
  const ValueId mixed = b.op("Conv", {first, point}, {}, "mixed");
  b.outputs({b.op("Conv", {mixed, depth}, {{"group", 32}}, "last")});
  const Graph graph = *get(builder.finish());
  Function f = graph.main();
  NarrowOptions options{[](const Node&) { return true; }, {}};
  for (const Value& value : f.values) options.prepared.push_back(value.kind == ValueKind::kConstant);
  check(narrow(graph, f, options));
  const std::string types = dtypes(f);
  CHECK(types.find("first:f32") != std::string::npos);
  CHECK(types.find("mixed:bf16") != std::string::npos);
  CHECK(types.find("last:bf16") != std::string::npos);
}

TEST_CASE("where no kernel gains, nothing is narrowed") {
  Net net;
  Function f = net.graph.main();
  check(narrow(net.graph, f, {[](const Node&) { return false; }, {}}));
  CHECK(dtypes(f) == dtypes(net.graph.main()));
}

// bf16 has eight bits of a number: no Cast of a Cast, where products alone read it.
TEST_CASE("what products read of booleans and of bytes becomes bf16 at once, exactly") {
  for (const DType from : {DType::kBool, DType::kU8, DType::kI8, DType::kI16}) {
    for (const bool others : {false, true}) {
      CAPTURE(from);
      CAPTURE(others);
      Builder builder{all_ops()};
      Build b(builder.main());
      const ValueId x = b.input("x", {64, 64}, from);
      const ValueId wide = b.op("Cast", {x}, {{"to", DType::kF32}}, "wide");
      const ValueId y = b.op("MatMul", {wide, b.constant(random_f32({64, 64}, 1), "w")}, {}, "y");
      b.outputs(others ? std::vector{y, b.op("Relu", {wide}, {}, "relu")} : std::vector{y});
      const Graph graph = *get(builder.finish());
      Function f = graph.main();
      NarrowOptions options{[](const Node&) { return true; }, {}};
      check(narrow(graph, f, options));
      const std::string got = dtypes(f);
      const bool at_once = got.find("wide:bf16 ") != std::string::npos;
      CHECK(at_once == (from != DType::kI16 && !others));
      CHECK(at_once == (got.find("wide/bf16:bf16 ") == std::string::npos));
    }
  }
}

}  // namespace
}  // namespace percale

#include "core/passes/device/narrow.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "core/autodiff/gradients.h"
#include "tests/unit/graph_util.h"

namespace percale {
namespace {

Tensor random_f32(const Shape& shape, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& v : values) v = std::uniform_real_distribution<float>(-1, 1)(engine);
  return Tensor::of<float>(shape, values);
}

// y = softmax(MatMul(Relu(MatMul(x, w) + b), w)) + Exp(x): products, nodes that follow them in
// bf16, and others.
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
    with_constants.precomputed.push_back(f.values[i].kind == ValueKind::kConstant);
  check(narrow(net.graph, f, with_constants));
  // An output is available as soon as it is computed, because waiting for it until the end could
  // deadlock.
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
  check(narrow(net.graph, f, {[](const Node&) { return true; }, {}}));  // no value is precomputed
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
  for (const Value& value : f.values) options.precomputed.push_back(value.kind == ValueKind::kConstant);
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

// bf16 has eight significant bits, so these values are exact and need no second Cast if only
// products read them.
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

// A training step of a small image net, with the ops that mixed precision uses.
TEST_CASE(
    "gradients of products, of batch normalization and of pools are bf16 as what they belong to; statistics and scales "
    "stay f32") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {8, 4, 12, 12}, DType::kF32), w = b.input("w", {16, 4, 3, 3}, DType::kF32),
                scale = b.input("scale", {16}, DType::kF32), shift = b.input("shift", {16}, DType::kF32),
                v = b.input("v", {16, 16, 3, 3}, DType::kF32), m = b.input("m", {64, 32}, DType::kF32);
  const ValueId mean = b.constant(Tensor::of<float>({16}, std::vector<float>(16, 0.0f)), "mean"),
                var = b.constant(Tensor::of<float>({16}, std::vector<float>(16, 1.0f)), "var");
  const ValueId first = b.op("Conv", {x, w}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}, "first");
  const auto norm = b.ops("BatchNormalization", {first, scale, shift, mean, var}, 3, {{"training_mode", 1}}, "norm");
  const ValueId act = b.op("Relu", {norm[0]}, {}, "act");
  const ValueId pool =
      b.op("MaxPool", {act}, {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}},
           "pool");
  const ValueId second = b.op("Conv", {pool, v}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}, "second");
  const ValueId rows = b.op("Reshape", {second, b.ints({72, 64})}, {}, "rows");
  const ValueId y = b.op(
      "ReduceMean", {b.op("Mul", {b.op("MatMul", {rows, m}, {}, "product"), b.number(0.5, DType::kF32)}, {}, "half")},
      {{"keepdims", 0}}, "y");
  std::vector<ValueId> outputs{y, norm[1]};
  for (const ValueId grad : get(gradients(builder.main(), {y}, {w, scale, shift, v, m}))) outputs.push_back(grad);
  b.outputs(outputs);
  const Graph graph = *get(builder.finish());
  Function f = graph.main();
  check(narrow(graph, f, {[](const Node&) { return true; }}));
  size_t seen = 0;
  for (const Node& node : f.nodes) {
    const std::string op = op_name(*node.op);
    CAPTURE(node.name);
    const auto dtype = [&](ValueId id) { return f.type(id).dtype; };
    if (op == "BatchNormalization" || op == "percale:BatchNormalizationGrad") {
      const bool grad = node.op->domain == "percale";
      CHECK(dtype(node.outputs[0]) == DType::kBF16);
      CHECK(dtype(node.inputs[0]) == DType::kBF16);
      CHECK(dtype(node.inputs[grad ? 2 : 1]) == DType::kF32);  // the scale
      CHECK(dtype(node.outputs[1]) == DType::kF32);
      ++seen;
    }
    if (op == "percale:ConvGradInput" || op == "percale:ConvGradWeight" || op == "percale:MaxPoolGrad" ||
        op == "percale:ReluGrad") {
      CHECK(dtype(node.outputs[0]) == DType::kBF16);
      ++seen;
    }
  }
  CHECK(seen == 7);
  std::vector<Tensor> in;
  for (const ValueId id : graph.main().inputs)
    in.push_back(random_f32(graph.main().type(id).shape, static_cast<unsigned>(in.size()) + 3));
  const auto want = evaluate(graph, graph.main(), in), got = evaluate(graph, f, in);
  for (size_t k = 0; k < want.size(); ++k) {
    REQUIRE(got[k].dtype() == DType::kF32);
    const auto a = got[k].span<float>(), b2 = want[k].span<float>();
    double most = 1e-6, off = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      most = std::max(most, std::fabs(static_cast<double>(b2[i])));
      off = std::max(off, std::fabs(static_cast<double>(a[i]) - b2[i]));
    }
    CAPTURE(k);
    CHECK(off < 0.1 * most);  // rounding may make a pool choose another pixel
  }
}

TEST_CASE("a bias that a variable holds is rounded for the many that it meets, one as large as they are is not") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {64, 64}, DType::kF32), w = b.input("w", {64, 64}, DType::kF32),
                bias = b.input("bias", {64}, DType::kF32), whole = b.input("whole", {64, 64}, DType::kF32);
  const ValueId product = b.op("MatMul", {x, w}, {}, "product");
  b.outputs({b.op("Add", {product, bias}, {}, "row"), b.op("Add", {product, whole}, {}, "all")});
  const Graph graph = *get(builder.finish());
  for (const bool variables : {true, false}) {
    Function f = graph.main();
    NarrowOptions options{[](const Node&) { return true; }};
    options.variables.assign(f.values.size(), variables);
    check(narrow(graph, f, options));
    CHECK((dtypes(f).find("row:bf16") != std::string::npos) == variables);
    CHECK(dtypes(f).find("all:f32") != std::string::npos);
  }
}

TEST_CASE("what views show is rounded once for all who see it") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {64, 64}, DType::kF32), w = b.input("w", {64, 64}, DType::kF32);
  const ValueId flat = b.op("Reshape", {x, b.ints({2, 32, 64})}, {}, "flat");
  b.outputs({b.op("MatMul", {x, w}, {}, "one"), b.op("MatMul", {flat, w}, {}, "two")});
  const Graph graph = *get(builder.finish());
  Function f = graph.main();
  check(narrow(graph, f, {[](const Node&) { return true; }}));
  size_t casts = 0;
  for (const Node& node : f.nodes)
    casts += op_name(*node.op) == "Cast" && f.type(node.outputs[0]).dtype == DType::kBF16 ? 1 : 0;
  CHECK(casts == 2);  // for x and w
  const Tensor in = random_f32({64, 64}, 1), weights = random_f32({64, 64}, 2);
  const auto got = evaluate(graph, f, {in, weights});
  CHECK(std::memcmp(got[0].data(), got[1].data(), static_cast<size_t>(got[0].bytes())) == 0);
}

}  // namespace
}  // namespace percale

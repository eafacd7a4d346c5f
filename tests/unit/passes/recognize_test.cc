#include <limits>
#include <numbers>

#include "core/autodiff/gradients.h"
#include "tests/unit/passes/recognize_util.h"

namespace percale {
namespace {

using Strings = std::vector<std::string>;
const Shape kShape{2, 3, 4};
const Tensor kX = wavy({2, 3, 4}, -4, 4);

ValueId mean(Build& b, ValueId x, const std::vector<int64_t>& axes, int64_t keepdims = 1) {
  return b.op("ReduceMean", {x, b.ints(axes)}, {{"keepdims", keepdims}});
}

// The forms in which exporters write d / sqrt(mean(d^2) + epsilon).
struct Written {
  bool pow, reciprocal, twice;
};
constexpr Written kWays[] = {{false, false, false}, {true, false, false}, {true, true, false}, {false, true, true}};
ValueId standardized(Build& b, ValueId x, const Written& way, const std::vector<int64_t>& axes) {
  const ValueId average = mean(b, x, axes);
  const ValueId d = b.op("Sub", {x, average}), of = way.twice ? b.op("Sub", {x, average}) : d;
  const ValueId square = way.pow ? b.op("Pow", {of, b.number(2)}) : b.op("Mul", {of, of});
  const ValueId root = b.op("Sqrt", {b.op("Add", {b.number(1e-5), mean(b, square, axes)})});
  return way.reciprocal ? b.op("Mul", {b.op("Reciprocal", {root}), d}) : b.op("Div", {d, root});
}

}  // namespace

TEST_CASE("LayerNormalization is found as exporters write it, with scale and bias, with scale, and bare") {
  for (const Written& way : kWays) {
    for (int extras = 0; extras < 3; ++extras) {
      Builder builder(all_ops());
      Build b(builder.main());
      ValueId y = standardized(b, b.input("x", kShape), way, {-1});
      if (extras > 0) y = b.op("Mul", {y, b.constant(wavy({4}))});
      if (extras > 1) y = b.op("Add", {b.constant(wavy({4})), y});
      b.outputs({y});
      CHECK(ops_after(*get(builder.finish()), "recognize_norm", {kX}) == Strings{"LayerNormalization"});
    }
  }
}

TEST_CASE("LayerNormalization over several last dims takes scales that line up with them") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId y = standardized(b, b.input("x", kShape), kWays[0], {2, 1});
  b.outputs({b.op("Mul", {y, b.constant(wavy({1, 3, 4}))})});
  CHECK(ops_after(*get(builder.finish()), "recognize_norm", {kX}) == Strings{"Reshape", "LayerNormalization"});
}

TEST_CASE("RMSNormalization is found") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", kShape);
  const ValueId root = b.op("Sqrt", {b.op("Add", {mean(b, b.op("Pow", {x, b.number(2)}), {-1}), b.number(1e-6)})});
  b.outputs({b.op("Mul", {b.constant(wavy({4})), b.op("Mul", {x, b.op("Reciprocal", {root})})})});
  CHECK(ops_after(*get(builder.finish()), "recognize_norm", {kX}) == Strings{"RMSNormalization"});
}

TEST_CASE("What is no normalisation of rows stays as it is") {
  const auto refused = [](auto&& build) {
    Builder builder(all_ops());
    Build b(builder.main());
    build(b, b.input("x", kShape));
    const auto graph = get(builder.finish());
    return ops_after(*graph, "recognize_norm", {kX}).size() == graph->main().nodes.size();
  };
  CHECK(refused([](Build& b, ValueId x) { b.outputs({standardized(b, x, kWays[0], {1})}); }));
  // The variance is taken around another mean.
  CHECK(refused([](Build& b, ValueId x) {
    const ValueId d = b.op("Sub", {x, mean(b, x, {-1})}), other = b.op("Sub", {x, mean(b, x, {1, 2})});
    const ValueId square = b.op("Mul", {other, other});
    b.outputs({b.op("Div", {d, b.op("Sqrt", {b.op("Add", {mean(b, square, {-1}), b.number(1e-5)})})})});
  }));
  // Another node reads the deviation.
  CHECK(refused([](Build& b, ValueId x) {
    const ValueId d = b.op("Sub", {x, mean(b, x, {-1})});
    const ValueId root = b.op("Sqrt", {b.op("Add", {mean(b, b.op("Mul", {d, d}), {-1}), b.number(1e-5)})});
    b.outputs({b.op("Div", {d, root}), b.op("Neg", {root})});
  }));
  // A cube instead of a square.
  CHECK(refused([](Build& b, ValueId x) {
    const ValueId d = b.op("Sub", {x, mean(b, x, {-1})});
    const ValueId square = b.op("Pow", {b.op("Abs", {d}), b.number(3)});
    b.outputs({b.op("Div", {d, b.op("Sqrt", {b.op("Add", {mean(b, square, {-1}), b.number(1e-5)})})})});
  }));
}

TEST_CASE("Gelu is found by erf and by tanh, however its factors stand") {
  for (int way = 0; way < 5; ++way) {
    CAPTURE(way);
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", kShape);
    ValueId y = kNoValue;
    if (way < 2) {
      const ValueId inner = way == 0 ? b.op("Div", {x, b.number(std::numbers::sqrt2)})
                                     : b.op("Mul", {b.number(1 / std::numbers::sqrt2), x});
      const ValueId bend = b.op("Add", {b.op("Erf", {inner}), b.number(1)});
      y = way == 0 ? b.op("Mul", {x, b.op("Mul", {b.number(0.5), bend})})
                   : b.op("Div", {b.op("Mul", {x, bend}), b.number(2)});
    } else {
      const ValueId root = b.number(std::sqrt(2 * std::numbers::inv_pi)), small = b.number(0.044715);
      ValueId inner = kNoValue;
      if (way == 2) inner = b.op("Mul", {root, b.op("Add", {x, b.op("Mul", {small, b.op("Pow", {x, b.number(3)})})})});
      if (way == 3) {
        const ValueId cube = b.op("Mul", {x, b.op("Mul", {x, b.op("Mul", {small, x})})});
        inner = b.op("Mul", {b.op("Add", {cube, x}), root});
      }
      if (way == 4) {
        const ValueId square = b.op("Mul", {b.op("Mul", {small, x}), x});
        inner = b.op("Mul", {b.op("Mul", {x, root}), b.op("Add", {b.number(1), square})});
      }
      y = b.op("Mul", {b.op("Mul", {b.number(0.5), x}), b.op("Add", {b.op("Tanh", {inner}), b.number(1)})});
    }
    b.outputs({b.op("Neg", {y})});
    CHECK(ops_after(*get(builder.finish()), "recognize_activation", {kX}) == Strings{"Gelu", "Neg"});
  }
}

TEST_CASE("Swish, HardSigmoid and HardSwish are found") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", kShape);
  const auto clipped = [&](ValueId v) {
    return b.op("Clip", {b.op("Add", {v, b.number(3)}), b.number(0), b.number(6)});
  };
  const ValueId swish = b.op("Mul", {b.op("Sigmoid", {x}), x});
  const ValueId quick = b.op("Mul", {swish, b.op("Sigmoid", {b.op("Mul", {swish, b.number(1.702)})})});
  const ValueId hard = b.op("Div", {b.op("Mul", {quick, clipped(quick)}), b.number(6)});
  const ValueId gate = b.op("Div", {clipped(hard), b.number(6)});
  b.outputs({gate, b.op("Mul", {x, b.op("Mul", {clipped(x), b.number(1.0 / 6)})})});
  CHECK(ops_after(*get(builder.finish()), "recognize_activation", {kX}) ==
        Strings{"Swish", "Swish", "HardSwish", "HardSigmoid", "HardSwish"});
}

TEST_CASE("Numbers that are near are not near enough") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", kShape);
  const ValueId bend = b.op("Add", {b.op("Erf", {b.op("Div", {x, b.number(1.414)})}), b.number(1)});
  b.outputs({b.op("Mul", {x, b.op("Mul", {b.number(0.5), bend})}),
             b.op("Mul", {x, b.op("Clip", {b.op("Add", {x, b.number(3)}), b.number(0), b.number(5)})})});
  CHECK(ops_after(*get(builder.finish()), "recognize_activation", {kX}).size() == 8);
}

namespace {

// The attention of one layer as exporters of transformers write it: 2 batches, 3 heads of size 4, 5
// queries, 6 keys.
struct Layer {
  Builder builder{all_ops()};
  Build b{builder.main()};
  std::vector<Tensor> inputs;
  std::vector<int64_t> heads_first{0, 2, 1, 3};

  ValueId input(const Shape& shape) {
    inputs.push_back(wavy(shape, -2, 2));
    return b.input(str_cat("in", static_cast<uint64_t>(inputs.size())), shape);
  }
  ValueId turned(ValueId x, std::vector<int64_t> perm) { return b.op("Transpose", {x}, {{"perm", std::move(perm)}}); }
  ValueId heads(int64_t rows) { return turned(input({2, rows, 3, 4}), heads_first); }
  std::vector<std::string> finish(ValueId y) {
    b.outputs({y});
    return ops_after(*get(builder.finish()), "recognize_attention", inputs);
  }
};

}  // namespace

TEST_CASE("Attention is found between the layouts that products leave, with a scale and a mask") {
  Layer l;
  const ValueId scores = l.b.op("MatMul", {l.heads(5), l.turned(l.input({2, 6, 3, 4}), {0, 2, 3, 1})});
  const ValueId masked = l.b.op("Add", {l.b.op("Div", {scores, l.b.number(2)}), l.input({2, 1, 1, 6})});
  const ValueId y = l.b.op("MatMul", {l.b.op("Softmax", {masked}), l.heads(6)});
  CHECK(l.finish(l.b.op("Neg", {l.turned(y, l.heads_first)})) == Strings{"FusedAttention", "Neg"});
}

TEST_CASE(
    "Attention is found where Q and K are scaled by themselves, NaN is taken out, and K was a batch of matrices "
    "meanwhile") {
  Layer l;
  const ValueId flat = l.b.op("Reshape", {l.heads(6), l.b.ints({6, 6, 4})});
  const ValueId keys = l.b.op("Reshape", {l.turned(flat, {0, 2, 1}), l.b.ints({2, 3, 4, 6})});
  const ValueId half = l.b.number(0.5);
  const ValueId scores = l.b.op("MatMul", {l.b.op("Mul", {l.heads(5), half}), l.b.op("Mul", {half, keys})});
  const double low = -std::numeric_limits<double>::infinity();
  const ValueId some = l.b.op("Greater", {l.input({5, 6}), l.b.number(-1)});
  const ValueId p = l.b.op(
      "Softmax", {l.b.op("Add", {scores, l.b.op("Where", {some, l.b.number(0), l.b.number(low)})})}, {{"axis", 3}});
  const ValueId known = l.b.op("Where", {l.b.op("IsNaN", {p}), l.b.number(0), p});
  CHECK(l.finish(l.b.op("MatMul", {known, l.heads(6)})) == Strings{"Greater", "Where", "FusedAttention"});
}

TEST_CASE("Attention of rank 3, heads in the first dim, is found with rows that stand first") {
  Layer l;
  const ValueId q = l.turned(l.input({5, 3, 4}), {1, 0, 2}), k = l.turned(l.input({6, 3, 4}), {1, 2, 0});
  const ValueId scores = l.b.op("Mul", {l.b.op("MatMul", {q, k}), l.b.number(0.25)});
  const ValueId v = l.turned(l.input({6, 3, 2}), {1, 0, 2});
  const ValueId y = l.turned(l.b.op("MatMul", {l.b.op("Softmax", {scores}), v}), {1, 0, 2});
  CHECK(l.finish(y) == Strings{"Reshape", "Reshape", "Reshape", "FusedAttention", "Reshape"});
}

TEST_CASE("Heads of K and V that are repeated for those of Q are shared") {
  Layer l;
  const auto repeated = [&](ValueId x) {
    const ValueId wide = l.b.op("Expand", {l.b.op("Unsqueeze", {x, l.b.ints({2})}), l.b.ints({2, 3, 2, 6, 4})});
    return l.b.op("Reshape", {wide, l.b.ints({2, 6, 6, 4})});
  };
  const ValueId q = l.input({2, 6, 5, 4}), keys = repeated(l.heads(6));
  const ValueId p = l.b.op("Softmax", {l.b.op("MatMul", {q, l.turned(keys, {0, 1, 3, 2})})});
  CHECK(l.finish(l.b.op("MatMul", {p, repeated(l.input({2, 3, 6, 4}))})) == Strings{"FusedAttention"});
}

TEST_CASE("A choice between scores and a number that hides them is a mask") {
  Layer l;
  const ValueId some = l.b.op("Greater", {l.input({1, 1, 5, 6}), l.b.number(0)});
  const ValueId scores = l.b.op("MatMul", {l.input({2, 3, 5, 4}), l.turned(l.input({2, 3, 6, 4}), {0, 1, 3, 2})});
  const ValueId p = l.b.op("Softmax", {l.b.op("Where", {some, scores, l.b.number(-1e30)})});
  CHECK(l.finish(l.b.op("MatMul", {p, l.input({2, 3, 6, 7})})) == Strings{"Greater", "Where", "FusedAttention"});
}

namespace {

// Builds attention that trains, in f32: the sum of weighted outputs, and its gradients with respect
// to the inputs of Q, K and V. Compares results before and after the pass and returns the ops after
// it. `asked`: products compute in bf16.
Strings trained(bool by_row, const std::string& mask, bool asked, bool looks = false) {
  Builder builder{all_ops()};
  Build b{builder.main()};
  std::vector<Tensor> inputs;
  const auto input = [&](const Shape& shape) {
    const Tensor wide = wavy(shape, -2, 2);
    std::vector<float> values(wide.span<double>().begin(), wide.span<double>().end());
    inputs.push_back(Tensor::of(shape, std::span<const float>(values)));
    return b.input(str_cat("in", static_cast<uint64_t>(inputs.size())), shape, DType::kF32);
  };
  const auto number = [&](double value) { return b.number(value, DType::kF32); };
  const auto turned = [&](ValueId x, std::vector<int64_t> perm) {
    return b.op("Transpose", {x}, {{"perm", std::move(perm)}});
  };
  const auto heads = [&](ValueId x) { return by_row ? turned(x, {0, 2, 1, 3}) : x; };
  const auto dims = [&](int64_t rows, int64_t size) {
    return by_row ? Shape{2, rows, 3, size} : Shape{2, 3, rows, size};
  };
  const ValueId q = input(dims(5, 4)), k = input(dims(6, 4)), v = input(dims(6, 7));
  ValueId scores = b.op(
      "MatMul", {heads(q), turned(k, by_row ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 1, 3, 2})});
  if (mask == "added") scores = b.op("Add", {b.op("Div", {scores, number(2)}), input({5, 6})});
  if (mask == "chosen")
    scores = b.op("Where",
                  {b.op("Greater", {input({5, 6}), number(-1.5)}), b.op("Mul", {number(0.5), scores}), number(-1e30)});
  const ValueId p = b.op("Softmax", {scores});
  const ValueId y = heads(b.op("MatMul", {p, heads(v)}));
  const ValueId loss = b.op("ReduceSum", {b.op("Mul", {y, input(dims(5, 7))})}, {{"keepdims", 0}});
  std::vector<ValueId> outputs{loss};
  for (ValueId grad : get(gradients(builder.main(), {loss}, {q, k, v}))) outputs.push_back(grad);
  if (looks) outputs.push_back(p);
  b.outputs(outputs);
  const Graph graph = *get(builder.finish());
  Function f = graph.main();
  PassContext context;
  context.narrows = asked;
  context.claims = [](const Function&, const Node&) { return true; };
  check(recognize_attention_grad(graph, f, context));
  const auto want = evaluate(graph, graph.main(), inputs), got = evaluate(graph, f, inputs);
  for (size_t i = 0; i < want.size(); ++i) {
    REQUIRE(got[i].shape() == want[i].shape());
    for (size_t j = 0; j < want[i].span<float>().size(); ++j) {
      CHECK(got[i].span<float>()[j] == doctest::Approx(want[i].span<float>()[j]).epsilon(1e-4));
    }
  }
  Strings out;
  for (const Node& node : f.nodes) out.emplace_back(node.op->name);
  return out;
}

}  // namespace

TEST_CASE(
    "Attention that trains in bf16 becomes two ops, which read and write what the transpositions of heads led to") {
  for (const bool by_row : {true, false}) {
    for (const std::string mask : {"", "added", "chosen"}) {
      CAPTURE(by_row);
      CAPTURE(mask);
      const Strings ops = trained(by_row, mask, true);
      const auto count = [&](std::string_view op) { return std::count(ops.begin(), ops.end(), op); };
      CHECK(count("FusedAttention") == 1);
      CHECK(count("FusedAttentionGrad") == 1);
      CHECK(count("Transpose") == 0);
      CHECK(count("Softmax") + count("MatMul") + count("BatchMatMul") == 0);
    }
  }
  for (const Strings& ops :
       // bf16 not requested; the weights are an output.
       {trained(true, "added", false), trained(true, "added", true, true)}) {
    CHECK(std::count(ops.begin(), ops.end(), "FusedAttentionGrad") == 0);
  }
}

TEST_CASE("What is no attention stays as it is") {
  const auto refused = [](auto&& build) {
    Layer l;
    const ValueId y = build(l);
    l.b.outputs({y});
    const auto graph = get(l.builder.finish());
    return ops_after(*graph, "recognize_attention", l.inputs).size() == graph->main().nodes.size();
  };
  const auto product = [](Layer& l) { return l.b.op("MatMul", {l.heads(5), l.input({2, 3, 4, 6})}); };
  // The softmax runs over the queries.
  CHECK(refused([&](Layer& l) {
    return l.b.op("MatMul", {l.b.op("Softmax", {product(l)}, {{"axis", 2}}), l.heads(6)});
  }));
  // The masked number is not low enough.
  CHECK(refused([&](Layer& l) {
    const ValueId some = l.b.op("Greater", {l.input({5, 6}), l.b.number(0)});
    const ValueId scores = l.b.op("Where", {some, product(l), l.b.number(-100)});
    return l.b.op("MatMul", {l.b.op("Softmax", {scores}), l.heads(6)});
  }));
  // The scale follows the mask.
  CHECK(refused([&](Layer& l) {
    const ValueId scores = l.b.op("Mul", {l.b.op("Add", {product(l), l.input({5, 6})}), l.b.number(0.5)});
    return l.b.op("MatMul", {l.b.op("Softmax", {scores}), l.heads(6)});
  }));
  // Another node reads the probabilities.
  CHECK(refused([&](Layer& l) {
    const ValueId p = l.b.op("Softmax", {product(l)});
    return l.b.op("Add", {l.b.op("MatMul", {p, l.heads(6)}), l.b.op("ReduceSum", {p})});
  }));
  // All heads share the values.
  CHECK(refused([&](Layer& l) { return l.b.op("MatMul", {l.b.op("Softmax", {product(l)}), l.input({2, 1, 6, 4})}); }));
}

TEST_CASE("The rotation of embeddings is found with slices and with a split, and keeps its bits") {
  for (const bool split : {false, true}) {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", kShape), cosine = b.constant(wavy({1, 3, 4})), sine = b.constant(wavy({3, 4}));
    const auto slice = [&](int64_t from, int64_t to) {
      return b.op("Slice", {x, b.ints({from}), b.ints({to}), b.ints({2}), b.ints({1})});
    };
    std::vector<ValueId> halves{slice(0, 2), slice(2, INT64_MAX)};
    if (split) halves = b.ops("Split", {x}, 2, {{"axis", -1}, {"num_outputs", 2}});
    const ValueId turned = b.op("Concat", {b.op("Neg", {halves[1]}), halves[0]}, {{"axis", -1}});
    b.outputs({b.op("Add", {b.op("Mul", {x, cosine}), b.op("Mul", {turned, sine})})});
    CHECK(ops_after(*get(builder.finish()), "recognize_rotary", {kX}) == Strings{"FusedRotary"});
  }
}

TEST_CASE("Halves that are not changed about, or not negated, are no rotation") {
  for (int way = 0; way < 2; ++way) {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", kShape), cosine = b.constant(wavy({4})), sine = b.constant(wavy({4}));
    const auto halves = b.ops("Split", {x}, 2, {{"axis", -1}, {"num_outputs", 2}});
    const ValueId first = way == 0 ? b.op("Neg", {halves[0]}) : halves[1], second = way == 0 ? halves[1] : halves[0];
    const ValueId turned = b.op("Concat", {first, second}, {{"axis", -1}});
    b.outputs({b.op("Add", {b.op("Mul", {x, cosine}), b.op("Mul", {turned, sine})})});
    const auto graph = get(builder.finish());
    CHECK(ops_after(*graph, "recognize_rotary", {kX}).size() == graph->main().nodes.size());
  }
}

}  // namespace percale

#include <algorithm>
#include <random>

#include "core/passes/device/fuse_elementwise.h"
#include "tests/unit/graph_util.h"

namespace percale {
namespace {

using Strings = std::vector<std::string>;

Tensor f32(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of(shape, std::span<const float>(values));
}

const Tensor kX = f32({2, 3}, {0.3f, -0.7f, 1.1f, 0.9f, -0.2f, -0.0f});
const Tensor kRow = f32({3}, {0.5f, 2, -1});

Strings op_names(const Function& f) {
  Strings out;
  for (const Node& node : f.nodes) out.emplace_back(node.op->name);
  return out;
}

// Fuses main of a copy and checks it: valid, the same bits, and the same nodes as before once the
// bodies are put back.
Graph fuse(const Graph& graph, const std::vector<Tensor>& inputs, const FuseOptions& options = {}) {
  Graph fused = graph;
  Function f = graph.main();
  check(fuse_elementwise(fused, f, options));
  fused.functions[0] = f;
  check(Builder(fused).finish().status());
  const auto before = evaluate(graph, graph.main(), inputs), after = evaluate(fused, fused.main(), inputs);
  for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], after[i]));

  Graph back = fused;
  check(inline_fused(fused, back.functions[0], [](const Node&) { return false; }));
  check(Builder(back).finish().status());
  const auto again = evaluate(back, back.main(), inputs);
  for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], again[i]));
  CHECK(back.main().nodes.size() == graph.main().nodes.size());
  for (const Node& node : graph.main().nodes) {
    const auto same_name = [&](const Node& n) { return n.name == node.name && n.op == node.op; };
    CHECK(std::any_of(back.main().nodes.begin(), back.main().nodes.end(), same_name));
  }
  return fused;
}

}  // namespace

TEST_CASE("A chain of elementwise nodes with rows and scalars becomes one node whose body holds the scalars") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}, DType::kF32), row = b.input("row", {3}, DType::kF32);
  const ValueId scaled = b.op("Mul", {b.op("Add", {x, row}), b.number(3, DType::kF32)});
  b.outputs({b.op("Sub", {b.op("Exp", {scaled}), scaled}, {}, "y")});
  const auto graph = get(builder.finish());
  const Graph fused = fuse(*graph, {kX, kRow});
  CHECK(op_names(fused.main()) == Strings{"Fused"});
  CHECK(fused.main().nodes[0].name == "y");
  CHECK(fused.main().nodes[0].inputs.size() == 2);
  CHECK(op_names(*fused.find_function("fused/y")) == Strings{"Add", "Mul", "Exp", "Sub"});
}

TEST_CASE("A value that is used outside its group ends it, and no group waits for itself") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}, DType::kF32);
  const ValueId y = b.op("Exp", {b.op("Neg", {x})});
  const ValueId sum = b.op("ReduceSum", {y}, {{"keepdims", 1}});
  b.outputs({b.op("Sub", {b.op("Div", {y, sum}), x})});
  const Graph fused = fuse(*get(builder.finish()), {kX});
  CHECK(op_names(fused.main()) == Strings{"Fused", "ReduceSum", "Fused"});
}

TEST_CASE("Dims that do not stand side by side, other dtypes and unknown shapes are not fused") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 2, 1}, DType::kF32), gap = b.input("gap", {2, 1, 1}, DType::kF32);
  const ValueId apart = b.input("apart", {2, 1, 3}, DType::kF32), all = b.op("Add", {x, apart});
  const ValueId wide = b.input("wide", {2, 3}, DType::kF64), open = b.input("open", {-1}, DType::kF32);
  b.outputs({b.op("Neg", {b.op("Add", {all, apart})}), b.op("Neg", {b.op("Mul", {all, gap})}),
             b.op("Neg", {b.op("Exp", {wide})}), b.op("Neg", {b.op("Exp", {open})})});
  const Graph fused =
      fuse(*get(builder.finish()), {f32({2, 2, 1}, {1, 2, 3, 4}), f32({2, 1, 1}, {1, 2}),
                                    f32({2, 1, 3}, {1, 2, 3, 4, 5, 6}), f64({2, 3}, {1, 2, 3, 4, 5, 6}), kRow});
  CHECK(op_names(fused.main()) == Strings{"Add", "Add", "Neg", "Fused", "Exp", "Neg", "Exp", "Neg"});
}

TEST_CASE("Nodes of f16 join groups where that is asked for") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}, DType::kF32), half = b.op("Cast", {x}, {{"to", DType::kF16}});
  const ValueId product = b.op("Mul", {b.op("Sigmoid", {half}), b.op("Add", {half, b.number(2, DType::kF16)})});
  b.outputs({b.op("Add", {b.op("Relu", {b.op("Cast", {product}, {{"to", DType::kF32}})}), x}, {}, "y")});
  const auto graph = get(builder.finish());
  CHECK(op_names(fuse(*graph, {kX}).main()) == Strings{"Cast", "Sigmoid", "Add", "Mul", "Cast", "Fused"});
  FuseOptions options;
  options.accelerator = true;
  const Graph fused = fuse(*graph, {kX}, options);
  CHECK(op_names(fused.main()) == Strings{"Fused"});
  CHECK(op_names(*fused.find_function("fused/y")) == Strings{"Cast", "Sigmoid", "Add", "Mul", "Cast", "Relu", "Add"});
}

TEST_CASE(
    "For accelerators a normalisation in training begins a group and its gradient ends one; what both give besides "
    "passes on") {
  const auto build = [](int64_t training, bool reads_mean, bool reads_relu) {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", {2, 3}, DType::kF32), row = b.input("row", {3}, DType::kF32);
    FunctionBuilder& f = builder.main();
    Emitter e(f);
    const auto norm =
        e.emit_many("BatchNormalization", {x, row, row, row, row}, 3, {{"training_mode", training}}, "bn");
    const ValueId y = e.emit("Relu", {e.emit("Add", {norm[0], x})}, {}, "y");
    const ValueId grad = e.emit("percale:ReluGrad", {x, y}, {}, "relu_grad");
    const auto back =
        e.emit_many("percale:BatchNormalizationGrad", {grad, x, row}, 3, {{"training_mode", 1}}, "bn_grad");
    std::vector<ValueId> outputs{y, norm[1], norm[2], back[0], e.emit("Neg", {back[1]}), back[2]};
    if (reads_mean) outputs.push_back(e.emit("Mul", {norm[1], row}));
    if (reads_relu) outputs.push_back(e.emit("Sin", {grad}));
    check(e.status());
    b.outputs(outputs);
    return get(builder.finish());
  };
  const std::vector<Tensor> inputs{kX, f32({3}, {0.5f, 2, 1})};
  FuseOptions options;
  options.accelerator = true;
  const Graph fused = fuse(*build(1, false, false), inputs, options);
  CHECK(op_names(fused.main()) == Strings{"Fused", "Fused", "Neg"});
  CHECK(fused.main().nodes[0].attributes.get_string("anchor") == "BatchNormalization");
  CHECK(fused.main().nodes[0].outputs.size() == 3);
  CHECK(op_names(*fused.find_function("fused/y")) == Strings{"BatchNormalization", "Add", "Relu"});
  CHECK(fused.main().nodes[1].attributes.get_string("anchor") == "BatchNormalizationGrad");
  CHECK(op_names(*fused.find_function("fused/bn_grad")) == Strings{"ReluGrad", "BatchNormalizationGrad"});
  // In the first case another node reads the new mean, so the group might wait for itself. In the
  // second one another node reads the output of the ReluGrad, so it must be computed.
  CHECK(op_names(fuse(*build(1, true, false), inputs, options).main()) ==
        Strings{"BatchNormalization", "Fused", "Fused", "Neg", "Mul"});
  CHECK(op_names(fuse(*build(1, false, true), inputs, options).main()) ==
        Strings{"Fused", "ReluGrad", "BatchNormalizationGrad", "Neg", "Sin"});
  const Strings apart{"BatchNormalization", "Fused", "ReluGrad", "BatchNormalizationGrad", "Neg"};
  CHECK(op_names(fuse(*build(1, false, false), inputs).main()) == apart);
  options.anchors = false;
  CHECK(op_names(fuse(*build(1, false, false), inputs, options).main()) == apart);
}

TEST_CASE(
    "For accelerators gradients and losses have a copy of the Cast of what they read, which goes when nobody else "
    "reads it") {
  const auto build = [](bool reads_wide) {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", {2, 3}, DType::kF32), labels = b.input("labels", {2}, DType::kI64);
    const ValueId half = b.op("Cast", {x}, {{"to", DType::kBF16}}),
                  wide = b.op("Cast", {half}, {{"to", DType::kF32}}, "wide");
    const ValueId loss = b.op("SoftmaxCrossEntropyLoss", {wide, labels}, {}, "loss");
    const ValueId grad = b.op("percale:SoftmaxCrossEntropyGrad", {b.number(1, DType::kF32), wide, labels}, {}, "grad");
    std::vector<ValueId> outputs{loss, b.op("Cast", {grad}, {{"to", DType::kBF16}}, "narrow")};
    if (reads_wide) outputs.push_back(b.op("Sin", {wide}, {}, "sin"));
    b.outputs(outputs);
    return get(builder.finish());
  };
  FuseOptions options;
  options.accelerator = true;
  for (const bool reads_wide : {false, true}) {
    Graph fused = *build(reads_wide);
    Function f = fused.main();
    check(fuse_elementwise(fused, f, options));
    fused.functions[0] = f;
    check(Builder(fused).finish().status());
    CHECK(op_names(fused.main()) ==
          (reads_wide ? Strings{"Cast", "Cast", "Fused", "Fused", "Sin"} : Strings{"Cast", "Fused", "Fused"}));
    CHECK(op_names(*fused.find_function("fused/loss")) == Strings{"Cast", "SoftmaxCrossEntropyLoss"});
    CHECK(op_names(*fused.find_function("fused/narrow")) == Strings{"Cast", "SoftmaxCrossEntropyGrad", "Cast"});
    const std::vector<Tensor> inputs{kX, Tensor::of<int64_t>({2}, std::vector<int64_t>{2, 0})};
    const auto before = evaluate(*build(reads_wide), build(reads_wide)->main(), inputs),
               after = evaluate(fused, fused.main(), inputs);
    for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], after[i]));
    check(inline_fused(fused, fused.functions[0], [](const Node&) { return false; }));
    check(Builder(fused).finish().status());
    const auto again = evaluate(fused, fused.main(), inputs);
    for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], again[i]));
  }
}

TEST_CASE("Groups keep to their limits") {
  Builder builder(all_ops());
  Build b(builder.main());
  ValueId y = b.input("x", {2, 3}, DType::kF32);
  for (int i = 0; i < 10; ++i) y = b.op("Neg", {y});
  b.outputs({y});
  FuseOptions options;
  options.max_nodes = 4;
  const Graph fused = fuse(*get(builder.finish()), {kX}, options);
  CHECK(op_names(fused.main()) == Strings{"Fused", "Fused", "Fused"});
}

TEST_CASE("A MatMul begins the group of its bias and activation; what comes before it stays outside") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {3, 3}, DType::kF32), row = b.input("row", {3}, DType::kF32);
  const ValueId product = b.op("MatMul", {b.op("Neg", {x}), x});
  b.outputs({b.op("Relu", {b.op("Add", {product, row})}, {}, "y")});
  const auto graph = get(builder.finish());
  const std::vector<Tensor> inputs{f32({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), kRow};
  const Graph fused = fuse(*graph, inputs);
  CHECK(op_names(fused.main()) == Strings{"Neg", "Fused"});
  CHECK(fused.main().nodes[1].attributes.get_string("anchor") == "MatMul");
  CHECK(op_names(*fused.find_function("fused/y")) == Strings{"MatMul", "Add", "Relu"});
  FuseOptions options;
  options.anchors = false;
  CHECK(op_names(fuse(*graph, inputs, options).main()) == Strings{"Neg", "MatMul", "Fused"});
}

TEST_CASE("A pointwise convolution joins the depthwise one that alone reads it, when that is asked for") {
  const auto build = [](bool read_twice, int64_t kernel, int64_t images = 1) {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", {images, 2, 4, 4}, DType::kF32),
                  wide = b.input("wide", {4, 2, kernel, kernel}, DType::kF32);
    const ValueId narrow = b.input("narrow", {4, 1, 3, 3}, DType::kF32);
    const Attributes same{{"auto_pad", "SAME_UPPER"}};
    const ValueId expanded = b.op("Relu", {b.op("Conv", {x, wide}, kernel == 1 ? Attributes() : same)});
    const ValueId y = b.op("Relu",
                           {b.op("Conv", {expanded, narrow},
                                 {{"auto_pad", "SAME_UPPER"}, {"group", 4}, {"strides", std::vector<int64_t>{2, 2}}})},
                           {}, "y");
    b.outputs(read_twice ? std::vector<ValueId>{y, expanded} : std::vector<ValueId>{y});
    return get(builder.finish());
  };
  const auto numbers = [](const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 11) - 5;
    return f32(shape, values);
  };
  FuseOptions options;
  options.expansions = true;
  options.expansion_bytes = 0;
  const auto fused_names = [&](bool read_twice, int64_t kernel) {
    const auto graph = build(read_twice, kernel);
    const Graph fused =
        fuse(*graph, {numbers({1, 2, 4, 4}), numbers({4, 2, kernel, kernel}), numbers({4, 1, 3, 3})}, options);
    return op_names(fused.main());
  };
  CHECK(fused_names(false, 1) == Strings{"Fused"});
  const Strings apart{"Conv", "Relu", "Conv", "Relu"};
  CHECK(fused_names(true, 1) == apart);
  CHECK(fused_names(false, 3) == apart);
  Graph empty = *build(false, 1, 0);
  Function f = empty.main();
  check(fuse_elementwise(empty, f, options));
  CHECK(op_names(f) == apart);
}

TEST_CASE("Any small elementwise graph gives the same bits fused and put back") {
  const auto registry = all_ops();
  for (unsigned seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](size_t n) { return static_cast<size_t>(random()) % n; };
    Builder builder(registry);
    Build b(builder.main());
    std::vector<ValueId> values{b.input("x", {2, 3}, DType::kF32), b.input("row", {3}, DType::kF32),
                                b.number(2, DType::kF32)};
    for (int n = 0; n < 15; ++n) {
      const ValueId a = values[pick(values.size())], c = values[pick(values.size())];
      switch (pick(5)) {
        case 0: values.push_back(b.op("Neg", {a})); break;
        case 1: values.push_back(b.op("Sin", {a})); break;
        case 2: values.push_back(b.op("Sub", {a, c})); break;
        case 3: values.push_back(b.op("Mul", {a, c})); break;
        default: values.push_back(b.op("ReduceSum", {a}, {{"keepdims", 1}})); break;
      }
    }
    b.outputs({values.back(), values[pick(values.size())]});
    fuse(*get(builder.finish()), {kX, kRow});
  }
}

}  // namespace percale

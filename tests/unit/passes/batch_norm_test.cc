#include "tests/unit/passes/recognize_util.h"

namespace percale {
namespace {

using Strings = std::vector<std::string>;
constexpr const char* kPass = "fold_batch_norm";

ValueId batch_norm(Build& b, ValueId x, int64_t channels, std::string_view name = {}) {
  return b.op("BatchNormalization",
              {x, b.constant(wavy({channels}, 0.5, 2)), b.constant(wavy({channels}, -0.9, 1)),
               b.constant(wavy({channels}, -0.3, 0.8)), b.constant(wavy({channels}, 0.2, 3))},
              {{"epsilon", 1e-3}}, name);
}

ValueId weights(Builder& builder) {
  check(
      builder.add_variable({.name = "w", .dtype = DType::kF64, .shape = {3, 2, 1, 1}, .initial = wavy({3, 2, 1, 1})}));
  return Build(builder.main())
      .op("percale:ReadVariable", {},
          {{"variable", "w"}, {"dtype", DType::kF64}, {"shape", std::vector<int64_t>{3, 2, 1, 1}}});
}

}  // namespace

TEST_CASE("BatchNormalization goes into the convolution before it, with and without bias, in groups and transposed") {
  for (const bool bias : {false, true}) {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", {2, 4, 5, 5});
    std::vector<ValueId> inputs{x, b.constant(wavy({6, 2, 3, 3}))};
    if (bias) inputs.push_back(b.constant(wavy({6})));
    const ValueId y =
        batch_norm(b, b.op("Conv", inputs, {{"group", 2}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}}), 6);
    std::vector<ValueId> up{b.op("Relu", {y}), b.constant(wavy({6, 3, 2, 2}))};
    if (bias) up.push_back(b.constant(wavy({3})));
    b.outputs({batch_norm(b, b.op("ConvTranspose", up, {{"strides", std::vector<int64_t>{2, 2}}}), 3, "y")});
    CHECK(ops_after(*get(builder.finish()), kPass, {wavy({2, 4, 5, 5})}) == Strings{"Conv", "Relu", "ConvTranspose"});
  }
}

TEST_CASE("BatchNormalization goes into the product of matrices before it") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {3, 4});
  const ValueId a = batch_norm(b, b.op("MatMul", {x, b.constant(wavy({4, 5}))}), 5);
  const ValueId c =
      batch_norm(b, b.op("Gemm", {a, b.constant(wavy({6, 5})), b.constant(wavy({6}))}, {{"transB", 1}}), 6);
  b.outputs({batch_norm(b, b.op("Gemm", {c, b.constant(wavy({6, 2}))}, {{"alpha", 0.5}}), 2)});
  CHECK(ops_after(*get(builder.finish()), kPass, {wavy({3, 4})}) == Strings{"Gemm", "Gemm", "Gemm"});
}

TEST_CASE("BatchNormalization before a convolution goes into it where nothing is padded, else it becomes Mul and Add") {
  for (const int64_t pad : {0, 1}) {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", {2, 3, 5, 4});
    const ValueId y = b.op("Conv", {batch_norm(b, x, 3), b.constant(wavy({2, 3, 2, 3})), b.constant(wavy({2}))},
                           {{"pads", std::vector<int64_t>(4, pad)}});
    b.outputs({y});
    const Strings want = pad == 0 ? Strings{"Conv"} : Strings{"Mul", "Add", "Conv"};
    CHECK(ops_after(*get(builder.finish()), kPass, {wavy({2, 3, 5, 4})}) == want);
  }
}

TEST_CASE("Numbers per channel behind a convolution go into it, one after the other") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId conv = b.op("Conv", {b.input("x", {1, 2, 4, 4}), b.constant(wavy({3, 2, 3, 3}))});
  const ValueId scaled = b.op("Mul", {b.constant(wavy({1, 3, 1, 1})), conv});
  const ValueId shifted = b.op("Sub", {b.op("Add", {scaled, b.constant(wavy({3, 1, 1}))}), b.number(0.5)});
  b.outputs({b.op("Div", {shifted, b.constant(wavy({3, 1, 1}, 1, 2))})});
  CHECK(ops_after(*get(builder.finish()), kPass, {wavy({1, 2, 4, 4})}) == Strings{"Conv"});
}

TEST_CASE("Weights that are variables are folded by nodes that depend on them alone") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId w = weights(builder);
  b.outputs({batch_norm(b, b.op("Conv", {b.input("x", {1, 2, 4, 4}), w}), 3)});
  const Strings ops = ops_after(*get(builder.finish()), kPass, {wavy({1, 2, 4, 4})}, {{"w", wavy({3, 2, 1, 1})}});
  CHECK(ops == Strings{"ReadVariable", "Mul", "Conv"});
}

TEST_CASE("What must not be folded stays") {
  SUBCASE("a convolution that something else uses") {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId conv = b.op("Conv", {b.input("x", {1, 2, 4, 4}), b.constant(wavy({3, 2, 3, 3}))});
    b.outputs({batch_norm(b, conv, 3), b.op("Neg", {conv})});
    CHECK(ops_after(*get(builder.finish()), kPass, {wavy({1, 2, 4, 4})}) == Strings{"Conv", "Mul", "Add", "Neg"});
  }
  SUBCASE("numbers per row, and numbers that are fed") {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", {1, 3, 5, 3}), fed = b.input("fed", {3, 1, 1});
    const ValueId conv = b.op("Conv", {x, b.constant(wavy({3, 3, 3, 1}))});
    b.outputs({b.op("Mul", {b.op("Mul", {conv, b.constant(wavy({3}))}), fed})});
    CHECK(ops_after(*get(builder.finish()), kPass, {wavy({1, 3, 5, 3}), wavy({3, 1, 1})}) ==
          Strings{"Conv", "Mul", "Mul"});
  }
  SUBCASE("the statistics of the batch") {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId conv = b.op("Conv", {b.input("x", {1, 2, 4, 4}), b.constant(wavy({3, 2, 3, 3}))});
    b.outputs(
        b.ops("BatchNormalization",
              {conv, b.constant(wavy({3})), b.constant(wavy({3})), b.constant(wavy({3})), b.constant(wavy({3}, 1, 2))},
              3, {{"training_mode", 1}}));
    CHECK(ops_after(*get(builder.finish()), kPass, {wavy({1, 2, 4, 4})}) == Strings{"Conv", "BatchNormalization"});
  }
  SUBCASE("a step that moves the weights") {
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId w = weights(builder);
    const ValueId y = batch_norm(b, b.op("Conv", {b.input("x", {1, 2, 4, 4}), w}), 3);
    get(builder.main().add_node("percale:Assign", {b.op("Neg", {w})}, {{"variable", "w"}}, 0));
    b.outputs({y});
    const auto graph = get(builder.finish());
    Function f = graph->main();
    PassContext context;
    check(fold_batch_norm(*graph, f, context));
    Strings ops;
    for (const Node& node : f.nodes) ops.emplace_back(node.op->name);
    CHECK(ops == Strings{"ReadVariable", "Conv", "BatchNormalization", "Neg", "Assign"});
  }
}

}  // namespace percale

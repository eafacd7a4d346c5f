// Shapes that are computed from dims of which the first is unknown.
#include <algorithm>

#include "tests/unit/passes/evaluator.h"

namespace percale {
namespace {

// Returns the shape of the only output of "main" after all types are inferred again. The nodes
// stay.
Shape inferred(Builder& builder) {
  const auto graph = get(builder.finish());
  PassContext context = with_evaluator(graph->registry);
  Function f = graph->main();
  check(infer_shapes(*graph, f, context));
  CHECK(f.nodes.size() == graph->main().nodes.size());
  return f.type(f.outputs[0]).shape;
}

ValueId dim(Build& b, ValueId shape, int64_t index) { return b.op("Gather", {shape, b.ints({index})}); }

}  // namespace

TEST_CASE("dims that are gathered, halved and put together again are known beside a free batch") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {-1, 6, 4, 5}), shape = b.op("Shape", {x});
  const ValueId half = b.op("Div", {dim(b, shape, 1), b.ints({2})});
  const ValueId rest = b.op("Slice", {shape, b.ints({2}), b.ints({4})});
  const ValueId wanted = b.op("Concat", {dim(b, shape, 0), b.ints({2}), half, rest}, {{"axis", 0}});
  b.outputs({b.op("Reshape", {x, wanted})});
  CHECK(inferred(builder) == Shape{-1, 2, 3, 4, 5});
}

TEST_CASE("a batch that a Reshape leaves in its place tells what -1 stands for; another one does not") {
  for (const bool same : {true, false}) {
    CAPTURE(same);
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId x = b.input("x", {-1, 3, 4}), other = b.input("other", {-1, 7});
    const ValueId batch = dim(b, b.op("Shape", {same ? x : other}), 0);
    b.outputs({b.op("Reshape", {x, b.op("Concat", {batch, b.ints({-1})}, {{"axis", 0}})})});
    CHECK(inferred(builder) == (same ? Shape{-1, 12} : Shape{-1, -1}));
  }
}

TEST_CASE("a dim that moves to another place, or that is computed from the batch, is not known") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {-1, 3, 4}), shape = b.op("Shape", {x});
  const ValueId rows = b.op("Mul", {dim(b, shape, 0), dim(b, shape, 1)});
  b.outputs({b.op("Reshape", {x, b.op("Concat", {dim(b, shape, 2), rows}, {{"axis", 0}})})});
  CHECK(inferred(builder) == Shape{4, -1});
}

TEST_CASE("a Reshape that takes 0 for a dim does not copy the batch") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {-1, 3, 4}), shape = b.op("Shape", {x});
  const ValueId wanted = b.op("Concat", {dim(b, shape, 0), b.ints({12})}, {{"axis", 0}});
  b.outputs({b.op("Reshape", {x, wanted}, {{"allowzero", 1}})});
  CHECK(inferred(builder) == Shape{-1, 12});
}

TEST_CASE("PyTorch's expand(n, -1, -1) keeps the dims for which it writes -1") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {-1, 3}), token = b.input("token", {1, 1, 8});
  const ValueId wanted = b.op("Concat", {dim(b, b.op("Shape", {x}), 0), b.ints({-1, -1})}, {{"axis", 0}});
  const ValueId ones = b.ints({1, 1, 1});
  const ValueId keeps = b.op("Equal", {wanted, b.op("Mul", {ones, b.ints({-1})})});
  b.outputs({b.op("Expand", {token, b.op("Where", {keeps, ones, wanted})})});
  CHECK(inferred(builder) == Shape{-1, 1, 8});
}

TEST_CASE("a tensor that is made of a free batch and known dims has these dims") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId shape = b.op("Shape", {b.input("x", {-1, 3})});
  b.outputs({b.op("ConstantOfShape", {b.op("Concat", {shape, b.ints({5})}, {{"axis", 0}})})});
  CHECK(inferred(builder) == Shape{-1, 3, 5});
}

TEST_CASE("a known dim beside a free batch is folded, and the result has the same bits") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {-1, 3}), shape = b.op("Shape", {x});
  const ValueId columns = b.op("Mul", {dim(b, shape, 1), b.ints({1})});
  b.outputs({b.op("Reshape", {x, b.op("Concat", {columns, dim(b, shape, 0)}, {{"axis", 0}})})});
  const auto graph = get(builder.finish());
  PassContext context = with_evaluator(graph->registry);
  Function f = graph->main();
  check(fold_constants(*graph, f, context));
  CHECK(std::none_of(f.nodes.begin(), f.nodes.end(), [](const Node& node) { return node.op->name == "Mul"; }));
  const Tensor value = f64({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(same_bits(evaluate(*graph, f, {value})[0], f64({3, 2}, {1, 2, 3, 4, 5, 6})));
}

}  // namespace percale

// move_transposes and move_views: nodes that follow a product come next to it.
#include "tests/unit/passes/pass_util.h"

namespace percale {

TEST_CASE("move_transposes brings what follows a product next to it, and joins two ways") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  const auto turned = [&](ValueId v) { return b.op("Transpose", {v}, {{"perm", std::vector<int64_t>{1, 0}}}); };
  // x / 2 (1 + erf(x / sqrt 2)), as written by a converter that transposes the images back on both
  // branches.
  const ValueId product = b.op("Reshape", {b.op("MatMul", {x, turned(x)}), b.ints({4, 1})});
  const ValueId half = b.op("Mul", {product, b.number(0.5)}), part = b.op("Mul", {product, b.number(0.7)});
  const ValueId erf = b.op("Add", {b.op("Erf", {turned(part)}), b.number(1)});
  b.outputs({b.op("Mul", {turned(half), erf}), b.op("Sub", {turned(b.op("Exp", {x})), turned(b.op("Sin", {x}))})});
  const auto graph = get(builder.finish());
  const Function f = run_pass(*graph, "move_transposes", {kX});
  CHECK(op_names(f) == Strings{"Transpose", "MatMul", "Reshape", "Mul", "Mul", "Erf", "Add", "Mul", "Transpose", "Exp",
                               "Sin", "Sub", "Transpose"});
}

TEST_CASE("move_transposes lets the greatest and the least look through, where dims keep their order") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3, 4});
  const auto over = [&](const char* op, std::vector<int64_t> perm, std::vector<int64_t> axes, int64_t keepdims) {
    const ValueId turned = b.op("Transpose", {x}, {{"perm", std::move(perm)}});
    return b.op(op, {turned, b.ints(axes)}, {{"keepdims", keepdims}});
  };
  b.outputs({over("ReduceMax", {0, 2, 1}, {1}, 0), over("ReduceMin", {2, 0, 1}, {-3}, 0),
             over("ReduceMax", {2, 1, 0}, {0, 2}, 0), over("ReduceMax", {2, 1, 0}, {1}, 0),
             over("ReduceMax", {0, 2, 1}, {1}, 1), over("ReduceSum", {0, 2, 1}, {1}, 0)});
  const auto graph = get(builder.finish());
  std::vector<double> numbers(24);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * 7 % 24) - 11;
  const Function f = run_pass(*graph, "move_transposes", {f64({2, 3, 4}, numbers)});
  CHECK(op_names(f) == Strings{"ReduceMax", "ReduceMin", "ReduceMax", "Transpose", "ReduceMax", "Transpose",
                               "ReduceMax", "Transpose", "ReduceSum"});
}

TEST_CASE("move_transposes leaves Transposes that others use, that differ, or that are behind no product") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}), y = b.input("y", {3, 2});
  const auto turned = [&](ValueId v) { return b.op("Transpose", {v}, {{"perm", std::vector<int64_t>{1, 0}}}); };
  const ValueId twice = turned(b.op("MatMul", {x, y}));
  b.outputs({b.op("Max", {turned(b.op("Neg", {x})), y}), b.op("Exp", {turned(b.op("Sin", {x}))}), b.op("Abs", {twice}),
             b.op("Cos", {twice}), b.op("Add", {turned(b.op("MatMul", {x, y})), b.constant(f64({2}, {1, 2}))})});
  const auto graph = get(builder.finish());
  const Tensor other = f64({3, 2}, {1, 2, -3, 4, 5, -6});
  CHECK(op_names(run_pass(*graph, "move_transposes", {kX, other})) == op_names(graph->main()));
}

TEST_CASE("move_views lets what follows a product be its neighbour") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}), row = b.constant(f64({2}, {0.5, -2}));
  const ValueId product = b.op("Gemm", {x, b.op("Transpose", {x}), row});
  const ValueId seen = b.op("Reshape", {product, b.ints({1, 2, 2})}), other = b.input("other", {1, 2, 2});
  const ValueId sum = b.op("Add", {other, b.op("Mul", {b.op("Relu", {seen}), row})});
  b.outputs({b.op("Reshape", {b.op("Clip", {sum, b.number(-1)}), b.ints({4})})});
  const Function f = run_pass(*get(builder.finish()), "move_views", {kX, f64({1, 2, 2}, {1, -1, 0.5, 3})});
  CHECK(op_names(f) == Strings{"Transpose", "Gemm", "Relu", "Mul", "Reshape", "Add", "Clip", "Reshape"});
}

TEST_CASE("move_views lines operands up where dims of one alone come and go, and passes by pools over whole images") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {1, 2, 3, 1}), other = b.input("other", {2, 1});
  const ValueId product = b.op("Conv", {x, b.constant(f64({4, 2, 1, 1}, {1, 2, 3, -1, 0.5, -2, 1, 4}))});
  const ValueId seen = b.op("Squeeze", {product, b.ints({3})});  // [1, 4, 3]
  const ValueId sum = b.op("Add", {b.constant(f64({4, 1}, {1, -2, 0.5, 3})), seen});
  const ValueId wide = b.op("Mul", {sum, b.constant(f64({3}, {2, 0.25, -1}))});
  b.outputs({b.op("GlobalMaxPool", {wide}), b.op("Neg", {other})});
  const auto graph = get(builder.finish());
  const Function f = run_pass(*graph, "move_views", {f64({1, 2, 3, 1}, {1, -1, 0.5, 3, 2, -4}), f64({2, 1}, {1, 2})});
  CHECK(op_names(f) == Strings{"Conv", "Add", "Mul", "GlobalMaxPool", "Reshape", "Neg"});
}

TEST_CASE("move_views leaves views that something else uses, and operands that mean something else without them") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  const ValueId product = b.op("MatMul", {x, b.op("Transpose", {x})});
  const ValueId twice = b.op("Reshape", {product, b.ints({4})}), wide = b.op("Reshape", {product, b.ints({1, 4})});
  b.outputs({b.op("Neg", {twice}), b.op("Exp", {twice}), b.op("Mul", {wide, b.constant(f64({4}, {1, 2, 3, 4}))})});
  const auto graph = get(builder.finish());
  CHECK(op_names(run_pass(*graph, "move_views", {kX})) == op_names(graph->main()));
}

}  // namespace percale

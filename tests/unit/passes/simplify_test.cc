// The passes that simplify: cse, dead code, algebra, constant folding, shape inference.
#include "core/autodiff/gradients.h"
#include "tests/unit/passes/pass_util.h"

namespace percale {

TEST_CASE("cse computes equal nodes once, commutative operands in either order") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}), two = b.number(2), also_two = b.number(2);
  const ValueId a = b.op("Mul", {x, two}), same = b.op("Mul", {also_two, x}), other = b.op("Sub", {two, x});
  b.outputs({b.op("Add", {b.op("Neg", {a}), b.op("Neg", {same})}), other});
  const auto graph = get(builder.finish());
  const Function f = run_pass(*graph, "cse", {kX});
  CHECK(op_names(f) == Strings{"Mul", "Sub", "Neg", "Add"});
  CHECK(f.constants.size() == 1);
}

TEST_CASE("cse keeps both of two equal outputs") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  b.outputs({b.op("Neg", {x}, {}, "first"), b.op("Neg", {x}, {}, "second")});
  const Function f = run_pass(*get(builder.finish()), "cse", {kX});
  CHECK(output_names(f) == Strings{"first", "second"});
}

TEST_CASE("dead_code drops what no output needs") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  b.op("Exp", {b.op("Neg", {x})});
  b.outputs({b.op("Sin", {x})});
  CHECK(op_names(run_pass(*get(builder.finish()), "dead_code", {kX})) == Strings{"Sin"});
}

TEST_CASE("algebra drops neutral operands where no bit changes, and keeps x + 0, which changes the sign of zero") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  const ValueId y = b.op("Sub", {b.op("Div", {b.op("Mul", {b.number(1), x}), b.number(1)}), b.number(0)});
  b.outputs({b.op("Neg", {b.op("Neg", {b.op("Add", {y, b.number(-0.0)})})}), b.op("Add", {x, b.number(0)}),
             b.op("Mul", {x, b.number(0)})});
  const auto graph = get(builder.finish());
  Function f = run_pass(*graph, "algebra", {kX});
  PassContext context;
  check(dead_code(*graph, f, context));
  // The first output is x itself, which cannot take the output's name, so one node stays to carry
  // it.
  CHECK(op_names(f) == Strings{"Neg", "Neg", "Add", "Mul"});
}

TEST_CASE("algebra merges a Transpose of a Transpose and a Reshape of a Reshape") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  const ValueId twice = b.op("Transpose", {b.op("Transpose", {x})});
  const ValueId flat = b.op("Reshape", {b.op("Reshape", {x, b.ints({3, 2})}), b.ints({-1})});
  b.outputs({b.op("Exp", {twice}), b.op("Exp", {flat})});
  const auto graph = get(builder.finish());
  Function f = run_pass(*graph, "algebra", {kX});
  PassContext context;
  check(dead_code(*graph, f, context));
  CHECK(op_names(f) == Strings{"Reshape", "Exp", "Exp"});
}

TEST_CASE("algebra drops Dropout outside of training, and keeps one that trains") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}), ratio = b.number(0.5);
  const ValueId idle = b.op("Dropout", {x, ratio, b.constant(Tensor::scalar(false))});
  const ValueId active = b.op("Dropout", {x, ratio, b.constant(Tensor::scalar(true))});
  b.outputs({b.op("Exp", {idle}), b.op("Exp", {active})});
  const auto graph = get(builder.finish());
  Function f = run_pass(*graph, "algebra", {kX});
  PassContext context;
  check(dead_code(*graph, f, context));
  CHECK(op_names(f) == Strings{"Dropout", "Exp", "Exp"});
}

TEST_CASE("algebra drops a Slice that leaves nothing out, and keeps one that turns its axis round") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  const auto slice = [&](int64_t from, int64_t to, int64_t step) {
    return b.op("Slice", {x, b.ints({from}), b.ints({to}), b.ints({1}), b.ints({step})});
  };
  b.outputs({b.op("Exp", {slice(0, 1000, 1)}), b.op("Exp", {b.op("Slice", {x, b.ints({0}), b.ints({2})})}),
             slice(-1, -1000, -1), slice(1, 1000, 1)});
  const auto graph = get(builder.finish());
  Function f = run_pass(*graph, "algebra", {kX});
  PassContext context;
  check(dead_code(*graph, f, context));
  CHECK(op_names(f) == Strings{"Exp", "Exp", "Slice", "Slice"});
}

TEST_CASE("fold_constants computes what constants and known shapes determine, and leaves what is too large") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  const ValueId rows = b.op("Gather", {b.op("Shape", {x}), b.constant(Tensor::scalar(int64_t{0}))});
  const ValueId target = b.op("Concat", {b.op("Unsqueeze", {rows, b.ints({0})}), b.ints({-1, 1})}, {{"axis", 0}});
  const ValueId big = b.op("Expand", {b.number(1), b.ints({1000, 1000})});
  b.outputs({b.op("Reshape", {x, target}), b.op("ReduceSum", {big})});
  const auto graph = get(builder.finish());
  const Function f = run_pass(*graph, "fold_constants", {kX});
  CHECK(op_names(f) == Strings{"Expand", "Reshape", "ReduceSum"});
  CHECK(f.type(f.outputs[0]).shape == Shape{2, 3, 1});
}

TEST_CASE("infer_shapes carries the shapes that were fed through chains of shape arithmetic") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {-1, 3});
  const ValueId shape = b.op("Shape", {x});
  b.outputs({b.op("Exp", {b.op("Expand", {b.number(2), b.op("Mul", {shape, b.ints({2, 1})})})})});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  const Shape fed{2, 3};
  check(bind_inputs(f, {&fed, 1}));
  PassContext context = with_evaluator(graph->registry);
  check(infer_shapes(*graph, f, context));
  CHECK(f.type(f.outputs[0]).shape == Shape{4, 3});
  CHECK(f.nodes.size() == graph->main().nodes.size());
  const Shape wrong{2, 4};
  Function g = graph->main();
  CHECK(bind_inputs(g, {&wrong, 1}).to_string() == "INVALID_ARGUMENT: input 'x' is declared [?,3] but was fed [2,4]");
}

TEST_CASE("a reduction of all axes without keepdims is a scalar whatever the rank, and one of no axes is not") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", Shape::unranked());
  const auto type_of = [&](std::vector<ValueId> inputs, bool noop) {
    const ValueId y = b.op("ReduceMean", inputs, {{"keepdims", 0}, {"noop_with_empty_axes", int64_t{noop}}});
    return builder.main().type(y).shape;
  };
  CHECK(type_of({x}, false) == Shape{});
  CHECK(type_of({x, b.ints({})}, false) == Shape{});
  CHECK_FALSE(type_of({x, b.ints({})}, true).known_rank());
  CHECK_FALSE(type_of({x, b.ints({0})}, false).known_rank());
}

TEST_CASE("infer_shapes knows the shapes of a Loop's gradient where the number of trips is known") {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("body")));
    b.input("trip", {}, DType::kI64);
    const ValueId cond = b.input("cond", {}, DType::kBool), h = b.input("h", {-1, 3}), w = b.input("w", {3});
    b.outputs({cond, b.op("Sin", {b.op("Mul", {h, w})})});
  }
  Build b(builder.main());
  const ValueId h = b.input("h", {-1, 3}), w = b.input("w", {3});
  const auto last = b.ops("Loop", {b.constant(Tensor::scalar(int64_t{4})), kNoValue, h, w}, 1,
                          {{"body", FunctionRef{"body"}}, {"num_carried", 1}});
  b.outputs(get(gradients(builder.main(), last, {h, w})));
  const auto graph = get(builder.finish());
  Function f = graph->main();
  const std::vector<Shape> fed{{2, 3}, {3}};
  check(bind_inputs(f, fed));
  PassContext context = with_evaluator(graph->registry);
  check(run_device_free_passes(*graph, f, context));
  for (const Value& value : f.values) CHECK_MESSAGE(value.type.shape.is_static(), value.name);
  check_valid(*graph, f);
  const std::vector<Tensor> inputs{kX, f64({3}, {0.4, -1, 2})};
  const auto before = evaluate(*graph, graph->main(), inputs), after = evaluate(*graph, f, inputs);
  for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], after[i]));
}

TEST_CASE("An engine without a device folds the shapes that it knows") {
  Builder builder(all_ops());
  Build b(builder.main());
  b.outputs({b.op("Shape", {b.input("x", {2, 3})}), b.op("Neg", {b.number(1)})});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  PassContext context;
  check(fold_constants(*graph, f, context));
  CHECK(op_names(f) == Strings{"Neg"});
}

TEST_CASE(
    "fold_pad gives zeros around an image to the convolution, and leaves other numbers, other dims and what is cut "
    "off") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {1, 2, 3, 1});
  const ValueId w = b.constant(f64({1, 2, 2, 1}, {1, -2, 0.5, 3})), deep = b.constant(f64({1, 3, 1, 1}, {1, 2, 4}));
  const auto conv = [&](ValueId padded, ValueId weights, Attributes attributes = {}) {
    return b.op("Conv", {padded, weights}, std::move(attributes));
  };
  b.outputs({conv(b.op("Pad", {x, b.ints({0, 0, 1, 0, 0, 0, 2, 1})}), w, {{"pads", std::vector<int64_t>{0, 2, 1, 0}}}),
             conv(b.op("Pad", {x, b.ints({1, 0}), b.number(0), b.ints({-2})}), w, {{"auto_pad", "VALID"}}),
             conv(b.op("Pad", {x, b.ints({1, 0}), b.number(1), b.ints({2})}), w),
             conv(b.op("Pad", {x, b.ints({-1, 1}), b.number(0), b.ints({2})}), w),
             conv(b.op("Pad", {x, b.ints({0, 1}), b.number(0), b.ints({1})}), deep),
             conv(b.op("Pad", {x, b.ints({1, 0}), b.number(0), b.ints({2})}), w, {{"auto_pad", "SAME_UPPER"}}),
             conv(b.op("Pad", {x, b.ints({1, 1}), kNoValue, b.ints({2})}, {{"mode", "edge"}}), w)});
  const auto graph = get(builder.finish());
  const Function f = run_pass(*graph, "fold_pad", {f64({1, 2, 3, 1}, {1, -1, 0.5, 3, 2, -4})});
  CHECK(op_names(f) ==
        Strings{"Conv", "Conv", "Pad", "Conv", "Pad", "Conv", "Pad", "Conv", "Pad", "Conv", "Pad", "Conv"});
}

}  // namespace percale

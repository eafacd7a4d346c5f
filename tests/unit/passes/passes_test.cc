#include "core/passes/passes.h"

#include <algorithm>
#include <random>

#include "core/autodiff/gradients.h"
#include "core/passes/edit/prune.h"
#include "tests/unit/passes/evaluator.h"

namespace percale {
namespace {

using Strings = std::vector<std::string>;

Strings op_names(const Function& f) {
  Strings out;
  for (const Node& node : f.nodes) out.emplace_back(node.op->name);
  return out;
}

Strings output_names(const Function& f) {
  Strings out;
  for (ValueId v : f.outputs) out.push_back(f.value(v).name);
  return out;
}

// Validates a copy of the graph in which main is `f`.
void check_valid(const Graph& graph, const Function& f) {
  Graph copy = graph;
  copy.functions[0] = f;
  check(Builder(copy).finish().status());
}

// Runs one pass on a copy of main and checks that the result is valid, gives the same bits, and
// keeps the names of its outputs.
Function run_pass(const Graph& graph, std::string_view name, const std::vector<Tensor>& inputs) {
  Function f = graph.main();
  PassContext context = with_evaluator(graph.registry);
  const auto passes = device_free_passes();
  const auto pass = std::find_if(passes.begin(), passes.end(), [&](const Pass& p) { return p.name == name; });
  REQUIRE(pass != passes.end());
  check(pass->run(graph, f, context));
  check_valid(graph, f);
  CHECK(output_names(f) == output_names(graph.main()));
  const auto before = evaluate(graph, graph.main(), inputs), after = evaluate(graph, f, inputs);
  REQUIRE(before.size() == after.size());
  for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], after[i]));
  return f;
}

const Tensor kX = f64({2, 3}, {0.3, -0.7, 1.1, 0.9, -0.2, -0.0});

}  // namespace

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

TEST_CASE("inline_calls puts bodies in the place of calls, and the branch of an If whose condition is known") {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("square")));
    const ValueId x = b.input("x", {2, 3});
    b.outputs({b.op("Mul", {x, x}), x});
  }
  {
    Build b(*get(builder.add_function("wave")));
    const ValueId x = b.input("x", {2, 3});
    const auto squared = b.ops("percale:Call", {x}, 2, {{"function", FunctionRef{"square"}}});
    b.outputs({b.op("Sin", {squared[0]}), squared[1]});
  }
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  const ValueId yes = b.op("Not", {b.constant(Tensor::scalar(false))});
  const auto out = b.ops("If", {yes, x}, 2,
                         {{"then_branch", FunctionRef{"wave"}}, {"else_branch", FunctionRef{"square"}}}, "choice");
  b.outputs({out[0], b.op("Exp", {out[1]}), out[1]});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  PassContext context = with_evaluator(graph->registry);
  check(run_device_free_passes(*graph, f, context));
  check_valid(*graph, f);
  CHECK(op_names(f) == Strings{"Mul", "Identity", "Sin", "Exp"});
  CHECK(output_names(f) == output_names(graph->main()));
  const auto before = evaluate(*graph, graph->main(), {kX}), after = evaluate(*graph, f, {kX});
  for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], after[i]));
}

TEST_CASE("Inlining stops before a function grows past its limit") {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("level0")));
    b.outputs({b.op("Neg", {b.input("x", {})})});
  }
  for (int i = 1; i <= 12; ++i) {
    Build b(*get(builder.add_function(str_cat("level", i))));
    ValueId x = b.input("x", {});
    for (int k = 0; k < 8; ++k) x = b.op("percale:Call", {x}, {{"function", FunctionRef{str_cat("level", i - 1)}}});
    b.outputs({x});
  }
  Build b(builder.main());
  b.outputs({b.op("percale:Call", {b.input("x", {})}, {{"function", FunctionRef{"level12"}}})});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  PassContext context;
  context.max_inlined_nodes = 1000;
  check(run_device_free_passes(*graph, f, context));
  CHECK(f.nodes.size() <= 1000);
  CHECK(f.nodes.size() > 500);
  check_valid(*graph, f);
}

TEST_CASE("a composite op becomes its body, bodies within bodies too, and what follows keeps its place") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  b.outputs({b.op("Neg", {b.op("Mish", {x}, {}, "mish")})});
  const auto graph = get(builder.finish());
  const Function f = run_pass(*graph, "expand_composites", {kX});
  CHECK(op_names(f) == Strings{"Abs", "Neg", "Exp", "Add", "Log", "Relu", "Add", "Tanh", "Mul", "Neg"});
  CHECK(f.find_value("mish") != kNoValue);
}

TEST_CASE("a composite op that a kernel claims stays, and one whose shape is not known waits") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}), rows = b.input("rows", {-1, 3});
  b.outputs({b.op("Gelu", {x}, {}, "claimed"), b.op("Softsign", {x}), b.op("Gelu", {rows})});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  PassContext context;
  context.claims = [](const Function&, const Node& node) { return node.name == "claimed"; };
  check(expand_composites(*graph, f, context));
  CHECK(op_names(f) == Strings{"Gelu", "Abs", "Add", "Div", "Gelu"});
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

TEST_CASE("a composite node whose shape folding finds is expanded then") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  // The pads' length comes from constants, but only after folding.
  const ValueId pads = b.op("Concat", {b.op("Neg", {b.ints({0, -1})}), b.ints({0, 2})}, {{"axis", 0}});
  b.outputs({b.op("Softsign", {b.op("Pad", {x, pads})})});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  PassContext context = with_evaluator(graph->registry);
  check(run_device_free_passes(*graph, f, context));
  CHECK(op_names(f) == Strings{"Pad", "Abs", "Add", "Div"});
}

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

TEST_CASE("prune makes feeds the inputs and fetches the outputs, and names an input that is missing") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}), y = b.input("y", {2, 3});
  const ValueId inner = b.op("Exp", {x}, {}, "inner"), sum = b.op("Add", {inner, b.op("Neg", {y})}, {}, "sum");
  b.outputs({sum});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  check(prune(*graph, f, {y, inner}, {sum, inner}, {}));
  check_valid(*graph, f);
  CHECK(op_names(f) == Strings{"Neg", "Add"});
  CHECK(output_names(f) == Strings{"sum", "inner"});
  CHECK(f.value(f.inputs[1]).name == "inner");
  Function g = graph->main();
  CHECK(prune(*graph, g, {x}, {sum}, {}).to_string() ==
        "INVALID_ARGUMENT: input 'y' (f64 [2,3]) is required but was not fed");
}

TEST_CASE("Passes can be switched off by name and each that ran can be dumped") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3});
  b.outputs({b.op("Add", {b.op("Neg", {x}), b.op("Neg", {x})})});
  const auto graph = get(builder.finish());
  Function f = graph->main();
  PassContext context;
  context.disabled = {"cse", "algebra"};
  Strings ran;
  context.dump = [&](std::string_view pass, const Function&) { ran.emplace_back(pass); };
  check(run_device_free_passes(*graph, f, context));
  CHECK(ran == Strings{"inline_calls", "infer_shapes", "expand_composites", "fold_constants", "dead_code",
                       "recognize_norm", "recognize_rotary", "recognize_attention", "recognize_attention_grad",
                       "move_transposes", "recognize_activation", "fold_pad", "move_views", "fold_batch_norm"});
  CHECK(f.nodes.size() == 3);
}

TEST_CASE("Any small graph gives the same bits after each pass and after all of them") {
  const auto registry = all_ops();
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](size_t n) { return static_cast<size_t>(random()) % n; };
    Builder builder(registry);
    Build b(builder.main());
    std::vector<ValueId> values{b.input("x", {2, 3}), b.input("y", {2, 3}), b.constant(kX),
                                b.number(1),          b.number(0),          b.number(-0.0)};
    const auto any = [&] { return values[pick(values.size())]; };
    for (int n = 0; n < 12; ++n) {
      const ValueId a = any(), c = any();
      const Shape shape = builder.main().type(a).shape;
      switch (pick(7)) {
        case 0: values.push_back(b.op("Neg", {a})); break;
        case 1: values.push_back(b.op("Sin", {a})); break;
        case 2: values.push_back(b.op("Identity", {a})); break;
        case 3: values.push_back(b.op("Sub", {a, c})); break;
        case 4: values.push_back(b.op("Mul", {a, c})); break;
        case 5: values.push_back(b.op("Add", {a, c})); break;
        default:
          if (shape.rank() != 2) break;
          values.push_back(b.op("Transpose", {b.op("Transpose", {a})}));
          values.push_back(b.op("Reshape", {b.op("Reshape", {a, b.ints({-1})}), b.op("Shape", {a})}));
      }
    }
    std::vector<ValueId> outputs;
    for (int n = 0; n < 4; ++n) outputs.push_back(any());
    b.outputs(outputs);
    const auto graph = get(builder.finish());
    const Tensor y = f64({2, 3}, {-0.0, 0.0, 1e300, -1, 1e-300, 2});
    for (const Pass& pass : device_free_passes()) run_pass(*graph, pass.name, {kX, y});

    Function f = graph->main();
    PassContext context = with_evaluator(registry);
    check(run_device_free_passes(*graph, f, context));
    check_valid(*graph, f);
    CHECK(f.nodes.size() <= graph->main().nodes.size());
    CHECK(output_names(f) == output_names(graph->main()));
    const auto before = evaluate(*graph, graph->main(), {kX, y}), after = evaluate(*graph, f, {kX, y});
    for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], after[i]));
  }
}

}  // namespace percale

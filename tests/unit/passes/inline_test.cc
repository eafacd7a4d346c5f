// Calls, branches and composite ops become their bodies.
#include "tests/unit/passes/pass_util.h"

namespace percale {

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

}  // namespace percale

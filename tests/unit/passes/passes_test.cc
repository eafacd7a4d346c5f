// The list of passes as a whole: any small graph keeps its bits, and inputs are pruned.
#include <random>

#include "core/passes/edit/prune.h"
#include "tests/unit/passes/pass_util.h"

namespace percale {

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

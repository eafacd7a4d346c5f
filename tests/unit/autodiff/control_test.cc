#include "core/graph/emit/gradient.h"
#include "core/graph/emit/upgrade.h"
#include "tests/unit/autodiff/differences.h"

namespace percale {
namespace {

constexpr double kTolerance = 1e-7;

const Tensor kH = f64({2}, {0.4, -0.3});
const Tensor kW = f64({2}, {0.7, 1.2});

Tensor flag(bool value) { return Tensor::scalar(value); }

// body(trip, cond, h, w) -> (cond, sin(h*w) + h, h*w): one loop-carried value, one captured value,
// one scan output.
void add_wave_body(Builder& builder, std::string_view name) {
  Build b(*get(builder.add_function(name)));
  b.input("trip", {}, DType::kI64);
  const ValueId cond = b.input("cond", {}, DType::kBool), h = b.input("h", {2}), w = b.input("w", {2});
  const ValueId product = b.op("Mul", {h, w});
  b.outputs({cond, b.op("Add", {b.op("Sin", {product}), h}), product});
}

std::shared_ptr<const Graph> wave_loop(int64_t trips) {
  Builder builder(all_ops());
  add_wave_body(builder, "body");
  Build b(builder.main());
  const ValueId h = b.input("h", {2}), w = b.input("w", {2});
  const ValueId most = b.constant(Tensor::scalar(trips));
  b.outputs(b.ops("Loop", {most, kNoValue, h, w}, 2, {{"body", FunctionRef{"body"}}, {"num_carried", 1}}, "loop"));
  return get(builder.finish());
}

std::shared_ptr<const Graph> branches() {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("times")));
    const ValueId x = b.input("x", {2}), w = b.input("w", {2});
    b.outputs({b.op("Mul", {b.op("Mul", {x, w}), w})});
  }
  {
    Build b(*get(builder.add_function("wave")));
    const ValueId x = b.input("x", {2});
    b.input("w", {2});
    b.outputs({b.op("Sin", {x})});
  }
  Build b(builder.main());
  const ValueId cond = b.input("cond", {}, DType::kBool), x = b.input("x", {2}), w = b.input("w", {2});
  b.outputs({b.op("If", {cond, b.op("Exp", {x}), w},
                  {{"then_branch", FunctionRef{"times"}}, {"else_branch", FunctionRef{"wave"}}})});
  return get(builder.finish());
}

Status pass_on(GradContext& c) {
  c.set(0, c.grad(0));
  return {};
}

}  // namespace

TEST_CASE("Gradients flow through the branch that an If takes; what that branch does not use has zeros") {
  for (const bool taken : {true, false}) {
    CHECK(gradient_error(branches(), {flag(taken), kH, kW}) < kTolerance);
    CHECK(gradient_error(branches(), {flag(taken), kH, kW}, 2) < 1e-6);
  }
}

TEST_CASE("Gradients flow through a Call and a Call within it") {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("inner")));
    const ValueId x = b.input("x", {2});
    b.outputs({b.op("Mul", {x, b.op("Sin", {x})})});
  }
  {
    Build b(*get(builder.add_function("outer")));
    const ValueId x = b.input("x", {2}), w = b.input("w", {2});
    b.outputs({b.op("Mul", {b.op("percale:Call", {x}, {{"function", FunctionRef{"inner"}}}), w})});
  }
  Build b(builder.main());
  const ValueId x = b.input("x", {2}), w = b.input("w", {2});
  b.outputs({b.op("percale:Call", {x, w}, {{"function", FunctionRef{"outer"}}})});
  const auto graph = get(builder.finish());
  CHECK(gradient_error(graph, {kH, kW}) < kTolerance);
  CHECK(gradient_error(graph, {kH, kW}, 2) < 1e-6);
}

TEST_CASE("Gradients flow through a Loop: carried values, captures and scan outputs, of first and second order") {
  for (const int64_t trips : {0, 1, 4}) {
    CAPTURE(trips);
    CHECK(gradient_error(wave_loop(trips), {kH, kW}) < kTolerance);
    CHECK(gradient_error(wave_loop(trips), {kH, kW}, 2) < 1e-6);
  }
}

TEST_CASE(
    "Gradients flow through a Scan: carried values, scanned inputs forwards and backwards, captures and outputs") {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("body")));
    const ValueId h = b.input("h", {2}), x = b.input("x", {2}), z = b.input("z", {2}), w = b.input("w", {2});
    const ValueId product = b.op("Mul", {b.op("Sin", {b.op("Add", {h, x})}), w});
    b.outputs({b.op("Mul", {product, z}), product});
  }
  Build b(builder.main());
  const ValueId h = b.input("h", {2}), x = b.input("x", {3, 2}), z = b.input("z", {2, 3}), w = b.input("w", {2});
  const Attributes attributes = {{"body", FunctionRef{"body"}},
                                 {"num_carried", 1},
                                 {"num_scan_inputs", 2},
                                 {"scan_input_axes", std::vector<int64_t>{0, 1}},
                                 {"scan_input_directions", std::vector<int64_t>{0, 1}},
                                 {"scan_output_axes", std::vector<int64_t>{1}},
                                 {"scan_output_directions", std::vector<int64_t>{1}}};
  b.outputs(get(add_node_of_version(builder.main(), "Scan", 25, {h, x, z, w}, attributes, 2, "scan")));
  const auto graph = get(builder.finish());
  const Tensor rows = f64({3, 2}, {0.1, -0.2, 0.3, 0.5, -0.7, 0.9}),
               columns = f64({2, 3}, {1.1, 0.4, -0.6, 0.8, 0.2, 1.3});
  CHECK(gradient_error(graph, {kH, rows, columns, kW}) < kTolerance);
}

TEST_CASE("Gradients flow through a Loop that ends by its condition") {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("body")));
    b.input("trip", {}, DType::kI64);
    b.input("cond", {}, DType::kBool);
    const ValueId h = b.input("h", {2});
    const ValueId next = b.op("Mul", {h, h});
    b.outputs({b.op("Less", {b.op("ReduceSum", {next}, {{"keepdims", 0}}), b.number(100)}), next});
  }
  Build b(builder.main());
  const ValueId h = b.input("h", {2});
  b.outputs(b.ops("Loop", {kNoValue, kNoValue, h}, 1, {{"body", FunctionRef{"body"}}, {"num_carried", 1}}));
  const auto graph = get(builder.finish());
  const Tensor start = f64({2}, {1.1, 1.3});
  CHECK(evaluate(*graph, graph->main(), {start})[0].span<double>()[1] > 50);  // several iterations
  CHECK(gradient_error(graph, {start}) < 1e-5);
}

TEST_CASE("Gradients flow through a Loop within a Loop") {
  Builder builder(all_ops());
  add_wave_body(builder, "inner");
  {
    Build b(*get(builder.add_function("outer")));
    b.input("trip", {}, DType::kI64);
    const ValueId cond = b.input("cond", {}, DType::kBool), h = b.input("h", {2}), w = b.input("w", {2});
    const auto out = b.ops("Loop", {b.constant(Tensor::scalar(int64_t{3})), kNoValue, h, w}, 2,
                           {{"body", FunctionRef{"inner"}}, {"num_carried", 1}});
    b.outputs({cond, b.op("Mul", {out[0], w})});
  }
  Build b(builder.main());
  const ValueId h = b.input("h", {2}), w = b.input("w", {2});
  b.outputs(b.ops("Loop", {b.constant(Tensor::scalar(int64_t{2})), kNoValue, h, w}, 1,
                  {{"body", FunctionRef{"outer"}}, {"num_carried", 1}}));
  const auto graph = get(builder.finish());
  CHECK(gradient_error(graph, {kH, kW}) < kTolerance);
}

TEST_CASE("A carried value that begins as a constant still brings the gradients of captures") {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("body")));
    b.input("trip", {}, DType::kI64);
    const ValueId cond = b.input("cond", {}, DType::kBool), sum = b.input("sum", {2}), w = b.input("w", {2});
    b.outputs({cond, b.op("Add", {sum, b.op("Mul", {w, w})})});
  }
  Build b(builder.main());
  const ValueId w = b.input("w", {2});
  b.outputs(b.ops("Loop", {b.constant(Tensor::scalar(int64_t{3})), kNoValue, b.constant(f64({2}, {0, 0})), w}, 1,
                  {{"body", FunctionRef{"body"}}, {"num_carried", 1}}));
  CHECK(gradient_error(get(builder.finish()), {kW}) < kTolerance);
}

TEST_CASE("A Loop saves what its gradient needs once, however often gradients are taken") {
  Builder builder(*wave_loop(3));
  FunctionBuilder& f = builder.main();
  const auto loop_outputs = [&] { return f.function().nodes[0].outputs.size(); };
  REQUIRE(loop_outputs() == 2);
  for (int i = 0; i < 3; ++i) {
    check(gradients(f, f.function().outputs, f.function().inputs).status());
    CHECK(loop_outputs() == 3);
  }
}

TEST_CASE("The number of trips is known where M is and the body keeps its condition, so stacks have known shapes") {
  CHECK(wave_loop(3)->main().type(wave_loop(3)->main().outputs[1]).shape == Shape{3, 2});
}

TEST_CASE("Ops that look at values in a body do not stand in the way of its gradient, at any depth and of any order") {
  Builder builder(all_ops());
  {
    Build b(*get(builder.add_function("watched")));
    const ValueId x = b.input("x", {2});
    b.op("percale:Print", {x}, {{"message", "unused"}});
    const ValueId small = b.op("Less", {x, b.constant(f64({1}, {100}))});
    const ValueId seen =
        b.op("percale:Print", {b.op("percale:CheckNumerics", {b.op("Sin", {x})})}, {{"message", "sin"}});
    b.outputs({b.op("Mul", {b.op("percale:Assert", {small, seen}), x})});
  }
  {
    Build b(*get(builder.add_function("then")));
    const ValueId x = b.input("x", {2}), w = b.input("w", {2});
    const ValueId y = b.op("percale:Call", {x}, {{"function", FunctionRef{"watched"}}});
    b.outputs({b.op("percale:Print", {b.op("Mul", {y, w})}, {{"message", "then"}})});
  }
  {
    Build b(*get(builder.add_function("else")));
    const ValueId x = b.input("x", {2});
    b.input("w", {2});
    b.outputs({b.op("percale:Print", {x}, {{"message", "else"}})});
  }
  {
    Build b(*get(builder.add_function("body")));
    b.input("trip", {}, DType::kI64);
    const ValueId cond = b.input("cond", {}, DType::kBool), h = b.input("h", {2}), w = b.input("w", {2});
    const ValueId y = b.op("percale:Print", {b.op("Mul", {h, w})}, {{"message", "trip"}});
    b.outputs({cond, b.op("Add", {b.op("percale:Call", {y}, {{"function", FunctionRef{"watched"}}}), h})});
  }
  Build b(builder.main());
  const ValueId cond = b.input("cond", {}, DType::kBool), x = b.input("x", {2}), w = b.input("w", {2});
  const ValueId taken =
      b.op("If", {cond, x, w}, {{"then_branch", FunctionRef{"then"}}, {"else_branch", FunctionRef{"else"}}});
  const ValueId trips = b.constant(Tensor::scalar(int64_t{3}));
  const ValueId looped = b.op("Loop", {trips, kNoValue, taken, w}, {{"body", FunctionRef{"body"}}, {"num_carried", 1}});
  b.outputs({b.op("percale:Print", {looped}, {{"message", "after"}})});
  const auto graph = get(builder.finish());
  for (const bool taken : {true, false}) {
    CHECK(gradient_error(graph, {flag(taken), kH, kW}) < kTolerance);
    CHECK(gradient_error(graph, {flag(taken), kH, kW}, 2) < 1e-5);
  }
}

TEST_CASE("A body that has effects has no gradient: it would repeat them") {
  static constexpr OpRow kEffectRow{.domain = "test",
                                    .name = "Effect",
                                    .doc = "x",
                                    .inputs = {in("x", 'T', dtypes::kFloat)},
                                    .outputs = {out("y", 'T')},
                                    .flags = kStateful,
                                    .shape =
                                        [](ShapeContext& c) {
                                          c.set_output(0, c.dtype(0), c.shape(0));
                                          return Status();
                                        },
                                    .grad = pass_on};
  static constexpr OpSchema kEffect(kEffectRow);
  auto registry = std::make_shared<Registry>();
  check(register_all_ops(*registry, nullptr));
  check(registry->add_op(kEffect));
  Builder builder(registry);
  {
    Build b(*get(builder.add_function("body")));
    b.outputs({b.op("test:Effect", {b.input("x", {})})});
  }
  Build b(builder.main());
  const ValueId x = b.input("x", {});
  const ValueId y = b.op("percale:Call", {x}, {{"function", FunctionRef{"body"}}}, "call");
  const auto result = gradients(builder.main(), {y}, {x});
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().to_string() ==
        "UNIMPLEMENTED: gradient of percale:Call 'call': function 'body' has effects; its gradient would repeat them");
}

}  // namespace percale

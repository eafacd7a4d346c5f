#include "tests/unit/autodiff/differences.h"

namespace percale {
namespace {

constexpr double kTolerance = 1e-7;

const Tensor kX = f64({2, 3}, {0.3, -0.7, 1.1, 0.9, -0.2, 0.4});
const Tensor kRow = f64({3}, {0.8, -1.3, 0.6});

// sum(sin(x * row) / (1 + exp(row))); `row` is used twice.
std::shared_ptr<const Graph> composed(const std::shared_ptr<const Registry>& registry, const Shape& x_shape = {2, 3}) {
  Builder builder(registry);
  Build b(builder.main());
  const ValueId x = b.input("x", x_shape), row = b.input("row", {3});
  const ValueId wave = b.op("Sin", {b.op("Mul", {x, row})});
  b.outputs({b.op("Div", {wave, b.op("Add", {b.number(1), b.op("Exp", {row})})})});
  return get(builder.finish());
}

}  // namespace

TEST_CASE("Gradients of composed functions agree with central differences, broadcasting and shared values included") {
  CHECK(gradient_error(composed(all_ops()), {kX, kRow}) < kTolerance);
}

TEST_CASE("Gradients do not need to know the batch when they are taken") {
  CHECK(gradient_error(composed(all_ops(), {-1, 3}), {kX, kRow}) < kTolerance);
}

TEST_CASE("Gradients of gradients agree with central differences") {
  CHECK(gradient_error(composed(all_ops()), {kX, kRow}, 2) < 1e-6);
}

TEST_CASE("The bias of a ConvTranspose has a gradient of its shape whichever ranks are known") {
  const Shape none = Shape::unranked(), image{-1, 2, -1, -1}, filters{2, 3, 2, 2};
  const Shape knowledge[][2] = {{image, filters}, {none, filters}, {image, none}, {none, none}};
  const Tensor x = f64({1, 2, 2, 1}, {0.3, -0.7, 1.1, 0.9});
  std::vector<double> numbers(24);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
  for (const auto& [x_shape, w_shape] : knowledge) {
    CAPTURE(x_shape.to_string());
    CAPTURE(w_shape.to_string());
    Builder builder(all_ops());
    Build b(builder.main());
    const ValueId y = b.op("ConvTranspose", {b.input("x", x_shape), b.input("w", w_shape), b.input("bias", {3})});
    b.outputs({b.op("Sin", {y})});
    CHECK(gradient_error(get(builder.finish()), {x, f64({2, 3, 2, 2}, numbers), kRow}) < kTolerance);
  }
}

TEST_CASE("A value used twice gets the sum of both contributions") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {});
  const ValueId y = b.op("Add", {b.op("Mul", {x, x}), x});
  b.outputs(get(gradients(builder.main(), {y}, {x})));
  const auto graph = get(builder.finish());
  CHECK(evaluate(*graph, graph->main(), {f64({}, {3})})[0].span<double>()[0] == 7);
}

TEST_CASE("An x that y does not depend on has zeros of its shape; a y that is an x has its own gradient") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2}), unused = b.input("unused", {2, 2}), seed = b.input("seed", {2});
  b.outputs(get(gradients(builder.main(), {x}, {x, unused}, {seed})));
  const auto graph = get(builder.finish());
  const Tensor given = f64({2}, {5, 6});
  const auto out = evaluate(*graph, graph->main(), {f64({2}, {1, 2}), f64({2, 2}, {1, 2, 3, 4}), given});
  CHECK(same_bits(out[0], given));
  CHECK(same_bits(out[1], f64({2, 2}, {0, 0, 0, 0})));
}

TEST_CASE("The gradient at an inner value counts all that follows it, and flows on to what is before it") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {}), inner = b.op("Mul", {x, b.number(2)});
  const ValueId y = b.op("Mul", {inner, inner});
  b.outputs(get(gradients(builder.main(), {y}, {inner, x})));
  const auto graph = get(builder.finish());
  const auto out = evaluate(*graph, graph->main(), {f64({}, {3})});
  CHECK(out[0].span<double>()[0] == 12);
  CHECK(out[1].span<double>()[0] == 24);
}

TEST_CASE("Only nodes between xs and ys are differentiated: ops without a gradient may stand beside") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {}), c = b.input("c", {});
  const ValueId steps = b.op("Floor", {x});  // piecewise constant: stops the gradient
  const ValueId y = b.op("Add", {b.op("Mul", {c, steps}), b.op("Mul", {x, c})});
  const size_t before = builder.main().function().nodes.size();
  b.outputs(get(gradients(builder.main(), {y}, {x})));
  const auto graph = get(builder.finish());
  CHECK(evaluate(*graph, graph->main(), {f64({}, {2.5}), f64({}, {4})})[0].span<double>()[0] == 4);
  for (size_t i = before; i < graph->main().nodes.size(); ++i) {
    CHECK_MESSAGE(graph->main().nodes[i].name.find("Floor") == std::string::npos, graph->main().nodes[i].name);
  }
}

TEST_CASE("Integers have no gradient, and asking for it says so") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId i = b.input("ids", {2}, DType::kI64);
  const auto result = gradients(builder.main(), {i}, {i});
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().to_string() ==
        "INVALID_ARGUMENT: gradients: y 'ids' is i64; only floating-point values have gradients");
}

TEST_CASE("An op without a gradient on the way is an error that names op and node") {
  static constexpr OpRow kOpaqueRow{.domain = "test",
                                    .name = "Opaque",
                                    .doc = "x",
                                    .inputs = {in("x", 'T', dtypes::kFloat)},
                                    .outputs = {out("y", 'T')},
                                    .shape =
                                        [](ShapeContext& c) {
                                          c.set_output(0, c.dtype(0), c.shape(0));
                                          return Status();
                                        },
                                    .grad = grad::none};
  static constexpr OpSchema kOpaque(kOpaqueRow);
  auto registry = std::make_shared<Registry>();
  check(register_all_ops(*registry, nullptr));
  check(registry->add_op(kOpaque));
  Builder builder(registry);
  Build b(builder.main());
  const ValueId x = b.input("x", {});
  const ValueId y = b.op("test:Opaque", {x}, {}, "wall");
  const auto result = gradients(builder.main(), {y}, {x});
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().to_string() ==
        "UNIMPLEMENTED: test:Opaque 'wall': the op has no gradient, and one is needed through it");
}

TEST_CASE("A gradient of a wrong shape is refused") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2}), seed = b.input("seed", {3});
  const auto result = gradients(builder.main(), {x}, {x}, {seed});
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().to_string() == "INVALID_ARGUMENT: the gradient given for 'x' is f64 [3], wanted f64 [2]");
}

TEST_CASE("A long chain is differentiated without recursion") {
  Builder builder(all_ops());
  Build b(builder.main());
  ValueId x = b.input("x", {}), y = x;
  for (int i = 0; i < 20000; ++i) y = b.op("Neg", {y});
  b.outputs(get(gradients(builder.main(), {y}, {x})));
  const auto graph = get(builder.finish());
  CHECK(evaluate(*graph, graph->main(), {f64({}, {3})})[0].span<double>()[0] == 1);
}

}  // namespace percale

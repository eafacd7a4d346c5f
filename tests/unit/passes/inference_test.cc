#include "core/passes/inference.h"

#include <algorithm>
#include <cmath>

#include "tests/unit/graph_util.h"

namespace percale {
namespace {

const Tensor kX = f64({2, 3}, {0.3, -0.7, 1.1, 0.9, -0.2, -0.0});

bool has_op(const Function& f, std::string_view op) {
  return std::any_of(f.nodes.begin(), f.nodes.end(), [&](const Node& n) { return n.op->name == op; });
}

TEST_CASE("calls are dissolved, refused composites become their bodies, dead ends go, the values stay") {
  Builder builder(all_ops());
  {
    Build inner(*get(builder.add_function("inner")));
    inner.outputs({inner.op("Celu", {inner.input("a", {-1, 3})}, {{"alpha", 0.5}}, "inside")});
    Build outer(*get(builder.add_function("outer")));
    outer.outputs({outer.op("percale:Call", {outer.input("a", {-1, 3})}, {{"function", FunctionRef{"inner"}}})});
  }
  check(builder.add_variable({"unused", DType::kF64, Shape{1}, true, false, f64({1}, {1})}));
  Build b(builder.main());
  const ValueId x = b.input("x", {-1, 3});
  const ValueId called = b.op("percale:Call", {x}, {{"function", FunctionRef{"outer"}}}, "called");
  const ValueId kept = b.op("Softplus", {called}, {}, "kept");
  b.op("Neg", {x}, {}, "dead");
  b.ops("percale:Assign", {b.constant(f64({1}, {2}))}, 0, {{"variable", "unused"}});
  b.outputs({kept, called});
  const auto graph = get(builder.finish());
  const auto out = get(inference_graph(*graph, [](const OpSchema& op) { return op.name != "Celu"; }));

  const Function& f = out->main();
  CHECK(out->functions.size() == 1);
  CHECK(out->variables.empty());
  for (const char* gone : {"Call", "Celu", "Neg", "Assign"}) {
    CAPTURE(gone);
    CHECK_FALSE(has_op(f, gone));
  }
  CHECK(has_op(f, "Softplus"));
  CHECK(f.value(f.outputs[0]).name == "kept");
  CHECK(f.value(f.outputs[1]).name == "called");
  const auto values = evaluate(*out, f, {kX});
  for (size_t i = 0; i < 6; ++i) {
    const double x_i = kX.span<double>()[i], celu = x_i > 0 ? x_i : 0.5 * std::expm1(x_i / 0.5);
    CHECK(values[1].span<double>()[i] == doctest::Approx(celu));
    CHECK(values[0].span<double>()[i] == doctest::Approx(std::log1p(std::exp(celu))));
  }
}

TEST_CASE("functions that call each other again and again are refused before memory is full") {
  Builder builder(all_ops());
  for (int i = 0; i < 12; ++i) {
    Build b(*get(builder.add_function(str_cat("level", i))));
    ValueId x = b.input("x", {});
    for (int k = 0; k < 8; ++k) {
      x = i == 0 ? b.op("Neg", {x}) : b.op("percale:Call", {x}, {{"function", FunctionRef{str_cat("level", i - 1)}}});
    }
    b.outputs({x});
  }
  Build b(builder.main());
  b.outputs({b.op("percale:Call", {b.input("x", {})}, {{"function", FunctionRef{"level11"}}})});
  const Status status = inference_graph(*get(builder.finish()), [](const OpSchema&) { return true; }).status();
  CHECK(status.code() == Code::kResourceExhausted);
}

TEST_CASE("Dropout outside of training is left out, and an output that it gives keeps its name") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}), off = b.constant(Tensor::scalar(false));
  const ValueId h = b.op("Exp", {b.op("Dropout", {b.op("Neg", {x})})});
  b.outputs({b.op("Dropout", {h, b.constant(f64({}, {0.5})), off}, {}, "y"), b.op("Dropout", {x}, {}, "same")});
  const auto out = get(inference_graph(*get(builder.finish()), [](const OpSchema&) { return true; }));
  const Function& f = out->main();
  CHECK_FALSE(has_op(f, "Dropout"));
  CHECK(f.value(f.outputs[0]).name == "y");
  CHECK(f.value(f.outputs[1]).name == "same");
  CHECK(evaluate(*out, f, {kX})[1].span<double>()[0] == 0.3);
}

TEST_CASE("Dropout that trains, may train or gives its mask stays") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("x", {2, 3}), mode = b.input("mode", {}, DType::kBool);
  const ValueId on = b.constant(Tensor::scalar(true)), ratio = b.constant(f64({}, {0.5}));
  const auto masked = b.ops("Dropout", {x}, 2);
  b.outputs({b.op("Dropout", {x, ratio, on}), b.op("Dropout", {x, ratio, mode}), masked[0], masked[1]});
  const auto out = get(inference_graph(*get(builder.finish()), [](const OpSchema&) { return true; }));
  CHECK(out->main().nodes.size() == 3);
}

}  // namespace
}  // namespace percale

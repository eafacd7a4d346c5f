// Formats of values: kernels that request operands in an order of their own get it, and all other
// nodes are unaffected. The format of these tests is the reversed tensor.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "core/graph/builder.h"
#include "core/session/initialize.h"
#include "core/session/session.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"

namespace percale {
namespace {

std::vector<int64_t> to_vector(const Shape& shape) { return {shape.begin(), shape.end()}; }
Tensor floats(const std::vector<float>& values, const Shape& shape) { return Tensor::of<float>(shape, values); }

std::atomic<int> reorders{0};

Format backwards(const NodeView& node, size_t i) {
  return {"test:backwards", *byte_size(node.dtype(i), node.shape(i))};
}

// Computes y[n-1-i] = x[n-1-i] - w[n-1-i] on reversed operands; w is reversed only if it is a
// precomputed value.
struct SubPlan {
  int64_t count;
  bool formatted;
};
Status accepts_sub(const NodeView& node) {
  if (node.dtype(0) != DType::kF32 || !(node.shape(0) == node.shape(1))) return unimplemented("odd shapes");
  return node.is_precomputed(1) ? Status() : unimplemented("the right side changes");
}
Result<SubPlan> plan_sub(const NodeView& node, KernelPlan& plan) {
  for (size_t operand = 0; operand < 3 && plan.grants_formats; ++operand) {
    plan.formats.emplace_back(operand, backwards(node, 0));
  }
  return SubPlan{node.shape(0).num_elements(), plan.grants_formats};
}
void run_sub(const SubPlan& p, const Launch& l) {
  for (int64_t i = 0; i < p.count; ++i) l.out<float>(0)[i] = l.in<float>(0)[i] - l.in<float>(1)[i];
}

Status accepts_reorder(const NodeView& node) {
  if (node.input_format(0) == nullptr && node.output_format(0) == nullptr) return unimplemented("nothing to do");
  return {};
}
Result<int64_t> plan_reorder(const NodeView& node, KernelPlan&) { return node.shape(0).num_elements(); }
void run_reorder(const int64_t& count, const Launch& l) {
  ++reorders;
  std::reverse_copy(l.in<float>(0), l.in<float>(0) + count, l.out<float>(0));
}

std::shared_ptr<Engine> make_engine() {
  static const Kernel sub = make_kernel<accepts_sub, plan_sub, run_sub>("test.Sub", "Sub");
  static const Kernel reorder =
      make_kernel<accepts_reorder, plan_reorder, run_reorder>("test.Reorder", "Reorder", "percale");
  static const Kernel* const kernels[] = {&sub, &reorder};
  percale_plugin_api plugin{};
  plugin.kernels = kernels;
  plugin.kernel_count = 2;
  return get(make_test_engine({}, {&plugin}));
}

size_t count_of(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

ValueId variable(Builder& builder, Emitter& e, Tensor initial) {
  REQUIRE(
      builder.add_variable({.name = "w", .dtype = initial.dtype(), .shape = initial.shape(), .initial = initial}).ok());
  return e.emit("percale:ReadVariable", {},
                {{"variable", "w"}, {"dtype", initial.dtype()}, {"shape", to_vector(initial.shape())}});
}

struct Model {
  std::shared_ptr<Engine> engine = make_engine();
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<Variables> variables;
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y", "z"}};
  const std::vector<ValueType> types{{DType::kF32, Shape{2, 3}}};

  // y = Relu((x - w) - w), z = reshape(x - w): the first difference is passed on in the format and
  // is also read row-major.
  Model() {
    Builder builder(engine->registry());
    Emitter e(builder.main());
    const ValueId x = get(builder.main().add_input("x", DType::kF32, Shape{2, 3}));
    const ValueId w = variable(builder, e, floats({1, 2, 3, 4, 5, 6}, {2, 3}));
    const ValueId first = e.emit("Sub", {x, w});
    const ValueId y = e.emit("Relu", {e.emit("Sub", {first, w})});
    const ValueId z = e.emit("Reshape", {first, e.ints({6})});
    for (const auto& [value, name] : {std::pair{y, "y"}, {z, "z"}}) REQUIRE(builder.main().rename(value, name).ok());
    REQUIRE(builder.main().set_outputs({y, z}).ok());
    REQUIRE(e.status().ok());
    graph = get(builder.finish());
    variables = get(initialize_variables(engine, graph, 1));
  }
  std::shared_ptr<Session> session(SessionOptions options = {}) const {
    return get(Session::create(engine, graph, variables, std::move(options)));
  }
  std::vector<float> run(Session& session, size_t fetch) const {
    const Tensor x = floats({10, 10, 10, 0, 0, 20}, {2, 3});
    const Tensor result = get(session.run(spec, std::vector<Tensor>{x}))[fetch];
    const auto values = result.span<float>();
    return {values.begin(), values.end()};
  }
};

TEST_CASE("values pass between kernels in the format that both want, and reach everybody else row-major") {
  const Model model;
  const auto session = model.session({.compile = {.disabled_passes = {"fuse_elementwise"}}});
  CHECK(model.run(*session, 0) == std::vector<float>{8, 6, 4, 0, 0, 8});
  CHECK(model.run(*session, 1) == std::vector<float>{9, 8, 7, -4, -5, 14});
  const std::string kernels = get(session->explain(model.spec, model.types, "kernels"));
  CAPTURE(kernels);
  CHECK(count_of(kernels, "\"test.Sub\"") == 2);
  // Reorders are needed for x, for the input of the Reshape and for the input of Relu; w is
  // reordered in the precompute step.
  CHECK(count_of(kernels, "\"percale:Reorder\"") == 4);
  CHECK(count_of(kernels, "\"once\"") == 1);
}

TEST_CASE("a weight is reordered once per version, by whichever session needs it first") {
  const Model model;
  const auto one = model.session({.compile = {.disabled_passes = {"fuse_elementwise"}}});
  const auto other = model.session({.compile = {.disabled_passes = {"fuse_elementwise"}}});
  reorders = 0;
  model.run(*one, 0);
  CHECK(reorders == 4);  // one for w and three for this run
  model.run(*one, 0);
  model.run(*other, 0);
  CHECK(reorders == 10);
  REQUIRE(model.variables->publish(std::vector{std::pair{int32_t{0}, floats({0, 0, 0, 0, 0, 0}, {2, 3})}}).ok());
  CHECK(model.run(*other, 0) == std::vector<float>{10, 10, 10, 0, 0, 20});
  CHECK(model.run(*one, 0) == std::vector<float>{10, 10, 10, 0, 0, 20});
  CHECK(reorders == 17);
}

TEST_CASE("the pass 'layouts' can be switched off: the same kernels then work on row-major operands") {
  const Model model;
  const auto session = model.session({.compile = {.disabled_passes = {"fuse_elementwise", "layouts"}}});
  reorders = 0;
  CHECK(model.run(*session, 0) == std::vector<float>{8, 6, 4, 0, 0, 8});
  CHECK(model.run(*session, 1) == std::vector<float>{9, 8, 7, -4, -5, 14});
  CHECK(reorders == 0);
  CHECK(count_of(get(session->explain(model.spec, model.types, "kernels")), "\"test.Sub\"") == 2);
}

TEST_CASE("from variables whose versions follow each other as fast as runs nothing is precomputed") {
  const Model model;
  model.variables->set_changing(true);
  const auto session = model.session({.compile = {.disabled_passes = {"fuse_elementwise"}}});
  reorders = 0;
  CHECK(model.run(*session, 0) == std::vector<float>{8, 6, 4, 0, 0, 8});
  CHECK(reorders == 0);
  CHECK(count_of(get(session->explain(model.spec, model.types, "kernels")), "the right side changes") == 2);
}

TEST_CASE("what a run assigns is precomputed for nobody") {
  const Model model;
  Builder builder(model.engine->registry());
  Emitter e(builder.main());
  const ValueId x = get(builder.main().add_input("x", DType::kF32, Shape{3}));
  const ValueId w = variable(builder, e, floats({1, 2, 3}, {3}));
  const ValueId y = e.emit("Sub", {x, w});
  REQUIRE(builder.main().rename(y, "y").ok());
  REQUIRE(builder.main().set_outputs({y}).ok());
  e.emit_many("percale:Assign", {y}, 0, {{"variable", "w"}}, "write");
  const auto graph = get(builder.finish());
  const auto session = get(Session::create(model.engine, graph, get(initialize_variables(model.engine, graph, 1))));
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}, .targets = {"write"}};
  const Tensor x_value = floats({10, 10, 10}, {3});
  CHECK(get(session->run(spec, std::vector<Tensor>{x_value}))[0].span<float>()[2] == 7);
  CHECK(get(session->run(spec, std::vector<Tensor>{x_value}))[0].span<float>()[2] == 3);
  const std::string kernels = get(session->explain(spec, std::vector<ValueType>{{DType::kF32, Shape{3}}}, "kernels"));
  CHECK(count_of(kernels, "the right side changes") == 1);
}

}  // namespace
}  // namespace percale

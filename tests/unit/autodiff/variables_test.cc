#include "core/autodiff/gradients.h"
#include "tests/unit/graph_util.h"

namespace percale {
namespace {

const Tensor kW = f64({2}, {3, -1});
const Tensor kX = f64({2}, {10, 20});

ValueId read(Build& b, std::string_view variable) {
  return b.op("percale:ReadVariable", {},
              {{"variable", std::string(variable)}, {"dtype", DType::kF64}, {"shape", std::vector<int64_t>{2}}});
}

void add_variables(Builder& builder) {
  for (const char* name : {"w", "unused"}) {
    Variable variable;
    variable.name = name;
    variable.dtype = DType::kF64;
    variable.shape = Shape{2};
    variable.initial = kW;
    check(builder.add_variable(std::move(variable)));
  }
}

}  // namespace

TEST_CASE("The gradient of a variable is the sum over its reads, zeros where there is none") {
  Builder builder(all_ops());
  add_variables(builder);
  Build b(builder.main());
  const ValueId x = b.input("x", {2}), once = read(b, "w"), again = read(b, "w");
  const ValueId loss = b.op("ReduceSum", {b.op("Add", {b.op("Mul", {once, x}), b.op("Mul", {again, again})})});
  b.outputs(get(gradients_of_variables(builder.main(), {loss}, {"unused", "w"})));
  const auto graph = get(builder.finish());
  const auto out = evaluate(*graph, graph->main(), {kX}, {{"w", kW}});
  CHECK(same_bits(out[0], f64({2}, {0, 0})));
  CHECK(same_bits(out[1], f64({2}, {16, 18})));
}

TEST_CASE("A name that is no variable is an error") {
  Builder builder(all_ops());
  Build b(builder.main());
  const auto result = gradients_of_variables(builder.main(), {b.input("x", {})}, {"w"});
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().to_string() == "NOT_FOUND: no variable 'w' in the graph");
}

TEST_CASE("A read within a body is not silently left out of a variable's gradient") {
  Builder builder(all_ops());
  add_variables(builder);
  {
    Build b(*get(builder.add_function("body")));
    b.outputs({b.op("Mul", {b.input("x", {2}), read(b, "w")})});
  }
  Build b(builder.main());
  const ValueId y = b.op("percale:Call", {b.input("x", {2})}, {{"function", FunctionRef{"body"}}}, "call");
  const auto result = gradients_of_variables(builder.main(), {y}, {"w"});
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().to_string() ==
        "UNIMPLEMENTED: percale:Call 'call': its body reads the variable 'w', whose gradient is wanted; read it "
        "outside the "
        "body and pass it as an input");
}

TEST_CASE("A body that reads a variable is not differentiated once the variable may have been written after it") {
  Builder builder(all_ops());
  add_variables(builder);
  {
    Build b(*get(builder.add_function("body")));
    b.outputs({b.op("Mul", {b.input("x", {2}), read(b, "w")})});
  }
  Build b(builder.main());
  const ValueId x = b.input("x", {2});
  const ValueId y = b.op("percale:Call", {x}, {{"function", FunctionRef{"body"}}}, "call");
  check(gradients(builder.main(), {y}, {x}).status());
  b.ops("percale:Assign", {x}, 0, {{"variable", "w"}}, "update");
  const auto result = gradients(builder.main(), {y}, {x});
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().to_string() ==
        "UNIMPLEMENTED: percale:Call 'call': its body reads variables, and 'update' may write them before the gradient "
        "reads them again");
}

}  // namespace percale

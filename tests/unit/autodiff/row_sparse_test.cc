#include "core/autodiff/row_sparse.h"

#include "tests/unit/graph_util.h"

namespace percale {
namespace {

const Tensor kTable = f64({3, 2}, {1, 2, 3, 4, 5, 6});

void add_table(Builder& builder) {
  Variable variable;
  variable.name = "table";
  variable.dtype = DType::kF64;
  variable.shape = Shape{3, 2};
  variable.initial = kTable;
  check(builder.add_variable(std::move(variable)));
}

ValueId read(Build& b) {
  return b.op("percale:ReadVariable", {},
              {{"variable", "table"}, {"dtype", DType::kF64}, {"shape", std::vector<int64_t>{3, 2}}});
}

ValueId sum(Build& b, ValueId x) { return b.op("ReduceSum", {x}, {{"keepdims", 0}}); }

}  // namespace

TEST_CASE("The gradient of a table that is only looked up is the rows of all lookups, with numbers from the front") {
  Builder builder(all_ops());
  add_table(builder);
  Build b(builder.main());
  const ValueId table = read(b);
  const ValueId first = b.op("Gather", {table, b.ints({-1, 0})}, {{"axis", 0}});
  const ValueId bag =
      b.op("percale:EmbeddingBag", {table, b.ints({1, 2, 1}), b.ints({0, 2})}, {{"mode", "sum"}, {"padding_idx", 2}});
  const ValueId loss = b.op("Add", {sum(b, b.op("Mul", {first, b.number(3)})), sum(b, b.op("Mul", {bag, bag}))});
  const auto gradient = get(gradients_of_variables_by_rows(builder.main(), {loss}, {"table"}, {true}))[0];
  REQUIRE(gradient.rows != kNoValue);
  b.outputs({gradient.rows, gradient.values});
  const auto graph = get(builder.finish());
  const auto out = evaluate(*graph, graph->main(), {}, {{"table", kTable}});
  const std::vector<int64_t> rows = {2, 0, 1, -1, 1};
  CHECK(same_bits(out[0], Tensor::vector(std::span<const int64_t>(rows))));
  CHECK(same_bits(out[1], f64({5, 2}, {3, 3, 3, 3, 6, 8, 0, 0, 6, 8})));
}

TEST_CASE("A table has a dense gradient where it is not asked for by rows, or has a use that is no lookup of rows") {
  for (int use = 0; use < 4; ++use) {
    CAPTURE(use);
    Builder builder(all_ops());
    add_table(builder);
    Build b(builder.main());
    const ValueId table = read(b);
    ValueId loss = sum(b, b.op("Gather", {table, b.ints({1})}, {{"axis", use == 1 ? 1 : 0}}));
    if (use == 2) loss = b.op("Add", {loss, sum(b, read(b))});
    std::vector<ValueId> ys = {loss};
    if (use == 3) ys.push_back(table);
    const auto gradient = get(gradients_of_variables_by_rows(builder.main(), ys, {"table"}, {use != 0}))[0];
    CHECK(gradient.rows == kNoValue);
    b.outputs({gradient.values});
    const auto graph = get(builder.finish());
    const auto out = evaluate(*graph, graph->main(), {}, {{"table", kTable}});
    const Tensor want[] = {f64({3, 2}, {0, 0, 1, 1, 0, 0}), f64({3, 2}, {0, 1, 0, 1, 0, 1}),
                           f64({3, 2}, {1, 1, 2, 2, 1, 1}), f64({3, 2}, {1, 1, 2, 2, 1, 1})};
    CHECK(same_bits(out[0], want[use]));
  }
}

TEST_CASE("A read of the table within a body is not silently left out of its rows") {
  Builder builder(all_ops());
  add_table(builder);
  {
    Build b(*get(builder.add_function("body")));
    b.outputs({b.op("Mul", {b.input("x", {3, 2}), read(b)})});
  }
  Build b(builder.main());
  const ValueId y = b.op("percale:Call", {b.input("x", {3, 2})}, {{"function", FunctionRef{"body"}}}, "call");
  const ValueId looked_up = b.op("Gather", {read(b), b.ints({1})}, {{"axis", 0}});
  const ValueId loss = b.op("Add", {sum(b, y), sum(b, looked_up)});
  const auto result = gradients_of_variables_by_rows(builder.main(), {loss}, {"table"}, {true});
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().message().find("its body reads the variable 'table'") != std::string::npos);
}

}  // namespace percale

// Types of graphs whose dims and axes are computed by nodes.
#include "core/train/rewrite/refine_types.h"

#include "core/train/rewrite/model_file.h"
#include "tests/unit/graph_util.h"

namespace percale {
namespace {

std::shared_ptr<const Graph> refined(Builder& builder) {
  return get(refine_types(get(builder.finish()), std::make_shared<MemoryPool>()));
}

Shape output_shape(const Graph& graph) { return graph.main().type(graph.main().outputs[0]).shape; }

}  // namespace

TEST_CASE("axes that are computed from constants are known after the refinement") {
  Builder builder(all_ops());
  Build b(builder.main());
  const auto number = [&](int64_t n) { return b.constant(Tensor::scalar(n)); };
  const ValueId axes = b.op("Range", {number(2), b.op("Add", {number(3), number(1)}), number(1)});
  const ValueId mean = b.op("ReduceMean", {b.input("x", {-1, 3, 4, 5}), axes}, {{"keepdims", 0}});
  b.outputs({b.op("Unsqueeze", {mean, axes})});
  CHECK(builder.main().type(mean).shape == Shape::unranked());
  CHECK(output_shape(*refined(builder)) == Shape{-1, 3, 1, 1});
}

TEST_CASE("a head that builds on an inner value sees the dims that were found") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId x = b.input("image", {-1, 3, 4});
  const ValueId batch = b.op("Gather", {b.op("Shape", {x}), b.ints({0})});
  const ValueId rows = b.op("Reshape", {x, b.op("Concat", {batch, b.ints({-1})}, {{"axis", 0}})}, {}, "rows");
  b.outputs({b.op("Neg", {rows})});
  const auto body = get(model_body(*refined(builder), {"rows"}, {}));
  CHECK(output_shape(*body) == Shape{-1, 12});
}

TEST_CASE("a graph whose types are known stays the same object") {
  Builder builder(all_ops());
  Build b(builder.main());
  b.outputs({b.op("Neg", {b.input("x", {-1, 3})})});
  const auto graph = get(builder.finish());
  CHECK(get(refine_types(graph, std::make_shared<MemoryPool>())) == graph);
}

TEST_CASE("a computed shape that the data cannot take is refused with the node's name") {
  Builder builder(all_ops());
  Build b(builder.main());
  const ValueId shape = b.op("Add", {b.ints({1, 2}), b.ints({1, 2})});
  b.outputs({b.op("Reshape", {b.input("x", {2, 3}), shape}, {}, "rows")});
  const auto result = refine_types(get(builder.finish()), std::make_shared<MemoryPool>());
  CHECK(result.status().to_string() == "INVALID_ARGUMENT: Reshape 'rows': cannot reshape [2,3] to [2,4]");
}

}  // namespace percale

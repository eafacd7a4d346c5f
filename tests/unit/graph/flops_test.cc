#include "core/graph/flops.h"

#include "tests/unit/graph_util.h"

namespace percale {
namespace {

// A function with one node of an op, whose inputs are f32 of the given shapes.
class OneNode {
 public:
  OneNode(std::string_view op, const std::vector<Shape>& inputs, Attributes attributes = {}, size_t outputs = 1)
      : graph_(all_ops()), build_(graph_.main()) {
    std::vector<ValueId> values;
    for (const Shape& shape : inputs) {
      values.push_back(build_.input(str_cat("x", static_cast<uint64_t>(values.size())), shape, DType::kF32));
    }
    build_.outputs(build_.ops(op, values, outputs, std::move(attributes)));
  }
  const Function& function() { return graph_.main().function(); }
  double products() { return product_flops(function(), function().nodes.back()); }
  double layer() { return layer_flops(function(), function().nodes.back()); }

 private:
  Builder graph_;
  Build build_;
};

TEST_CASE("a product takes two operations per result and inner element, whichever operand is transposed") {
  CHECK(OneNode("MatMul", {Shape{3, 5}, Shape{5, 7}}).products() == 2 * 3 * 5 * 7);
  CHECK(OneNode("MatMul", {Shape{2, 4, 3, 5}, Shape{2, 4, 5, 7}}).products() == 2 * 8 * 3 * 5 * 7);
  CHECK(OneNode("Gemm", {Shape{5, 3}, Shape{5, 7}}, {{"transA", 1}}).products() == 2 * 3 * 5 * 7);
  CHECK(OneNode("percale:BatchMatMul", {Shape{4, 3, 5}, Shape{4, 7, 5}}, {{"transB", 1}}).products() ==
        2 * 4 * 3 * 5 * 7);
  // An unknown dim counts as 1.
  CHECK(OneNode("MatMul", {Shape{-1, 5}, Shape{5, 7}}).products() == 2 * 5 * 7);
}

TEST_CASE("a convolution takes two operations per result and weight of its filter") {
  const Attributes same{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};
  CHECK(OneNode("Conv", {Shape{2, 3, 8, 8}, Shape{4, 3, 3, 3}}, same).products() == 2 * (2 * 4 * 8 * 8) * (3 * 3 * 3));
  // One filter of a group has the weights of the group's channels alone.
  Attributes grouped = same;
  grouped.set("group", 2);
  CHECK(OneNode("Conv", {Shape{2, 4, 8, 8}, Shape{4, 2, 3, 3}}, grouped).products() ==
        2 * (2 * 4 * 8 * 8) * (2 * 3 * 3));
  CHECK(OneNode("ConvTranspose", {Shape{2, 3, 8, 8}, Shape{3, 4, 3, 3}}, same).products() ==
        2 * (2 * 3 * 8 * 8) * (4 * 3 * 3));
}

TEST_CASE("recurrent layers count their weights per row and step, but not where shards are chosen") {
  OneNode lstm("LSTM", {Shape{6, 2, 3}, Shape{1, 20, 3}, Shape{1, 20, 5}}, {{"hidden_size", 5}});
  CHECK(lstm.layer() == 2 * (6 * 2) * (20 * 3 + 20 * 5));
  CHECK(lstm.products() == 0);
}

TEST_CASE("elementwise nodes count one operation per result, other ops none") {
  OneNode relu("Relu", {Shape{3, 5}}), transpose("Transpose", {Shape{3, 5}});
  const Graph none;
  CHECK(node_flops(none, relu.function(), relu.function().nodes.back()) == 15);
  CHECK(relu.products() == 0);
  CHECK(node_flops(none, transpose.function(), transpose.function().nodes.back()) == 0);
}

}  // namespace
}  // namespace percale

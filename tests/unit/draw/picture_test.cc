#include "core/draw/picture/picture.h"

#include <algorithm>

#include "core/draw/picture/picture_builder.h"
#include "tests/unit/draw/nets.h"

namespace percale {
namespace {

const Box& box_of(const Picture& picture, std::string_view name) {
  const auto found =
      std::find_if(picture.boxes.begin(), picture.boxes.end(), [&](const Box& b) { return b.name == name; });
  REQUIRE(found != picture.boxes.end());
  return *found;
}

}  // namespace

TEST_CASE("inputs and outputs are boxes, variables and constants stand beside their users, links tell types") {
  const auto graph = residual_net(1);
  const Picture picture = picture_of(*graph, graph->main());
  CHECK(picture.boxes.size() == 6);
  CHECK(picture.boxes.front().kind == BoxKind::kInput);
  CHECK(picture.boxes.front().detail == "f32 [2,4]");
  CHECK(picture.boxes.back().kind == BoxKind::kOutput);
  CHECK(picture.boxes.back().name == "y");
  const Box& product = box_of(picture, "body/layer0/MatMul");
  REQUIRE(product.chips.size() == 1);
  CHECK(product.chips[0].kind == ChipKind::kVariable);
  CHECK(product.chips[0].name == "layer0/kernel");
  CHECK(product.chips[0].detail == "f32 [4,4]");
  const Box& sum = box_of(picture, "body/layer0/Add");
  REQUIRE(sum.chips.size() == 1);
  CHECK(sum.chips[0].detail == "0.25");
  CHECK(sum.chips[0].role == "B");
  CHECK(picture.links.size() == 6);
  for (const Link& link : picture.links) {
    CHECK(link.from < link.to);
    CHECK(link.label == "f32 [2,4]");
  }
}

TEST_CASE("what a node assigns stands beside it, and an order between nodes is a link of its own") {
  Builder owner(all_ops());
  Build b(owner.main());
  check(owner.add_variable({"count", DType::kF32, Shape{}, true, false, scalar_tensor(DType::kF32, 0)}));
  const ValueId x = b.input("x", Shape{}, DType::kF32);
  const NodeId assign = get(owner.main().add_node("percale:Assign", {x}, {{"variable", "count"}}, 0, "set"));
  const ValueId y = b.op("Relu", {x}, {}, "r");
  check(owner.main().add_control(assign, owner.main().function().value(y).def));
  b.outputs({y});
  const auto graph = get(owner.finish());
  const Picture picture = picture_of(*graph, graph->main());
  REQUIRE(box_of(picture, "set").chips.size() == 1);
  CHECK(box_of(picture, "set").chips[0].kind == ChipKind::kAssigned);
  CHECK(std::count_if(picture.links.begin(), picture.links.end(),
                      [](const Link& link) { return link.kind == LinkKind::kOrder; }) == 1);
}

}  // namespace percale

#include "core/draw/picture/blocks.h"

#include <functional>

#include "core/draw/layout/drawing.h"
#include "core/draw/picture/picture_builder.h"
#include "tests/unit/draw/nets.h"

namespace percale {
namespace {

Picture picture(int layers, bool scopes) {
  const auto graph = residual_net(layers, scopes);
  return picture_of(*graph, graph->main());
}

// Returns the only block of repeats.
const Block* repeated(const std::vector<Block>& blocks) {
  const Block* found = nullptr;
  for (const Block& block : blocks) {
    if (block.repeats > 0) found = &block;
  }
  return found;
}

}  // namespace

TEST_CASE("layers are one block, by the scopes of their names or without names that tell") {
  for (const bool scopes : {true, false}) {
    const std::vector<Block> blocks = make_blocks(picture(12, scopes));
    const Block* layers = repeated(blocks);
    REQUIRE(layers != nullptr);
    CHECK(layers->repeats == 12);
    CHECK(layers->nodes == 48);
    CHECK(layers->items.size() == 12);
  }
}

TEST_CASE("layers of another shape are not like the others") {
  Picture p = picture(12, true);
  for (Box& box : p.boxes) {
    if (box.name.starts_with("body/layer5/")) box.likeness += "other";
  }
  int32_t most = 0;
  for (const Block& block : make_blocks(p)) most = std::max(most, block.repeats);
  CHECK(most == 6);
}

TEST_CASE("names within a block are shown without what all of them share") {
  const Picture p = picture(2, true);
  const Drawing drawing = make_drawing(p);
  bool found = false;
  for (size_t i = 0; i < p.boxes.size(); ++i) {
    if (p.boxes[i].name != "body/layer1/Add_1") continue;
    found = true;
    CHECK(drawing.boxes[i].lines == std::vector<std::string>{"Add", "Add_1"});
  }
  CHECK(found);
}

TEST_CASE("every block is an interval of the boxes, each of which stands in one block") {
  const Picture p = picture(200, false);
  const Drawing drawing = make_drawing(p);
  int32_t next = 0;
  const std::function<void(int32_t)> walk = [&](int32_t block) {
    for (const Item& item : drawing.blocks[static_cast<size_t>(block)].items) {
      if (item.box >= 0) {
        CHECK(item.box == next++);
      } else {
        CHECK(drawing.blocks[static_cast<size_t>(item.block)].parent == block);
        walk(item.block);
      }
    }
  };
  walk(0);
  CHECK(next == static_cast<int32_t>(p.boxes.size()));
}

TEST_CASE("names with very many parts do not nest blocks without end") {
  Picture p = picture(2, true);
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "a/";
  for (Box& box : p.boxes) {
    if (box.kind == BoxKind::kNode) box.name = deep + box.name;
  }
  CHECK(make_blocks(p).size() < 20);
}

}  // namespace percale

// The blocks of a picture: nested ranges of boxes that a drawing can fold.
#ifndef PERCALE_CORE_DRAW_PICTURE_BLOCKS_H_
#define PERCALE_CORE_DRAW_PICTURE_BLOCKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/draw/picture/picture.h"

namespace percale {

// A box or a block; the other index is -1.
struct Item {
  int32_t box = -1, block = -1;
};

struct Block {
  std::string title;
  // The common prefix of the names of all nodes, '/' included; "" if the block was not found by
  // names.
  std::string scope;
  int32_t parent = -1;
  int32_t repeats = 0;  // not 0: `items` are this many equal blocks
  int32_t nodes = 0;
  std::vector<Item> items;  // in the order of the boxes
};

// Returns the tree of blocks. Block 0 is the whole picture. The parts of names with '/' give blocks
// with empty titles, and equal ranges become one block that contains them. Every block is an
// interval of boxes, so that folding never creates a cycle.
std::vector<Block> make_blocks(const Picture& picture);

// Splits the nodes of a block into about sqrt(n) new blocks. Returns false if it has too few nodes.
bool split_block(const Picture& picture, std::vector<Block>& blocks, int32_t block);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_BLOCKS_H_

// The blocks of a picture: stretches of its boxes that a drawing can fold, nested in each other.
#ifndef PERCALE_CORE_DRAW_PICTURE_BLOCKS_H_
#define PERCALE_CORE_DRAW_PICTURE_BLOCKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/draw/picture/picture.h"

namespace percale {

// A box or a block.
struct Item {
  int32_t box = -1, block = -1;
};

struct Block {
  std::string title;
  // What the names of all its nodes begin with, '/' included; "" for a block found otherwise.
  std::string scope;
  int32_t parent = -1;
  int32_t repeats = 0;  // not 0: `items` are that many equal blocks
  int32_t nodes = 0;
  std::vector<Item> items;  // in the order of the boxes
};

// Block 0 is the whole picture. Names with '/' give blocks by their parts (whose titles are empty),
// and equal stretches become one block that holds them. Every block is an interval of boxes, so
// that whatever is folded, no circle arises.
std::vector<Block> make_blocks(const Picture& picture);

// Puts the nodes of a block into about sqrt(n) new blocks. False where they are too few to gain
// anything.
bool split_block(const Picture& picture, std::vector<Block>& blocks, int32_t block);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_BLOCKS_H_

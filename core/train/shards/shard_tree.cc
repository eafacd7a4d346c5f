#include "core/train/shards/shard_tree.h"

namespace percale {
namespace {

void add_subtrees(const ShardRange& tree, const ShardRange& range, std::vector<ShardRange>& out) {
  if (tree.end <= range.begin || tree.begin >= range.end) return;
  if (range.begin <= tree.begin && tree.end <= range.end) {
    out.push_back(tree);
    return;
  }
  const int64_t middle = tree.begin + left_shards(tree.count());
  add_subtrees({tree.begin, middle}, range, out);
  add_subtrees({middle, tree.end}, range, out);
}

}  // namespace

std::vector<ShardRange> subtrees(int64_t shards, const ShardRange& range) {
  std::vector<ShardRange> out;
  add_subtrees({0, shards}, range, out);
  return out;
}

size_t tree_levels(int64_t shards) {
  size_t out = 1;
  for (int64_t width = shards; width > 1; width = left_shards(width)) ++out;
  return out;
}

ShardTree::ShardTree(int64_t shards) { grow(0, shards, kNone); }

size_t ShardTree::grow(int64_t from, int64_t to, size_t parent) {
  const size_t at = knots_.size();
  knots_.push_back({parent});
  if (to - from == 1) {
    leaves_.push_back(at);
    return at;
  }
  const int64_t middle = from + left_shards(to - from);
  const size_t left = grow(from, middle, at), right = grow(middle, to, at);
  knots_[at].left = left, knots_[at].right = right;
  return at;
}

bool ShardTree::find_path(int64_t shard, size_t buffer, std::vector<Addition>* path, size_t* end) const {
  path->clear();
  for (size_t at = leaves_[static_cast<size_t>(shard)]; knots_[at].parent != kNone; at = knots_[at].parent) {
    const Knot& parent = knots_[knots_[at].parent];
    const bool is_left = parent.left == at;
    const Knot& sibling = knots_[is_left ? parent.right : parent.left];
    if (!sibling.done) return false;
    if (sibling.buffer == kNone) continue;
    path->push_back({knots_[at].parent, is_left ? buffer : sibling.buffer, is_left ? sibling.buffer : buffer});
    buffer = path->back().into;
  }
  *end = buffer;
  return true;
}

// A sum moves up as long as its sibling is there: the one that arrives last at a node adds the two.
ShardTree::Addition ShardTree::climb(size_t at, size_t buffer) {
  knots_[at].buffer = buffer;
  while (true) {
    knots_[at].done = true;
    if (knots_[at].parent == kNone) return {};
    at = knots_[at].parent;
    Knot& knot = knots_[at];
    const Knot &left = knots_[knot.left], &right = knots_[knot.right];
    if (!left.done || !right.done) return {};
    if (left.buffer != kNone && right.buffer != kNone) return {at, left.buffer, right.buffer};
    knot.buffer = left.buffer != kNone ? left.buffer : right.buffer;
  }
}

}  // namespace percale

// The balanced binary tree over shard numbers, along which the results of shards are added, in
// whatever order they are computed.
#ifndef PERCALE_CORE_TRAIN_SHARDS_SHARD_TREE_H_
#define PERCALE_CORE_TRAIN_SHARDS_SHARD_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace percale {

// The number of levels of the tree: log2(shards) + 1, rounded up.
size_t tree_levels(int64_t shards);

// The shards [begin, end) of a batch.
struct ShardRange {
  int64_t begin = 0, end = 0;

  int64_t count() const { return end - begin; }
  bool operator==(const ShardRange&) const = default;
};

// The largest sub-trees of the tree over `shards` whose shards all lie in `range`, from left to
// right. A sub-tree has the form of the tree over its own number of shards.
std::vector<ShardRange> subtrees(int64_t shards, const ShardRange& range);
// The number of shards on the left side of a tree over `shards`, 2 at least.
constexpr int64_t left_shards(int64_t shards) { return (shards + 1) / 2; }

// Tells which results are there and which to add next. Buffers are numbers that the caller chooses.
// Thread-compatible: additions may be made by several threads at once, outside the lock that guards
// the tree.
class ShardTree {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  // Buffer `from` is added to `into`, then `from` is free. `knot` kNone: nothing is to be added.
  struct Addition {
    size_t knot = kNone, into = kNone, from = kNone;
    bool due() const { return knot != kNone; }
  };

  explicit ShardTree(int64_t shards);
  // The result of a shard lies in `buffer`; kNone: the shard is left out. Once per shard. The
  // caller makes the addition that is returned.
  Addition put(int64_t shard, size_t buffer) { return climb(leaves_[static_cast<size_t>(shard)], buffer); }
  // An addition was made. Returns the next one on the way to the root.
  Addition made(const Addition& addition) { return climb(addition.knot, addition.into); }
  // True if all other shards are done. Then `path` becomes the additions from the shard, whose
  // result will lie in `buffer`, to the root, in their order; and the sums will lie in `*end`.
  bool find_path(int64_t shard, size_t buffer, std::vector<Addition>* path, size_t* end) const;
  bool has(int64_t shard) const { return knots_[leaves_[static_cast<size_t>(shard)]].done; }
  bool complete() const { return knots_[0].done; }
  // The buffer with the sums of a complete tree; kNone if all shards were left out.
  size_t buffer() const { return knots_[0].buffer; }

 private:
  struct Knot {
    size_t parent = kNone, left = kNone, right = kNone, buffer = kNone;
    bool done = false;
  };
  size_t grow(int64_t from, int64_t to, size_t parent);
  Addition climb(size_t at, size_t buffer);

  std::vector<Knot> knots_;     // the root first
  std::vector<size_t> leaves_;  // per shard
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_SHARD_TREE_H_

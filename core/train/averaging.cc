#include "core/train/averaging.h"

namespace percale {
namespace {

constexpr int64_t kTileBytes = 256 << 10;

template <class T>
void add_tile(const Tensor& a, const Tensor& b, int64_t begin, int64_t end) {
  T* out = a.mutable_span<T>().data();
  const T* in = b.span<T>().data();
  for (int64_t i = begin; i < end; ++i) out[i] += in[i];
}

struct Reducer {
  int64_t rows, shards;
  const ParallelFor& parallel;
  const ShardSums::Compute& compute;
  std::vector<std::vector<Tensor>>& levels;

  // The sum of shards [from, to) into the buffer of `level`; false when they have no rows. The right half uses the buffers
  // above, so the depth of the recursion is the height of the tree.
  Result<bool> sum(int64_t from, int64_t to, size_t level) const {
    if (to - from == 1) {
      const ShardRows range = shard_rows(rows, shards, from);
      if (range.begin == range.end) return false;
      PERCALE_RETURN_IF_ERROR(compute(from, range, levels[level]));
      return true;
    }
    const int64_t middle = from + (to - from + 1) / 2;
    PERCALE_ASSIGN_OR_RETURN(const bool left, sum(from, middle, level));
    PERCALE_ASSIGN_OR_RETURN(const bool right, sum(middle, to, left ? level + 1 : level));
    if (left && right) add_tensors(levels[level], levels[level + 1], parallel);
    return left || right;
  }
};

}  // namespace

ShardRows shard_rows(int64_t rows, int64_t shards, int64_t shard) {
  const auto bound = [&](int64_t s) { return static_cast<int64_t>(static_cast<__int128>(s) * rows / shards); };
  return {bound(shard), bound(shard + 1)};
}

size_t tree_levels(int64_t shards) {
  size_t out = 1;
  for (int64_t width = shards; width > 1; width = (width + 1) / 2) ++out;
  return out;
}

void add_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const ParallelFor& parallel) {
  std::vector<int64_t> first_tile = {0};  // of each tensor
  for (const Tensor& t : a) first_tile.push_back(first_tile.back() + (t.bytes() + kTileBytes - 1) / kTileBytes);
  parallel(first_tile.back(), [&](int64_t tile) {
    size_t i = 0;
    while (first_tile[i + 1] <= tile) ++i;
    const int64_t size = dtype_bits(a[i].dtype()) / 8, per_tile = kTileBytes / size;
    const int64_t begin = (tile - first_tile[i]) * per_tile;
    const int64_t end = std::min(begin + per_tile, a[i].num_elements());
    if (a[i].dtype() == DType::kF64) {
      add_tile<double>(a[i], b[i], begin, end);
    } else {
      add_tile<float>(a[i], b[i], begin, end);
    }
  });
}

Result<ShardSums> ShardSums::create(const std::vector<ValueType>& types, int64_t shards, bool several,
                                    const std::shared_ptr<MemoryPool>& pool) {
  ShardSums out;
  out.shards_ = shards;
  const size_t levels = tree_levels(shards);
  out.levels_.resize(levels);
  for (size_t level = 0; level < levels + (several ? 1 : 0); ++level) {
    auto& tensors = level < levels ? out.levels_[level] : out.several_;
    for (const ValueType& type : types) {
      if (type.dtype != DType::kF32 && type.dtype != DType::kF64) {
        return unimplemented("training in ", type.dtype, ": gradients are f32 or f64");
      }
      PERCALE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(pool, type.dtype, type.shape));
      tensors.push_back(std::move(tensor));
    }
  }
  return out;
}

void ShardSums::add_batch(bool first, const ParallelFor& parallel) {
  if (first) {
    several_.swap(levels_.front());
  } else {
    add_tensors(several_, levels_.front(), parallel);
  }
}

Status ShardSums::reduce(int64_t rows, const ParallelFor& parallel, const Compute& compute) {
  return Reducer{rows, shards_, parallel, compute, levels_}.sum(0, shards_, 0).status();
}

}  // namespace percale

#include "core/train/shards/row_gradients.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked.h"

namespace percale {
namespace {

// Parts begin where kernels may write: a multiple of 16 elements of 4 bytes or more is one of
// kAlignment bytes.
constexpr int64_t kStep = kAlignment / 4;

Shape list_shape(int64_t count, const Shape& row) {
  Shape out{count};
  for (int64_t dim : row) out.push_back(dim);
  return out;
}

Result<Tensor> part_of(const Tensor& all, int64_t begin, int64_t count, const Shape& row) {
  const int64_t item = dtype_bits(all.dtype()) / 8 * row.num_elements();
  return Tensor::view(all.buffer(), begin * item, all.dtype(), list_shape(count, row));
}

}  // namespace

RowGradients::RowGradients(std::vector<ValueType> parameters, std::shared_ptr<MemoryPool> pool)
    : pool_(std::move(pool)) {
  for (ValueType& p : parameters) lists_.emplace_back().row = std::move(p);
}

Status RowGradients::grow(List& list, int64_t capacity) const {
  const int64_t old = list.rows.defined() ? list.rows.num_elements() : 0;
  if (capacity <= old) return {};
  PERCALE_ASSIGN_OR_RETURN(const Tensor rows, Tensor::allocate(pool_, DType::kI64, Shape{capacity}));
  PERCALE_ASSIGN_OR_RETURN(const Tensor values,
                           Tensor::allocate(pool_, list.row.dtype, list_shape(capacity, list.row.shape)));
  if (list.kept > 0) {
    std::memcpy(rows.data(), list.rows.data(), static_cast<size_t>(list.kept) * 8);
    std::memcpy(values.data(), list.values.data(), static_cast<size_t>(list.values.bytes() / old * list.kept));
  }
  list.rows = rows;
  list.values = values;
  return {};
}

Status RowGradients::begin_batch(bool first, const std::vector<std::vector<int64_t>>& counts) {
  for (size_t k = 0; k < lists_.size(); ++k) {
    List& list = lists_[k];
    std::vector<Part> parts;
    int64_t end = first ? 0 : list.kept;
    for (const std::vector<int64_t>& shard : counts) {
      const int64_t count = k < shard.size() ? shard[k] : 0;
      parts.push_back({end, count});
      end = round_up(end + count, kStep);
    }
    if (first) list.kept = 0;
    PERCALE_RETURN_IF_ERROR(grow(list, std::max(end, kStep)));
    list.parts = std::move(parts);
    list.end = end;
    // This also clears the parts of an earlier step, or of a batch that failed.
    const auto rows = list.rows.mutable_span<int64_t>();
    std::fill(rows.begin() + list.kept, rows.end(), -1);
  }
  return {};
}

void RowGradients::leave_out(int64_t shard) {
  for (List& list : lists_) {
    const Part& part = list.parts[static_cast<size_t>(shard)];
    const auto rows = list.rows.mutable_span<int64_t>().subspan(static_cast<size_t>(part.begin));
    std::fill_n(rows.begin(), part.count, -1);
  }
}

void RowGradients::keep_batch() {
  for (List& list : lists_) list.kept = list.end;
}

Status RowGradients::append_parts(int64_t shard, std::vector<Tensor>& outputs) const {
  for (const List& list : lists_) {
    const Part& part = list.parts[static_cast<size_t>(shard)];
    PERCALE_ASSIGN_OR_RETURN(outputs.emplace_back(), part_of(list.rows, part.begin, part.count, Shape{}));
    PERCALE_ASSIGN_OR_RETURN(outputs.emplace_back(), part_of(list.values, part.begin, part.count, list.row.shape));
  }
  return {};
}

RowGradients::Region RowGradients::region(size_t parameter, const ShardRange& shards) const {
  const List& list = lists_[parameter];
  const auto begin_of = [&](int64_t shard) {
    const auto at = static_cast<size_t>(shard);
    return at < list.parts.size() ? list.parts[at].begin : list.end;
  };
  const int64_t begin = begin_of(shards.begin), end = begin_of(shards.end);
  return {list.rows.rows(begin, end), list.values.rows(begin, end)};
}

void RowGradients::append_all(std::vector<Tensor>& feeds) const {
  for (const List& list : lists_) {
    feeds.push_back(list.rows);
    feeds.push_back(list.values);
  }
}

std::vector<ValueType> RowGradients::types() const {
  std::vector<ValueType> out;
  for (const List& list : lists_) {
    const int64_t capacity = list.rows.num_elements();
    out.push_back({DType::kI64, Shape{capacity}});
    out.push_back({list.row.dtype, list_shape(capacity, list.row.shape)});
  }
  return out;
}

}  // namespace percale

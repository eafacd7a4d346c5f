#include "core/train/shards/step_fetches.h"

#include <algorithm>
#include <cstring>

namespace percale {

void StepFetches::append_names(std::vector<std::string>& outputs) const {
  for (const auto& [name, value] : names_) outputs.push_back(value);
}

void StepFetches::keep(int64_t shard, const std::vector<Tensor>& outputs) {
  parts_[static_cast<size_t>(shard)].assign(outputs.end() - static_cast<ptrdiff_t>(size()), outputs.end());
}

Status StepFetches::join(const BatchCut& cut, const std::shared_ptr<MemoryPool>& pool) {
  joined_.clear();
  for (size_t i = 0; i < size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(joined_.emplace_back(), join_one(i, cut, pool));
  }
  parts_.clear();
  return {};
}

// Always a copy: a part may be a view of a variable, which the commit of the step changes.
Result<Tensor> StepFetches::join_one(size_t fetch, const BatchCut& cut, const std::shared_ptr<MemoryPool>& pool) const {
  std::vector<const Tensor*> parts;
  const auto shards = static_cast<int64_t>(parts_.size());
  bool by_rows = true;
  for (int64_t shard = 0; shard < shards; ++shard) {
    const auto& own = parts_[static_cast<size_t>(shard)];
    if (own.empty()) continue;
    const Tensor& part = *parts.emplace_back(&own[fetch]);
    Shape like_first = parts[0]->shape();
    by_rows = by_rows && part.shape().rank() > 0 && like_first.rank() > 0 && dtype_bits(part.dtype()) >= 8;
    if (!by_rows) continue;
    like_first[0] = cut.of(shard).count();
    by_rows = part.shape() == like_first;
  }
  if (parts.empty()) return internal_error("no shard gave '", names_[fetch].first, "'");
  Shape shape = parts[0]->shape();
  if (parts.size() > 1) {
    if (!by_rows) {
      return invalid_argument("fetch '", names_[fetch].first, "' is ", parts[0]->dtype(), " ", shape,
                              " in a shard of the batch, wanted a row for each of its ", cut.of(0).count(),
                              " rows; fetch other values from a trainer with 'shards' 1");
    }
    shape[0] = cut.rows();
  }
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(pool, parts[0]->dtype(), shape));
  auto* to = static_cast<char*>(out.data());
  for (const Tensor* part : parts) {
    const auto bytes = static_cast<size_t>(part->bytes());
    if (bytes > 0) std::memcpy(to, part->data(), bytes);
    to += bytes;
  }
  return out;
}

}  // namespace percale

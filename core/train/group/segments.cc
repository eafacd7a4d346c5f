#include "core/train/group/segments.h"

#include <algorithm>
#include <numeric>

#include "core/base/memory.h"
#include "core/base/share.h"

namespace percale {
namespace {

int64_t value_bytes(const Variable& v) {
  const auto size = byte_size(v.dtype, v.shape);
  return size.ok() ? *size : 0;
}

int64_t state_bytes(const Variable& v, const Optimizer& optimizer) {
  return value_bytes(v) * values_per_parameter(optimizer);
}

bool is_table(const SegmentRules& rules, size_t parameter) {
  return std::ranges::find(rules.by_rows, parameter) != rules.by_rows.end();
}

bool needs_norms(const Optimizer& o) {
  return o.kind == Optimizer::Kind::kLamb || o.clip_norm > 0 || o.clip_each_norm > 0;
}

// Fills one rank's segment after the other.
class SegmentCutter {
 public:
  SegmentCutter(int64_t bytes, size_t ranks) : bytes_(bytes), ranks_(ranks) {}

  // The rank whose segment has the middle of the parameter takes it.
  void add_whole(size_t parameter, int64_t bytes) {
    while (rank_ + 1 < ranks_ && end_of(rank_) < done_ + bytes / 2) ++rank_;
    add({parameter, 0, -1, rank_, bytes});
  }

  // `step`: rows between two addresses at which a cut may be.
  void add_rows(size_t parameter, int64_t rows, int64_t row_bytes, int64_t step) {
    const size_t first = parts_.size();
    for (int64_t begin = 0; begin < rows;) {
      const int64_t room = std::max<int64_t>(0, end_of(rank_) - done_);
      const int64_t fit = rank_ + 1 == ranks_ ? rows : (room + row_bytes * step / 2) / row_bytes / step * step;
      const int64_t end = std::min(rows, begin + fit);
      if (end > begin) add({parameter, begin, end, rank_, (end - begin) * row_bytes});
      if (end < rows) ++rank_;
      begin = end;
    }
    if (parts_.size() == first + 1) parts_.back() = {parameter, 0, -1, parts_.back().device, parts_.back().bytes};
  }

  std::vector<ParameterPart> take() { return std::move(parts_); }

 private:
  int64_t end_of(size_t rank) const {
    return share_of(bytes_, static_cast<int64_t>(rank + 1), static_cast<int64_t>(ranks_));
  }
  void add(const ParameterPart& part) {
    parts_.push_back(part);
    done_ += part.bytes;
  }

  const int64_t bytes_;
  const size_t ranks_;
  std::vector<ParameterPart> parts_;
  size_t rank_ = 0;   // that gets the next part
  int64_t done_ = 0;  // bytes of all parts
};

void add_parameter(const Variable& v, size_t index, const SegmentRules& rules, SegmentCutter& cutter) {
  const int64_t size = state_bytes(v, rules.optimizer), rows = v.shape.rank() > 0 ? v.shape[0] : 1;
  if (needs_norms(rules.optimizer) || is_table(rules, index) || rows < 2 || size == 0) {
    cutter.add_whole(index, size);
    return;
  }
  const int64_t row_bytes = size / rows, row_values = row_bytes / values_per_parameter(rules.optimizer);
  cutter.add_rows(index, rows, row_bytes, kAlignment / std::gcd(kAlignment, row_values));
}

}  // namespace

std::vector<ParameterBucket> cut_buckets(const std::vector<Variable>& parameters, const SegmentRules& rules) {
  std::vector<ParameterBucket> out;
  if (needs_norms(rules.optimizer) || rules.bucket_bytes == 0) {
    out.resize(1);
    for (size_t i = 0; i < parameters.size(); ++i) out[0].parameters.push_back(i);
    return out;
  }
  int64_t bytes = rules.bucket_bytes;
  for (size_t i = parameters.size(); i-- > 0;) {
    if (is_table(rules, i)) continue;
    if (bytes >= rules.bucket_bytes) {
      out.emplace_back();
      bytes = 0;
    }
    out.back().parameters.push_back(i);
    bytes += value_bytes(parameters[i]);
  }
  for (ParameterBucket& bucket : out) std::ranges::reverse(bucket.parameters);
  if (!rules.by_rows.empty()) out.push_back({rules.by_rows});
  return out;
}

std::vector<ParameterPart> cut_segments(const std::vector<Variable>& parameters, const SegmentRules& rules) {
  std::vector<ParameterPart> out;
  for (const ParameterBucket& bucket : cut_buckets(parameters, rules)) {
    int64_t bytes = 0;
    for (const size_t i : bucket.parameters) bytes += state_bytes(parameters[i], rules.optimizer);
    SegmentCutter cutter(bytes, rules.ranks);
    for (const size_t i : bucket.parameters) add_parameter(parameters[i], i, rules, cutter);
    std::ranges::move(cutter.take(), std::back_inserter(out));
  }
  return out;
}

std::vector<size_t> table_segments(const std::vector<ParameterPart>& parts, const std::vector<size_t>& by_rows) {
  std::vector<size_t> out;
  for (const size_t table : by_rows) {
    out.push_back(std::ranges::find(parts, table, &ParameterPart::parameter)->device);
  }
  return out;
}

std::vector<GradientPart> gradient_parts(const std::vector<Variable>& parameters, const SegmentRules& rules) {
  std::vector<size_t> bucket_of(parameters.size()), gradient_of(parameters.size());
  const std::vector<ParameterBucket> buckets = cut_buckets(parameters, rules);
  for (size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    for (const size_t i : buckets[bucket].parameters) bucket_of[i] = bucket;
  }
  for (size_t i = 0, next = 0; i < parameters.size(); ++i) gradient_of[i] = is_table(rules, i) ? next : next++;
  std::vector<GradientPart> out;
  for (const ParameterPart& part : cut_segments(parameters, rules)) {
    if (is_table(rules, part.parameter)) continue;
    out.push_back({gradient_of[part.parameter], part.begin, part.end, part.device, bucket_of[part.parameter]});
  }
  return out;
}

}  // namespace percale

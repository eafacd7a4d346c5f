#include "core/train/group/segments.h"

#include <algorithm>
#include <numeric>

#include "core/base/memory.h"

namespace percale {
namespace {

int64_t state_bytes(const Variable& v, const Optimizer& optimizer) {
  const auto size = byte_size(v.dtype, v.shape);
  return size.ok() ? *size * values_per_parameter(optimizer) : 0;
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
    return static_cast<int64_t>(static_cast<__int128>(bytes_) * static_cast<int64_t>(rank + 1) /
                                static_cast<int64_t>(ranks_));
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

}  // namespace

std::vector<ParameterPart> cut_segments(const std::vector<Variable>& parameters, const std::vector<size_t>& by_rows,
                                        const Optimizer& optimizer, size_t ranks) {
  int64_t bytes = 0;
  for (const Variable& v : parameters) bytes += state_bytes(v, optimizer);
  SegmentCutter cutter(bytes, ranks);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Variable& v = parameters[i];
    const int64_t size = state_bytes(v, optimizer), rows = v.shape.rank() > 0 ? v.shape[0] : 1;
    const bool by_row = std::ranges::find(by_rows, i) != by_rows.end();
    if (needs_norms(optimizer) || by_row || rows < 2 || size == 0) {
      cutter.add_whole(i, size);
      continue;
    }
    const int64_t row_bytes = size / rows, value_bytes = row_bytes / values_per_parameter(optimizer);
    cutter.add_rows(i, rows, row_bytes, kAlignment / std::gcd(kAlignment, value_bytes));
  }
  return cutter.take();
}

std::vector<size_t> table_segments(const std::vector<ParameterPart>& parts, const std::vector<size_t>& by_rows) {
  std::vector<size_t> out;
  for (const size_t table : by_rows) {
    out.push_back(std::ranges::find(parts, table, &ParameterPart::parameter)->device);
  }
  return out;
}

std::vector<ParameterPart> dense_segments(const std::vector<ParameterPart>& parts, const std::vector<size_t>& by_rows) {
  std::vector<ParameterPart> out;
  for (ParameterPart part : parts) {
    if (std::ranges::find(by_rows, part.parameter) != by_rows.end()) continue;
    part.parameter -= static_cast<size_t>(std::ranges::count_if(by_rows, [&](size_t i) { return i < part.parameter; }));
    out.push_back(part);
  }
  return out;
}

}  // namespace percale

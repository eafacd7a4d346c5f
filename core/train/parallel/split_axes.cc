#include "core/train/parallel/split_axes.h"

namespace percale {
namespace {

// Returns the product of the dims from `axis` on; -1 if one is unknown.
int64_t block(const Shape& s, size_t axis) {
  int64_t out = 1;
  for (size_t i = axis; i < s.rank(); ++i) {
    if (s[i] < 0) return -1;
    out *= s[i];
  }
  return out;
}

}  // namespace

std::optional<size_t> same_parts(const Shape& from, size_t axis, const Shape& to, int64_t parts) {
  const int64_t whole = block(from, axis);
  if (whole <= 0 || from[axis] % parts != 0) return std::nullopt;
  for (size_t i = 0; i < to.rank(); ++i) {
    if (block(to, i) == whole && to[i] % parts == 0) return i;
  }
  return std::nullopt;
}

std::vector<int64_t> reshaped_dims(const Shape& from, const std::vector<int64_t>& dims) {
  std::vector<int64_t> out = dims;
  int64_t known = 1;
  size_t open = out.size();
  bool all = true;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0) {
      if (i >= from.rank()) return {};
      out[i] = from[i];
    }
    if (dims[i] == -1) {
      open = i;
    } else if (out[i] < 0) {
      all = false;
    } else {
      known *= out[i];
    }
  }
  if (open < out.size() && all && from.is_static() && known > 0) out[open] = from.num_elements() / known;
  return out;
}

}  // namespace percale

#include "core/tensor/shape.h"

#include <algorithm>

#include "core/base/checked.h"

namespace percale {

Shape::Shape(std::span<const int64_t> dims) : rank_(static_cast<uint8_t>(std::min(dims.size(), kMaxRank))) {
  std::copy_n(dims.begin(), rank_, dims_.begin());
}

Result<Shape> Shape::make(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return invalid_argument("rank ", static_cast<uint64_t>(dims.size()), " exceeds the limit of ",
                            static_cast<uint64_t>(kMaxRank));
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < kUnknownDim || dims[i] > kMaxDim) {
      return invalid_argument("dim ", static_cast<uint64_t>(i), " is ", dims[i], ", wanted -1 (unknown) or 0 to 2^40");
    }
  }
  return Shape(dims);
}

bool Shape::is_static() const {
  return known_rank_ && std::none_of(begin(), end(), [](int64_t d) { return d < 0; });
}

int64_t Shape::product(size_t from, size_t to) const {
  uint64_t n = 1;
  for (size_t i = from; i < to; ++i) n *= static_cast<uint64_t>(dims_[i]);
  return static_cast<int64_t>(n);
}

bool Shape::operator==(const Shape& o) const {
  if (known_rank_ != o.known_rank_ || rank_ != o.rank_) return false;
  // A loop takes less time here than memcmp(), which the compiler makes of std::equal().
  for (size_t i = 0; i < rank_; ++i) {
    if (dims_[i] != o.dims_[i]) return false;
  }
  return true;
}

std::string Shape::to_string() const {
  if (!known_rank_) return "[...]";
  std::string out = "[";
  for (size_t i = 0; i < rank_; ++i) {
    if (i > 0) out += ',';
    out += dims_[i] < 0 ? "?" : std::to_string(dims_[i]);
  }
  return out + ']';
}

Result<int64_t> byte_size(DType dtype, const Shape& shape) {
  if (!shape.is_static()) return invalid_argument("the size of shape ", shape, " must be known");
  // Zero dims are left out of the product, so that strides computed from the other dims cannot
  // overflow either.
  CheckedSize bits = dtype_bits(dtype);
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim > kMaxDim) return invalid_argument("shape ", shape, " has a dim above 2^40");
    if (dim == 0) {
      empty = true;
    } else {
      bits = bits * dim;
    }
  }
  bits = bits + 7;
  if (!bits.valid()) return invalid_argument("shape ", shape, " of ", dtype, " exceeds 2^63 bits");
  return empty ? 0 : bits.value() / 8;
}

Result<size_t> normalize_axis(int64_t axis, size_t rank) {
  const auto r = static_cast<int64_t>(rank);
  if (axis < -r || axis >= r) {
    return invalid_argument("axis ", axis, " is out of range [", -r, ", ", r - 1, "] of rank ", r);
  }
  return static_cast<size_t>(axis < 0 ? axis + r : axis);
}

bool compatible(const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank()) return true;
  if (a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i]) return false;
  }
  return true;
}

Shape merge(const Shape& a, const Shape& b) {
  if (!a.known_rank()) return b;
  if (!b.known_rank()) return a;
  Shape out = a;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (out[i] < 0) out[i] = b[i];
  }
  return out;
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank()) return Shape::unranked();
  const size_t rank = std::max(a.rank(), b.rank());
  Shape out;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t da = i + a.rank() < rank ? 1 : a[i + a.rank() - rank];
    const int64_t db = i + b.rank() < rank ? 1 : b[i + b.rank() - rank];
    if (da == 1) {
      out.push_back(db);
    } else if (db == 1 || da == db) {
      out.push_back(da);
    } else if (da == kUnknownDim || db == kUnknownDim) {
      out.push_back(std::max(da, db));
    } else {
      return invalid_argument("shapes ", a, " and ", b, " do not broadcast: ", da, " and ", db, " at dim ",
                              static_cast<uint64_t>(i), " of the result");
    }
  }
  return out;
}

}  // namespace percale

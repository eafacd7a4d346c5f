// Shapes: up to eight dims; -1 for an unknown dim.
#ifndef PERCALE_CORE_TENSOR_SHAPE_H_
#define PERCALE_CORE_TENSOR_SHAPE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "core/base/status.h"
#include "core/tensor/dtype.h"

namespace percale {

inline constexpr size_t kMaxRank = 8;
inline constexpr int64_t kMaxDim = int64_t{1} << 40;
inline constexpr int64_t kUnknownDim = -1;

// A cheap value type. An unranked shape does not know its rank; all its queries except known_rank()
// report rank 0.
class Shape {
 public:
  Shape() = default;  // rank 0: a scalar
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  // Precondition: dims.size() <= kMaxRank. Use make() for untrusted dims.
  explicit Shape(std::span<const int64_t> dims);
  // Checks the rank, and that every dim is kUnknownDim or in [0, kMaxDim].
  static Result<Shape> make(std::span<const int64_t> dims);
  static Shape unranked() {
    Shape out;
    out.known_rank_ = false;
    return out;
  }

  bool known_rank() const { return known_rank_; }
  size_t rank() const { return rank_; }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t& operator[](size_t i) { return dims_[i]; }
  std::span<const int64_t> dims() const { return {dims_.data(), rank_}; }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + rank_; }
  int64_t back() const { return dims_[rank_ - 1]; }
  // Precondition: rank() < kMaxRank.
  void push_back(int64_t dim) { dims_[rank_++] = dim; }

  // True if the rank and every dim are known.
  bool is_static() const;
  // Returns the product of the dims. Precondition: is_static() and byte_size() succeeded, or else
  // the product may overflow.
  int64_t num_elements() const { return product(0, rank_); }
  // Returns the product of dims [from, to).
  int64_t product(size_t from, size_t to) const;
  bool operator==(const Shape& o) const;
  // Returns "[32,128]", "[?,10]" with an unknown dim, or "[...]" if unranked.
  std::string to_string() const;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  uint8_t rank_ = 0;
  bool known_rank_ = true;
};

inline std::string str_part(const Shape& shape) { return shape.to_string(); }
inline std::string_view str_part(DType dtype) { return dtype_name(dtype); }

// Returns the bytes of a tensor, with 2- and 4-bit elements packed and the last byte padded. An
// error if the shape is not static, a dim is outside [0, kMaxDim], or the size exceeds int64.
// Strings count 0.
Result<int64_t> byte_size(DType dtype, const Shape& shape);

// Returns the axis in [0, rank). A negative axis counts from the end. The error names the allowed
// range.
Result<size_t> normalize_axis(int64_t axis, size_t rank);

// True if both shapes can describe the same tensor. Unknown dims match any dim.
bool compatible(const Shape& a, const Shape& b);
// Returns the dims known from either shape. Precondition: compatible(a, b).
Shape merge(const Shape& a, const Shape& b);

// Returns the result of NumPy/ONNX multidirectional broadcasting; dims may be unknown. The error
// names both shapes.
Result<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace percale

#endif  // PERCALE_CORE_TENSOR_SHAPE_H_

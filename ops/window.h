// The geometry of sliding windows: what convolutions and pools share.
#ifndef PERCALE_OPS_WINDOW_H_
#define PERCALE_OPS_WINDOW_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/base/status.h"
#include "core/registry/attributes.h"
#include "core/registry/op_schema.h"
#include "core/tensor/shape.h"

namespace percale {

inline constexpr size_t kMaxSpatial = 3;
// Largest kernel size, stride, dilation and pad: with dims below 2^40 no sum of them overflows.
inline constexpr double kMaxWindow = 2147483647;

// Sizes per spatial dim, right-aligned: a 1-D window has kernel, stride, dilation, in and out 1 and pad 0 in front.
// Output o and tap k meet at input o * stride + k * dilation - pad.
struct Window {
  using Dims = std::array<int64_t, kMaxSpatial>;
  size_t rank = 0;  // spatial dims that the op has, 1 to 3
  Dims in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1};
  Dims pad{}, pad_end{};

  size_t first() const { return kMaxSpatial - rank; }
  std::span<const int64_t> in_dims() const { return {in.data() + first(), rank}; }
  std::span<const int64_t> out_dims() const { return {out.data() + first(), rank}; }
  std::span<const int64_t> kernel_dims() const { return {kernel.data() + first(), rank}; }
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
  int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
  // (kernel - 1) * dilation + 1.
  int64_t extent(size_t dim) const { return (kernel[dim] - 1) * dilation[dim] + 1; }
};

// The window of Conv, MaxPool and AveragePool (attributes auto_pad, pads, strides, dilations, ceil_mode) over input dims
// `in` with kernel dims `kernel`; kUnknownDim is allowed in both and makes the dim's `out` unknown. An error when
// attributes have the wrong length or the window does not fit into the padded input.
Result<Window> make_window(const Attributes& attributes, std::span<const int64_t> in, std::span<const int64_t> kernel);

// The attributes kernel_shape, or the dims behind the first two of the weights where it is absent; an error where both
// are there and differ. `weights` may be unranked. The result has `rank` entries.
Result<std::vector<int64_t>> kernel_dims(const Attributes& attributes, const Shape& weights, size_t rank);

// strides, dilations, or ones where absent.
Result<std::vector<int64_t>> ints_or(const Attributes& attributes, std::string_view name, size_t count,
                                     int64_t fallback);

// Spatial rank of a batch of images [N, C, D1, ...]; an error names the limit.
Result<size_t> spatial_rank(const Shape& images);

// The outputs o in [begin, end) for which tap offset `offset` (k * dilation - pad) lies inside an input of `in` elements.
struct TapRange {
  int64_t begin, end;
};
inline TapRange tap_range(int64_t offset, int64_t stride, int64_t in, int64_t out) {
  const int64_t begin = offset >= 0 ? 0 : std::min((-offset + stride - 1) / stride, out);
  const int64_t end = in - offset <= 0 ? 0 : std::min((in - 1 - offset) / stride + 1, out);
  return {begin, std::max(begin, end)};
}

}  // namespace percale

#endif  // PERCALE_OPS_WINDOW_H_

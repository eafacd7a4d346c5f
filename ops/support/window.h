// Geometry of sliding windows, shared by convolutions and pools.
#ifndef PERCALE_OPS_SUPPORT_WINDOW_H_
#define PERCALE_OPS_SUPPORT_WINDOW_H_

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
// Limit for kernel size, stride, dilation and pad. With dims below 2^40, no sum of them overflows.
inline constexpr double kMaxWindow = 2147483647;

// Sizes per spatial dim, right-aligned: the unused leading dims of a 1-D window have kernel,
// stride, dilation, in and out 1 and pad 0. Output o and tap k use the input at o * stride + k *
// dilation - pad.
struct Window {
  using Dims = std::array<int64_t, kMaxSpatial>;
  size_t rank = 0;  // number of spatial dims of the op, 1 to 3
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

// Makes the window of Conv, MaxPool or AveragePool over input dims `in` with kernel dims `kernel`.
// Reads the attributes auto_pad, pads, strides, dilations and ceil_mode. A dim that is kUnknownDim
// in either span gets an unknown `out`. An attribute of the wrong length, or a window that does not
// fit into the padded input, is an error.
Result<Window> make_window(const Attributes& attributes, std::span<const int64_t> in, std::span<const int64_t> kernel);

// Returns the attribute kernel_shape or, if it is absent, the dims of the weights from the third
// on. It is an error if both exist and differ. `weights` may be unranked. The result has `rank`
// entries.
Result<std::vector<int64_t>> kernel_dims(const Attributes& attributes, const Shape& weights, size_t rank);

// Returns the attribute `name` with `count` entries, or `count` times `fallback` if it is absent.
Result<std::vector<int64_t>> ints_or(const Attributes& attributes, std::string_view name, size_t count,
                                     int64_t fallback);

// Returns the spatial rank of a batch of images [N, C, D1, ...]. An error names the limit.
Result<size_t> spatial_rank(const Shape& images);

// The outputs o in [begin, end) for which a tap at `offset` (k * dilation - pad) lies inside an
// input of `in` elements.
struct TapRange {
  int64_t begin, end;
};
inline TapRange tap_range(int64_t offset, int64_t stride, int64_t in, int64_t out) {
  const int64_t begin = offset >= 0 ? 0 : std::min((-offset + stride - 1) / stride, out);
  const int64_t end = in - offset <= 0 ? 0 : std::min((in - 1 - offset) / stride + 1, out);
  return {begin, std::max(begin, end)};
}

// Calls f(offset of the row's first input, input step, offset of the first output, count) for every
// run of outputs along the last dim that tap (k0, k1, k2) pairs with inputs.
template <class F>
void for_rows_of_tap(const Window& w, int64_t k0, int64_t k1, int64_t k2, F&& f) {
  const Window::Dims k{k0, k1, k2};
  Window::Dims offset;
  std::array<TapRange, kMaxSpatial> range;
  for (size_t d = 0; d < kMaxSpatial; ++d) {
    offset[d] = k[d] * w.dilation[d] - w.pad[d];
    range[d] = tap_range(offset[d], w.stride[d], w.in[d], w.out[d]);
  }
  const int64_t count = range[2].end - range[2].begin;
  if (count <= 0) return;
  for (int64_t o0 = range[0].begin; o0 < range[0].end; ++o0) {
    const int64_t i0 = o0 * w.stride[0] + offset[0];
    for (int64_t o1 = range[1].begin; o1 < range[1].end; ++o1) {
      const int64_t i1 = o1 * w.stride[1] + offset[1];
      f((i0 * w.in[1] + i1) * w.in[2] + range[2].begin * w.stride[2] + offset[2], w.stride[2],
        (o0 * w.out[1] + o1) * w.out[2] + range[2].begin, count);
    }
  }
}

// Calls f(index of the tap, its position along each dim).
template <class F>
void for_taps(const Window& w, F&& f) {
  int64_t tap = 0;
  for (int64_t k0 = 0; k0 < w.kernel[0]; ++k0) {
    for (int64_t k1 = 0; k1 < w.kernel[1]; ++k1) {
      for (int64_t k2 = 0; k2 < w.kernel[2]; ++k2, ++tap) f(tap, k0, k1, k2);
    }
  }
}

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_WINDOW_H_

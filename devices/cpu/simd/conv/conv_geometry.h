// The geometry of convolution loops over kernel taps, the same for every target.
#ifndef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_GEOMETRY_H_
#define PERCALE_DEVICES_CPU_SIMD_CONV_CONV_GEOMETRY_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/conv/conv.h"

namespace percale::simd {

// The distance by which taps reach beyond an image on each side. An image with margins is copied
// once into a padded buffer, so that inner loops need no border checks.
struct Margins {
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  bool any() const { return (top | bottom | left | right) != 0; }
};

// `channels` planes [h, w] with margins around each.
struct PaddedImage {
  int64_t channels, h, w;
  Margins margins;
  int64_t pitch() const { return margins.left + w + margins.right; }
  int64_t plane() const { return (margins.top + h + margins.bottom) * pitch(); }
  // Returns the elements of the padded copy, rounded up to whole cache lines; 0 if no copy is
  // needed.
  int64_t size() const { return margins.any() ? round_up(channels * plane(), 16) : 0; }

  // Returns the data that kernels read: `image` itself without margins, else its copy in `buffer`,
  // whose margins clear() has zeroed. The pointer is to the first element of the first padded
  // plane.
  const float* fill(const float* image, float* buffer) const { return fill(image, buffer, 0, channels); }
  // The same for channels [c0, c1) only. With `clearing`, margins are zeroed, too.
  const float* fill(const float* image, float* buffer, int64_t c0, int64_t c1, bool clearing = false) const {
    if (!margins.any()) return image;
    if (clearing) std::fill_n(buffer + c0 * plane(), (c1 - c0) * plane(), 0.0f);
    for (int64_t c = c0; c < c1; ++c) {
      float* row = buffer + c * plane() + margins.top * pitch() + margins.left;
      const float* from = image + c * h * w;
      for (int64_t y = 0; y < h; ++y) {
        std::memcpy(row + y * pitch(), from + y * w, static_cast<size_t>(w) * sizeof(float));
      }
    }
    return buffer;
  }
  // `buffer` may be null if no copy is needed.
  void clear(float* buffer) const { std::fill_n(buffer, size(), 0.0f); }
};

// One axis (rows or columns) of the loop. The written positions of a phase are `phase`, phase +
// ostep, ... (grid of them). The g-th reads position g * step + tap offset.
struct Axis {
  bool backward;
  int64_t kernel, stride, dilation, pad, read, written;

  int64_t phases() const { return backward ? stride : 1; }
  int64_t step() const { return backward ? 1 : stride; }
  int64_t ostep() const { return backward ? stride : 1; }
  int64_t grid(int64_t phase) const {
    if (!backward) return written;
    return written > phase ? ceil_div(written - phase, stride) : 0;
  }
  bool tap(int64_t phase, int64_t k, int64_t* offset) const {
    const int64_t reach = k * dilation - pad;
    if (!backward) {
      *offset = reach;
      return true;
    }
    if ((phase - reach) % stride != 0) return false;
    *offset = (phase - reach) / stride;
    return true;
  }
  // Returns the margins before and after the data read.
  std::pair<int64_t, int64_t> margins() const {
    int64_t before = 0, behind = 0;
    for (int64_t phase = 0; phase < phases(); ++phase) {
      if (grid(phase) == 0) continue;
      for (int64_t k = 0; k < kernel; ++k) {
        int64_t offset = 0;
        if (!tap(phase, k, &offset)) continue;
        before = max_of(before, -offset);
        behind = max_of(behind, (grid(phase) - 1) * step() + offset - (read - 1));
      }
    }
    return {before, behind};
  }
};

struct TapConv {
  Axis y, x;
  int64_t batch, groups, read_c, written_c;           // channels per group
  int64_t weight_written, weight_read, weight_group;  // strides of w
  int64_t read_h, read_w, written_h, written_w;
  Margins margins;

  TapConv(const Conv2d& c, bool backward)
      : y{backward, c.kernel_h, c.stride_h, c.dilation_h, c.pad_top, c.in_h, c.out_h},
        x{backward, c.kernel_w, c.stride_w, c.dilation_w, c.pad_left, c.in_w, c.out_w},
        batch(c.batch),
        groups(c.groups),
        read_c(c.in_c / c.groups),
        written_c(c.out_c / c.groups) {
    const int64_t taps = c.kernel_h * c.kernel_w, per_out = read_c * taps;
    weight_group = written_c * per_out;
    weight_written = per_out;
    weight_read = taps;
    if (backward) {
      std::swap(y.read, y.written);
      std::swap(x.read, x.written);
      std::swap(read_c, written_c);
      std::swap(weight_written, weight_read);
    }
    const auto [top, bottom] = y.margins();
    const auto [left, right] = x.margins();
    margins = {top, bottom, left, right};
    if (taps == 1 && c.stride_h == 1 && c.stride_w == 1 && !margins.any() && c.in_h == c.out_h && c.in_w == c.out_w) {
      x.read = x.written = c.in_h * c.in_w;  // a pointwise convolution is one long row
      y.read = y.written = 1;
    }
    read_h = y.read, read_w = x.read, written_h = y.written, written_w = x.written;
  }
  PaddedImage image(int64_t channels) const { return {channels, read_h, read_w, margins}; }
  int64_t taps() const { return read_c * y.kernel * x.kernel; }
  double flop() const {
    return 2 * static_cast<double>(batch * groups) * static_cast<double>(written_c * taps()) *
           static_cast<double>(written_h * written_w) / static_cast<double>(y.phases() * x.phases());
  }
};

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_CONV_CONV_GEOMETRY_H_

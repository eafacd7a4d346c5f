// A band of rows is copied once with its margins. For a stride of 2, even and odd columns are
// separated, so that each tap of neighbouring outputs is one plain load. Each input row serves all
// output rows that it reaches.
#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/conv/depthwise_simd.cc"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/conv/depthwise.h"

#ifndef PERCALE_DEVICES_CPU_SIMD_DEPTHWISE_ONCE_
#define PERCALE_DEVICES_CPU_SIMD_DEPTHWISE_ONCE_
namespace percale::simd {
namespace {

constexpr int64_t kBandFloats = 6 << 10;  // of input: 24 KiB, most of L1
constexpr int64_t kWidestRow = 8 << 10;   // of output: a band has at least four rows
// Maximal lanes of any target: loads may reach this far beyond a row.
constexpr int64_t kWidest = 16;

// The memory layout of a band.
struct Band {
  int64_t rows_in_step, half, pitch, rows, floats;  // rows: of output

  explicit Band(const Conv2d& c) : rows_in_step(c.stride_h) {
    // The columns of each parity that taps reach.
    half = c.stride_w == 2 ? c.out_w + c.kernel_w / 2 : c.out_w + c.kernel_w - 1;
    pitch = half * c.stride_w;
    const int64_t fit = (kBandFloats / max_of(pitch, 1) - c.kernel_h) / c.stride_h + 1;
    rows = min_of(max_of(fit / 4 * 4, 4), max_of(c.out_h, 1));
    floats = in_rows(c, rows) * pitch + kWidest;
  }
  static int64_t in_rows(const Conv2d& c, int64_t rows) { return (rows - 1) * c.stride_h + c.kernel_h; }
};

int64_t depthwise_pieces(const Conv2d& c) {
  const double planes = static_cast<double>(c.batch * c.out_c);
  // The copy's loads and stores count as well.
  return min_of(c.batch * c.out_c, pieces_for(2 * planes * static_cast<double>(c.out_h * c.out_w) *
                                              static_cast<double>(c.kernel_h * c.kernel_w + 6)));
}

}  // namespace
}  // namespace percale::simd
#endif

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

// Fills one row of the band from a row of the image, with zeros as margins.
void fill_row(const Conv2d& c, const Band& band, const float* from, float* to) {
  const int64_t end = min_of(c.in_w, band.pitch - c.pad_left);  // no tap reaches beyond it
  if (c.stride_w == 1) {
    std::fill_n(to, c.pad_left, 0.0f);
    if (end > 0) std::memcpy(to + c.pad_left, from, static_cast<size_t>(end) * sizeof(float));
    const int64_t behind = c.pad_left + max_of(end, 0);
    std::fill(to + min_of(behind, band.pitch), to + band.pitch, 0.0f);
    return;
  }
  // Padded column p is image column p - pad_left. It goes to index p / 2 of half p % 2.
  const auto column = [&](int64_t p) {
    const int64_t at = p - c.pad_left;
    return at >= 0 && at < c.in_w ? from[at] : 0.0f;
  };
  float *even = to, *odd = to + band.half;
  const int64_t first = ceil_div(c.pad_left, 2),
                last = max_of((c.pad_left + c.in_w) / 2, first);  // pairs entirely inside
  int64_t i = 0;
  for (; i < min_of(first, band.half); ++i) even[i] = column(2 * i), odd[i] = column(2 * i + 1);
  const Tag<float> d;
  const float* pairs = from + 2 * i - c.pad_left;
  const int64_t whole = min_of(last, band.half);
  for (; i + kL <= whole; i += kL, pairs += 2 * kL) {
    const Vec<float> a = load<float>(pairs), b = load<float>(pairs + kL);
    store<float>(hn::ConcatEven(d, b, a), even + i);
    store<float>(hn::ConcatOdd(d, b, a), odd + i);
  }
  for (; i < band.half; ++i) even[i] = column(2 * i), odd[i] = column(2 * i + 1);
}

struct Finish {
  const float* bias;  // of the plane, or null
  Act act;
};

// Computes kRows rows of output in columns of one vector each, with kHigh x K taps.
template <int kHigh, int K, int kStep, int kRows>
void strip(const float* in, int64_t pitch, const int64_t* HWY_RESTRICT offsets, const float* HWY_RESTRICT w,
           int64_t width, const Finish& finish, float* out) {
  using V = Vec<float>;
  for (int64_t x = 0; x < width; x += kL) {
    V acc[kRows];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) acc[r] = zero<float>();
#pragma GCC unroll 16
    for (int row = 0; row < (kRows - 1) * kStep + kHigh; ++row) {
      const float* from = in + row * pitch + x;
      V taps[K];
#pragma GCC unroll 8
      for (int j = 0; j < K; ++j) taps[j] = load<float>(from + offsets[j]);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const int i = row - r * kStep;
        if (i < 0 || i >= kHigh) continue;
#pragma GCC unroll 8
        for (int j = 0; j < K; ++j) acc[r] = mul_add(taps[j], set<float>(w[i * K + j]), acc[r]);
      }
    }
    const int64_t n = min_of(width - x, kL);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      V v = acc[r];
      if (finish.bias) v = hn::Add(v, set<float>(*finish.bias));
      store_n<float>(apply_act<float>(finish.act, v), out + r * width + x, n);
    }
  }
}

template <int kHigh, int K, int kStep>
void run_plane(const Conv2d& c, const Band& band, const float* image, const float* w, const Finish& finish, float* out,
               float* buffer) {
  int64_t offsets[K];
  for (int64_t j = 0; j < K; ++j) offsets[j] = c.stride_w == 2 ? j % 2 * band.half + j / 2 : j;
  for (int64_t y0 = 0; y0 < c.out_h; y0 += band.rows) {
    const int64_t rows = min_of(band.rows, c.out_h - y0), first = y0 * kStep - c.pad_top;
    for (int64_t r = 0; r < Band::in_rows(c, rows); ++r) {
      const int64_t at = first + r;
      float* to = buffer + r * band.pitch;
      if (at < 0 || at >= c.in_h) {
        std::fill_n(to, band.pitch, 0.0f);
      } else {
        fill_row(c, band, image + at * c.in_w, to);
      }
    }
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      strip<kHigh, K, kStep, 4>(buffer + r * kStep * band.pitch, band.pitch, offsets, w, c.out_w, finish,
                                out + (y0 + r) * c.out_w);
    }
    for (; r < rows; ++r) {
      strip<kHigh, K, kStep, 1>(buffer + r * kStep * band.pitch, band.pitch, offsets, w, c.out_w, finish,
                                out + (y0 + r) * c.out_w);
    }
  }
}

using PlaneFn = void (*)(const Conv2d&, const Band&, const float*, const float*, const Finish&, float*, float*);
template <int kStep>
PlaneFn square(int64_t kernel) {
  return kernel == 3 ? run_plane<3, 3, kStep> : kernel == 5 ? run_plane<5, 5, kStep> : run_plane<7, 7, kStep>;
}
PlaneFn plane_for(const Conv2d& c) {
  const int64_t taps = c.kernel_w;
  if (c.kernel_h == 1) return taps == 3 ? run_plane<1, 3, 1> : taps == 5 ? run_plane<1, 5, 1> : run_plane<1, 7, 1>;
  return c.stride_h == 1 ? square<1>(taps) : square<2>(taps);
}

bool takes(const Conv2d& c) {
  const bool square = c.kernel_h == c.kernel_w, row = c.kernel_h == 1 && c.stride_h == 1;
  const bool taps = c.kernel_w == 3 || c.kernel_w == 5 || c.kernel_w == 7;
  return (square || row) && taps && c.groups == c.in_c && c.groups == c.out_c && c.dilation_h == 1 &&
         c.dilation_w == 1 && c.stride_h <= 2 && c.stride_w <= 2 && c.out_h > 0 && c.out_w > 0 && c.out_w <= kWidestRow;
}

int64_t scratch_bytes(const Conv2d& c) { return depthwise_pieces(c) * round_up(Band(c).floats * 4, 64); }

void forward(const Conv2d& c, const float* x, const float* w, const float* bias, Act act, float* y, void* scratch,
             const ParallelFor& parallel) {
  const Band band(c);
  const int64_t pieces = depthwise_pieces(c), planes = c.batch * c.out_c, window = c.kernel_h * c.kernel_w;
  if (planes == 0) return;
  const PlaneFn run = plane_for(c);
  parallel(pieces, [&](int64_t piece) {
    float* buffer = reinterpret_cast<float*>(static_cast<char*>(scratch) + piece * round_up(band.floats * 4, 64));
    // Loads may reach beyond the last row; the memory must exist, but its values are not stored.
    std::fill_n(buffer + band.floats - kWidest, kWidest, 0.0f);
    const PieceRange range = piece_range(planes, pieces, piece);
    for (int64_t p = range.begin; p < range.end; ++p) {
      const int64_t channel = p % c.out_c;
      const Finish finish{bias != nullptr ? bias + channel : nullptr, act};
      run(c, band, x + p * c.in_h * c.in_w, w + channel * window, finish, y + p * c.out_h * c.out_w, buffer);
    }
  });
}

}  // namespace

constexpr DepthwiseFns kFns = {takes, scratch_bytes, forward};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(DepthwiseFns);
}  // namespace percale::simd
#endif

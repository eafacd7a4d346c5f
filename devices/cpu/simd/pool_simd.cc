#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/pool_simd.cc"
#include <hwy/foreach_target.h>

#include <limits>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/math-inl.h"
#include "devices/cpu/simd/common/reduce-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/pool.h"

#ifndef PERCALE_DEVICES_CPU_SIMD_POOL_ONCE_
#define PERCALE_DEVICES_CPU_SIMD_POOL_ONCE_
namespace percale::simd {
namespace {

// The kernel indices [begin, end) along one axis whose positions are in [0, size).
struct Inside {
  int64_t begin, end;
};
inline Inside inside(int64_t start, int64_t kernel, int64_t dilation, int64_t size) {
  const int64_t begin = start < 0 ? min_of(ceil_div(-start, dilation), kernel) : 0;
  const int64_t end = start >= size ? begin : max_of(min_of(ceil_div(size - start, dilation), kernel), begin);
  return {begin, end};
}

// The outputs [begin, end) of a row whose windows are entirely inside the image's width.
inline Inside whole_windows(const Pool2d& p) {
  const int64_t reach = (p.kernel_w - 1) * p.dilation_w;
  const int64_t begin = min_of(ceil_div(p.pad_left, p.stride_w), p.out_w);
  const int64_t last = p.in_w - 1 - reach + p.pad_left;  // the largest start that fits
  const int64_t end = last < 0 ? begin : max_of(min_of(last / p.stride_w + 1, p.out_w), begin);
  return {begin, end};
}

// Returns the divisor of an average.
inline int64_t places(const Pool2d& p, int64_t top, int64_t left) {
  if (!p.count_pads) {
    const Inside rows = inside(top, p.kernel_h, p.dilation_h, p.in_h);
    const Inside cols = inside(left, p.kernel_w, p.dilation_w, p.in_w);
    return (rows.end - rows.begin) * (cols.end - cols.begin);
  }
  const Inside rows = inside(top + p.pad_top, p.kernel_h, p.dilation_h, p.in_h + p.pad_top + p.pad_bottom);
  const Inside cols = inside(left + p.pad_left, p.kernel_w, p.dilation_w, p.in_w + p.pad_left + p.pad_right);
  return (rows.end - rows.begin) * (cols.end - cols.begin);
}

}  // namespace
}  // namespace percale::simd
#endif

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

HWY_INLINE VF load_step(const float* p, int64_t step, int64_t n) {
  if (step == 1) return n == kL ? load<float>(p) : load_n<float>(p, n);
  return step == 2 ? load_pairs(p, n) : load_apart(p, step, n);
}

// Finds one maximum and its position in the plane (-1: none).
HWY_INLINE void max_at(const Pool2d& p, const float* plane, int64_t top, int64_t left, float* best, int32_t* place) {
  const Inside rows = inside(top, p.kernel_h, p.dilation_h, p.in_h);
  const Inside cols = inside(left, p.kernel_w, p.dilation_w, p.in_w);
  *best = -std::numeric_limits<float>::infinity();
  *place = -1;
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    for (int64_t j = cols.begin; j < cols.end; ++j) {
      const int64_t at = (top + i * p.dilation_h) * p.in_w + left + j * p.dilation_w;
      const float v = plane[at];
      if (*place >= 0 && !(v > *best) && !(v != v && *best == *best)) continue;
      *best = v;
      *place = static_cast<int32_t>(at);
    }
  }
}

// The number of outputs processed at a time if their positions are needed.
constexpr int64_t kRun = 512;

// The image rows that a row of windows reads, padded with -infinity on both sides for windows that
// reach over the edges. Each row is copied once and kept while the windows move down.
constexpr int64_t kKeptRows = 8, kPaddedWidth = 1024,
                  kPitch = kPaddedWidth + 16;  // avoids rows that are a multiple of a page apart
struct PaddedRows {
  int64_t next = 0;  // the first row not requested yet
  alignas(64) float rows[kKeptRows * kPitch];

  static int64_t width(const Pool2d& p) { return (p.out_w - 1 + kL) * p.stride_w + p.kernel_w * p.dilation_w + kL; }
  static bool takes(const Pool2d& p) {
    return p.kernel_h <= kKeptRows && p.dilation_h == 1 && width(p) <= kPaddedWidth && p.out_w <= kRun;
  }
  const float* row(int64_t r) const { return rows + r % kKeptRows * kPitch; }
  // Copies rows [r0, r1) of the plane.
  void fill(const Pool2d& p, const float* plane, int64_t r0, int64_t r1) {
    const VF nothing = set<float>(-std::numeric_limits<float>::infinity());
    for (int64_t r = max_of(r0, next); r < r1; ++r) {
      float* to = rows + r % kKeptRows * kPitch;
      const float* from = plane + r * p.in_w;
      for (int64_t x = 0; x < p.pad_left; x += kL) store<float>(nothing, to + x);
      const int64_t used = min_of(p.in_w, width(p) - p.pad_left);
      for_vectors(used,
                  [&](int64_t x, int64_t n) HWY_ATTR { store<float>(load_some(from + x, n), to + p.pad_left + x); });
      for (int64_t x = p.pad_left + used; x < width(p); x += kL) store<float>(nothing, to + x);
    }
    next = max_of(next, r1);
  }
};

// Computes outputs [q0, q0 + n) of one row, n <= kL. from(i) returns row i of the window, starting
// at the first position of output q0. If no element is greater than -infinity, `place` is -1.
template <bool kPlaces, class From>
HWY_INLINE void max_vector(const Pool2d& p, int64_t top, Inside rows, int64_t q0, int64_t n, int64_t loaded,
                           From&& from, float* best, int32_t* place) {
  const Int di;
  VF value = set<float>(-std::numeric_limits<float>::infinity());
  VI tap = hn::Set(di, -1);
  for (int64_t i = rows.begin; i < rows.end; ++i) {
    const float* row = from(i);
    for (int64_t j = 0; j < p.kernel_w; ++j) {
      const VF x = load_step(row + j * p.dilation_w, p.stride_w, loaded);
      if constexpr (kPlaces) {
        // Greater, or the first NaN.
        const auto better = hn::AndNot(hn::IsNaN(value), hn::Not(hn::Le(x, value)));
        value = hn::IfThenElse(better, x, value);
        tap = hn::IfThenElse(hn::RebindMask(di, better),
                             hn::Set(di, static_cast<int32_t>(i * p.dilation_h * p.in_w + j * p.dilation_w)), tap);
      } else {
        // The first of equal elements wins, also of zeros with different signs.
        value = hn::IfThenElse(hn::IsNaN(x), x, larger(x, value));
      }
    }
  }
  store_n<float>(value, best, n);
  if constexpr (kPlaces) {
    alignas(64) int32_t taps[kL];
    hn::Store(tap, di, taps);
    const auto first = static_cast<int32_t>(top * p.in_w + q0 * p.stride_w - p.pad_left);
    for (int64_t q = 0; q < n; ++q) {
      place[q] = taps[q] < 0 ? -1 : taps[q] + first + static_cast<int32_t>(q * p.stride_w);
    }
  }
}

// Computes one row of maxima; `place` may be null. `padded` is for windows that reach over the
// edges, or null.
void max_row(const Pool2d& p, const float* plane, int64_t row, Inside whole, PaddedRows* padded, float* y,
             int32_t* place, int64_t q0, int64_t q1) {
  const int64_t top = row * p.stride_h - p.pad_top;
  const Inside rows = inside(top, p.kernel_h, p.dilation_h, p.in_h);
  const auto alone = [&](int64_t q) {
    int32_t unused = 0;
    max_at(p, plane, top, q * p.stride_w - p.pad_left, y + (q - q0), place ? place + (q - q0) : &unused);
  };
  if (padded) padded->fill(p, plane, top + rows.begin, top + rows.end);
  const Inside vectors = padded ? Inside{0, p.out_w} : whole;
  for (int64_t q = q0; q < q1;) {
    if (q < vectors.begin || q >= vectors.end) {
      alone(q++);
      continue;
    }
    const int64_t n = min_of(min_of(vectors.end, q1) - q, kL), loaded = padded ? kL : n;
    const auto from = [&](int64_t i) HWY_ATTR {
      return padded ? padded->row(top + i) + q * p.stride_w
                    : plane + ((top + i * p.dilation_h) * p.in_w + q * p.stride_w - p.pad_left);
    };
    if (place) {
      max_vector<true>(p, top, rows, q, n, loaded, from, y + (q - q0), place + (q - q0));
      for (int64_t i = q; i < q + n; ++i) {
        if (place[i - q0] < 0) alone(i);
      }
    } else {
      max_vector<false>(p, top, rows, q, n, loaded, from, y + (q - q0), nullptr);
    }
    q += n;
  }
}

// True if so many windows reach over the edges that copying rows pays: each such window alone costs
// as much as a vector of them.
bool over_edges(const Pool2d& p, Inside whole) {
  return (p.out_w - (whole.end - whole.begin)) * 32 >= p.out_w && PaddedRows::takes(p);
}

template <class F>
void for_planes(const Pool2d& p, double cost, const ParallelFor& parallel, F&& f) {
  if (p.planes == 0) return;
  const int64_t pieces = min_of(p.planes, pieces_for(cost));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.planes, pieces, piece);
    for (int64_t plane = range.begin; plane < range.end; ++plane) f(plane);
  });
}
double cost_of(const Pool2d& p) {
  return static_cast<double>(p.planes * p.kernel_h * p.kernel_w) * static_cast<double>(p.out_h * p.out_w) +
         8 * static_cast<double>(p.planes) * static_cast<double>(p.in_h * p.in_w);
}

void max(const Pool2d& p, const float* x, float* y, int64_t* indices, const ParallelFor& parallel) {
  const Inside whole = whole_windows(p);
  for_planes(p, cost_of(p), parallel, [&](int64_t at) {
    const int64_t base = at * p.in_h * p.in_w;
    PaddedRows rows;
    PaddedRows* const padded = over_edges(p, whole) ? &rows : nullptr;
    for (int64_t row = 0; row < p.out_h; ++row) {
      const int64_t out = (at * p.out_h + row) * p.out_w;
      if (!indices) {
        max_row(p, x + base, row, whole, padded, y + out, nullptr, 0, p.out_w);
        continue;
      }
      for (int64_t q0 = 0; q0 < p.out_w; q0 += kRun) {
        const int64_t q1 = min_of(q0 + kRun, p.out_w);
        int32_t place[kRun];
        max_row(p, x + base, row, whole, padded, y + out + q0, place, q0, q1);
        for (int64_t q = q0; q < q1; ++q) indices[out + q] = place[q - q0] < 0 ? -1 : base + place[q - q0];
      }
    }
  });
}

// True for adjacent 2 x 2 windows entirely inside, the usual case in convolutional networks. Every
// position belongs to at most one window, so the gradient is written instead of added.
bool is_halving(const Pool2d& p) {
  return p.kernel_h == 2 && p.kernel_w == 2 && p.stride_h == 2 && p.stride_w == 2 && p.dilation_h == 1 &&
         p.dilation_w == 1 && p.pad_top == 0 && p.pad_left == 0 && 2 * p.out_h <= p.in_h && 2 * p.out_w <= p.in_w;
}

void halving_grad(const Pool2d& p, const float* x, const float* dy, float* dx) {
  const Tag<float> d;
  if (2 * p.out_h != p.in_h || 2 * p.out_w != p.in_w) {
    std::memset(dx, 0, static_cast<size_t>(p.in_h * p.in_w) * sizeof(float));
  }
  const auto better = [](VF x, VF best)
                          HWY_ATTR { return hn::Or(hn::Gt(x, best), hn::AndNot(hn::IsNaN(best), hn::IsNaN(x))); };
  for (int64_t row = 0; row < p.out_h; ++row) {
    for (int64_t q = 0; q < p.out_w; q += kL) {
      const int64_t n = min_of(p.out_w - q, kL), at = 2 * row * p.in_w + 2 * q;
      const VF x0 = load_pairs(x + at, n), x1 = load_pairs(x + at + 1, n);
      const VF x2 = load_pairs(x + at + p.in_w, n), x3 = load_pairs(x + at + p.in_w + 1, n);
      const auto is1 = better(x1, x0);
      VF best = hn::IfThenElse(is1, x1, x0);
      const auto is2 = better(x2, best);
      best = hn::IfThenElse(is2, x2, best);
      const auto is3 = better(x3, best);
      // 0 + dy, as in the general loop
      VF g = hn::Add(load_step(dy + row * p.out_w + q, 1, n), zero<float>());
      const VF g3 = hn::IfThenElseZero(is3, g);
      g = hn::IfThenZeroElse(is3, g);
      const VF g2 = hn::IfThenElseZero(is2, g);
      g = hn::IfThenZeroElse(is2, g);
      const VF g1 = hn::IfThenElseZero(is1, g), g0 = hn::IfThenZeroElse(is1, g);
      if (n == kL) {
        hn::StoreInterleaved2(g0, g1, d, dx + at);
        hn::StoreInterleaved2(g2, g3, d, dx + at + p.in_w);
        continue;
      }
      alignas(64) float pairs[2 * kL];
      hn::StoreInterleaved2(g0, g1, d, pairs);
      std::memcpy(dx + at, pairs, static_cast<size_t>(2 * n) * sizeof(float));
      hn::StoreInterleaved2(g2, g3, d, pairs);
      std::memcpy(dx + at + p.in_w, pairs, static_cast<size_t>(2 * n) * sizeof(float));
    }
  }
}

void max_grad(const Pool2d& p, const float* x, const int64_t* indices, const float* dy, float* dx,
              const ParallelFor& parallel) {
  const Inside whole = whole_windows(p);
  const bool halving = !indices && is_halving(p);
  for_planes(p, cost_of(p), parallel, [&](int64_t at) {
    const int64_t size = p.in_h * p.in_w, base = at * size;
    if (halving) return halving_grad(p, x + base, dy + at * p.out_h * p.out_w, dx + base);
    std::memset(dx + base, 0, static_cast<size_t>(size) * sizeof(float));
    PaddedRows rows;
    PaddedRows* const padded = !indices && over_edges(p, whole) ? &rows : nullptr;
    for (int64_t row = 0; row < p.out_h; ++row) {
      const int64_t out = (at * p.out_h + row) * p.out_w;
      if (indices) {
        for (int64_t q = 0; q < p.out_w; ++q) {
          // Indices are untrusted: only those inside this plane are used.
          const int64_t place = indices[out + q] - base;
          if (place >= 0 && place < size) dx[base + place] += dy[out + q];
        }
        continue;
      }
      for (int64_t q0 = 0; q0 < p.out_w; q0 += kRun) {
        const int64_t q1 = min_of(q0 + kRun, p.out_w);
        int32_t place[kRun];
        float best[kRun];
        max_row(p, x + base, row, whole, padded, best, place, q0, q1);
        for (int64_t q = q0; q < q1; ++q) {
          if (place[q - q0] >= 0) dx[base + place[q - q0]] += dy[out + q];
        }
      }
    }
  });
}

void average(const Pool2d& p, const float* x, float* y, const ParallelFor& parallel) {
  const Inside whole = whole_windows(p);
  for_planes(p, cost_of(p), parallel, [&](int64_t at) {
    const float* plane = x + at * p.in_h * p.in_w;
    for (int64_t row = 0; row < p.out_h; ++row) {
      const int64_t top = row * p.stride_h - p.pad_top;
      const Inside rows = inside(top, p.kernel_h, p.dilation_h, p.in_h);
      float* out = y + (at * p.out_h + row) * p.out_w;
      for (int64_t q = 0; q < p.out_w;) {
        const int64_t left = q * p.stride_w - p.pad_left, count = places(p, top, left);
        if (q < whole.begin || q >= whole.end) {
          const Inside cols = inside(left, p.kernel_w, p.dilation_w, p.in_w);
          float sum = 0;
          for (int64_t i = rows.begin; i < rows.end; ++i) {
            for (int64_t j = cols.begin; j < cols.end; ++j) {
              sum += plane[(top + i * p.dilation_h) * p.in_w + left + j * p.dilation_w];
            }
          }
          out[q++] = count ? sum / static_cast<float>(count) : 0;
          continue;
        }
        const int64_t n = min_of(whole.end - q, kL);
        VF sum = zero<float>();
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          const float* from = plane + (top + i * p.dilation_h) * p.in_w + left;
          for (int64_t j = 0; j < p.kernel_w; ++j) {
            sum = hn::Add(sum, load_step(from + j * p.dilation_w, p.stride_w, n));
          }
        }
        if (count) sum = hn::Div(sum, set<float>(static_cast<float>(count)));
        store_n<float>(sum, out + q, n);
        q += n;
      }
    }
  });
}

void average_grad(const Pool2d& p, const float* dy, float* dx, const ParallelFor& parallel) {
  const Inside whole = whole_windows(p);
  for_planes(p, 2 * cost_of(p), parallel, [&](int64_t at) {
    const int64_t size = p.in_h * p.in_w;
    float* plane = dx + at * size;
    std::memset(plane, 0, static_cast<size_t>(size) * sizeof(float));
    for (int64_t row = 0; row < p.out_h; ++row) {
      const int64_t top = row * p.stride_h - p.pad_top;
      const Inside rows = inside(top, p.kernel_h, p.dilation_h, p.in_h);
      const int64_t whole_count = places(p, top, whole.begin * p.stride_w - p.pad_left);
      for (int64_t q = 0; q < p.out_w; ++q) {
        const int64_t left = q * p.stride_w - p.pad_left;
        const bool is_whole = q >= whole.begin && q < whole.end;
        const int64_t count = is_whole ? whole_count : places(p, top, left);
        if (count == 0) continue;
        const Inside cols = is_whole ? Inside{0, p.kernel_w} : inside(left, p.kernel_w, p.dilation_w, p.in_w);
        const float share = dy[(at * p.out_h + row) * p.out_w + q] / static_cast<float>(count);
        for (int64_t i = rows.begin; i < rows.end; ++i) {
          float* to = plane + (top + i * p.dilation_h) * p.in_w + left;
          for (int64_t j = cols.begin; j < cols.end; ++j) to[j * p.dilation_w] += share;
        }
      }
    }
  });
}

}  // namespace

constexpr PoolFns kFns = {max, max_grad, average, average_grad};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(PoolFns);
}  // namespace percale::simd
#endif

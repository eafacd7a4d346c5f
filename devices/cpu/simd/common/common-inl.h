// Shared code, compiled once per target: tags, partial loads and stores, transposition. The include
// guard flips with HWY_TARGET_TOGGLE, so that each target includes the file once.
#if defined(PERCALE_DEVICES_CPU_SIMD_COMMON_COMMON_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERCALE_DEVICES_CPU_SIMD_COMMON_COMMON_INL_H_
#undef PERCALE_DEVICES_CPU_SIMD_COMMON_COMMON_INL_H_
#else
#define PERCALE_DEVICES_CPU_SIMD_COMMON_COMMON_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "devices/cpu/simd/common/act.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Tag<T>>;
template <class T>
inline constexpr int64_t kLanes = static_cast<int64_t>(HWY_LANES(T));
inline constexpr int kL = static_cast<int>(HWY_LANES(float));

template <class T>
HWY_INLINE Vec<T> load(const T* p) {
  return hn::LoadU(Tag<T>(), p);
}
template <class T>
HWY_INLINE void store(Vec<T> v, T* p) {
  hn::StoreU(v, Tag<T>(), p);
}
template <class T>
HWY_INLINE Vec<T> set(T x) {
  return hn::Set(Tag<T>(), x);
}
template <class T>
HWY_INLINE Vec<T> zero() {
  return hn::Zero(Tag<T>());
}
// Loads the first n lanes (0 <= n <= lanes) from memory and sets the others to 0. Reads nothing
// beyond them.
template <class T>
HWY_INLINE Vec<T> load_n(const T* p, int64_t n) {
#if HWY_TARGET == HWY_SSE4  // no masked load; Highway's replacement reads the whole vector
  alignas(64) T lanes[kLanes<T>] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return hn::Load(Tag<T>(), lanes);
#else
  return hn::MaskedLoad(hn::FirstN(Tag<T>(), static_cast<size_t>(n)), Tag<T>(), p);
#endif
}
// Loads p[0], p[2], ...: the first n lanes (0 <= n <= kL), the others 0. Reads nothing beyond p[2 *
// (n - 1)].
HWY_INLINE Vec<float> load_pairs(const float* p, int64_t n) {
  const int64_t span = 2 * n - 1;
  const Vec<float> low = span >= kL ? load<float>(p) : load_n<float>(p, span > 0 ? span : 0);
  const Vec<float> high = span > kL ? load_n<float>(p + kL, span - kL) : zero<float>();
  return hn::ConcatEven(Tag<float>(), high, low);
}
// The same for p[0], p[step], ... with any step.
HWY_INLINE Vec<float> load_apart(const float* p, int64_t step, int64_t n) {
  alignas(64) float lanes[kL] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i * step];
  return hn::Load(Tag<float>(), lanes);
}
// Stores the first n lanes and writes nothing else.
template <class T>
HWY_INLINE void store_n(Vec<T> v, T* p, int64_t n) {
  if (n >= kLanes<T>) return store<T>(v, p);
#if HWY_TARGET == HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(Tag<T>(), static_cast<size_t>(n)), Tag<T>(), p);
#else  // masked stores are microcoded on many processors
  alignas(64) T lanes[kLanes<T>];
  hn::Store(v, Tag<T>(), lanes);
  if constexpr (kLanes<T> == 8) {
    if (n >= 4) {
      std::memcpy(p, lanes, 4 * sizeof(T));
      for (int64_t i = 4; i < n; ++i) p[i] = lanes[i];
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
#endif
}

// a * b + c, and c - a * b: fused where the target can, but rounded twice in the portable
// functions.
template <class V>
HWY_INLINE V mul_add(V a, V b, V c) {
#if PERCALE_SIMD_PORTABLE
  return hn::Add(hn::Mul(a, b), c);
#else
  return hn::MulAdd(a, b, c);
#endif
}
template <class V>
HWY_INLINE V neg_mul_add(V a, V b, V c) {
#if PERCALE_SIMD_PORTABLE
  return hn::Sub(c, hn::Mul(a, b));
#else
  return hn::NegMulAdd(a, b, c);
#endif
}

// The larger (smaller) operand, on every target as on x86: b if they are equal or one is NaN.
template <class V>
HWY_INLINE V larger(V a, V b) {
  if constexpr (HWY_ARCH_X86 != 0) {
    return hn::Max(a, b);
  } else {
    return hn::IfThenElse(hn::Gt(a, b), a, b);
  }
}
template <class V>
HWY_INLINE V smaller(V a, V b) {
  if constexpr (HWY_ARCH_X86 != 0) {
    return hn::Min(a, b);
  } else {
    return hn::IfThenElse(hn::Lt(a, b), a, b);
  }
}

// Reductions use kVirtual<T> virtual lanes on every target, held in kParts<T> vectors. The bits
// therefore do not depend on the register width.
template <class T>
inline constexpr int kVirtual = static_cast<int>(64 / sizeof(T));
template <class T>
inline constexpr int kParts = kVirtual<T> / static_cast<int>(HWY_LANES(T));

// Folds the virtual lanes by op(i, i + half) for half = 8, 4, 2, 1 (f64: 4, 2, 1).
template <class T, class Op>
HWY_INLINE T fold_lanes(const Vec<T>* parts, Op&& op) {
  alignas(64) T lanes[kVirtual<T>];
  for (int i = 0; i < kParts<T>; ++i) hn::Store(parts[i], Tag<T>(), lanes + i * kLanes<T>);
  for (int half = kVirtual<T> / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] = op(lanes[i], lanes[i + half]);
  }
  return lanes[0];
}
template <class T>
HWY_INLINE T sum_lanes(const Vec<T>* parts) {
  return fold_lanes<T>(parts, [](T a, T b) { return a + b; });
}

// Keeps NaN, because larger() then returns the second operand.
template <class T>
HWY_INLINE Vec<T> relu(Vec<T> v) {
  return larger(zero<T>(), v);
}

template <class T>
HWY_INLINE Vec<T> apply_act(const Act& act, Vec<T> v) {
  const Tag<T> d;
  if (act.kind == Act::Kind::kNone) return v;
  if (act.kind == Act::Kind::kClip) {
    return smaller(hn::Set(d, static_cast<T>(act.high)), larger(hn::Set(d, static_cast<T>(act.low)), v));
  }
  const Vec<T> gate = mul_add(hn::Set(d, T{1} / T{6}), v, hn::Set(d, T{0.5}));
  return hn::Mul(v, smaller(hn::Set(d, T{1}), larger(hn::Zero(d), gate)));
}

// Transposes the kL x kL matrix whose rows are r[0..kL).
HWY_INLINE void transpose_block(Vec<float>* HWY_RESTRICT r) {
  const Tag<float> d;
  const hn::RebindToFloat<hn::RepartitionToWide<hn::RebindToUnsigned<Tag<float>>>> dd;
  constexpr int kGroups = kL / 4;
  Vec<float> x[kGroups][4];
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g) {
    const auto ab_lo = hn::BitCast(dd, hn::InterleaveLower(d, r[4 * g], r[4 * g + 1]));
    const auto ab_hi = hn::BitCast(dd, hn::InterleaveUpper(d, r[4 * g], r[4 * g + 1]));
    const auto cd_lo = hn::BitCast(dd, hn::InterleaveLower(d, r[4 * g + 2], r[4 * g + 3]));
    const auto cd_hi = hn::BitCast(dd, hn::InterleaveUpper(d, r[4 * g + 2], r[4 * g + 3]));
    x[g][0] = hn::BitCast(d, hn::InterleaveLower(dd, ab_lo, cd_lo));
    x[g][1] = hn::BitCast(d, hn::InterleaveUpper(dd, ab_lo, cd_lo));
    x[g][2] = hn::BitCast(d, hn::InterleaveLower(dd, ab_hi, cd_hi));
    x[g][3] = hn::BitCast(d, hn::InterleaveUpper(dd, ab_hi, cd_hi));
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
#if HWY_TARGET == HWY_AVX3
    const auto p = hn::ConcatLowerLower(d, x[2][j], x[0][j]), q = hn::ConcatLowerLower(d, x[3][j], x[1][j]);
    const auto s = hn::ConcatUpperUpper(d, x[2][j], x[0][j]), t = hn::ConcatUpperUpper(d, x[3][j], x[1][j]);
    r[j] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(q), p);
    r[j + 4] = hn::OddEvenBlocks(q, hn::SwapAdjacentBlocks(p));
    r[j + 8] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(t), s);
    r[j + 12] = hn::OddEvenBlocks(t, hn::SwapAdjacentBlocks(s));
#elif HWY_TARGET == HWY_AVX2
    r[j] = hn::ConcatLowerLower(d, x[1][j], x[0][j]);
    r[j + 4] = hn::ConcatUpperUpper(d, x[1][j], x[0][j]);
#else
    r[j] = x[0][j];
#endif
  }
}

// dst[c * ldd + r] = src[r * lds + c] for r < rows, c < cols; dst[c * ldd + r] = 0 for rows <= r <
// padded_rows. padded_rows exceeds rows by less than kL.
inline void transpose_matrix(const float* src, int64_t lds, int64_t rows, int64_t cols, float* dst, int64_t ldd,
                             int64_t padded_rows) {
  for (int64_t r0 = 0; r0 < padded_rows; r0 += kL) {
    const int64_t height = rows - r0 < kL ? rows - r0 : kL, width = padded_rows - r0 < kL ? padded_rows - r0 : kL;
    for (int64_t c0 = 0; c0 < cols; c0 += kL) {
      const int64_t left = cols - c0;
      const float* from = src + r0 * lds + c0;
      Vec<float> r[kL];
      if (left >= kL && height == kL) {
#pragma GCC unroll 16
        for (int i = 0; i < kL; ++i) r[i] = load<float>(from + i * lds);
      } else {
#pragma GCC unroll 16
        for (int i = 0; i < kL; ++i) {
          r[i] = i < height ? load_n<float>(from + i * lds, left < kL ? left : kL) : zero<float>();
        }
      }
      transpose_block(r);
      float* to = dst + c0 * ldd + r0;
      if (left >= kL && width == kL) {
#pragma GCC unroll 16
        for (int i = 0; i < kL; ++i) store<float>(r[i], to + i * ldd);
      } else {
#pragma GCC unroll 16
        for (int i = 0; i < kL; ++i) {
          if (i < left) store_n<float>(r[i], to + i * ldd, width);
        }
      }
    }
  }
}

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#endif  // include guard

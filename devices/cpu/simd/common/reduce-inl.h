// Loops over one contiguous row, and its reduction in virtual lanes, compiled once per target.
#if defined(PERCALE_DEVICES_CPU_SIMD_COMMON_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERCALE_DEVICES_CPU_SIMD_COMMON_REDUCE_INL_H_
#undef PERCALE_DEVICES_CPU_SIMD_COMMON_REDUCE_INL_H_
#else
#define PERCALE_DEVICES_CPU_SIMD_COMMON_REDUCE_INL_H_
#endif

#include <limits>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/math-inl.h"
#include "devices/cpu/simd/common/sizes.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {

HWY_INLINE VF load_some(const float* p, int64_t n) { return n == kL ? load<float>(p) : load_n<float>(p, n); }

// Calls f(i, n) for each vector of a row.
template <class F>
HWY_INLINE void for_vectors(int64_t count, F&& f) {
  int64_t i = 0;
  for (; i + kL <= count; i += kL) f(i, int64_t{kL});
  if (i < count) f(i, count - i);
}

// Reduction operators. Each has a neutral element, `take` to add an element, and `meet` to combine
// partial results, as vectors and as scalars.
template <class T>
struct SumOf {
  static constexpr T kNeutral = 0;
  static HWY_INLINE Vec<T> take(Vec<T> acc, Vec<T> x) { return hn::Add(acc, x); }
  template <class V>
  static HWY_INLINE V meet(V a, V b) {
    return hn::Add(a, b);
  }
  static T meet(T a, T b) { return a + b; }
};
template <class T>
struct SumSquaresOf : SumOf<T> {
  static HWY_INLINE Vec<T> take(Vec<T> acc, Vec<T> x) { return mul_add(x, x, acc); }
};
template <class T>
struct MaxOf {
  static constexpr T kNeutral = -std::numeric_limits<T>::infinity();
  static HWY_INLINE Vec<T> take(Vec<T> acc, Vec<T> x) { return max_nan(acc, x); }
  template <class V>
  static HWY_INLINE V meet(V a, V b) {
    return max_nan(a, b);
  }
  static T meet(T a, T b) { return a != a || a > b ? a : b; }
};
template <class T>
struct MinOf {
  static constexpr T kNeutral = std::numeric_limits<T>::infinity();
  static HWY_INLINE Vec<T> take(Vec<T> acc, Vec<T> x) { return min_nan(acc, x); }
  template <class V>
  static HWY_INLINE V meet(V a, V b) {
    return min_nan(a, b);
  }
  static T meet(T a, T b) { return a != a || a < b ? a : b; }
};

// The same tree as fold_lanes, by halves of registers.
template <class Op, int kCount, class D, class V>
HWY_INLINE hn::TFromD<D> fold_vector(D, V v) {
  if constexpr (kCount == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return fold_vector<Op, kCount / 2>(half, Op::meet(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
template <class T, class Op>
HWY_INLINE T fold_parts(Vec<T>* parts) {
#pragma GCC unroll 4
  for (int count = kParts<T> / 2; count > 0; count /= 2) {
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) parts[i] = Op::meet(parts[i], parts[i + count]);
  }
  return fold_vector<Op, static_cast<int>(kLanes<T>)>(Tag<T>(), parts[0]);
}

// load_at(i, n) returns the vector of elements i ... i + n - 1, n <= lanes; the other lanes are
// ignored.
template <class T, class Op, class Load>
HWY_INLINE T reduce_block(int64_t count, Load&& load_at) {
  constexpr int64_t kW = kLanes<T>;
  Vec<T> acc[kParts<T>];
#pragma GCC unroll 4
  for (int part = 0; part < kParts<T>; ++part) acc[part] = set<T>(Op::kNeutral);
  int64_t i = 0;
  for (; i + kVirtual<T> <= count; i += kVirtual<T>) {
#pragma GCC unroll 4
    for (int part = 0; part < kParts<T>; ++part) acc[part] = Op::take(acc[part], load_at(i + part * kW, kW));
  }
  if (i < count) {
#pragma GCC unroll 4
    for (int part = 0; part < kParts<T>; ++part) {
      const int64_t n = min_of(max_of(count - i - part * kW, 0), kW);
      if (n == 0) continue;
      const Vec<T> taken = Op::take(acc[part], load_at(i + part * kW, n));
      acc[part] = hn::IfThenElse(hn::FirstN(Tag<T>(), static_cast<size_t>(n)), taken, acc[part]);
    }
  }
  return fold_parts<T, Op>(acc);
}

inline constexpr int64_t kReduceBlock = 8192;

template <class T, class Op, class Load>
HWY_INLINE T reduce_span(int64_t count, Load&& load_at) {
  T result = Op::kNeutral;
  for (int64_t begin = 0; begin < count; begin += kReduceBlock) {
    const T block = reduce_block<T, Op>(min_of(kReduceBlock, count - begin),
                                        [&](int64_t i, int64_t n) HWY_ATTR { return load_at(begin + i, n); });
    result = begin == 0 ? block : Op::meet(result, block);
  }
  return result;
}

template <class T, class Op>
T reduce_row(const T* x, int64_t count) {
  return reduce_span<T, Op>(
      count, [&](int64_t i, int64_t n) HWY_ATTR { return n == kLanes<T> ? load<T>(x + i) : load_n<T>(x + i, n); });
}

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#endif  // include guard

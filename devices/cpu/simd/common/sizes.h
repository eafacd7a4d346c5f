// Shared arithmetic on sizes.
#ifndef PERCALE_DEVICES_CPU_SIMD_COMMON_SIZES_H_
#define PERCALE_DEVICES_CPU_SIMD_COMMON_SIZES_H_

#include <cstdint>

namespace percale::simd {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
constexpr int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }

// Returns the number of pieces for `flop` operations: about 2 MFLOP (20 us) each, at most 64.
inline int64_t pieces_for(double flop) {
  const double pieces = flop / 2e6;
  if (pieces <= 1) return 1;
  return pieces >= 64 ? 64 : static_cast<int64_t>(pieces);
}

// `total` divided into `count` nearly equal parts, the longer ones first.
struct Parts {
  int64_t count, base, extra;
  Parts(int64_t total, int64_t parts)
      : count(parts), base(parts ? total / parts : 0), extra(parts ? total % parts : 0) {}
  int64_t begin(int64_t i) const { return i * base + min_of(i, extra); }
  int64_t size(int64_t i) const { return base + (i < extra ? 1 : 0); }
};

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_COMMON_SIZES_H_

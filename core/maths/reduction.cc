#include "core/maths/reduction.h"

#include <cmath>

#include "core/maths/parts.h"

namespace percale::maths {
namespace {

// 2 / pi = sum of kTwoByPi[i] 2^(-32 (i + 1))
constexpr std::array<uint32_t, 40> kTwoByPi = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

// Subtracts multiples of pi / 2, which is given in four parts. The first three have 33 bits, so
// that their products with n are exact.
Angle reduce_small(double x) {
  constexpr double kParts[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                               0x1.b839a252049c1p-104};
  const double n = std::nearbyint(x * 0x1.45f306dc9c883p-1);
  DoubleDouble rest = {x - n * kParts[0], 0};
  for (int i = 1; i < 4; ++i) {
    const DoubleDouble sum = exact_sum(rest.high, -(n * kParts[i]));
    rest = exact_sum(sum.high, sum.low + rest.low);
  }
  return {static_cast<int>(static_cast<int64_t>(n) & 3), rest};
}

// Words of 2 / pi that matter. Those above only add multiples of 4.
constexpr int kWords = 8;
using Product = std::array<uint32_t, kWords + 2>;  // lowest word first

// 64 bits of a number, starting at a bit.
uint64_t bits_at(const Product& number, int64_t first) {
  const auto word = [&](int64_t i) {
    return i >= 0 && i < static_cast<int64_t>(number.size()) ? uint64_t{number[static_cast<size_t>(i)]} : 0;
  };
  const int64_t at = first >> 5;
  const auto shift = static_cast<unsigned>(first & 31);
  const uint64_t low = word(at) | word(at + 1) << 32;
  return shift == 0 ? low : low >> shift | word(at + 2) << (64 - shift);
}

// Multiplies x = +-mantissa 2^exponent by 2 / pi in whole numbers (Payne and Hanek).
Angle reduce_large(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  const uint64_t mantissa = (bits & 0x000FFFFFFFFFFFFF) | 0x0010000000000000;
  const int64_t exponent = static_cast<int64_t>(bits >> 52 & 0x7FF) - 1075;
  const int64_t first = exponent >= 2 ? (exponent - 2) / 32 : 0;
  Product product{};
  for (int i = 0; i < kWords; ++i) {
    const uint64_t word = kTwoByPi[static_cast<size_t>(first + kWords - 1 - i)];
    uint64_t carry = 0;
    for (int part = 0; part < 2; ++part) {
      uint32_t& to = product[static_cast<size_t>(i + part)];
      carry += word * (part == 0 ? mantissa & 0xFFFFFFFF : mantissa >> 32) + to;
      to = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    product[static_cast<size_t>(i + 2)] = static_cast<uint32_t>(carry);
  }
  const int64_t point = 32 * (first + kWords) - exponent;  // position of the bit of 1
  auto quadrant = static_cast<int>(bits_at(product, point) & 3);
  uint64_t high = bits_at(product, point - 64), low = bits_at(product, point - 128);
  const bool above = high >> 63 != 0;  // the fraction is 1/2 or more: count from the next quadrant
  if (above) {
    ++quadrant;
    high = ~high;
    low = ~low;
  }
  const auto part = [](uint64_t value, int64_t at) { return static_cast<double>(value) * power_of_two(at); };
  const DoubleDouble fraction = DoubleDouble{part(high >> 32, -32), 0} + DoubleDouble{part(high & 0xFFFFFFFF, -64), 0} +
                                DoubleDouble{part(low >> 32, -96), 0} + DoubleDouble{part(low & 0xFFFFFFFF, -128), 0};
  constexpr DoubleDouble kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  const DoubleDouble rest = fraction * kHalfPi;
  const double sign = above != (x < 0) ? -1.0 : 1.0;
  return {(x < 0 ? -quadrant : quadrant) & 3, {sign * rest.high, sign * rest.low}};
}

}  // namespace

Angle reduce_angle(double x) { return std::fabs(x) < 0x1p19 ? reduce_small(x) : reduce_large(x); }

}  // namespace percale::maths

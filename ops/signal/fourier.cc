#include "ops/signal/fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace percale {
namespace {

constexpr int64_t kMostLength = int64_t{1} << 24;

ComplexNumber product(ComplexNumber a, ComplexNumber b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// Returns exp(-pi i numerator / denominator).
ComplexNumber turn(const maths::Functions& f, int64_t numerator, int64_t denominator) {
  const double angle = -std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  return {f.cos(angle), f.sin(angle)};
}

// In-place radix-2 transform of n = a power of two: reorders the elements by reversed bits, then
// combines pairs, fours, and so on.
void by_halves(ComplexNumber* x, size_t n, const std::vector<ComplexNumber>& turns) {
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t half = 1; half < n; half *= 2) {
    const size_t step = n / (2 * half);
    for (size_t from = 0; from < n; from += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        ComplexNumber &low = x[from + k], &high = x[from + k + half];
        const ComplexNumber moved = product(high, turns[k * step]);
        high = {low.re - moved.re, low.im - moved.im};
        low = {low.re + moved.re, low.im + moved.im};
      }
    }
  }
}

}  // namespace

Result<Fourier> Fourier::make(int64_t length, const maths::Functions& functions) {
  if (length > kMostLength)
    return resource_exhausted("a transform of ", length, " numbers exceeds the limit of ", kMostLength);
  Fourier f;
  f.length_ = length;
  const bool halves = (length & (length - 1)) == 0;
  int64_t power = 1;
  while (power < (halves ? length : 2 * length - 1)) power *= 2;
  for (int64_t k = 0; k < power / 2; ++k) f.turns_.push_back(turn(functions, 2 * k, power));
  if (halves) return f;
  f.chirp_spectrum_.resize(static_cast<size_t>(power));
  for (int64_t k = 0; k < length; ++k) {
    const ComplexNumber c = turn(functions, k * k % (2 * length), length);
    f.chirp_.push_back(c);
    f.chirp_spectrum_[static_cast<size_t>(k)] =
        f.chirp_spectrum_[static_cast<size_t>((power - k) % power)] = {c.re, -c.im};
  }
  by_halves(f.chirp_spectrum_.data(), f.chirp_spectrum_.size(), f.turns_);
  return f;
}

void Fourier::run(ComplexNumber* x, ComplexNumber* scratch, bool inverse) const {
  const auto n = static_cast<size_t>(length_), power = chirp_spectrum_.size();
  // The inverse is the conjugate of the transform of the conjugate.
  const auto conjugate = [&] {
    for (size_t k = 0; inverse && k < n; ++k) x[k].im = -x[k].im;
  };
  conjugate();
  if (power == 0) {
    by_halves(x, n, turns_);
    return conjugate();
  }
  for (size_t k = 0; k < n; ++k) scratch[k] = product(x[k], chirp_[k]);
  std::fill(scratch + n, scratch + power, ComplexNumber{});
  by_halves(scratch, power, turns_);
  for (size_t k = 0; k < power; ++k) {
    scratch[k] = product(scratch[k], chirp_spectrum_[k]);
    scratch[k].im = -scratch[k].im;
  }
  by_halves(scratch, power, turns_);
  const double scale = 1 / static_cast<double>(power);
  for (size_t k = 0; k < n; ++k) {
    x[k] = product({scratch[k].re * scale, -scratch[k].im * scale}, chirp_[k]);
  }
  conjugate();
}

}  // namespace percale

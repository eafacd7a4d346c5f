// Discrete Fourier transform of one line of numbers, for any length.
#ifndef PERCALE_OPS_SIGNAL_FOURIER_H_
#define PERCALE_OPS_SIGNAL_FOURIER_H_

#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/maths/functions.h"

namespace percale {

struct ComplexNumber {
  double re = 0, im = 0;
};

// Tables for transforms of one length. Powers of two use radix-2 steps (Cooley and Tukey 1965).
// Other lengths use a convolution with a chirp, padded to a power of two (Bluestein 1970). A plain
// value, shared by threads.
class Fourier {
 public:
  // Returns RESOURCE_EXHAUSTED for a length above 2^24. Precondition: length > 0.
  static Result<Fourier> make(int64_t length, const maths::Functions& functions);

  // Returns how many ComplexNumbers of scratch run() needs.
  int64_t scratch_numbers() const { return static_cast<int64_t>(chirp_spectrum_.size()); }
  // Replaces x by y[k] = sum of x[n] exp(-2 pi i k n / length), or with exp(+...) for `inverse`.
  // The result is not divided by the length.
  void run(ComplexNumber* x, ComplexNumber* scratch, bool inverse) const;

 private:
  int64_t length_ = 0;
  std::vector<ComplexNumber> turns_;           // exp(-2 pi i k / n) for the power of two
  std::vector<ComplexNumber> chirp_;           // exp(-pi i k^2 / length), empty for powers of two
  std::vector<ComplexNumber> chirp_spectrum_;  // spectrum of its conjugate, over the power of two
};

}  // namespace percale

#endif  // PERCALE_OPS_SIGNAL_FOURIER_H_

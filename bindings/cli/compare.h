// Whether a result is what a test case wants.
#ifndef PERCALE_BINDINGS_CLI_COMPARE_H_
#define PERCALE_BINDINGS_CLI_COMPARE_H_

#include <percale.h>

#include <string>

namespace percale_cli {

// What may differ. Floats: `absolute` + `relative` |wanted|, where negative numbers mean the usual of their dtype: 1e-7 + 1e-3 |wanted|,
// f16 1e-3 + 1e-2 |wanted|, bf16 1e-2 + 2e-2 |wanted|; f32 at least the last bit of the largest wanted number, since what should be 0
// among large numbers is their rounding. NaN is NaN; all else is exact.
struct Tolerance {
  double absolute = -1, relative = -1;
  // Floats that point where the wanted ones do (a cosine of 0.999 or more) are good, too.
  bool direction = false;
};

// "" where `got` has the dtype, shape and elements of `wanted`, else what differs.
std::string difference(const percale_tensor* got, const percale_tensor* wanted, const Tolerance& tolerance = {});
// How far floats are from what is wanted: the cosine of the angle between the two as vectors, and the largest difference
// over the largest wanted magnitude. 1 and 0 for anything else.
struct Accuracy {
  double cosine = 1, error = 0;
};
Accuracy accuracy(const percale_tensor* got, const percale_tensor* wanted);
// The same for numbers that are drawn: dtype, shape, and mean and spread within what chance allows.
std::string statistical_difference(const percale_tensor* got, const percale_tensor* wanted);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_COMPARE_H_

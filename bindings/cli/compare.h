// Compares results with those that a test case expects.
#ifndef PERCALE_BINDINGS_CLI_COMPARE_H_
#define PERCALE_BINDINGS_CLI_COMPARE_H_

#include <percale.h>

#include <string>

namespace percale_cli {

// The allowed difference. For floats: `absolute` + `relative` |wanted|. Negative numbers select the
// defaults of the dtype: 1e-7 + 1e-3 |wanted| for f32 and f64, 1e-3 + 1e-2 |wanted| for f16, 1e-2 +
// 2e-2 |wanted| for bf16. f32 allows at least the last bit of the largest wanted number, because a
// result that should be 0 among large numbers is their rounding error. NaN equals NaN; other types
// must match exactly.
struct Tolerance {
  double absolute = -1, relative = -1;
  // Also accept floats with a cosine of 0.999 or more to the wanted ones.
  bool direction = false;
};

// Returns "" if `got` has the dtype, shape and elements of `wanted`, else a description of the
// difference.
std::string difference(const percale_tensor* got, const percale_tensor* wanted, const Tolerance& tolerance = {});
// The accuracy of floats: the cosine of the angle between result and wanted values as vectors, and
// the largest difference divided by the largest wanted magnitude. 1 and 0 for other types.
struct Accuracy {
  double cosine = 1, error = 0;
};
Accuracy accuracy(const percale_tensor* got, const percale_tensor* wanted);
// Like difference(), for random numbers: compares dtype and shape, and mean and deviation within
// the limits of chance.
std::string statistical_difference(const percale_tensor* got, const percale_tensor* wanted);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_COMPARE_H_

// Whether a result is what a test case wants.
#ifndef PERCALE_BINDINGS_CLI_COMPARE_H_
#define PERCALE_BINDINGS_CLI_COMPARE_H_

#include <percale.h>

#include <string>

namespace percale_cli {

// "" where `got` has the dtype, shape and elements of `wanted`, else what differs. Floats may differ by 1e-7 + 1e-3 |wanted|, f16 by
// 1e-3 + 1e-2 |wanted|, bf16 by 1e-2 + 2e-2 |wanted|; NaN is NaN; all else is exact.
std::string difference(const percale_tensor* got, const percale_tensor* wanted);
// The same for numbers that are drawn: dtype, shape, and mean and spread within what chance allows.
std::string statistical_difference(const percale_tensor* got, const percale_tensor* wanted);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_COMPARE_H_

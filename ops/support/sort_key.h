// Converts elements of any number type to integer keys with the same order, so that sorting code
// does not depend on types.
#ifndef PERCALE_OPS_SUPPORT_SORT_KEY_H_
#define PERCALE_OPS_SUPPORT_SORT_KEY_H_

#include <cstdint>

#include "core/tensor/dtype.h"

namespace percale {

// Sets keys[i], for i below `count`, to the key of element i * stride of `from`. Keys compare as
// the numbers do. NaN is above everything and equal to itself; -0 equals 0. `dtype` is one of
// dtypes::kAny.
void sort_keys(DType dtype, const void* from, int64_t count, int64_t stride, uint64_t* keys);

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_SORT_KEY_H_

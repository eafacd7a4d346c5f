// Which axis of one shape the parts along an axis of another lie along.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_SPLIT_AXES_H_
#define PERCALE_CORE_TRAIN_PARALLEL_SPLIT_AXES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Of one row-major block of elements seen as `from` and as `to`: the axis of `to` whose `parts` equal parts are those of `from`
// along `axis`. Nothing where there is none, or a dim from there on is not known.
std::optional<size_t> same_parts(const Shape& from, size_t axis, const Shape& to, int64_t parts);

// The dims that a Reshape to constant `dims` makes of `from`: 0 is resolved, and -1 where the others are known; what is not known stays
// negative. Empty where `dims` do not fit.
std::vector<int64_t> reshaped_dims(const Shape& from, const std::vector<int64_t>& dims);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_SPLIT_AXES_H_

// Follows the axis of a cut through a change of shape.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_SPLIT_AXES_H_
#define PERCALE_CORE_TRAIN_PARALLEL_SPLIT_AXES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Finds the axis of `to` whose `parts` equal parts are those of `from` along `axis`, where both are
// shapes of the same row-major elements. Returns nothing if there is no such axis, or if a dim from
// `axis` on is unknown.
std::optional<size_t> same_parts(const Shape& from, size_t axis, const Shape& to, int64_t parts);

// Returns the dims that a Reshape to constant `dims` makes of `from`. 0 is resolved, and -1 if the
// other dims are known; unknown dims stay negative. Empty if `dims` do not fit.
std::vector<int64_t> reshaped_dims(const Shape& from, const std::vector<int64_t>& dims);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_SPLIT_AXES_H_

// Which rank of a group commits which rows of which parameter.
#ifndef PERCALE_CORE_TRAIN_GROUP_SEGMENTS_H_
#define PERCALE_CORE_TRAIN_GROUP_SEGMENTS_H_

#include <vector>

#include "core/train/parallel/parameter_spec.h"

namespace percale {

// Cuts the parameters, in their order, into one segment per rank, of about the same number of
// bytes. Returns the parts in that order; `device` is the segment. A parameter is cut between rows,
// at aligned addresses. Parameters that train by rows (`by_rows`, indices into the list) stay
// whole, and so do all of them where the optimizer needs the norm of a gradient. A rank may get
// nothing. Precondition: ranks > 0.
std::vector<ParameterPart> cut_segments(const std::vector<Variable>& parameters, const std::vector<size_t>& by_rows,
                                        const Optimizer& optimizer, size_t ranks);
// The segment of each of the parameters `by_rows`.
std::vector<size_t> table_segments(const std::vector<ParameterPart>& parts, const std::vector<size_t>& by_rows);
// The parts of parameters with a dense gradient; ParameterPart::parameter becomes the number of the
// gradient.
std::vector<ParameterPart> dense_segments(const std::vector<ParameterPart>& parts, const std::vector<size_t>& by_rows);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_SEGMENTS_H_

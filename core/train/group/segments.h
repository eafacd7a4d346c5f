// Which rank of a group commits which rows of which parameter.
#ifndef PERCALE_CORE_TRAIN_GROUP_SEGMENTS_H_
#define PERCALE_CORE_TRAIN_GROUP_SEGMENTS_H_

#include <cstdint>
#include <vector>

#include "core/train/parallel/parameter_spec.h"

namespace percale {

// The rules by which parameters are cut for a group.
struct SegmentRules {
  std::vector<size_t> by_rows;  // parameters that train by rows
  Optimizer optimizer;
  size_t ranks = 1;          // > 0
  int64_t bucket_bytes = 0;  // least size of a bucket; 0: there is one
};

// Parameters whose gradients are exchanged at the same time. Each rank has a segment of every
// bucket, so that all ranks send and receive as much at any time.
struct ParameterBucket {
  std::vector<size_t> parameters;  // in ascending order
};

// The parameters in buckets, those with the last parameters first, because a backward pass gives
// their gradients first. One bucket where the optimizer needs the norm of a gradient. Parameters
// that train by rows are the last bucket, unless there is only one.
std::vector<ParameterBucket> cut_buckets(const std::vector<Variable>& parameters, const SegmentRules& rules);

// Cuts each bucket into one segment per rank, of about the same number of bytes. Returns the parts
// bucket by bucket, each in the order of its parameters and their rows; `device` is the segment. A
// parameter is cut between rows, at aligned addresses. Parameters that train by rows stay whole,
// and so do all of them where the optimizer needs the norm of a gradient. A rank may get nothing.
std::vector<ParameterPart> cut_segments(const std::vector<Variable>& parameters, const SegmentRules& rules);
// The segment of each of the parameters `by_rows`.
std::vector<size_t> table_segments(const std::vector<ParameterPart>& parts, const std::vector<size_t>& by_rows);

// A part of a parameter with a dense gradient.
struct GradientPart {
  size_t gradient = 0;          // number among the dense ones
  int64_t begin = 0, end = -1;  // rows; end -1: all
  size_t segment = 0, bucket = 0;
};
// The parts of cut_segments() that have dense gradients, in their order.
std::vector<GradientPart> gradient_parts(const std::vector<Variable>& parameters, const SegmentRules& rules);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_SEGMENTS_H_

// Copies between two tensors through a strided loop. Most ops that move elements reduce to this.
#ifndef PERCALE_OPS_SUPPORT_STRIDED_COPY_H_
#define PERCALE_OPS_SUPPORT_STRIDED_COPY_H_

#include <array>

#include "ops/support/kernel_util.h"

namespace percale {

// to[to_base + index . to_strides] = from[from_base + index . from_strides] for every index of a
// shape. Bases and strides are in bytes; strides may be negative. A plain value.
struct StridedCopy {
  StridedLoop loop;  // operands: to, from
  int64_t to_base = 0, from_base = 0;
  int64_t item = 0;  // bytes moved at once: 1, 2, 4, 8 or 16

  static StridedCopy make(const Shape& shape, int64_t item, const std::array<int64_t, kMaxRank>& to_strides,
                          const std::array<int64_t, kMaxRank>& from_strides, int64_t to_base = 0,
                          int64_t from_base = 0);
  void run(const ParallelFor& parallel, const char* from, char* to) const;
};

// The state of kernels that return their input's bytes with another shape (views). They copy unless
// input and output share memory.
struct ViewPlan {
  int64_t bytes = 0;
};
Result<ViewPlan> plan_view(const NodeView& node, KernelPlan& booked);
void run_view(const ViewPlan& plan, const Launch& launch);

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_STRIDED_COPY_H_

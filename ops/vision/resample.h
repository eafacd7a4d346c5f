// Linear maps along single axes of a tensor: every output row is a weighted sum of a few input
// rows. Resize and its transpose consist of one such map per axis.
#ifndef PERCALE_OPS_VISION_RESAMPLE_H_
#define PERCALE_OPS_VISION_RESAMPLE_H_

#include <cstdint>
#include <vector>

#include "core/registry/kernel.h"
#include "core/tensor/shape.h"

namespace percale {

// A sparse matrix with `rows()` rows. Row r has the taps [begin[r], begin[r + 1]).
struct Taps {
  std::vector<int64_t> begin = {0};
  std::vector<int64_t> index;
  std::vector<double> weight;

  int64_t rows() const { return static_cast<int64_t>(begin.size()) - 1; }
  // Adds a tap to the current row. Consecutive taps with the same index are merged.
  void add(int64_t at, double w);
  // True if every row has exactly one tap.
  bool one_each() const {
    for (size_t r = 0; r < begin.size(); ++r) {
      if (begin[r] != static_cast<int64_t>(r)) return false;
    }
    return true;
  }
  void end_row() { begin.push_back(static_cast<int64_t>(index.size())); }
};
// Returns the transposed matrix, which has `columns` rows.
Taps transposed(const Taps& taps, int64_t columns);

// Applies maps to one axis after another, through buffers in scratch. A movable plain value.
class Resample {
 public:
  // Plans y = the map of x along every listed axis. With `weights`, sums are in f32 or f64
  // depending on the dtype. Integers use f64, are rounded half to even and clamped to their range.
  // Without `weights`, every row is a copy of at most one row, for any dtype of 8 bits or more.
  // Rows without taps are zero.
  struct Axis {
    size_t dim;
    Taps taps;
  };
  static Result<Resample> make(const Shape& x, DType dtype, bool weights, std::vector<Axis> axes, KernelPlan& plan);

  // Applies the maps to input 0 and writes output 0.
  void run(const Launch& launch) const;

 private:
  struct Pass {
    int64_t outer = 0, from = 0, inner = 0;  // the tensor before the pass is [outer, from, inner]
    Taps taps;
  };
  using PassFn = void (*)(const Pass&, const void* x, void* y, const ParallelFor&);
  using ConvertFn = void (*)(const void* from, void* to, int64_t count, const ParallelFor&);

  void choose_pass(DType dtype, bool weights);
  // Returns the elements of the largest tensor before, between or after the passes.
  Result<int64_t> add_passes(const Shape& x, std::vector<Axis> axes);

  std::vector<Pass> passes_;
  PassFn pass_ = nullptr;
  ConvertFn widen_ = nullptr, narrow_ = nullptr;  // null if sums are in the tensor's own type
  // bytes per element of the buffers and of the tensors
  int64_t item_ = 0, tensor_item_ = 0;
  int64_t x_elements_ = 0, y_elements_ = 0, buffer_bytes_ = 0;
};

}  // namespace percale

#endif  // PERCALE_OPS_VISION_RESAMPLE_H_

// Linear maps along single axes of a tensor: every output row is a weighted sum of a few input rows. Resize and its transpose
// are such maps, one per axis.
#ifndef PERCALE_OPS_VISION_RESAMPLE_H_
#define PERCALE_OPS_VISION_RESAMPLE_H_

#include <cstdint>
#include <vector>

#include "core/registry/kernel.h"
#include "core/tensor/shape.h"

namespace percale {

// A sparse matrix of `rows()` rows: row r has the taps [begin[r], begin[r + 1]).
struct Taps {
  std::vector<int64_t> begin = {0};
  std::vector<int64_t> index;
  std::vector<double> weight;

  int64_t rows() const { return static_cast<int64_t>(begin.size()) - 1; }
  // Adds a tap to the row that is being written; taps of one index in succession are one.
  void add(int64_t at, double w);
  // Whether every row has exactly one.
  bool one_each() const {
    for (size_t r = 0; r < begin.size(); ++r) {
      if (begin[r] != static_cast<int64_t>(r)) return false;
    }
    return true;
  }
  void end_row() { begin.push_back(static_cast<int64_t>(index.size())); }
};
// The transposed matrix, which has `columns` rows.
Taps transposed(const Taps& taps, int64_t columns);

// Axes are taken one after another, through buffers in scratch. A movable plain value.
class Resample {
 public:
  // y = the map of x along every listed axis; `weights`: sums in f32 or f64 as the dtype asks (integers: f64, rounded half to
  // even and held at the ends of their range), else every row is a copy of at most one row, for any dtype of 8 bits or more.
  // Rows without taps are zero.
  struct Axis {
    size_t dim;
    Taps taps;
  };
  static Result<Resample> make(const Shape& x, DType dtype, bool weights, std::vector<Axis> axes, KernelPlan& plan);

  // From input 0 to output 0.
  void run(const Launch& launch) const;

 private:
  struct Pass {
    int64_t outer = 0, from = 0, inner = 0;  // the tensor before the pass is [outer, from, inner]
    Taps taps;
  };
  using PassFn = void (*)(const Pass&, const void* x, void* y, const ParallelFor&);
  using ConvertFn = void (*)(const void* from, void* to, int64_t count, const ParallelFor&);

  std::vector<Pass> passes_;
  PassFn pass_ = nullptr;
  ConvertFn widen_ = nullptr, narrow_ = nullptr;  // null where the sums are of the tensor's own type
  int64_t item_ = 0, tensor_item_ = 0;            // bytes of an element of the buffers, of the tensors
  int64_t x_elements_ = 0, y_elements_ = 0, buffer_bytes_ = 0;
};

}  // namespace percale

#endif  // PERCALE_OPS_VISION_RESAMPLE_H_

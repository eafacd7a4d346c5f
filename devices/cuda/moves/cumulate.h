// Running sums and products along lines.
#ifndef PERCALE_DEVICES_CUDA_MOVES_CUMULATE_H_
#define PERCALE_DEVICES_CUDA_MOVES_CUMULATE_H_

#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// Gives each element the sum or product of the elements up to it. Several blocks share a long line
// if there are few lines.
class Cumulation {
 public:
  // `args` describes the lines. Books scratch if blocks share lines.
  Cumulation(Plan& plan, percale_dtype dtype, CumulateArgs args);

  // x and y may be the same memory.
  void run(const Launch& launch, Ptr x, Ptr y) const;

 private:
  CumulateArgs args_;
  bool is_long_;
  int64_t partial_ = 0;
  DeviceKernel kernel_, of_partial_, totals_;
};

// Replaces each of `count` i64 numbers by the sum of those before it.
Cumulation scan_of(Plan& plan, int64_t count);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_MOVES_CUMULATE_H_

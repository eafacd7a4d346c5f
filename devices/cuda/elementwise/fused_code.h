// Generates source code for a group of elementwise nodes. The code spells out the group's program
// with all sizes and constants.
#ifndef PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_CODE_H_
#define PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_CODE_H_

#include "devices/cuda/driver/compiler.h"
#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

struct FusedCode {
  KernelSource source;
  int64_t each = 1;  // elements that a thread processes at once
};

// `type` is the type of the result.
FusedCode code_of(const FusedArgs& program, int inputs, FusedType type);

// Returns the arguments of that code: the operands of `program`.
FusedCodeArgs code_args(const FusedArgs& program, int inputs);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_CODE_H_

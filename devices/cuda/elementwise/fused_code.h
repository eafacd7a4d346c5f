// A group of elementwise nodes as source: what its program says, written out, with every size and number in its place.
#ifndef PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_CODE_H_
#define PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_CODE_H_

#include "devices/cuda/driver/compiler.h"
#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

struct FusedCode {
  KernelSource source;
  int64_t each = 1;  // elements that a thread takes at once
};

// `type`: of the result.
FusedCode code_of(const FusedArgs& program, int inputs, FusedType type);

// The operands of `program`, for that code.
FusedCodeArgs code_args(const FusedArgs& program, int inputs);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_CODE_H_

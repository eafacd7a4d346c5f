// What follows the anchor of a group, where it is nothing but a residual and Relu.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_TAIL_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_TAIL_H_

#include "devices/cuda/driver/host.h"

namespace percale::cuda {

struct Tail {
  bool residual = false, relu = false;
  size_t input = 0;  // where in the inputs of the group the residual is
};
// Behind the first node of the group's body. Refusal where there is something else.
Tail tail_of(const Node& group);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_LAUNCH_TAIL_H_

// Runs the elementwise nodes of a group's body as one kernel.
#ifndef PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_H_
#define PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_H_

#include <vector>

#include "devices/cuda/elementwise/fused_code.h"
#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// The nodes from number `first` on in the body of a node "Fused". If `first` is not 0, the result
// of the node before them lies in the output's memory. The constructor throws a Refusal if a node
// has no step.
class Chain {
 public:
  Chain(Plan& plan, size_t first);
  void run(const Launch& launch) const;

 private:
  FusedArgs args_{};
  std::vector<int> inputs_;  // inputs of the node; -1: the output's memory
  FusedCode code_;
  DeviceKernel kernel_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_H_

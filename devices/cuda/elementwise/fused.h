// Elementwise nodes of a group's body, as one kernel.
#ifndef PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_H_
#define PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_H_

#include <vector>

#include "devices/cuda/elementwise/fused_code.h"
#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// The nodes of the body of a node "Fused" from number `first` on. What the node before them gives, where there is one, lies where their
// result goes. Refusal where one of them has no step.
class Chain {
 public:
  Chain(Plan& plan, size_t first);
  void run(const Launch& launch) const;

 private:
  FusedArgs args_{};
  std::vector<int> inputs_;  // of the node; -1: where the result goes
  FusedCode code_;
  DeviceKernel kernel_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_ELEMENTWISE_FUSED_H_

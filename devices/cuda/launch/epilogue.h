// The epilogue of a fused group that consists of a residual, Relu or both.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_EPILOGUE_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_EPILOGUE_H_

#include "devices/cuda/driver/node.h"

namespace percale::cuda {

struct Epilogue {
  bool residual = false, relu = false;
  size_t input = 0;  // The index of the residual among the group's inputs.
};
// Reads the epilogue behind the anchor, the first node of the group's body. Throws a Refusal if it
// contains anything else.
Epilogue epilogue_of(const Node& group);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_LAUNCH_EPILOGUE_H_

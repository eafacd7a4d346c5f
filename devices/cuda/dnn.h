// Convolutions by cuDNN's graph API.
#ifndef PERCALE_DEVICES_CUDA_DNN_H_
#define PERCALE_DEVICES_CUDA_DNN_H_

#include <map>
#include <memory>
#include <mutex>

#include "devices/cuda/kernel.h"

namespace percale::cuda {

// One of the three products of a convolution from X to Y with weights W, all row-major: channels, then places.
struct Convolution {
  enum class Result { kY, kDx, kDw };
  Result result = Result::kY;
  percale_dtype dtype = PERCALE_DTYPE_F32;
  ConvArgs args{};  // its sizes and window
};

// What cuDNN may use at once.
int64_t workspace_for(const Convolution& convolution);

// A convolution that has been planned; what cuDNN says of it is asked once per device. Thread-safe.
class PlannedConvolution {
 public:
  explicit PlannedConvolution(const Convolution& convolution);
  ~PlannedConvolution();
  PlannedConvolution(const PlannedConvolution&) = delete;
  PlannedConvolution& operator=(const PlannedConvolution&) = delete;

  // x, w, y: the operands and the result, each in its place. False, and nothing was enqueued, where cuDNN is not there or has no way that
  // gives the same bits in every run.
  bool run(const Launch& launch, Ptr x, Ptr w, Ptr y, Ptr workspace) const;

 private:
  struct OnDevice;
  const OnDevice& on(Device& device, abi::Dnn dnn) const;

  const Convolution convolution_;
  mutable std::mutex mutex_;
  mutable std::map<const Device*, std::unique_ptr<OnDevice>> devices_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DNN_H_

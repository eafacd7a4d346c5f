// Convolutions as graphs of cuDNN.
#ifndef PERCALE_DEVICES_CUDA_VENDOR_DNN_H_
#define PERCALE_DEVICES_CUDA_VENDOR_DNN_H_

#include "devices/cuda/vendor/dnn_graph.h"

namespace percale::cuda {

// One of the three products of a convolution from X to Y with weights W; images are channels, then places, or the other way round.
struct Convolution {
  enum class Result { kY, kDx, kDw };
  Result result = Result::kY;
  percale_dtype dtype = PERCALE_DTYPE_F32;
  ConvArgs args{};  // its sizes and window, and how images and weights lie
  // What follows Y, as one: Y + residual + bias [channels], and the greater of that and 0. f32 until all is done. Not for f64.
  bool residual = false, bias = false, relu = false;
};

// A convolution that has been planned. Thread-safe.
class PlannedConvolution {
 public:
  explicit PlannedConvolution(const Convolution& convolution);
  ~PlannedConvolution();
  PlannedConvolution(const PlannedConvolution&) = delete;
  PlannedConvolution& operator=(const PlannedConvolution&) = delete;

  struct Operands {
    Ptr x, w, y, residual, bias;  // the operands and the result, each in its place
  };
  // False, and nothing was enqueued, where cuDNN is not there or has nothing that will do.
  bool run(const Launch& launch, const Operands& operands, Ptr workspace) const;

  const Convolution& convolution() const;
  // What cuDNN may use at once.
  int64_t workspace() const;
  // For those who ask cuDNN without a GPU.
  const DnnGraph& graph() const;
  const DnnRules& rules() const;

 private:
  struct Made;
  const std::unique_ptr<const Made> made_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_VENDOR_DNN_H_

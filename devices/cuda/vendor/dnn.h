// Convolutions as cuDNN graphs.
#ifndef PERCALE_DEVICES_CUDA_VENDOR_DNN_H_
#define PERCALE_DEVICES_CUDA_VENDOR_DNN_H_

#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/vendor/dnn_graph.h"

namespace percale::cuda {

// One of the three products of a convolution from X to Y with weights W. Images have the channels
// first or last.
struct Convolution {
  enum class Result { kY, kDx, kDw };
  Result result = Result::kY;
  percale_dtype dtype = PERCALE_DTYPE_F32;
  ConvArgs args{};  // sizes, window, and layout of images and weights
  // The epilogue of Y: adds residual and bias [channels], then applies Relu. It is computed in f32
  // and rounded at the end. Not supported for f64.
  bool residual = false, bias = false, relu = false;
};

// A planned convolution. Thread-safe.
class PlannedConvolution {
 public:
  explicit PlannedConvolution(const Convolution& convolution);
  ~PlannedConvolution();
  PlannedConvolution(const PlannedConvolution&) = delete;
  PlannedConvolution& operator=(const PlannedConvolution&) = delete;

  struct Operands {
    Ptr x, w, y, residual, bias;  // operands and result, each in its member
  };
  // Returns false and enqueues nothing if cuDNN is not available or has no suitable engine.
  bool run(const Launch& launch, const Operands& operands, Ptr workspace) const;

  const Convolution& convolution() const;
  // Returns the bytes of workspace that cuDNN may use in one run.
  int64_t workspace() const;
  // For tools that query cuDNN without a GPU.
  const DnnGraph& graph() const;
  const DnnRules& rules() const;

 private:
  struct Made;
  const std::unique_ptr<const Made> made_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_VENDOR_DNN_H_

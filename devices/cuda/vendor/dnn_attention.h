// Attention and its gradients as graphs of cuDNN.
#ifndef PERCALE_DEVICES_CUDA_VENDOR_DNN_ATTENTION_H_
#define PERCALE_DEVICES_CUDA_VENDOR_DNN_ATTENTION_H_

#include "devices/cuda/vendor/dnn_graph.h"

namespace percale::cuda {

// softmax(scale Q K^T + mask) V in f16 or bf16, scores and sums in f32. Thread-safe.
class PlannedAttention {
 public:
  // `mask`: its dims, each 1 or that of the scores; empty: there is none.
  PlannedAttention(percale_dtype dtype, const AttentionArgs& args, const Dims& mask);
  ~PlannedAttention();
  PlannedAttention(const PlannedAttention&) = delete;
  PlannedAttention& operator=(const PlannedAttention&) = delete;

  // With room for the statistics. False, and nothing was enqueued, where cuDNN is not there or has nothing that will do.
  bool run(const Launch& launch, const AttentionArgs& operands, Ptr workspace) const;

  const DnnGraph& graph() const;
  const DnnRules& rules() const;

 private:
  struct Made;
  const std::unique_ptr<const Made> made_;
};

// Its gradients; heads are not shared. Thread-safe.
class PlannedAttentionGrad {
 public:
  PlannedAttentionGrad(percale_dtype dtype, const AttentionGradArgs& args, const Dims& mask);
  ~PlannedAttentionGrad();
  PlannedAttentionGrad(const PlannedAttentionGrad&) = delete;
  PlannedAttentionGrad& operator=(const PlannedAttentionGrad&) = delete;

  bool run(const Launch& launch, const AttentionGradArgs& operands, Ptr workspace) const;

  const DnnGraph& graph() const;
  // The workspace grows with the scores: what gives the same bits in every run keeps gradients of them.
  const DnnRules& rules() const;

 private:
  struct Made;
  const std::unique_ptr<const Made> made_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_VENDOR_DNN_ATTENTION_H_

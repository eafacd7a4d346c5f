// Attention and its gradients as cuDNN graphs.
#ifndef PERCALE_DEVICES_CUDA_VENDOR_DNN_ATTENTION_H_
#define PERCALE_DEVICES_CUDA_VENDOR_DNN_ATTENTION_H_

#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/vendor/dnn_graph.h"

namespace percale::cuda {

// The mask of attention.
struct AttentionMask {
  // Each dim is 1 or that of the scores. Empty if there is no mask.
  Dims dims;
  // True if query i sees the keys up to number i, with nothing added to their scores. The mask's
  // memory is not read then.
  bool causal = false;
};

// softmax(scale Q K^T + mask) V in f16 or bf16, with scores and sums in f32. Thread-safe.
class PlannedAttention {
 public:
  PlannedAttention(percale_dtype dtype, const AttentionArgs& args, const AttentionMask& mask);
  ~PlannedAttention();
  PlannedAttention(const PlannedAttention&) = delete;
  PlannedAttention& operator=(const PlannedAttention&) = delete;

  // The operands must have memory for the statistics. Returns false and enqueues nothing if cuDNN
  // is not available or has no suitable engine.
  bool run(const Launch& launch, const AttentionArgs& operands, Ptr workspace) const;

  const DnnGraph& graph() const;
  const DnnRules& rules() const;

 private:
  struct Made;
  const std::unique_ptr<const Made> made_;
};

// The gradients of attention. Heads are not shared. Thread-safe.
class PlannedAttentionGrad {
 public:
  PlannedAttentionGrad(percale_dtype dtype, const AttentionGradArgs& args, const AttentionMask& mask);
  ~PlannedAttentionGrad();
  PlannedAttentionGrad(const PlannedAttentionGrad&) = delete;
  PlannedAttentionGrad& operator=(const PlannedAttentionGrad&) = delete;

  bool run(const Launch& launch, const AttentionGradArgs& operands, Ptr workspace) const;

  const DnnGraph& graph() const;
  // The workspace grows with the scores, because the deterministic engines store gradients of the
  // scores.
  const DnnRules& rules() const;

 private:
  struct Made;
  const std::unique_ptr<const Made> made_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_VENDOR_DNN_ATTENTION_H_

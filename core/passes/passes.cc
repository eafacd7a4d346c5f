#include "core/passes/passes.h"

#include <algorithm>

#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

constexpr Pass kPasses[] = {
    {"inline_calls",
     "Replaces a Call by the body of its function, and an If with a constant condition by the branch that it takes.",
     inline_calls},
    {"infer_shapes", "Infers dtypes and shapes again from the known inputs.", infer_shapes},
    {"expand_composites", "Replaces composite ops by their bodies where no kernel runs them as a whole.",
     expand_composites, true},
    {"fold_constants", "Computes values that depend only on constants and known shapes.", fold_constants},
    {"algebra", "Removes and merges nodes where no result bit changes: Identity, x*1, Transpose of Transpose.",
     algebra},
    {"cse", "Computes equal expressions once; never merges random or stateful nodes.", cse},
    {"dead_code", "Removes nodes that neither an output nor an effect needs.", dead_code},
    {"recognize_norm",
     "Replaces spelled-out LayerNormalization and RMSNormalization by these ops; changes last bits, inference only.",
     recognize_norm},
    {"recognize_rotary", "Replaces spelled-out rotations of embeddings by FusedRotary.", recognize_rotary},
    {"recognize_attention", "Replaces spelled-out attention by FusedAttention; changes last bits, inference only.",
     recognize_attention},
    {"recognize_attention_grad",
     "Replaces spelled-out attention and its gradients by FusedAttention and FusedAttentionGrad, only in bf16.",
     recognize_attention_grad},
    {"move_transposes",
     "Moves Transposes after elementwise ops, so that pairs merge and the ops after a product become adjacent to it.",
     move_transposes},
    {"recognize_activation",
     "Replaces spelled-out Gelu, Swish, HardSigmoid and HardSwish by these ops; changes last bits, inference only.",
     recognize_activation},
    {"fold_pad", "Folds a Pad of zeros into the padding of the convolution after it; inference only.", fold_pad},
    {"move_views", "Moves Reshapes after the elementwise ops that follow a product, so that these fuse.", move_views},
    {"fold_batch_norm",
     "Folds BatchNormalization and per-channel constants into adjacent weights; changes last bits, inference only.",
     fold_batch_norm},
};

}  // namespace

std::span<const Pass> device_free_passes() { return kPasses; }

Status run_device_free_passes(const Graph& graph, Function& f, PassContext& context) {
  for (size_t round = 0; round <= kMaxFunctionDepth; ++round) {
    for (const Pass& pass : device_free_passes()) {
      if (!pass.required && context.disabled.contains(pass.name)) continue;
      PERCALE_RETURN_IF_ERROR(pass.run(graph, f, context).with_context(str_cat("pass '", pass.name, "'")));
      if (context.dump) context.dump(pass.name, f);
    }
    const bool calls =
        !context.disabled.contains("inline_calls") &&
        std::any_of(f.nodes.begin(), f.nodes.end(), [&](const Node& n) { return can_inline(graph, f, n); });
    // Folding may have computed the shapes that a composite node was waiting for.
    if (!calls && waiting_composites(f) >= context.waiting) break;
  }
  return {};
}

}  // namespace percale

#include "core/passes/passes.h"

#include <algorithm>

#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

constexpr Pass kPasses[] = {
    {"inline_calls",
     "Puts the body of a Call, and of the branch that an If with a constant condition takes, in its place.",
     inline_calls},
    {"infer_shapes", "Finds dtypes and shapes again from what is now known of the inputs.", infer_shapes},
    {"expand_composites", "Puts bodies in the place of composite ops that no kernel takes whole.", expand_composites,
     true},
    {"fold_constants", "Computes what depends on constants and known shapes alone.", fold_constants},
    {"algebra", "Drops and merges nodes that cannot change a bit: Identity, x*1, Transpose of Transpose.", algebra},
    {"cse", "Computes equal things once; never merges random or stateful nodes.", cse},
    {"dead_code", "Drops what neither an output nor an effect needs.", dead_code},
    {"recognize_norm",
     "Puts LayerNormalization and RMSNormalization where they are written out; changes last bits, of inference alone.",
     recognize_norm},
    {"recognize_rotary", "Puts FusedRotary where the rotation of embeddings is written out.", recognize_rotary},
    {"recognize_attention",
     "Puts FusedAttention where attention is written out; changes last bits, of inference alone.", recognize_attention},
    {"recognize_attention_grad",
     "Puts FusedAttention and FusedAttentionGrad where attention and its gradients are written out, in bf16 alone.",
     recognize_attention_grad},
    {"move_transposes",
     "Moves Transposes behind elementwise ops: pairs become one, and what follows a product comes next to it.",
     move_transposes},
    {"recognize_activation",
     "Puts Gelu, Swish, HardSigmoid and HardSwish where they are written out; changes last bits, of inference alone.",
     recognize_activation},
    {"fold_pad",
     "Makes zeros that a Pad puts around an image the padding of the convolution behind it, in inference alone.",
     fold_pad},
    {"move_views", "Moves Reshapes behind the elementwise ops that follow a product, so that these fuse.", move_views},
    {"fold_batch_norm",
     "Moves BatchNormalization, and numbers per channel, into the weights beside it; changes last bits, of inference "
     "alone.",
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

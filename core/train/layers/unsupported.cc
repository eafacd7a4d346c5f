#include "core/train/layers/unsupported.h"

#include <algorithm>

namespace percale {
namespace {

constexpr std::string_view kNone = "there is no substitute",
                           kWeightDecay = "for L2 use 'weight_decay' of the optimizer or of 'groups'";

constexpr Unsupported kLayers[] = {
    {"Bidirectional", "use two recurrent layers, one of them with 'go_backwards', and Concatenate"},
    {"TimeDistributed", "Dense and Dropout work on each step without it; there is no substitute for other layers"},
    {"Masking", "there is no substitute; the loss skips labels of its 'ignore_class'"},
    {"Conv3D", "build the graph with the op Conv"},
    {"ZeroPadding2D", "use 'padding': 'same', or build the graph with the op Pad"},
    {"UpSampling2D", "use Conv2DTranspose, or build the graph with the op Resize"},
};

constexpr Unsupported kUnknown[] = {
    {"kernel_regularizer", kWeightDecay},
    {"bias_regularizer", kWeightDecay},
    {"beta_regularizer", kWeightDecay},
    {"gamma_regularizer", kWeightDecay},
    {"recurrent_regularizer", kWeightDecay},
    {"embeddings_regularizer", kWeightDecay},
    {"depthwise_regularizer", kWeightDecay},
    {"pointwise_regularizer", kWeightDecay},
    {"activity_regularizer", kNone},
    {"kernel_constraint", kNone},
    {"bias_constraint", kNone},
    {"beta_constraint", kNone},
    {"gamma_constraint", kNone},
    {"recurrent_constraint", kNone},
    {"embeddings_constraint", kNone},
    {"depthwise_constraint", kNone},
    {"pointwise_constraint", kNone},
    {"lora_rank", kNone},
    {"noise_shape", kNone},
    {"return_attention_scores", kNone},
    {"dtype", "use 'precision' of the trainer, which is for all layers"},
    {"trainable", "use 'freeze' of the trainer"},
    {"seed", "use 'seed' of the trainer, which is for all layers"},
    {"weights", "use 'weights' of the SPEC, or assign the variables"},
    {"output_padding", "build the graph with the op ConvTranspose"},
    {"flash_attention", "leave it out: attention is fused wherever a kernel can"},
};

constexpr Unsupported kDisabled[] = {
    {"attention_axes", "attention is along axis 1; to attend over several axes, merge them with Reshape first"},
    {"mask_zero",
     "padded steps are processed like all others; EmbeddingBag skips its 'padding_idx', and the loss skips labels of "
     "its 'ignore_class'"},
    {"recurrent_dropout", "'dropout' drops the inputs of a step; there is no substitute for dropping the state"},
    {"stateful", "use 'return_state' and pass the states to the next run as inputs"},
};

}  // namespace

const Unsupported* find_unsupported(std::span<const Unsupported> table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Unsupported& u) { return u.name == name; });
  return found == table.end() ? nullptr : &*found;
}

const Unsupported* unsupported_layer(std::string_view name) { return find_unsupported(kLayers, name); }
const Unsupported* unknown_attribute(std::string_view name) { return find_unsupported(kUnknown, name); }
const Unsupported* disabled_attribute(std::string_view name) { return find_unsupported(kDisabled, name); }

}  // namespace percale

// Explanations of layer attributes.
#include <algorithm>
#include <array>

#include "core/base/status.h"
#include "core/train/layers/layers.h"
#include "core/train/layers/unsupported.h"

namespace percale {
namespace {

struct Word {
  std::string_view name, doc;
};

// in ascending order
constexpr std::array<Word, 48> kWords = {{
    {"activation", "Activation applied to the output, by its Keras name: relu, softmax, tanh, ...; linear: none."},
    {"axis",
     "Axis that the layer works along; negative values count from the end. Normalisations support only the last axis."},
    {"beta_initializer", "Initial value of the shift."},
    {"bias_initializer", "Initial value of the bias."},
    {"center", "Whether to add a shift."},
    {"combiner", "How the rows are combined: mean, sum or max."},
    {"data_format", "channels_last."},
    {"depth_multiplier", "Number of outputs per channel."},
    {"depthwise_initializer", "Initial value of the kernel of each channel."},
    {"dilation_rate", "Distance between the elements of a window, one for all spatial axes or one for each."},
    {"dropout", "Fraction of the inputs, or of the attention weights, that is dropped in training."},
    {"embeddings_initializer", "Initial value of the table."},
    {"epsilon", "Constant added to the variance."},
    {"filters", "Number of channels of the output."},
    {"gamma_initializer", "Initial value of the scale."},
    {"go_backwards", "Whether to process the steps from last to first."},
    {"groups", "Number of channel groups that are convolved separately."},
    {"input_dim", "Number of rows of the table."},
    {"keepdims", "Whether to keep the reduced axes with size 1."},
    {"kernel_initializer", "Initial value of the kernel."},
    {"kernel_size", "Size of the window, one for all spatial axes or one for each."},
    {"key_dim", "Size of the query and key of each head."},
    {"momentum", "Fraction of the moving statistics that each step keeps."},
    {"moving_mean_initializer", "Initial value of the moving mean."},
    {"moving_variance_initializer", "Initial value of the moving variance."},
    {"num_heads", "Heads."},
    {"output_dim", "Number of columns of the table."},
    {"output_shape", "Size of the last axis of the output; default: that of the query."},
    {"padding",
     "valid: windows lie within the input; same: the input is padded with zeros, so that the output size is the input "
     "size divided by the strides, rounded up; with one spatial axis also causal."},
    {"padding_idx", "Index whose row is ignored."},
    {"pointwise_initializer", "Initial value of the kernel that mixes the channels."},
    {"pool_size", "Size of the window, one for both axes or one for each."},
    {"rate", "Fraction of the elements that is dropped."},
    {"recurrent_activation", "Activation of the gates."},
    {"recurrent_initializer", "Initial value of the recurrent kernel."},
    {"reset_after", "Whether the reset gate is applied after the product."},
    {"return_sequences", "Whether to return the outputs of all steps instead of only the last one."},
    {"return_state", "Whether to return the last states as separate values, NAME/state_h and NAME/state_c."},
    {"scale", "Whether to multiply by a scale."},
    {"strides",
     "Distance between windows, one for all spatial axes or one for each; default: the window size for pooling, "
     "otherwise 1."},
    {"synchronized", "Whether the statistics cover the whole batch instead of each shard."},
    {"target_shape", "Shape of each row; one dim may be -1, which is inferred."},
    {"unit_forget_bias", "Whether to add 1 to the initial bias of the forget gate."},
    {"units", "Size of the last axis of the output."},
    {"unroll", "Accepted and ignored."},
    {"use_bias", "Whether to add a bias."},
    {"use_causal_mask", "Whether to prevent each query from attending to later keys."},
    {"value_dim", "Size of the value of each head; default: key_dim."},
}};

}  // namespace

std::string layer_word(std::string_view attribute) {
  if (const Unsupported* disabled = disabled_attribute(attribute)) {
    return str_cat("Not implemented; ", disabled->instead, ".");
  }
  const auto found = std::lower_bound(kWords.begin(), kWords.end(), attribute,
                                      [](const Word& word, std::string_view name) { return word.name < name; });
  return std::string(found != kWords.end() && found->name == attribute ? found->doc : std::string_view());
}

}  // namespace percale

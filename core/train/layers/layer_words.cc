// Explanations of layer attributes.
#include <algorithm>
#include <array>

#include "core/train/layers/layers.h"

namespace percale {
namespace {

struct Word {
  std::string_view name, doc;
};

// in ascending order
constexpr std::array<Word, 52> kWords = {{
    {"activation", "What follows, by Keras' name: relu, softmax, tanh, ...; linear: nothing."},
    {"attention_axes", "Not there yet."},
    {"axis", "The axis that it works along, from the end when negative; of normalisations the last one."},
    {"beta_initializer", "How the shift begins."},
    {"bias_initializer", "How the bias begins."},
    {"center", "Whether a shift is added."},
    {"combiner", "mean, sum or max of the rows."},
    {"data_format", "channels_last."},
    {"depth_multiplier", "Outputs of each channel."},
    {"depthwise_initializer", "How the kernel of each channel begins."},
    {"dilation_rate", "The distance of a window's elements, one for all spatial axes or one for each."},
    {"dropout", "The part of its inputs, or of attention's weights, that is dropped in training."},
    {"embeddings_initializer", "How the table begins."},
    {"epsilon", "Added to the variance."},
    {"filters", "Channels of the output."},
    {"gamma_initializer", "How the scale begins."},
    {"go_backwards", "Whether the last step comes first."},
    {"groups", "Parts of the channels that do not mix."},
    {"input_dim", "Rows of the table."},
    {"keepdims", "Whether the axes that are gone stay with one element."},
    {"kernel_initializer", "How the kernel begins."},
    {"kernel_size", "The window, one size for all spatial axes or one for each."},
    {"key_dim", "The size of each head's query and key."},
    {"mask_zero", "Not there yet."},
    {"momentum", "The part of the moving statistics that stays in each step."},
    {"moving_mean_initializer", "How the moving mean begins."},
    {"moving_variance_initializer", "How the moving variance begins."},
    {"num_heads", "Heads."},
    {"output_dim", "Columns of the table."},
    {"output_shape", "The size of the output's last axis; that of the query when absent."},
    {"padding",
     "valid: windows within the input; same: zeros around it, as many outputs as inputs over strides; of one axis also "
     "causal."},
    {"padding_idx", "Numbers that count nothing."},
    {"pointwise_initializer", "How the kernel that mixes the channels begins."},
    {"pool_size", "The window, one size for both axes or one for each."},
    {"rate", "The part that is dropped."},
    {"recurrent_activation", "That of the gates."},
    {"recurrent_dropout", "Not there yet, but for 0."},
    {"recurrent_initializer", "How the kernel of the step before begins."},
    {"reset_after", "Whether the reset gate comes behind the product."},
    {"return_sequences", "Whether the outputs of all steps are given, not the last one's alone."},
    {"return_state", "Whether the last states are values of their own, NAME/state_h and NAME/state_c."},
    {"scale", "Whether a factor is multiplied."},
    {"stateful", "Not there yet."},
    {"strides",
     "The distance of windows, one for all spatial axes or one for each; that of the window when absent from a pool, "
     "else 1."},
    {"synchronized", "Whether the statistics are those of the whole batch, not of each shard."},
    {"target_shape", "The shape of a row; one dim may be -1."},
    {"unit_forget_bias", "Whether the bias of the forget gate begins with one more."},
    {"units", "The size of the output's last axis."},
    {"unroll", "Makes no difference."},
    {"use_bias", "Whether a bias is added."},
    {"use_causal_mask", "Whether no query sees a later key."},
    {"value_dim", "The size of each head's value; that of the key when absent."},
}};

}  // namespace

std::string_view layer_word(std::string_view attribute) {
  const auto found = std::lower_bound(kWords.begin(), kWords.end(), attribute,
                                      [](const Word& word, std::string_view name) { return word.name < name; });
  return found != kWords.end() && found->name == attribute ? found->doc : std::string_view();
}

}  // namespace percale

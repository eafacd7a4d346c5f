// First values of variables, computed by nodes of the function "init".
#ifndef PERCALE_CORE_TRAIN_LAYERS_INITIALIZERS_H_
#define PERCALE_CORE_TRAIN_LAYERS_INITIALIZERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// An initializer name for the bias [4 * units] of an LSTM: ones for the forget gate (the second
// quarter), zeros for the other gates. Keras has no such name; there it is an option of the layer
// (unit_forget_bias).
inline constexpr std::string_view kUnitForgetBias = "unit_forget_bias";

// Returns the names in ascending order.
std::vector<std::string> initializer_names();

// Adds an output to "init" with the variable's name. The initializers are Keras', with their
// default arguments and fans: [.., in, out] with the leading dims as a receptive field.
// INVALID_ARGUMENT names the nearest for an unknown name; also for "orthogonal" with fewer than two
// dims.
Status add_initializer(Builder& builder, const Variable& variable, std::string_view initializer);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_INITIALIZERS_H_

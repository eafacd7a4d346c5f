// First values of variables, drawn by nodes of the function "init".
#ifndef PERCALE_CORE_TRAIN_LAYERS_INITIALIZERS_H_
#define PERCALE_CORE_TRAIN_LAYERS_INITIALIZERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// The first values of an LSTM's bias [4 * units]: ones for the forget gate, the second part, zeros for the others. A name for
// add_initializer() that Keras has not, since there a word of the layer says it.
inline constexpr std::string_view kUnitForgetBias = "unit_forget_bias";

// Names in ascending order.
std::vector<std::string> initializer_names();

// Adds to "init" an output called as the variable. Keras' initializers with their default arguments; fans are Keras' too:
// [.., in, out] with the leading dims as a receptive field. INVALID_ARGUMENT names the nearest for an unknown name,
// and for "orthogonal" of a shape with fewer than two dims.
Status add_initializer(Builder& builder, const Variable& variable, std::string_view initializer);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_INITIALIZERS_H_

// Names of Keras that are known but not supported, and what to use instead.
#ifndef PERCALE_CORE_TRAIN_LAYERS_UNSUPPORTED_H_
#define PERCALE_CORE_TRAIN_LAYERS_UNSUPPORTED_H_

#include <span>
#include <string_view>

namespace percale {

// An entry of a table. `instead` names the substitute, or says that there is none. It continues
// "NAME is not implemented; " and has no full stop.
struct Unsupported {
  std::string_view name, instead;
};
// Returns the entry for a name; null if there is none.
const Unsupported* find_unsupported(std::span<const Unsupported> table, std::string_view name);

// Layers.
const Unsupported* unsupported_layer(std::string_view name);
// Attributes that Keras' layers have and no layer here declares.
const Unsupported* unknown_attribute(std::string_view name);
// Attributes that a layer declares but accepts only with the value that turns them off.
const Unsupported* disabled_attribute(std::string_view name);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_UNSUPPORTED_H_

// Finds initializers that an exporter wrote once for several parameters.
#ifndef PERCALE_BINDINGS_ONNX_IMPORT_ALIASES_H_
#define PERCALE_BINDINGS_ONNX_IMPORT_ALIASES_H_

#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings/onnx/proto/proto.h"

namespace percale_onnx {

// PyTorch's exporter keeps one of several equal initializers, and Identity nodes that read it have
// the names of the others. This maps an initializer to the outputs of these nodes.
using Aliases = std::unordered_map<std::string_view, std::vector<std::string_view>>;
Status find_aliases(const GraphProto& graph, Aliases* out);

// Returns true if all elements, of `item` bytes each, are equal, such as the zeros and ones of an
// untrained network. Equal initializers with different elements are tied weights: one parameter
// with several uses.
bool is_uniform(const void* data, size_t bytes, size_t item);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_IMPORT_ALIASES_H_

// Initializers that an exporter wrote once for several parameters.
#ifndef PERCALE_BINDINGS_ONNX_IMPORT_ALIASES_H_
#define PERCALE_BINDINGS_ONNX_IMPORT_ALIASES_H_

#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings/onnx/proto/proto.h"

namespace percale_onnx {

// PyTorch's exporter keeps one of several equal initializers; Identity nodes give it the names of
// the others. Here those names by initializer: the outputs of the graph's Identity nodes that read
// it.
using Aliases = std::unordered_map<std::string_view, std::vector<std::string_view>>;
Status find_aliases(const GraphProto& graph, Aliases* out);

// True where all elements, of `item` bytes each, are equal, as the zeros and ones of a fresh
// network are. Equal initializers with other elements are one parameter with several uses: tied
// weights.
bool is_uniform(const void* data, size_t bytes, size_t item);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_IMPORT_ALIASES_H_

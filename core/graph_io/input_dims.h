// Changes the dims of a graph's inputs: a fixed batch size becomes unknown, or an unknown one
// fixed.
#ifndef PERCALE_CORE_GRAPH_IO_INPUT_DIMS_H_
#define PERCALE_CORE_GRAPH_IO_INPUT_DIMS_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/graph/graph.h"

namespace percale {

// Metadata key for the names of unknown dims of the inputs and outputs of "main". The value has one
// line "VALUE\tDIM\tDIM..." per value; "" is a dim without a name.
inline constexpr std::string_view kDimNames = "percale.dims";

// A dim of the inputs of "main", given by its name or by input and axis, and its new value.
struct InputDim {
  std::string name;  // name of the dim; with axis >= 0, name of the input
  int64_t axis = -1;
  int64_t value = kUnknownDim;
};

// Parses "batch=8", "batch=?" or "x:0=8". INVALID_ARGUMENT for anything else.
Result<InputDim> parse_input_dim(std::string_view text);

// Returns the graph with these dims and newly inferred types. If no dim is named "batch", that name
// means the first dim of the first input that has dims, and of every other input where it is equal.
// Constant shapes of Reshape nodes that contain a dim that becomes unknown are adapted. NOT_FOUND
// for an unknown name. INVALID_ARGUMENT names the first node that works only with the old dim; to
// find it, two sizes are tried.
Result<std::shared_ptr<const Graph>> with_input_dims(const Graph& graph, std::span<const InputDim> dims);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_INPUT_DIMS_H_

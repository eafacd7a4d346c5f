// Other dims for a graph's inputs: a fixed batch becomes free, a free one fixed.
#ifndef PERCALE_CORE_GRAPH_IO_INPUT_DIMS_H_
#define PERCALE_CORE_GRAPH_IO_INPUT_DIMS_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/graph/graph.h"

namespace percale {

// The key of a graph's metadata with the names of unknown dims of inputs and outputs of "main": lines
// "VALUE\tDIM\tDIM...", with "" for a dim that has no name.
inline constexpr std::string_view kDimNames = "percale.dims";

// A dim of inputs of "main", by its name or by input and axis, and what it becomes.
struct InputDim {
  std::string name;  // of the dim, or of the input where `axis` is not negative
  int64_t axis = -1;
  int64_t value = kUnknownDim;
};

// "batch=8", "batch=?", "x:0=8". INVALID_ARGUMENT for anything else.
Result<InputDim> parse_input_dim(std::string_view text);

// The graph with these dims. Where no dim is called "batch", that is the first dim of the first input that has dims, and of
// all others where it is the same. The types of all values follow. A constant shape of a Reshape that holds a dim which
// becomes free is made to fit. NOT_FOUND for a dim that is not there; INVALID_ARGUMENT names the first node that is made
// for another dim, which is looked for with two sizes.
Result<std::shared_ptr<const Graph>> with_input_dims(const Graph& graph, std::span<const InputDim> dims);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_INPUT_DIMS_H_

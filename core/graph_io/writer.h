// Graphs into .percale files. The same graph gives the same bytes, and what is read back and written again does too.
#ifndef PERCALE_CORE_GRAPH_IO_WRITER_H_
#define PERCALE_CORE_GRAPH_IO_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

struct WriteOptions {
  // Not empty: first values of variables and constants of at least `external_min_bytes` become references into the
  // safetensors file of this name in the folder of the graph, but for the dtypes that the format may lack (packed, complex,
  // 8-bit floats). Whoever writes the graph writes that file too.
  std::string external_file;
  int64_t external_min_bytes = 1024;
};

// A file as it will be written, its tensors still where they are.
struct GraphImage {
  struct Piece {
    int64_t padding = 0;  // zero bytes before it
    Tensor tensor;
  };
  std::string head;           // the header and the FlatBuffer
  std::vector<Piece> pieces;  // what follows it, in order
  // What the safetensors file must hold: variables under their names where those are free, constants as "function/value".
  std::vector<NamedTensor> external;
  int64_t bytes = 0;  // of the whole file
};

// Precondition of all: a graph that validate() accepts. Tensors that share their memory are stored once. UNIMPLEMENTED for
// tensors of strings, RESOURCE_EXHAUSTED for a graph whose description without tensors exceeds 1 GiB.
Result<GraphImage> make_graph_image(const Graph& graph, const WriteOptions& options = {});
Result<std::string> write_graph(const Graph& graph);
// Straight to a file, which is replaced atomically; tensors are not copied in memory.
Status write_graph_file(const Graph& graph, const std::string& path);
Status write_image(const GraphImage& image, const std::string& path);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_WRITER_H_

// Writes graphs to .percale files. Equal graphs give equal bytes, also after reading and writing
// again.
#ifndef PERCALE_CORE_GRAPH_IO_WRITER_H_
#define PERCALE_CORE_GRAPH_IO_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

struct WriteOptions {
  // If not empty, initial values of variables and constants of at least `external_min_bytes` become
  // references into the safetensors file of this name in the graph's folder. Excluded are dtypes
  // that the format may lack (packed, complex, 8-bit floats). The caller must write that file as
  // well.
  std::string external_file;
  int64_t external_min_bytes = 1024;
};

// A file ready to be written; tensors are not copied.
struct GraphImage {
  struct Piece {
    int64_t padding = 0;  // zero bytes before the tensor
    Tensor tensor;
  };
  std::string head;           // header and FlatBuffer
  std::vector<Piece> pieces;  // the data section, in order
  // The contents of the safetensors file: variables under their names if those are free, constants
  // as "function/value".
  std::vector<NamedTensor> external;
  int64_t bytes = 0;  // of the whole file
};

// Precondition: validate() accepts the graph. Tensors that share memory are stored once.
// UNIMPLEMENTED for tensors of strings; RESOURCE_EXHAUSTED if the description without tensors
// exceeds 1 GiB.
Result<GraphImage> make_graph_image(const Graph& graph, const WriteOptions& options = {});
Result<std::string> write_graph(const Graph& graph);
// Writes to a file, which is replaced atomically. Tensors are not copied in memory.
Status write_graph_file(const Graph& graph, const std::string& path);
Status write_image(const GraphImage& image, const std::string& path);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_WRITER_H_

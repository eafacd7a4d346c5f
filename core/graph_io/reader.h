// .percale files into graphs. The bytes are not trusted: the verifier checks every offset, the reader every count against
// the bytes that are there, the validator all the rest. Errors name the place: "function 'main': node 'fc1': input 3: ...".
#ifndef PERCALE_CORE_GRAPH_IO_READER_H_
#define PERCALE_CORE_GRAPH_IO_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/memory.h"
#include "core/graph/graph.h"

namespace percale {

// Where tensors lie that a graph refers to instead of holding them (core/checkpoint/graph_files.h has the usual one).
class ExternalTensors {
 public:
  virtual ~ExternalTensors() = default;
  // The tensor `name` of the file `file`; both come from the graph's file and are not to be trusted.
  virtual Result<Tensor> find(std::string_view file, std::string_view name) = 0;
};

struct ReadLimits {
  uint64_t graph_bytes = uint64_t{1} << 30;  // of the description without tensors
  size_t nodes = size_t{1} << 24;            // over all functions, and as many values
  size_t tensors = size_t{1} << 22;
};

struct ReadOptions {
  // Whether the tensors' checksums are compared, which reads all of them; that of the graph always is.
  bool check_crc = true;
  // Null: a file that refers to external tensors is refused. Borrowed for the call.
  ExternalTensors* external = nullptr;
  // Where the bytes of files go: load_file(). Null: they are mapped.
  std::shared_ptr<MemoryPool> memory = nullptr;
  ReadLimits limits = {};
};

// Ops of older versions become what they mean today (core/graph/upgrade.h). Tensors point into `bytes`, which they keep alive; memory that is not 64-byte aligned is copied once. INVALID_ARGUMENT for
// what is no valid graph, DATA_LOSS for a file cut short or damaged, UNIMPLEMENTED for a newer version, a feature that is
// not known, or ops that are not registered (all of them, once).
Result<std::shared_ptr<const Graph>> read_graph(std::shared_ptr<const Registry> registry, std::shared_ptr<Buffer> bytes,
                                                const ReadOptions& options = {});
// The same for a file; errors begin with the path.
Result<std::shared_ptr<const Graph>> read_graph_file(std::shared_ptr<const Registry> registry, const std::string& path,
                                                     const ReadOptions& options = {});

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_READER_H_

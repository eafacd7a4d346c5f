// Reads .percale files into graphs. The bytes are not trusted: the verifier checks every offset,
// the reader checks every count against the available bytes, and the validator checks the rest.
// Errors name the location: "function 'main': node 'fc1': input 3: ...".
#ifndef PERCALE_CORE_GRAPH_IO_READER_H_
#define PERCALE_CORE_GRAPH_IO_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/memory.h"
#include "core/graph/graph.h"

namespace percale {

// Resolves tensors that are stored outside of the graph's file (usually by
// core/checkpoint/graph_files.h).
class ExternalTensors {
 public:
  virtual ~ExternalTensors() = default;
  // Returns tensor `name` of file `file`. Both names come from the graph's file and are untrusted.
  virtual Result<Tensor> find(std::string_view file, std::string_view name) = 0;
};

struct ReadLimits {
  uint64_t graph_bytes = uint64_t{1} << 30;  // of the description, without tensors
  size_t nodes = size_t{1} << 24;            // in all functions; also limits the values
  size_t tensors = size_t{1} << 22;
};

struct ReadOptions {
  // Verify the tensors' checksums, which reads all of their bytes. The graph's checksum is always
  // verified.
  bool check_crc = true;
  // Null: a file with external tensors is refused. Borrowed for the call.
  ExternalTensors* external = nullptr;
  // Memory for the contents of files, as in load_file(). Null: files are mapped.
  std::shared_ptr<MemoryPool> memory = nullptr;
  ReadLimits limits = {};
};

// Reads a graph. Ops of older versions are upgraded (core/graph/emit/upgrade.h). Tensors point into
// `bytes` and keep it alive; memory that is not 64-byte aligned is copied once. INVALID_ARGUMENT
// for an invalid graph, DATA_LOSS for a truncated or damaged file. UNIMPLEMENTED for a newer
// version, an unknown feature, or unregistered ops (the message lists each once).
Result<std::shared_ptr<const Graph>> read_graph(std::shared_ptr<const Registry> registry, std::shared_ptr<Buffer> bytes,
                                                const ReadOptions& options = {});
// The same for a file; errors begin with the path.
Result<std::shared_ptr<const Graph>> read_graph_file(std::shared_ptr<const Registry> registry, const std::string& path,
                                                     const ReadOptions& options = {});

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_READER_H_

// Reads and writes graphs whose weights are in safetensors files beside them.
#ifndef PERCALE_CORE_CHECKPOINT_GRAPH_FILES_H_
#define PERCALE_CORE_CHECKPOINT_GRAPH_FILES_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/checkpoint/safetensors.h"
#include "core/graph_io/reader.h"
#include "core/graph_io/writer.h"

namespace percale {

// Safetensors files of one folder, each opened once. File names are not trusted: none may lead out
// of the folder. Thread-compatible.
class TensorFolder final : public ExternalTensors {
 public:
  explicit TensorFolder(std::string folder, std::shared_ptr<MemoryPool> memory = nullptr)
      : folder_(std::move(folder)), memory_(std::move(memory)) {}
  Result<Tensor> find(std::string_view file, std::string_view name) override;

 private:
  std::string folder_;
  std::shared_ptr<MemoryPool> memory_;
  std::map<std::string, std::shared_ptr<const Safetensors>, std::less<>> files_;
};

// Calls read_graph_file() with the external tensors of the graph's own folder, unless `options`
// specify others.
Result<std::shared_ptr<const Graph>> load_graph(std::shared_ptr<const Registry> registry, const std::string& path,
                                                ReadOptions options = {});

// Writes a graph. If options.external_file is not empty, first writes the safetensors file of that
// name beside it.
Status save_graph(const Graph& graph, const std::string& path, const WriteOptions& options = {});

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_GRAPH_FILES_H_

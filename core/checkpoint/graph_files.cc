#include "core/checkpoint/graph_files.h"

#include "core/file/file.h"

namespace percale {

Result<Tensor> TensorFolder::find(std::string_view file, std::string_view name) {
  auto found = files_.find(file);
  if (found == files_.end()) {
    PERCALE_ASSIGN_OR_RETURN(const std::string path, confined_path(folder_, file, memory_.get()));
    PERCALE_ASSIGN_OR_RETURN(auto opened, Safetensors::open(path, memory_));
    found = files_.emplace(std::string(file), std::move(opened)).first;
  }
  return found->second->tensor(name);
}

Result<std::shared_ptr<const Graph>> load_graph(std::shared_ptr<const Registry> registry, const std::string& path,
                                                ReadOptions options) {
  TensorFolder folder(parent_folder(path, options.memory.get()), options.memory);
  if (options.external == nullptr) options.external = &folder;
  return read_graph_file(std::move(registry), path, options);
}

Status save_graph(const Graph& graph, const std::string& path, const WriteOptions& options) {
  if (file_name(options.external_file) != options.external_file || options.external_file == "..") {
    return invalid_argument("external tensors must lie in the folder of the graph: '", options.external_file,
                            "' is not a plain file name");
  }
  PERCALE_ASSIGN_OR_RETURN(const GraphImage image, make_graph_image(graph, options));
  if (!options.external_file.empty()) {
    PERCALE_RETURN_IF_ERROR(write_safetensors(join_path(parent_folder(path), options.external_file), image.external));
  }
  return write_image(image, path);
}

}  // namespace percale

// percale_file_check(): chooses a reader by the name of the file.
#include <string>

#include "c_api/engine.h"
#include "c_api/graph/graph_file.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/graph_files.h"
#include "core/checkpoint/npy.h"
#include "core/checkpoint/npz.h"
#include "core/checkpoint/safetensors.h"
#include "core/file/file.h"
#include "core/train/spec.h"

using namespace percale;
using namespace percale::c_api;

namespace {

// Reads one checkpoint, or all checkpoints of a folder.
Status check_folder(const std::string& path, const std::shared_ptr<MemoryPool>& memory) {
  if (is_checkpoint(path, memory.get())) return read_checkpoint(path, memory).status();
  PERCALE_ASSIGN_OR_RETURN(const auto entries, list_checkpoints(path));
  if (entries.empty()) return not_found(path, ": no checkpoint is in the folder");
  for (const CheckpointEntry& entry : entries) PERCALE_RETURN_IF_ERROR(read_checkpoint(entry.path, memory).status());
  return {};
}

Status check_spec_file(const char* function, percale_engine* engine, const std::string& path) {
  PERCALE_ASSIGN_OR_RETURN(const std::string text, read_file(path, engine->engine->memory(), INT64_MAX));
  return check_spec(engine->engine, text, parent_folder(path),
                    [&](const std::string& model) { return open_model(function, engine, model); })
      .with_context(path);
}

Status check_file(const char* function, percale_engine* engine, const std::string& path) {
  const auto& memory = engine->engine->memory();
  if (is_checkpoint(path, memory.get()) || path_kind(path) == PathKind::kFolder) return check_folder(path, memory);
  if (path.ends_with(".npy")) return read_npy(path, true, memory).status();
  if (path.ends_with(".npz")) return check_npz(path, memory);
  if (path.ends_with(".safetensors")) return Safetensors::open(path, memory).status();
  if (path.ends_with(".json")) return check_spec_file(function, engine, path);
  if (path.ends_with(".onnx") || path.ends_with(".percale")) return open_model(function, engine, path).status();
  // By another name it may be a .percale file all the same.
  const Status status = load_graph(engine->engine->registry(), path, {.memory = memory}).status();
  if (status.message().find("not a .percale file") == std::string_view::npos) return status;
  return invalid_argument(
      path,
      ": files of this kind are not checked. Those that are: .percale, .onnx, .safetensors, .npy, .npz, SPECs (.json), "
      "checkpoints and folders of checkpoints");
}

}  // namespace

percale_status* percale_file_check(percale_engine* engine, const char* path) {
  return guarded(__func__, {NEEDS(engine), NEEDS(path)},
                 [&, function = __func__] { return check_file(function, engine, path); });
}

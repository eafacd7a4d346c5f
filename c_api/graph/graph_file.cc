// Graphs in files: the library's own and those of importers.
#include "c_api/graph/graph_file.h"

#include <cstring>

#include "c_api/graph/builder.h"
#include "c_api/plugin/plugin.h"
#include "core/checkpoint/graph_files.h"
#include "core/file/file.h"
#include "core/file/host_files.h"
#include "core/train/rewrite/inference_form.h"
#include "core/train/rewrite/model_file.h"
#include "core/train/rewrite/refine_types.h"

using namespace percale;
using namespace percale::c_api;

namespace {

Status check_size(size_t bytes, const char* function) {
  return bytes <= INT64_MAX ? Status() : invalid_argument(function, ": ", uint64_t{bytes}, " bytes");
}

// A copy in the memory of the engine.
Result<std::shared_ptr<Buffer>> copied(const percale_engine& engine, const void* data, size_t bytes,
                                       const char* function) {
  PERCALE_RETURN_IF_ERROR(check_size(bytes, function));
  PERCALE_ASSIGN_OR_RETURN(auto out, Buffer::allocate(engine.engine->memory(), static_cast<int64_t>(bytes)));
  std::memcpy(out->data(), data, bytes);
  return out;
}

Result<std::shared_ptr<const Graph>> import_bytes(const percale_format& importer, percale_engine* engine,
                                                  const void* bytes, size_t size, const char* folder) {
  percale_builder builder(engine, std::make_unique<Builder>(engine->engine->registry()));
  PERCALE_RETURN_IF_ERROR(from_c(importer.import_graph(importer.user, &builder, bytes, size, folder)));
  percale_graph* made = nullptr;
  PERCALE_RETURN_IF_ERROR(from_c(percale_builder_finish(&builder, &made)));
  std::shared_ptr<const Graph> out = made->graph;
  percale_graph_release(made);
  PERCALE_ASSIGN_OR_RETURN(out, inference_form(std::move(out)));
  return refine_types(std::move(out), engine->engine->memory());
}

Result<std::shared_ptr<const Graph>> import_model(const char* function, percale_engine* engine, const char* format,
                                                  const std::string& path) {
  PERCALE_ASSIGN_OR_RETURN(const percale_format* importer, format_of(function, *engine, format));
  PERCALE_ASSIGN_OR_RETURN(const auto bytes, load_file(path, engine->engine->memory()));
  const MemoryPool* memory = engine->engine->memory().get();
  std::string folder = parent_folder(path, memory);
  // A folder of the system must not look like one of the host.
  if (folder.starts_with(kHostScheme) && !is_host_path(path, memory)) folder = join_path(".", folder);
  auto graph = import_bytes(*importer, engine, bytes->data(), static_cast<size_t>(bytes->bytes()), folder.c_str());
  if (!graph.ok()) return graph.status().with_context(path);
  return graph;
}

}  // namespace

namespace percale::c_api {

Result<std::shared_ptr<const Graph>> with_values(std::shared_ptr<const Graph> graph, const percale_variables* table) {
  if (table == nullptr) return graph;
  auto out = std::make_shared<Graph>(*graph);
  const auto version = table->variables->current();
  bool drawn = false;
  for (Variable& variable : out->variables) {
    const int32_t index = table->variables->find(variable.name);
    if (index >= 0) {
      const Tensor& value = version->values[static_cast<size_t>(index)];
      if (value.dtype() != variable.dtype || !(value.shape() == variable.shape)) {
        return invalid_argument("variable '", variable.name, "': the graph has ", variable.dtype, " ", variable.shape,
                                ", the table ", value.dtype(), " ", value.shape());
      }
      variable.initial = value;
    }
    drawn = drawn || !variable.initial.defined();
  }
  // Nothing is left to draw.
  if (!drawn) std::erase_if(out->functions, [](const Function& f) { return f.name == kInitFunction; });
  return std::shared_ptr<const Graph>(std::move(out));
}

Result<const percale_format*> format_of(const char* function, const percale_engine& engine, const char* format) {
  const percale_format* importer = engine.plugins->find_format(format);
  if (importer != nullptr && importer->import_graph != nullptr) return importer;
  std::string there;
  for (const std::string& name : engine.plugins->formats()) there += str_cat(there.empty() ? "" : ", ", name);
  return unimplemented(function, ": no plug-in imports the format '", format, "'; ",
                       there.empty() ? "none is there" : str_cat("those that are there: ", there));
}

Result<std::shared_ptr<const Graph>> open_model(const char* function, percale_engine* engine, const std::string& path) {
  if (path.ends_with(".onnx")) return import_model(function, engine, "onnx", path);
  return open_own_model(engine->engine->registry(), path, engine->engine->memory());
}

}  // namespace percale::c_api

percale_status* percale_graph_load(percale_engine* engine, const void* bytes, size_t size, percale_graph** out_graph) {
  clear(out_graph);
  return guarded(__func__, {NEEDS(engine), NEEDS(bytes), NEEDS(out_graph)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(auto buffer, copied(*engine, bytes, size, function));
    auto handle = std::make_unique<percale_graph>(nullptr);
    PERCALE_ASSIGN_OR_RETURN(handle->graph, read_graph(engine->engine->registry(), std::move(buffer)));
    *out_graph = handle.release();
    return {};
  });
}

percale_status* percale_graph_from_memory(percale_engine* engine, void* data, size_t bytes, percale_deleter deleter,
                                          void* user, int64_t* out_copied, percale_graph** out_graph) {
  clear(out_copied);
  clear(out_graph);
  return guarded(__func__, {NEEDS(engine), NEEDS(data), NEEDS(out_graph)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_size(bytes, function));
    HostMemory memory(data, static_cast<int64_t>(bytes), deleter, user);
    const bool is_aligned = reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(kAlignment) == 0;
    std::shared_ptr<Buffer> buffer = memory.buffer();
    if (!is_aligned) {
      PERCALE_ASSIGN_OR_RETURN(buffer, copied(*engine, data, bytes, function));
    }
    auto handle = std::make_unique<percale_graph>(nullptr);
    PERCALE_ASSIGN_OR_RETURN(handle->graph, read_graph(engine->engine->registry(), std::move(buffer)));
    if (out_copied != nullptr && !is_aligned) *out_copied = static_cast<int64_t>(bytes);
    *out_graph = handle.release();
    memory.take_over();
    return {};
  });
}

percale_status* percale_graph_load_file(percale_engine* engine, const char* path, percale_graph** out_graph) {
  clear(out_graph);
  return guarded(__func__, {NEEDS(engine), NEEDS(path), NEEDS(out_graph)}, [&]() -> Status {
    auto handle = std::make_unique<percale_graph>(nullptr);
    PERCALE_ASSIGN_OR_RETURN(handle->graph,
                             load_graph(engine->engine->registry(), path, {.memory = engine->engine->memory()}));
    *out_graph = handle.release();
    return {};
  });
}

percale_status* percale_graph_import(percale_engine* engine, const char* format, const char* path,
                                     percale_graph** out_graph) {
  clear(out_graph);
  return guarded(__func__, {NEEDS(engine), NEEDS(format), NEEDS(path), NEEDS(out_graph)},
                 [&, function = __func__]() -> Status {
                   auto handle = std::make_unique<percale_graph>(nullptr);
                   PERCALE_ASSIGN_OR_RETURN(handle->graph, import_model(function, engine, format, path));
                   *out_graph = handle.release();
                   return {};
                 });
}

percale_status* percale_graph_import_bytes(percale_engine* engine, const char* format, const void* bytes, size_t size,
                                           percale_graph** out_graph) {
  clear(out_graph);
  return guarded(__func__, {NEEDS(engine), NEEDS(format), NEEDS(bytes), NEEDS(out_graph)},
                 [&, function = __func__]() -> Status {
                   PERCALE_ASSIGN_OR_RETURN(const percale_format* importer, format_of(function, *engine, format));
                   auto handle = std::make_unique<percale_graph>(nullptr);
                   PERCALE_ASSIGN_OR_RETURN(handle->graph, import_bytes(*importer, engine, bytes, size, nullptr));
                   *out_graph = handle.release();
                   return {};
                 });
}

percale_status* percale_tensor_import(percale_engine* engine, const char* format, const void* bytes, size_t size,
                                      percale_tensor** out_tensor) {
  clear(out_tensor);
  return guarded(__func__, {NEEDS(engine), NEEDS(format), NEEDS(bytes), NEEDS(out_tensor)},
                 [&, function = __func__]() -> Status {
                   PERCALE_ASSIGN_OR_RETURN(const percale_format* importer, format_of(function, *engine, format));
                   if (importer->import_tensor == nullptr) {
                     return unimplemented(function, ": the importer of '", format, "' reads no tensors");
                   }
                   return from_c(importer->import_tensor(importer->user, engine, bytes, size, out_tensor));
                 });
}

percale_status* percale_graph_save_file(const percale_graph* graph, const percale_variables* variables,
                                        const char* path) {
  return guarded(__func__, {NEEDS(graph), NEEDS(path)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto whole, with_values(graph->graph, variables));
    return save_graph(*whole, path);
  });
}

percale_status* percale_graph_serialize(const percale_graph* graph, const percale_variables* variables,
                                        percale_text** out_bytes) {
  clear(out_bytes);
  return guarded(__func__, {NEEDS(graph), NEEDS(out_bytes)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto whole, with_values(graph->graph, variables));
    PERCALE_ASSIGN_OR_RETURN(std::string bytes, write_graph(*whole));
    *out_bytes = make_text(std::move(bytes));
    return {};
  });
}

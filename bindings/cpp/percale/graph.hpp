/// Finished graphs: load, save, import, export and describe them.
#ifndef PERCALE_CPP_GRAPH_HPP_
#define PERCALE_CPP_GRAPH_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percale/engine.hpp"
#include "percale/variables.hpp"

namespace percale {

/// A name with a dtype and dims. It describes a feed, a value of a graph, or a column of a data set
/// (one row).
struct FeedType {
  std::string name;           ///< of the value
  DType dtype = DType::kF32;  ///< of the elements
  std::vector<int64_t> dims;  ///< -1 for an unknown dim; a feed needs all dims
};

namespace detail {

/// Returns the type that `function` writes. The dims are empty if not even the rank is known.
template <class Function>
Result<FeedType> type_of(Function&& function, std::string name = {}) {
  percale_dtype dtype = 0;
  std::array<int64_t, 8> dims{};
  size_t rank = 0;
  if (percale_status* status = function(&dtype, dims.data(), &rank)) return Status(status);
  FeedType out;
  out.name = std::move(name);
  out.dtype = static_cast<DType>(dtype);
  if (rank <= dims.size()) out.dims.assign(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(rank));
  return out;
}

}  // namespace detail

/// A finished, immutable graph. Thread-safe.
class Graph : public Handle<percale_graph, percale_graph_release> {
 public:
  using Handle::Handle;

  /// Loads a .percale file. Its weights are mapped into memory unless the engine option "map_files"
  /// is off. A mapped file may be replaced by a rename, or removed; truncating it can end the
  /// process.
  static Result<Graph> load(const Engine& engine, Text path) {
    return made([&](percale_graph** out) { return percale_graph_load_file(engine.get(), path.c_str(), out); });
  }
  /// Loads the bytes of a .percale file.
  static Result<Graph> load(const Engine& engine, std::span<const std::byte> bytes) {
    return made([&](percale_graph** out) { return percale_graph_load(engine.get(), bytes.data(), bytes.size(), out); });
  }
  /// Makes a graph over the bytes of a .percale file, without a copy of the weights. `owner` (any
  /// movable object) keeps the bytes alive and unchanged; it is destroyed when the last object is
  /// gone that uses the weights. Bytes that are not 64-byte aligned are copied; `copied` (may be
  /// null) receives their number.
  template <class Owner>
  static Result<Graph> over(const Engine& engine, std::span<const std::byte> bytes, Owner owner,
                            int64_t* copied = nullptr) {
    auto kept = std::make_unique<Owner>(std::move(owner));
    auto out = made([&](percale_graph** graph) {
      return percale_graph_from_memory(
          engine.get(), const_cast<std::byte*>(bytes.data()), bytes.size(),
          [](void* user, void*) { delete static_cast<Owner*>(user); }, kept.get(), copied, graph);
    });
    if (out) (void)kept.release();
    return out;
  }
  /// Imports a file of a foreign format ("onnx") through an importer plug-in.
  static Result<Graph> import(const Engine& engine, Text format, Text path) {
    return made(
        [&](percale_graph** out) { return percale_graph_import(engine.get(), format.c_str(), path.c_str(), out); });
  }
  static Result<Graph> import(const Engine& engine, Text format, std::span<const std::byte> bytes) {
    return made([&](percale_graph** out) {
      return percale_graph_import_bytes(engine.get(), format.c_str(), bytes.data(), bytes.size(), out);
    });
  }
  /// Returns another owner of the same graph.
  Graph share() const { return Graph(percale_graph_retain(get())); }

  /// Writes a .percale file atomically.
  Status save(Text path) const { return Status(percale_graph_save_file(get(), nullptr, path.c_str())); }
  /// Writes a .percale file with the values of the variables. The path comes first; in
  /// percale_graph_save_file() it comes last.
  Status save(Text path, const Variables& variables) const {
    return Status(percale_graph_save_file(get(), variables.get(), path.c_str()));
  }
  /// Returns the bytes that save() would write. `variables` may be empty.
  Result<std::string> serialize(const Variables& variables = {}) const {
    return detail::text([&](percale_text** out) { return percale_graph_serialize(get(), variables.get(), out); });
  }
  /// Writes a model of a foreign format. `variables` may be empty. They come last; in
  /// percale_graph_export() they come before the format.
  Status export_to(const Engine& engine, Text format, Text path, const Variables& variables = {}) const {
    return Status(percale_graph_export(engine.get(), get(), variables.get(), format.c_str(), nullptr, path.c_str()));
  }
  /// Writes a model of a foreign format with `options` of kind "export".
  Status export_to(const Engine& engine, Text format, Text path, const Variables& variables,
                   const Options& options) const {
    if (!options.status()) return options.status();
    return Status(
        percale_graph_export(engine.get(), get(), variables.get(), format.c_str(), options.get(), path.c_str()));
  }
  /// Returns the bytes that export_to() would write.
  Result<std::string> export_bytes(const Engine& engine, Text format, const Variables& variables = {}) const {
    return detail::text([&](percale_text** out) {
      return percale_graph_export_bytes(engine.get(), get(), variables.get(), format.c_str(), out);
    });
  }

  /// The names of the inputs of "main", in order.
  std::vector<std::string> inputs() const { return names(percale_graph_get_input_name); }
  /// The names of the outputs of "main", in order.
  std::vector<std::string> outputs() const { return names(percale_graph_get_output_name); }
  /// Returns the dtype and dims of a value of "main": an input, an output, or an inner value, which
  /// can be fed and fetched as well.
  Result<FeedType> value_type(Text name) const {
    return detail::type_of(
        [&](percale_dtype* dtype, int64_t* dims, size_t* rank) {
          return percale_graph_value_type(get(), name.c_str(), dtype, dims, rank);
        },
        name.c_str());
  }
  /// Returns the names, dtypes and dims of the inputs of "main", in order.
  Result<std::vector<FeedType>> input_types() const { return types(inputs()); }
  /// Returns the names, dtypes and dims of the outputs of "main", in order.
  Result<std::vector<FeedType>> output_types() const { return types(outputs()); }
  /// Returns the graph with other dims of its inputs: "batch=?" (any size), "height=224" (by name),
  /// "x:0=8" (by input and axis).
  Result<Graph> with_dims(std::span<const std::string> dims) const {
    std::vector<const char*> texts;
    for (const std::string& dim : dims) texts.push_back(dim.c_str());
    return made([&](percale_graph** out) { return percale_graph_with_dims(get(), texts.data(), texts.size(), out); });
  }
  /// Returns facts as JSON. `what` is "summary" or "nodes".
  Result<std::string> describe(Text what) const {
    return detail::text([&](percale_text** out) { return percale_graph_describe(get(), what.c_str(), out); });
  }
  /// Draws the graph as "svg", or as "html" with panning, zoom, search and folding. The nodes show
  /// the times of `trace`, the JSON of a Trace.
  Result<std::string> draw(Text format, std::optional<Text> trace = {}) const {
    return detail::text([&](percale_text** out) {
      return percale_graph_draw(get(), format.c_str(), trace ? trace->c_str() : nullptr, out);
    });
  }
  /// Creates a table with the initial values of this graph's variables. `seed` is for the
  /// initializers.
  Result<Variables> variables(const Engine& engine, int64_t seed = 0) const {
    return detail::made<Variables, percale_variables>(
        [&](percale_variables** out) { return percale_variables_create(engine.get(), get(), seed, out); });
  }

 private:
  template <class Function>
  static Result<Graph> made(Function&& function) {
    return detail::made<Graph, percale_graph>(function);
  }
  Result<std::vector<FeedType>> types(const std::vector<std::string>& names) const {
    std::vector<FeedType> out;
    for (const std::string& name : names) {
      auto type = value_type(name);
      if (!type) return std::move(type).error();
      out.push_back(std::move(*type));
    }
    return out;
  }
  std::vector<std::string> names(const char* (*name)(const percale_graph*, size_t)) const {
    std::vector<std::string> out;
    for (size_t i = 0; const char* text = name(get(), i); ++i) out.emplace_back(text);
    return out;
  }
};

}  // namespace percale

#endif  // PERCALE_CPP_GRAPH_HPP_

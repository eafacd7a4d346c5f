/// Finished graphs: loading, saving, importing, exporting, asking.
#ifndef PERCALE_CPP_GRAPH_HPP_
#define PERCALE_CPP_GRAPH_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percale/engine.hpp"
#include "percale/variables.hpp"

namespace percale {

/// A name with a dtype and dims, -1 = unknown: of a feed, of a value of a graph, of a column of a data set (one row).
struct FeedType {
  std::string name;           ///< of the value
  DType dtype = DType::kF32;  ///< of its elements
  std::vector<int64_t> dims;  ///< all known
};

namespace detail {

/// What `function` says of a value. dims stay empty when not even their number is known.
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

/// thread-safe, immutable.
class Graph : public Handle<percale_graph, percale_graph_release> {
 public:
  using Handle::Handle;

  /// A .percale file, its weights mapped.
  static Result<Graph> load(const Engine& engine, Text path) {
    return made([&](percale_graph** out) { return percale_graph_load_file(engine.get(), path.c_str(), out); });
  }
  /// The bytes of a .percale file.
  static Result<Graph> load(const Engine& engine, std::span<const std::byte> bytes) {
    return made([&](percale_graph** out) { return percale_graph_load(engine.get(), bytes.data(), bytes.size(), out); });
  }
  /// A file of a foreign format ("onnx") through an importer plug-in.
  static Result<Graph> import(const Engine& engine, Text format, Text path) {
    return made(
        [&](percale_graph** out) { return percale_graph_import(engine.get(), format.c_str(), path.c_str(), out); });
  }
  static Result<Graph> import(const Engine& engine, Text format, std::span<const std::byte> bytes) {
    return made([&](percale_graph** out) {
      return percale_graph_import_bytes(engine.get(), format.c_str(), bytes.data(), bytes.size(), out);
    });
  }
  /// One more owner of the same graph.
  Graph share() const { return Graph(percale_graph_retain(get())); }

  /// Writes a .percale file, whole or not at all.
  Status save(Text path) const { return Status(percale_graph_save_file(get(), nullptr, path.c_str())); }
  /// The same with the variables' values. The path comes first; in percale_graph_save_file() it is last.
  Status save(Text path, const Variables& variables) const {
    return Status(percale_graph_save_file(get(), variables.get(), path.c_str()));
  }
  /// What save() would write; `variables` may be empty.
  Result<std::string> serialize(const Variables& variables = {}) const {
    return detail::text([&](percale_text** out) { return percale_graph_serialize(get(), variables.get(), out); });
  }
  /// Writes a model of a foreign format; `variables` may be empty. They come last; in percale_graph_export() they come before the
  /// format.
  Status export_to(const Engine& engine, Text format, Text path, const Variables& variables = {}) const {
    return Status(percale_graph_export(engine.get(), get(), variables.get(), format.c_str(), nullptr, path.c_str()));
  }
  /// `options` of kind "export".
  Status export_to(const Engine& engine, Text format, Text path, const Variables& variables,
                   const Options& options) const {
    if (!options.status()) return options.status();
    return Status(
        percale_graph_export(engine.get(), get(), variables.get(), format.c_str(), options.get(), path.c_str()));
  }
  /// What export_to() would write.
  Result<std::string> export_bytes(const Engine& engine, Text format, const Variables& variables = {}) const {
    return detail::text([&](percale_text** out) {
      return percale_graph_export_bytes(engine.get(), get(), variables.get(), format.c_str(), out);
    });
  }

  /// Names of the inputs of "main", in order.
  std::vector<std::string> inputs() const { return names(percale_graph_get_input_name); }
  /// Names of the outputs of "main", in order.
  std::vector<std::string> outputs() const { return names(percale_graph_get_output_name); }
  /// dtype and dims of a value of "main": an input, an output, or one within, which can be fed and fetched as well.
  Result<FeedType> value_type(Text name) const {
    return detail::type_of(
        [&](percale_dtype* dtype, int64_t* dims, size_t* rank) {
          return percale_graph_value_type(get(), name.c_str(), dtype, dims, rank);
        },
        name.c_str());
  }
  /// Names, dtypes and dims of the inputs of "main", in order.
  Result<std::vector<FeedType>> input_types() const { return types(inputs()); }
  /// The same of the outputs.
  Result<std::vector<FeedType>> output_types() const { return types(outputs()); }
  /// The graph with other dims of its inputs: "batch=?" (any size), "height=224", "x:0=8" (by input and axis).
  Result<Graph> with_dims(std::span<const std::string> dims) const {
    std::vector<const char*> texts;
    for (const std::string& dim : dims) texts.push_back(dim.c_str());
    return made([&](percale_graph** out) { return percale_graph_with_dims(get(), texts.data(), texts.size(), out); });
  }
  /// "summary" or "nodes" (JSON).
  Result<std::string> describe(Text what) const {
    return detail::text([&](percale_text** out) { return percale_graph_describe(get(), what.c_str(), out); });
  }
  /// A drawing: "svg", or "html", a page to move, zoom, search and fold. The nodes show the times of
  /// `trace`, the JSON of a Trace.
  Result<std::string> draw(Text format, std::optional<Text> trace = {}) const {
    return detail::text([&](percale_text** out) {
      return percale_graph_draw(get(), format.c_str(), trace ? trace->c_str() : nullptr, out);
    });
  }
  /// A table with the first values of this graph's variables; `seed` feeds the initializers.
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

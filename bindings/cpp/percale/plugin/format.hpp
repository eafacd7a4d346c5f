/// Model formats: the table of a format class.
#ifndef PERCALE_CPP_PLUGIN_FORMAT_HPP_
#define PERCALE_CPP_PLUGIN_FORMAT_HPP_

#include <cstdint>
#include <string_view>

#include "error.hpp"

namespace percale::plugin {

/// The table of the format class F, with the functions that F has. Errors are exceptions:
///   static void import_graph(const percale_host_api& host, percale_builder* builder,
///                            std::string_view model, const char* folder);
///   static void export_graph(const percale_host_api& host, const percale_graph* graph,
///                            const percale_export_target& target);
///   static percale_tensor* import_tensor(const percale_host_api& host, percale_engine* engine,
///                                        std::string_view bytes);
/// The host must live as long as the process.
template <class F>
percale_format format_of(const char* name, const percale_host_api& host) {
  percale_format format{};
  format.struct_size = sizeof format;
  format.name = name;
  format.user = const_cast<percale_host_api*>(&host);
  if constexpr (requires { &F::import_graph; }) {
    format.import_graph = [](void* user, percale_builder* builder, const void* bytes, size_t size, const char* folder) {
      const auto& table = *static_cast<const percale_host_api*>(user);
      return guarded(table, [&] { F::import_graph(table, builder, {static_cast<const char*>(bytes), size}, folder); });
    };
  }
  if constexpr (requires { &F::export_graph; }) {
    format.export_graph = [](void* user, const percale_graph* graph, const percale_export_target* target) {
      const auto& table = *static_cast<const percale_host_api*>(user);
      return guarded(table, [&] { F::export_graph(table, graph, *target); });
    };
  }
  if constexpr (requires { &F::import_tensor; }) {
    format.import_tensor = [](void* user, percale_engine* engine, const void* bytes, size_t size,
                              percale_tensor** out_tensor) {
      const auto& table = *static_cast<const percale_host_api*>(user);
      *out_tensor = nullptr;
      return guarded(table, [&] {
        *out_tensor = F::import_tensor(table, engine, {static_cast<const char*>(bytes), size});
      });
    };
  }
  return format;
}

}  // namespace percale::plugin

#endif  // PERCALE_CPP_PLUGIN_FORMAT_HPP_

// The plug-in: one importer of the format "onnx".
#include <percale_plugin.h>

#include <atomic>
#include <new>

#include "bindings/onnx/export/exporter.h"
#include "bindings/onnx/import/importer.h"
#include "bindings/onnx/proto/tensor.h"

namespace percale_onnx {
namespace {

// Runs `f`, which returns a Status; nothing that it throws goes on.
template <class F>
percale_status* guarded(const Host& host, F&& f) noexcept {
  constexpr std::string_view kMemory = "out of memory", kUnexpected = "an unexpected exception occurred";
  try {
    return host.give(f());
  } catch (const std::bad_alloc&) {
    return host->status_create(PERCALE_RESOURCE_EXHAUSTED, kMemory.data(), kMemory.size());
  } catch (...) {
    return host->status_create(PERCALE_INTERNAL, kUnexpected.data(), kUnexpected.size());
  }
}

std::string_view view(const void* bytes, size_t size) { return {static_cast<const char*>(bytes), size}; }

percale_status* import_graph(void* user, percale_builder* builder, const void* bytes, size_t size, const char* folder) {
  const Host host(static_cast<const percale_host_api*>(user));
  return guarded(host, [&] { return Importer(host, builder, folder).run(view(bytes, size)); });
}

percale_status* export_graph(void* user, const percale_graph* graph, const percale_export_target* target) {
  const Host host(static_cast<const percale_host_api*>(user));
  return guarded(host, [&] { return Exporter(host, graph, *target).run(); });
}

percale_status* import_tensor(void* user, percale_engine* engine, const void* bytes, size_t size,
                              percale_tensor** out) {
  const Host host(static_cast<const percale_host_api*>(user));
  return guarded(host, [&]() -> Status {
    TensorProto proto;
    ONNX_TRY(parse(view(bytes, size), &proto));
    TensorPtr tensor;
    ONNX_TRY(load_tensor(host, engine, proto, nullptr, &tensor));
    *out = host->tensor_retain(tensor.get());
    return {};
  });
}

// What one copy of the library gets. A process may hold several copies, and each opens this plug-in once per engine.
struct Instance {
  explicit Instance(const percale_host_api* api) : host(api) {
    importer.struct_size = sizeof importer;
    importer.format = "onnx";
    importer.user = const_cast<percale_host_api*>(api);
    importer.import_graph = import_graph;
    importer.export_graph = export_graph;
    importer.import_tensor = import_tensor;
    table.struct_size = sizeof table;
    table.name = "onnx";
    table.version = PERCALE_ONNX_VERSION;
    table.importers = importers;
    table.importer_count = 1;
  }
  const percale_host_api* host;
  percale_importer importer{};
  const percale_importer* importers[1] = {&importer};
  percale_plugin_api table{};
  Instance* next = nullptr;
};

// Added to and never taken from: tables live as long as the process.
constinit std::atomic<Instance*> instances{nullptr};

Instance* instance_for(const percale_host_api* host) {
  Instance* first = instances.load(std::memory_order_acquire);
  for (Instance* i = first; i != nullptr; i = i->next) {
    if (i->host == host) return i;
  }
  auto* made = new (std::nothrow) Instance(host);
  if (made == nullptr) return nullptr;
  made->next = first;
  // Whoever comes second at the same moment adds one more, which does no harm.
  while (!instances.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return made;
}

}  // namespace
}  // namespace percale_onnx

extern "C" __attribute__((visibility("default"))) percale_status* percale_plugin_init(const percale_host_api* host,
                                                                                      uint32_t host_abi, const char*,
                                                                                      const percale_plugin_api** out) {
  constexpr std::string_view kOld = "the library is older than the plug-in", kMemory = "out of memory";
  *out = nullptr;
  if (host_abi < PERCALE_PLUGIN_ABI || host->struct_size < sizeof(percale_host_api)) {
    return host->status_create(PERCALE_UNIMPLEMENTED, kOld.data(), kOld.size());
  }
  percale_onnx::Instance* instance = percale_onnx::instance_for(host);
  if (instance == nullptr) return host->status_create(PERCALE_RESOURCE_EXHAUSTED, kMemory.data(), kMemory.size());
  *out = &instance->table;
  return nullptr;
}

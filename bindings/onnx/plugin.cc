// The plug-in: the format "onnx".
#include <string>
#include <string_view>

#include "bindings/cpp/percale_plugin.hpp"
#include "bindings/onnx/export/exporter.h"
#include "bindings/onnx/import/importer.h"
#include "bindings/onnx/proto/tensor.h"

namespace percale_onnx {
namespace {

void throw_if_failed(const Status& status) {
  if (!status.ok()) throw percale::plugin::Failure(status.code(), status.message());
}

struct Onnx {
  static void import_graph(const percale_host_api& host, percale_builder* builder, std::string_view model,
                           const char* folder) {
    throw_if_failed(Importer(Host(&host), builder, folder).run(model));
  }
  static void export_graph(const percale_host_api& host, const percale_graph* graph,
                           const percale_export_target& target) {
    throw_if_failed(Exporter(Host(&host), graph, target).run());
  }
  static percale_tensor* import_tensor(const percale_host_api& table, percale_engine* engine, std::string_view bytes) {
    const Host host(&table);
    TensorProto proto;
    throw_if_failed(parse(bytes, &proto));
    TensorPtr tensor;
    throw_if_failed(load_tensor(host, engine, proto, nullptr, &tensor));
    return host->tensor->retain(tensor.get());
  }
};

class OnnxPlugin : public percale::plugin::Plugin {
 public:
  static constexpr const char* kName = "onnx";
  explicit OnnxPlugin(const percale_host_api& host) : Plugin(host, kName, PERCALE_ONNX_VERSION) {
    add(percale::plugin::format_of<Onnx>("onnx", host));
  }
};

}  // namespace
}  // namespace percale_onnx

PERCALE_PLUGIN(percale_onnx::OnnxPlugin)

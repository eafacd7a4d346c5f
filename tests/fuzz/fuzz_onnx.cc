// Fuzzes ONNX models: for any bytes the importer returns an error or a graph, and such a graph can
// be planned, written as a .percale file and exported.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static percale_engine* const engine = percale::fuzz::engine(PERCALE_ONNX_PLUGIN);
  percale_graph* graph = nullptr;
  percale_status* status = percale_graph_import_bytes(engine, "onnx", data, size, &graph);
  percale::fuzz::answered(status);
  if (graph != nullptr) {
    percale_text* bytes = nullptr;
    percale::fuzz::answered(percale_graph_export_bytes(engine, graph, nullptr, "onnx", &bytes));
    percale_text_release(bytes);
    percale::fuzz::use(engine, graph);
  }
  percale::fuzz::check_statuses();
  return 0;
}

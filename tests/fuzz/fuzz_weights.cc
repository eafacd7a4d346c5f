// Fuzzes files of weights: for any bytes a table of variables loads its values, or there is an
// error.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/fuzz_graph.h"
#include "tests/fuzz/scratch.h"

namespace {

// A graph with the two parameters of a small layer.
percale_graph* make_graph(percale_engine* engine) {
  static constexpr std::array<int64_t, 2> kShape = {2, 3};
  percale_builder* builder = nullptr;
  percale_graph* graph = nullptr;
  std::array<percale_value, 2> values{};
  percale_status* status = percale_builder_create(engine, &builder);
  for (size_t i = 0; status == nullptr && i < values.size(); ++i) {
    status = percale_builder_variable_initialized(builder, i == 0 ? "kernel" : "bias", PERCALE_DTYPE_F32, &kShape[i],
                                                  2 - i, "zeros", &values[i]);
  }
  if (status == nullptr) status = percale_builder_set_outputs(builder, values.data(), values.size());
  if (status == nullptr) status = percale_builder_finish(builder, &graph);
  percale_builder_release(builder);
  if (status != nullptr) std::abort();
  return graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static percale_engine* const engine = percale::fuzz::engine("");
  static percale_graph* const graph = make_graph(engine);
  static percale::fuzz::ScratchFolder folder;
  const std::string& path = folder.write("weights.safetensors", {reinterpret_cast<const char*>(data), size});
  percale_variables* variables = nullptr;
  percale::fuzz::answered(percale_variables_create(engine, graph, 1, &variables));
  percale::fuzz::answered(percale_variables_load(variables, path.c_str(), 0));
  const char* const from = "enc.*";
  const char* const to = "*";
  percale::fuzz::answered(percale_variables_load_mapped(variables, path.c_str(), &from, &to, 1, 0, nullptr));
  percale_variables_release(variables);
  percale::fuzz::check_statuses();
  return 0;
}

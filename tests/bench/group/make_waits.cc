// Writes a graph whose layers wait instead of computing.
//   make_waits PLUGIN OUT.percale < LAYERS
// LAYERS has a line per parameter, in the order of the forward pass: its number of elements, and
// the nanoseconds of its layer in the forward and the backward pass. PLUGIN is that of
// waits_plugin.cc.
#include <cstdint>
#include <iostream>
#include <percale.hpp>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  constexpr int64_t kWidth = 8;
  if (argc != 3) {
    std::cerr << "usage: make_waits PLUGIN OUT.percale < LAYERS\n";
    return 2;
  }
  const auto fail = [](const percale::Status& status) {
    std::cerr << status.message() << "\n";
    return 1;
  };
  auto engine = percale::Engine::create(percale::Options("engine").set("plugin_path", argv[1]));
  if (!engine) return fail(engine.error());
  auto builder = percale::Builder::create(*engine);
  if (!builder) return fail(builder.error());
  percale::Value x = builder->input("x", percale::DType::kF32, {-1, kWidth});
  int64_t elements = 0, forward = 0, backward = 0;
  for (int layer = 0; std::cin >> elements >> forward >> backward; ++layer) {
    // Rows, so that segments can be cut within a parameter.
    const int64_t columns = elements % 64 == 0 ? 64 : 1;
    const auto w =
        builder->variable("w" + std::to_string(layer), percale::DType::kF32, {elements / columns, columns}, "zeros");
    x = builder->node("bench:Wait", {x, w}, {{"forward_ns", forward}, {"backward_ns", backward}});
  }
  builder->set_outputs({x});
  builder->rename(x, "out");
  auto graph = builder->finish();
  if (!graph) return fail(graph.error());
  const percale::Status saved = graph->save(argv[2]);
  return saved ? 0 : fail(saved);
}

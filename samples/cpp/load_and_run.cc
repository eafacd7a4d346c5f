// Loads a model and runs it once.
//   load_and_run MODEL.percale [INPUT.npy]
// Without an input file, the input is one row of zeros. Prints the type, shape and first elements
// of each output.
#include <algorithm>
#include <cstdio>
#include <percale.hpp>

using namespace percale;

// Returns zeros of the graph input's type.
static Tensor zeros(const Engine& engine, const Graph& graph, const std::string& name) {
  FeedType type = graph.value_type(name).value();
  for (int64_t& dim : type.dims) dim = std::max<int64_t>(dim, 1);
  return Tensor::create(engine, type.dtype, type.dims).value();
}

int main(int argc, char** argv) try {
  if (argc < 2) return std::fputs("usage: load_and_run MODEL.percale [INPUT.npy]\n", stderr), 2;
  const Engine engine = Engine::create().value();
  const Graph graph = Graph::load(engine, argv[1]).value();
  Session session = Session::create(engine, graph, graph.variables(engine).value()).value();
  const std::string name = graph.inputs()[0];
  const Tensor input = argc > 2 ? Tensor::load(engine, argv[2]).value() : zeros(engine, graph, name);
  const std::vector<std::string> names = graph.outputs();
  const std::vector<Tensor> outputs = session.run({{name, input}}, names).value();
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::printf("%s %s [", names[i].c_str(), std::string(name_of(outputs[i].dtype())).c_str());
    const char* gap = "";
    for (const int64_t dim : outputs[i].dims()) {
      std::printf("%s%lld", gap, static_cast<long long>(dim));
      gap = ", ";
    }
    std::printf("]");
    if (const auto values = outputs[i].as<float>()) {
      gap = " [";
      for (const float value : values->first(std::min<size_t>(values->size(), 10))) {
        std::printf("%s%.4f", gap, value);
        gap = ", ";
      }
      std::printf("]");
    }
    std::printf("\n");
  }
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

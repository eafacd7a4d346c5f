#include <cstdio>
#include <percale.hpp>
#include <vector>

using namespace percale;

int main() try {
  const Engine engine = Engine::create().value();
  const Graph graph = Graph::import(engine, "onnx", "digits.onnx").value();
  Session session = Session::create(engine, graph, graph.variables(engine).value()).value();

  std::vector<float> pixels(2 * 28 * 28);                               // a batch of two images
  const Tensor x = Tensor::borrow<float>(pixels, {2, 28, 28}).value();  // no copy
  const auto results = session.run({{graph.inputs()[0], x}}, graph.outputs()).value();
  std::printf("%s: %d x %d scores\n", graph.outputs()[0].c_str(), int(results[0].dims()[0]), int(results[0].dims()[1]));
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

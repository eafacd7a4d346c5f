#include <algorithm>
#include <cstdio>
#include <percale.hpp>

using namespace percale;

int main() try {
  const Engine engine = Engine::create().value();
  const Graph graph = Graph::load(engine, "digits.percale").value();
  Session session = Session::create(engine, graph, graph.variables(engine).value()).value();

  const std::pair<std::string, std::string> files[] = {{"x", "t10k-images-idx3-ubyte"},
                                                       {"y", "t10k-labels-idx1-ubyte"}};
  Dataset digits = Dataset::from_files(engine, files, 1.0 / 255).value();
  digits.batch(1).value();
  const std::vector<Tensor> row = digits.next().value().value();

  const auto outputs = session.run({{graph.inputs()[0], row[0]}}, graph.outputs()).value();
  const auto scores = outputs[0].as<float>().value();  // [1, 10]
  const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
  std::printf("the label is %d, the model says %d\n", int(row[1].as<int64_t>().value()[0]), int(best));
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

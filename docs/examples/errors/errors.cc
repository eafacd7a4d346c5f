#include <cstdio>
#include <percale.hpp>

using namespace percale;

int main() try {
  const Engine engine = Engine::create().value();  // value() throws percale::Error
  const Result<Graph> graph = Graph::load(engine, "no-such-model.percale");
  if (!graph && graph.error().code() == Code::kNotFound) {  // or without exceptions
    std::printf("NOT_FOUND: %s\n", graph.error().message().c_str());
  }
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

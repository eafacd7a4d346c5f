// See ../README.md. Usage: cycles MODEL
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <percale.hpp>

using namespace percale;

static Tensor numbers(int64_t step, int64_t modulus, Dims dims, size_t count) {
  std::vector<float> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(static_cast<int64_t>(i) * step % modulus) / 64;
  return Tensor::adopt(std::move(out), dims).value();
}

static std::pair<double, float> live(const char* path) {
  const Engine engine = Engine::create(Options("engine").set("threads", 2)).value();
  const Graph graph = Graph::load(engine, path).value();
  const Variables variables = graph.variables(engine, 1).value();
  const Options options = Options("trainer").set("loss", "loss").set("optimizer", "adam");
  Trainer trainer = Trainer::create(engine, graph, variables, options).value();
  const Tensor x = numbers(37, 101, {16, 8, 8, 1}, 1024), t = numbers(11, 13, {16, 3}, 48);
  const double loss = trainer.step({{"x", x}, {"t", t}}).value();
  Session session = Session::create(engine, graph, variables).value();
  return {loss, session.run({{"x", x}}, {"y"}).value()[0].as<float>().value()[0]};
}

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  for (int64_t count = 0; std::scanf("%" SCNd64, &count) == 1;) {
    std::pair<double, float> seen;
    while (count-- > 0) seen = live(argv[1]);
    std::printf("%016" PRIx64 " %08" PRIx32 "\n", std::bit_cast<uint64_t>(seen.first),
                std::bit_cast<uint32_t>(seen.second));
    std::fflush(stdout);
  }
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

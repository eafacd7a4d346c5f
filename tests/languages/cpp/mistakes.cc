// See ../README.md. Usage: mistakes FOLDER
#include <bit>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <percale.hpp>
#include <thread>

using namespace percale;

static void say(const char* mistake, const Status& status) {
  std::printf("%s\t%s\t%s\n", mistake, std::string(name_of(status.code())).c_str(), status.message().c_str());
}

template <class T>
static void say(const char* mistake, const Result<T>& result) {
  say(mistake, result ? Status() : result.error());
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const Engine engine = Engine::create(Options("engine").set("threads", 1)).value();
  const Graph graph = Graph::load(engine, folder + "/model.percale").value();
  const Graph lengthy = Graph::load(engine, folder + "/long.percale").value();
  const Variables variables = graph.variables(engine, 1).value();
  Session session = Session::create(engine, graph, variables).value();
  const auto zeros = [&](DType dtype, Dims dims) { return Tensor::create(engine, dtype, dims).value(); };

  say("wrong shape", session.run({{"x", zeros(DType::kF32, {2, 3})}}, {"y"}));
  say("wrong dtype", session.run({{"x", zeros(DType::kI64, {1, 8, 8, 1})}}, {"y"}));
  Builder builder = Builder::create(engine).value();
  builder.node("MatMull", {});
  say("unknown op", builder.status());
  say("missing file", Graph::load(engine, "/nowhere/model.percale"));
  say("no variables", Session::create(engine, graph));
  Session slow = Session::create(engine, lengthy).value();
  const Tensor x = zeros(DType::kF32, {400, 400});
  Event event = slow.run_async({{"x", x}}, {"y"}).value();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  event.cancel();
  say("cancelled run", event.wait());
  Session small = Session::create(engine, graph, variables, Options("session").set("memory_limit", 4096)).value();
  say("memory limit", small.run({{"x", zeros(DType::kF32, {64, 8, 8, 1})}}, {"y"}));
  small.reset();
  const Tensor good = zeros(DType::kF32, {1, 8, 8, 1});
  say("use after close", small.run({{"x", good}}, {"y"}));
  const float y = session.run({{"x", good}}, {"y"}).value()[0].as<float>().value()[0];
  std::printf("lives\tOK\t%08" PRIx32 "\n", std::bit_cast<uint32_t>(y));
}

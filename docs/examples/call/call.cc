#include <cstdio>
#include <percale.hpp>

using namespace percale;

int main() try {
  const Engine engine = Engine::create().value();
  const Graph graph = Graph::load(engine, "digits.percale").value();
  Session session = Session::create(engine, graph, graph.variables(engine).value()).value();

  // --8<-- [start:call]
  const std::vector<FeedType> feeds = {{graph.inputs()[0], DType::kF32, {1, 28, 28}}};
  Call call = Call::create(session, feeds, graph.outputs()).value();  // one per thread
  const Tensor x = Tensor::create(engine, DType::kF32, {1, 28, 28}).value();
  const Tensor y = Tensor::create(engine, DType::kF32, {1, 10}).value();
  std::vector<Tensor> in, out;
  in.push_back(x.share()), out.push_back(y.share());
  call.bind(std::move(in), std::move(out)).value();

  for (int request = 0; request < 3; ++request) {
    static_cast<float*>(x.data())[request] = 1;  // fill the input in place
    call.run_until(50'000'000).value();          // 50 ms, else DEADLINE_EXCEEDED
    std::printf("request %d: first score %.4f\n", request, y.as<float>().value()[0]);
  }
  // --8<-- [end:call]
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

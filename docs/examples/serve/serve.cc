#include <cstdio>
#include <fstream>
#include <iterator>
#include <percale.hpp>
#include <thread>

using namespace percale;

int main() try {
  std::ifstream file("digits.json");
  const std::string spec{std::istreambuf_iterator<char>(file), {}};
  const Engine engine = Engine::create().value();

  // --8<-- [start:serve]
  Trainer trainer = Trainer::from_spec(engine, spec, {}, Options("trainer").set("publish", "step")).value();
  const Graph model = trainer.model().value();              // the inference graph
  const Variables variables = trainer.variables().value();  // the table that is published to
  Session session = Session::create(engine, model, variables).value();

  std::thread training([&] { trainer.fit().value(); });
  const std::vector<FeedType> feeds = {{model.inputs()[0], DType::kF32, {1, 28, 28}}};
  Call call = Call::create(session, feeds, model.outputs()).value();  // one per thread
  std::vector<Tensor> image, scores;
  image.push_back(Tensor::create(engine, DType::kF32, {1, 28, 28}).value());
  scores.push_back(Tensor::create(engine, DType::kF32, {1, 10}).value());
  call.bind(std::move(image), std::move(scores)).value();
  for (int request = 0; request < 100; ++request) call.run().value();
  training.join();
  call.run().value();
  std::printf("answered by version %lld\n", static_cast<long long>(call.variables_version()));
  // --8<-- [end:serve]
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

// A C++ program with the installed percale.hpp: builds a graph, trains it, saves it, runs a
// prepared call. Compiled with and without exceptions; errors are checked as results in both.
#include <cstdio>
#include <cstdlib>
#include <percale.hpp>
#include <percale/ops.hpp>
#include <utility>
#include <vector>

using namespace percale;

namespace {

[[noreturn]] void end(const Status& status) {
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}
void good(const Status& status) {
  if (!status.ok()) end(status);
}
template <class T>
T good(Result<T> result) {
  if (!result.has_value()) end(result.error());
  return std::move(*result);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const Engine engine = good(Engine::create(Options("engine").set("threads", 2)));
  Builder b = good(Builder::create(engine));
  const Value x = b.input("x", DType::kF32, {-1, 2}), target = b.input("target", DType::kF32, {-1, 1});
  const Value y = b.layer("Dense", {x}, {{"units", 1}}, "y");
  const Value difference = ops::Sub(b, y, target);
  b.set_outputs({y, ops::ReduceMean(b, ops::Mul(b, difference, difference), {}, {.keepdims = 0}, "loss")});
  const Graph graph = good(b.finish());
  const Variables variables = good(graph.variables(engine, 1));

  std::vector<float> rows, sums;
  for (int i = 0; i < 64; ++i) {
    const float p = static_cast<float>(i % 8) / 8, q = static_cast<float>(i / 8) / 8 - 0.5f;
    rows.insert(rows.end(), {p, q});
    sums.push_back(2 * p - 3 * q + 1);
  }
  const Tensor inputs = good(Tensor::adopt(rows, {64, 2})), targets = good(Tensor::adopt(sums, {64, 1}));
  Dataset data = good(Dataset::from_tensors(engine, {{"x", inputs}, {"target", targets}}));
  good(data.batch(64));
  Trainer trainer = good(Trainer::create(
      engine, graph, variables,
      Options("trainer").set("loss", "loss").set("optimizer", R"({"name": "adam", "learning_rate": 0.05})")));
  good(trainer.fit(data, 300));
  good(graph.save(argv[1], variables));

  const Graph loaded = good(Graph::load(engine, argv[1]));
  const Session session = good(Session::create(engine, loaded, good(loaded.variables(engine))));
  const FeedType type = {"x", DType::kF32, {1, 2}};
  Call call = good(Call::create(session, std::span(&type, 1), {"y"}));
  const std::vector<float> question = {0.25f, -0.5f};
  float answer = 0;
  std::vector<Tensor> in, out;
  in.push_back(good(Tensor::borrow(std::span(question), {1, 2})));
  out.push_back(good(Tensor::borrow(std::span(&answer, 1), {1, 1})));
  good(call.bind(std::move(in), std::move(out)));
  good(call.run());

  const Result<Graph> missing = Graph::load(engine, "no such file");
  std::printf("says %.3f, and %s of what is not there\n", answer,
              missing.has_value() ? "nothing" : std::string(name_of(missing.error().code())).c_str());
  return 0;
}

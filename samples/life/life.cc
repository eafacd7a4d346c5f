// The life of a model: train it, stop and resume, export it to ONNX, serve the file, fine-tune the
// file, and run an op of a plug-in.
//   c++ -std=c++20 life.cc $(pkg-config --cflags --libs percale) -o life
//   ./life ./libpercale_square.so
// Writes checkpoints/ and life.onnx into the current folder.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <percale.hpp>
#include <string>
#include <vector>

using namespace percale;

constexpr int64_t kEpochs = 20, kTuneEpochs = 10, kStop = 300;

static void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

// Points (a, b) of a square, labelled with factor * ab + offset.
static Dataset points(const Engine& engine, float factor, float offset) {
  std::vector<float> x, y;
  for (int row = 0; row < 32 * 32; ++row) {
    const float a = float(row % 32) / 16 - 1, b = float(row / 32) / 16 - 1;
    x.push_back(a), x.push_back(b), y.push_back(factor * a * b + offset);
  }
  const Tensor rows = Tensor::adopt(std::move(x), {1024, 2}).value();
  const Tensor labels = Tensor::adopt(std::move(y), {1024, 1}).value();
  Dataset data = Dataset::from_tensors(engine, {{"x", rows}, {"y", labels}}).value();
  data.batch(32, 1).value();  // shuffled
  return data;
}

static Trainer new_trainer(const Engine& engine) {
  const Sequential model = {layers::Dense(16, {{"name", "hidden"}, {"activation", "tanh"}, {"input_shape", {2}}}),
                            layers::Dense(1, {{"name", "out"}})};
  return model
      .compile(engine, {.optimizer = {{"name", "adam"}, {"learning_rate", 0.02}},
                        .loss = "mse",
                        .schedule = {{{"name", "warm_up"}, {"steps", 64}}, {{"name", "cosine"}, {"decay_steps", 576}}},
                        .seed = 1})
      .value();
}

struct Losses {
  double first = 0, last = 0;  // of the first step, and the mean of the last epoch
};

// Trains until the epochs are done, or until the step `stop`.
static Losses fit(Trainer& trainer, const Dataset& data, int64_t epochs, int64_t stop = 0) {
  Losses losses;
  const auto on_step = [&](const Progress& progress) {
    if (progress.step == 1) losses.first = progress.loss;
    losses.last = progress.epoch_loss;
    return progress.step != stop;  // false ends the training
  };
  trainer.fit(data, epochs, on_step).value();
  return losses;
}

// A training that stops and is resumed gives the weights of one that was not interrupted.
static void resume(const Engine& engine, const std::string& digest) {
  // --8<-- [start:resume]
  Trainer first = new_trainer(engine);
  fit(first, points(engine, 1, 0), kEpochs, kStop);  // ends after step 300 of 640
  first.save("checkpoints").value();

  Trainer second = new_trainer(engine);  // perhaps in another process, after a crash
  second.restore("checkpoints").value();
  fit(second, points(engine, 1, 0), kEpochs);
  // --8<-- [end:resume]
  check(first.steps() == kStop, "the first trainer does not stop");
  check(second.variables().value().digest().value() == digest, "the digests differ");
  std::puts("resumed: same digest");
}

static void serve(const Engine& engine) {
  const Graph graph = Graph::import(engine, "onnx", "life.onnx").value();
  Session session = Session::create(engine, graph, graph.variables(engine).value()).value();
  const std::vector<std::vector<float>> requests = {
      {0.3F, -0.7F}, {0.5F, 0.5F, -0.6F, -0.2F}, {0.75F, -0.75F, 0.1F, 0.9F, -0.25F, 0.75F}};
  float worst = 0;
  size_t count = 0;
  for (const std::vector<float>& request : requests) {
    const size_t rows = request.size() / 2;
    const Tensor x = Tensor::adopt(request, {int64_t(rows), 2}).value();  // of a copy
    const std::vector<Tensor> results = session.run({{"x", x}}, graph.outputs()).value();
    const auto answers = results[0].as<float>().value();
    for (size_t i = 0; i < rows; ++i) {
      worst = std::max(worst, std::abs(answers[i] - request[2 * i] * request[2 * i + 1]));
    }
    count += rows;
  }
  std::printf("served: %zu answers, at most %.4f off\n", count, worst);
  check(worst < 0.15F, "the answers are not a * b");
}

// Trains the model of the file. The layer "hidden" keeps its values.
static void tune(const Engine& engine) {
  // --8<-- [start:tune]
  const Sequential whole = {};  // no new layers
  Trainer trainer = whole
                        .compile(engine, {.optimizer = {{"name", "adam"}, {"learning_rate", 0.02}},
                                          .loss = "mse",
                                          .model_file = "life.onnx",
                                          .more = "\"freeze\": \"hidden/*\""})
                        .value();
  const Losses losses = fit(trainer, points(engine, -2, 1), kTuneEpochs);
  // --8<-- [end:tune]
  std::printf("tuned: loss %.4f -> %.4f\n", losses.first, losses.last);
  check(losses.last < losses.first / 10, "the loss does not fall to a tenth");
}

static void square(const char* plugin) {
  // --8<-- [start:plugin]
  const Engine engine = Engine::create(Options("engine").set("plugin_path", plugin)).value();
  Builder b = Builder::create(engine).value();
  const Value x = b.input("x", DType::kF32, {3});
  b.set_outputs({b.node("sample:Square", {x}, {}, "y")});
  Session session = Session::create(engine, b.finish().value()).value();
  const Tensor numbers = Tensor::adopt(std::vector<float>{1, -2, 3}, {3}).value();
  const std::vector<Tensor> results = session.run({{"x", numbers}}, {"y"}).value();
  // --8<-- [end:plugin]
  const auto found = results[0].as<float>().value();
  std::printf("plug-in: 1, -2, 3 squared are %g, %g, %g\n", found[0], found[1], found[2]);
  check(found[0] == 1 && found[1] == 4 && found[2] == 9, "the squares are wrong");
}

int main(int count, char** arguments) try {
  if (count != 2) return std::fputs("usage: life PLUGIN.so\n", stderr), 2;
  const Engine engine = Engine::create().value();
  Trainer trainer = new_trainer(engine);
  const Losses losses = fit(trainer, points(engine, 1, 0), kEpochs);
  std::printf("trained: loss %.4f -> %.4f\n", losses.first, losses.last);
  check(losses.last < 0.01, "the loss does not fall below 0.01");
  resume(engine, trainer.variables().value().digest().value());
  // --8<-- [start:export]
  const Graph model = trainer.model().value();  // from "x" to the predictions
  model.export_to(engine, "onnx", "life.onnx", trainer.variables().value()).value();
  // --8<-- [end:export]
  serve(engine);
  tune(engine);
  square(arguments[1]);
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

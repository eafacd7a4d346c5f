// Keras' example of a mirrored strategy: two Dense layers, a data set shared by all devices, ten
// epochs.
#include <cstdio>
#include <percale.hpp>

using namespace percale;

int main() try {
  const Engine engine = Engine::create(Options("engine").set("devices", "cpu=2x1")).value();

  const MirroredStrategy strategy;
  const Sequential model = {
      layers::Dense(10, {{"activation", "relu"}, {"input_shape", {1}}}),
      layers::Dense(10, {{"activation", "softmax"}}),
  };
  Trainer trainer =
      model
          .compile(engine, strategy,
                   {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}})
          .value();

  // The data of the original example has no labels; the error says so.
  const Dataset unlabelled = Dataset::range(engine, "x", 0, 100).value();
  if (const Status status = trainer.fit(unlabelled, 10); !status) {
    std::printf("without labels: %s\n", status.message().c_str());
  }

  // The numbers from 0 to 1 in a hundred steps, each labelled with its tenth.
  auto numbers = [](int64_t row, void* const* columns) {
    *static_cast<float*>(columns[0]) = static_cast<float>(row) / 100;
    *static_cast<int64_t*>(columns[1]) = row / 10;
    return true;
  };
  const std::vector<FeedType> columns = {{"x", DType::kF32, {1}}, {"y", DType::kI64, {}}};
  Dataset dataset = Dataset::generate(engine, columns, 100, numbers).value();
  dataset.batch(10).value();
  trainer
      .fit(dataset, 10,
           [](const Progress& p) {
             if (p.epoch_ended) {
               std::printf("epoch %d/%d  loss %.4f  accuracy %.4f\n", static_cast<int>(p.epoch),
                           static_cast<int>(p.epochs), p.loss, p.metrics["accuracy"]);
             }
             return true;
           })
      .value();
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

#include <cmath>
#include <cstdio>
#include <percale.hpp>

using namespace percale;

// --8<-- [start:data]
// Rows of a point and the number of its quadrant. Labels of sparse losses are integers.
static Dataset points(const Engine& engine, int64_t count, int64_t seed) {
  const std::vector<FeedType> columns = {{"x", DType::kF32, {2}}, {"y", DType::kI64, {}}};
  Dataset data = Dataset::generate(engine, columns, count, [seed](int64_t row, void* const* out) {
                   const double angle = double(7 * row + seed), x = std::cos(angle), y = std::sin(angle);
                   static_cast<float*>(out[0])[0] = float(x);
                   static_cast<float*>(out[0])[1] = float(y);
                   *static_cast<int64_t*>(out[1]) = (x < 0) + 2 * (y < 0);
                   return true;  // false ends the training
                 }).value();
  data.batch(50, seed).value();
  return data;
}
// --8<-- [end:data]

int main() try {
  // --8<-- [start:train]
  const Engine engine = Engine::create().value();
  const Sequential model = {layers::Dense(32, {{"activation", "relu"}, {"input_shape", {2}}}), layers::Dense(4)};
  Trainer trainer = model
                        .compile(engine, {.optimizer = {{"name", "adam"}, {"learning_rate", 0.01}},
                                          .loss = "sparse_categorical_crossentropy",
                                          .metrics = {"accuracy"},
                                          .from_logits = true})
                        .value();
  const Dataset data = points(engine, 1000, 1), validation = points(engine, 200, 3);
  trainer.set_validation(validation).value();  // val_loss and val_accuracy join the history
  trainer.fit(data, 5).value();
  std::printf("accuracy %.4f\n", trainer.evaluate(validation).value()["accuracy"]);
  trainer.model().value().save("quadrants.percale", trainer.variables().value()).value();
  // --8<-- [end:train]
} catch (const Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}

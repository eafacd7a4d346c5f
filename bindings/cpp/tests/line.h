// A small training for tests of groups: two shards, and data on a line.
#ifndef PERCALE_BINDINGS_CPP_TESTS_LINE_H_
#define PERCALE_BINDINGS_CPP_TESTS_LINE_H_

#include <string>
#include <utility>
#include <vector>

#include "bindings/cpp/tests/good.h"

inline percale::Engine one_thread() {
  return good(percale::Engine::create(percale::Options("engine").set("threads", 1)));
}

inline percale::Trainer two_shards(const percale::Engine& engine) {
  using percale::layers::Dense;
  const percale::Sequential model = {Dense(8, {{"activation", "relu"}, {"input_shape", {1}}}), Dense(1)};
  return good(model.compile(engine, {.optimizer = "adam", .loss = "mean_squared_error", .more = "\"shards\": 2"}));
}

inline percale::Dataset line(const percale::Engine& engine) {
  std::vector<float> x, y;
  for (int i = 0; i < 32; ++i) {
    x.push_back(static_cast<float>(i) / 32);
    y.push_back(2 * x.back() - 1);
  }
  percale::Dataset out = good(percale::Dataset::from_tensors(
      engine, {{"x", floats(std::move(x), {32, 1})}, {"y", floats(std::move(y), {32, 1})}}));
  good(out.batch(8, 3));
  return out;
}

inline std::string digest_of(percale::Trainer& trainer) { return good(good(trainer.variables()).digest()); }

#endif  // PERCALE_BINDINGS_CPP_TESTS_LINE_H_

// Small jobs for the tests of the trainer: the models, data and first weights of reference.py.
#ifndef PERCALE_TESTS_UNIT_TRAIN_JOBS_H_
#define PERCALE_TESTS_UNIT_TRAIN_JOBS_H_

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/train/spec.h"
#include "tests/support/engine.h"

#define REQUIRE_OK(expr)                                \
  do {                                                  \
    const ::percale::Status status_ = (expr);           \
    REQUIRE_MESSAGE(status_.ok(), status_.to_string()); \
  } while (false)

namespace percale {

inline std::shared_ptr<Engine> engine_of(int32_t threads, const std::string& devices = "cpu:0") {
  EngineOptions options;
  options.threads = threads;
  options.devices = devices;
  auto engine = make_test_engine(options);
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  return *engine;
}

// sin(0.7 i + salt) * scale.
inline Tensor formula(DType dtype, const Shape& shape, double salt, double scale = 1) {
  std::vector<double> out(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = std::sin(0.7 * static_cast<double>(i) + salt) * scale;
  if (dtype == DType::kF64) return Tensor::of(shape, std::span<const double>(out));
  const std::vector<float> narrow(out.begin(), out.end());
  return Tensor::of(shape, std::span<const float>(narrow));
}

inline std::vector<int64_t> class_numbers(int64_t rows, int64_t classes) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < rows; ++i) out.push_back((5 * i + i / 3) % classes);
  return out;
}

struct Job {
  std::string layers;
  Shape row;
  // Salt and scale per variable; scale 0: leave as initialised
  std::vector<std::pair<double, double>> weights;
};

inline Job job_of(const std::string& name) {
  if (name == "mlp") {
    return {R"([{"layer": "Dense", "units": 8, "activation": "tanh"}, {"layer": "Dense", "units": 3}])",
            {5},
            {{1, 0.5}, {2, 0.1}, {3, 0.5}, {4, 0.1}}};
  }
  if (name == "wide") {  // two kernels of over 4 MiB
    return {R"([{"layer": "Dense", "units": 900}, {"layer": "Dense", "units": 1300, "activation": "tanh"},
                {"layer": "Dense", "units": 1000}, {"layer": "Dense", "units": 3}])",
            {5},
            {{1, 0.5}, {2, 0.1}, {3, 0.05}, {4, 0.1}, {5, 0.05}, {6, 0.1}, {7, 0.05}, {8, 0.1}}};
  }
  if (name == "linear") return {R"([{"layer": "Dense", "units": 3}])", {5}, {{1, 0.5}, {2, 0.1}}};
  if (name == "cnn") {
    return {R"([{"layer": "Conv2D", "filters": 4, "kernel_size": 3, "padding": "same", "activation": "relu"},
                {"layer": "MaxPooling2D", "pool_size": 2},
                {"layer": "Conv2D", "filters": 3, "kernel_size": [3, 3], "strides": 2},
                {"layer": "Flatten"}, {"layer": "Dense", "units": 3}])",
            {6, 10, 2},
            {{1, 0.3}, {2, 0.1}, {3, 0.3}, {4, 0.1}, {5, 0.5}, {6, 0.1}}};
  }
  if (name == "dropout") {
    return {R"([{"layer": "Dense", "units": 64, "activation": "relu"}, {"layer": "Dropout", "rate": 0.5},
                {"layer": "Dense", "units": 3}])",
            {5},
            {{1, 0.5}, {2, 0.1}, {3, 0.5}, {4, 0.1}}};
  }
  return {R"([{"layer": "Dense", "units": 4, "use_bias": false}, {"layer": "BatchNormalization"},
              {"layer": "Activation", "activation": "relu"}, {"layer": "Dense", "units": 3}])",
          {5},
          {{1, 0.5}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {3, 0.5}, {4, 0.1}}};
}

// Makes a trainer with first weights and data by the formula. `keys`: further keys of the SPEC,
// each preceded by a comma. `devices`: those that compute shards; empty: all.
inline std::unique_ptr<Trainer> make_job(const std::shared_ptr<Engine>& engine, const std::string& name,
                                         const std::string& keys, DType dtype, const DatasetOptions& batches,
                                         int64_t rows, const std::vector<std::string>& devices = {}) {
  const Job job = job_of(name);
  auto spec = parse_spec(str_cat("{\"model\": ", job.layers, keys, "}"));
  REQUIRE_MESSAGE(spec.ok(), spec.status().to_string());
  spec->dtype = dtype;
  spec->trainer.devices = devices;
  Shape x_shape{rows};
  for (int64_t d : job.row) x_shape.push_back(d);
  const std::vector<int64_t> numbers = class_numbers(rows, 3);
  Tensor y = Tensor::vector(std::span<const int64_t>(numbers));
  if (!wants_class_numbers(spec->targets[0].loss)) {
    std::vector<int64_t> hot(static_cast<size_t>(rows * 3), 0);
    for (size_t i = 0; i < numbers.size(); ++i) hot[3 * i + static_cast<size_t>(numbers[i])] = 1;
    y = Tensor::of(Shape{rows, 3}, std::span<const int64_t>(hot));
  }
  std::vector<Column> columns = {{"x", formula(dtype, x_shape, 9), dtype, 1},
                                 {"y", y, wants_class_numbers(spec->targets[0].loss) ? DType::kI64 : dtype, 1}};
  if (!spec->sample_weight.empty()) {  // 1 + sin(i) / 2, whatever the file's name
    std::vector<double> weights(static_cast<size_t>(rows));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = 1 + std::sin(static_cast<double>(i)) / 2;
    columns.push_back({"sample_weight", Tensor::vector(std::span<const double>(weights)), dtype, 1});
  }
  auto data = Dataset::create(std::move(columns), engine->memory());
  REQUIRE_MESSAGE(data.ok(), data.status().to_string());
  REQUIRE_OK((*data)->configure(batches));
  const auto types = (*data)->types();
  auto model = build_model(*spec, engine->registry(), types[0].shape, types[1],
                           types.size() > 2 ? std::optional(types[2]) : std::nullopt);
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  auto trainer = Trainer::create(engine, *model, nullptr, spec->trainer);
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  std::vector<std::pair<int32_t, Tensor>> first;
  const auto& variables = (*trainer)->variables()->variables();
  REQUIRE(variables.size() == job.weights.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto [salt, scale] = job.weights[i];
    if (scale != 0) first.emplace_back(static_cast<int32_t>(i), formula(dtype, variables[i].shape, salt, scale));
  }
  REQUIRE_OK((*trainer)->variables()->publish(first).status());
  (*trainer)->set_data(*data, *data);
  return std::move(*trainer);
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TRAIN_JOBS_H_

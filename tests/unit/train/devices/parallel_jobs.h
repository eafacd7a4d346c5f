// Jobs for the tests of pipelines and splits: an MLP and a transformer block.
#ifndef PERCALE_TESTS_UNIT_TRAIN_DEVICES_PARALLEL_JOBS_H_
#define PERCALE_TESTS_UNIT_TRAIN_DEVICES_PARALLEL_JOBS_H_

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/train/trainer.h"
#include "tests/unit/train/jobs.h"

namespace percale {

struct ParallelJob {
  std::string layers;
  Shape row;
  double scale = 1;  // of the data, which are between -1 and 1
  int64_t batch = 16;
  bool whole = false;  // truncate the data to whole numbers
};

inline ParallelJob parallel_job(const std::string& model) {
  if (model == "mlp") {
    return {
        R"([{"layer": "Dense", "units": 256, "activation": "relu"}, {"layer": "Dense", "units": 256, "activation": "tanh"},
                {"layer": "Dense", "units": 256, "activation": "relu"}, {"layer": "Dense", "units": 128, "activation": "gelu"},
                {"layer": "Dense", "units": 4}])",
        {128}};
  }
  return {R"([{"layer": "Dense", "units": 64, "name": "embed"},
              {"layer": "MultiHeadAttention", "num_heads": 4, "key_dim": 16, "name": "attention"},
              {"layer": "Add", "inputs": ["embed", "attention"], "name": "mixed"},
              {"layer": "LayerNormalization", "name": "norm"},
              {"layer": "Dense", "units": 256, "activation": "gelu", "name": "wide"},
              {"layer": "Dense", "units": 64, "name": "narrow"},
              {"layer": "Add", "inputs": ["norm", "narrow"], "name": "sum"},
              {"layer": "LayerNormalization", "name": "norm_2"}, {"layer": "Flatten"},
              {"layer": "Dense", "units": 4, "name": "head"}])",
          {4, 64}};
}

// Trains on five batches by the formula. `keys`: further keys of the SPEC, each preceded by a
// comma.
inline Result<std::unique_ptr<Trainer>> try_parallel_job(const std::shared_ptr<Engine>& engine, const ParallelJob& job,
                                                         const std::string& keys,
                                                         const std::vector<std::string>& devices = {}) {
  const int64_t rows = 5 * job.batch;
  PERCALE_ASSIGN_OR_RETURN(
      Spec spec,
      parse_spec(str_cat("{\"model\": ", job.layers,
                         R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
                                         "optimizer": {"name": "adam", "learning_rate": 0.001}, "seed": 7, "epochs": 4)",
                         keys, "}")));
  spec.trainer.devices = devices;
  Shape x_shape{rows};
  for (int64_t d : job.row) x_shape.push_back(d);
  const std::vector<int64_t> numbers = class_numbers(rows, 4);
  Tensor x = formula(DType::kF32, x_shape, 9, job.scale);
  if (job.whole) {
    std::ranges::transform(x.span<float>(), static_cast<float*>(x.data()), [](float v) { return std::trunc(v); });
  }
  const std::vector<Column> columns = {{"x", x, DType::kF32, 1},
                                       {"y", Tensor::vector(std::span<const int64_t>(numbers)), DType::kI64, 1}};
  PERCALE_ASSIGN_OR_RETURN(auto data, Dataset::create(columns, engine->memory()));
  PERCALE_RETURN_IF_ERROR(data->configure({.batch_size = job.batch, .shuffle_seed = 3}));
  const auto types = data->types();
  PERCALE_ASSIGN_OR_RETURN(Model model, build_model(spec, engine->registry(), types[0].shape, types[1]));
  PERCALE_ASSIGN_OR_RETURN(auto trainer, Trainer::create(engine, model, nullptr, spec.trainer));
  trainer->set_data(data, data);
  return trainer;
}

struct Curve {
  std::vector<double> losses;
  std::string digest;
};

inline Result<Curve> try_curve(const std::shared_ptr<Engine>& engine, const ParallelJob& job, const std::string& keys,
                               const std::vector<std::string>& devices = {}) {
  PERCALE_ASSIGN_OR_RETURN(const auto trainer, try_parallel_job(engine, job, keys, devices));
  PERCALE_RETURN_IF_ERROR(trainer->fit(nullptr, 0, nullptr));
  Curve out;
  for (const History::Row& row : trainer->history().rows) out.losses.push_back(row.loss);
  out.digest = trainer->variables()->digest();
  return out;
}

inline Curve curve(const std::shared_ptr<Engine>& engine, const ParallelJob& job, const std::string& keys,
                   const std::vector<std::string>& devices = {}) {
  auto out = try_curve(engine, job, keys, devices);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  REQUIRE(out->losses.size() == 20);
  return *out;
}

// Returns the largest relative difference of two curves.
inline double deviation(const Curve& a, const Curve& b) {
  double worst = 0;
  for (size_t i = 0; i < a.losses.size(); ++i) {
    worst = std::max(worst, std::abs(a.losses[i] - b.losses[i]) / std::abs(b.losses[i]));
  }
  return worst;
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TRAIN_DEVICES_PARALLEL_JOBS_H_

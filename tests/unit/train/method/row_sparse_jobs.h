// Jobs whose tables of embeddings train by rows.
#ifndef PERCALE_TESTS_UNIT_TRAIN_METHOD_ROW_SPARSE_JOBS_H_
#define PERCALE_TESTS_UNIT_TRAIN_METHOD_ROW_SPARSE_JOBS_H_

#include <algorithm>
#include <cmath>

#include "tests/unit/train/jobs.h"

namespace percale {

constexpr int64_t kRows = 40, kLength = 5, kTable = 13;

constexpr const char* kLookup =
    R"([{"layer": "Embedding", "input_dim": 13, "output_dim": 6}, {"layer": "Flatten"}, {"layer": "Dense", "units": 3}])";
constexpr const char* kBag =
    R"([{"layer": "EmbeddingBag", "input_dim": 13, "output_dim": 6, "combiner": "sum", "padding_idx": 3},
        {"layer": "Dense", "units": 3}])";

constexpr const char* kGreatest =
    R"([{"layer": "EmbeddingBag", "input_dim": 13, "output_dim": 6, "combiner": "max"}, {"layer": "Dense", "units": 3}])";

// Looks up rows by a formula. With `spoilt`, all lookups are of that row.
inline Tensor looked_up(int64_t spoilt = -1) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < kRows * kLength; ++i) {
    out.push_back(spoilt >= 0 ? spoilt : (7 * i + i / 3 + i * i / 11) % kTable);
  }
  return Tensor::of(Shape{kRows, kLength}, std::span<const int64_t>(out));
}

inline Tensor labels() {
  const std::vector<int64_t> numbers = class_numbers(kRows, 3);
  return Tensor::vector(std::span<const int64_t>(numbers));
}

inline Result<Model> model_of(const std::shared_ptr<Engine>& engine, const std::string& layers, const std::string& keys,
                              DType dtype, TrainerOptions* options) {
  PERCALE_ASSIGN_OR_RETURN(
      Spec spec,
      parse_spec(str_cat("{\"model\": ", layers,
                         R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, )", keys, "}")));
  spec.dtype = dtype;
  *options = spec.trainer;
  return build_model(spec, engine->registry(), Shape{kUnknownDim, kLength}, ValueType{DType::kI64, Shape{kUnknownDim}});
}

// `devices`: those that compute shards; empty: all.
inline Result<std::unique_ptr<Trainer>> try_job(const std::shared_ptr<Engine>& engine, const std::string& layers,
                                                const std::string& keys, DType dtype = DType::kF32, int64_t batch = 8,
                                                const std::vector<std::string>& devices = {}) {
  TrainerOptions options;
  PERCALE_ASSIGN_OR_RETURN(const Model model, model_of(engine, layers, keys, dtype, &options));
  options.devices = devices;
  std::vector<Column> columns = {{"x", looked_up(), DType::kI64, 1}, {"y", labels(), DType::kI64, 1}};
  PERCALE_ASSIGN_OR_RETURN(const auto data, Dataset::create(std::move(columns), engine->memory()));
  PERCALE_RETURN_IF_ERROR(data->configure({.batch_size = batch}));
  PERCALE_ASSIGN_OR_RETURN(auto trainer, Trainer::create(engine, model, nullptr, options));
  std::vector<std::pair<int32_t, Tensor>> first;
  const auto& variables = trainer->variables()->variables();
  for (size_t i = 0; i < variables.size(); ++i) {
    const double salt = i == 0 ? 1 : static_cast<double>(i) + 2;
    first.emplace_back(static_cast<int32_t>(i), formula(dtype, variables[i].shape, salt, i == 2 ? 0.1 : 0.5));
  }
  PERCALE_RETURN_IF_ERROR(trainer->variables()->publish(first).status());
  trainer->set_data(data, data);
  return trainer;
}

inline std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& layers,
                                    const std::string& keys, DType dtype = DType::kF32, int64_t batch = 8,
                                    const std::vector<std::string>& devices = {}) {
  auto trainer = try_job(engine, layers, keys, dtype, batch, devices);
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  return std::move(*trainer);
}

inline std::string table_of(int64_t rows) {
  return str_cat(R"([{"layer": "Embedding", "name": "words", "input_dim": )", rows,
                 R"(, "output_dim": 2}, {"layer": "Flatten"}, {"layer": "Dense", "units": 3}])");
}

// Returns the largest difference between numbers of two tables.
inline double distance(const Variables& a, const Variables& b) {
  double worst = 0;
  for (size_t i = 0; i < a.variables().size(); ++i) {
    const auto x = a.current()->values[i].span<float>(), y = b.current()->values[i].span<float>();
    for (size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::fabs(static_cast<double>(x[k] - y[k])));
  }
  return worst;
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TRAIN_METHOD_ROW_SPARSE_JOBS_H_

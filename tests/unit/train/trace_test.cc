// Whole trainings compared with PyTorch: reference.py writes reference.inc.
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

struct Reference {
  const char* model;
  const char* loss;
  const char* optimizer;
  double clip;
  std::vector<double> losses;
};

const std::vector<Reference>& traces() {
  static const std::vector<Reference> kTraces = {
#include "tests/unit/train/reference.inc"
  };
  return kTraces;
}

std::string keys_of(const Reference& t) {
  const std::string loss = t.loss, optimizer = t.optimizer;
  std::string out;
  if (loss == "sparse") out = R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true)";
  if (loss == "binary") out = R"(, "loss": "binary_crossentropy", "from_logits": true)";
  if (loss == "squared") out = R"(, "loss": "mean_squared_error")";
  if (loss == "absolute") out = R"(, "loss": "mean_absolute_error")";
  if (loss == "huber") out = R"(, "loss": {"name": "huber", "delta": 0.5})";
  out += R"(, "optimizer": )";
  if (optimizer == "sgd") out += R"({"name": "sgd", "learning_rate": 0.1})";
  if (optimizer == "momentum") out += R"({"name": "sgd", "learning_rate": 0.05, "momentum": 0.9})";
  if (optimizer == "nesterov") {
    out += R"({"name": "sgd", "learning_rate": 0.05, "momentum": 0.9, "nesterov": true, "weight_decay": 0.01})";
  }
  if (optimizer == "adam") out += R"({"name": "adam", "learning_rate": 0.01})";
  if (optimizer == "adamw") out += R"({"name": "adamw", "learning_rate": 0.01, "weight_decay": 0.1})";
  if (optimizer == "rmsprop") out += R"({"name": "rmsprop", "learning_rate": 0.01})";
  if (optimizer == "adagrad") out += R"({"name": "adagrad", "learning_rate": 0.05})";
  if (t.clip > 0) out += str_cat(", \"clip\": ", t.clip);
  return out;
}

double worst_deviation(const Reference& t, DType dtype, int64_t shards) {
  const auto engine = engine_of(2);
  const auto trainer = make_job(engine, t.model, keys_of(t) + str_cat(", \"shards\": ", shards), dtype,
                                {.batch_size = 6}, 6 * static_cast<int64_t>(t.losses.size()));
  REQUIRE_OK(trainer->fit(nullptr, 1, nullptr));
  REQUIRE(trainer->history().rows.size() == t.losses.size());
  double worst = 0;
  for (size_t i = 0; i < t.losses.size(); ++i) {
    worst = std::max(worst, std::abs(trainer->history().rows[i].loss - t.losses[i]) / t.losses[i]);
  }
  return worst;
}

}  // namespace

TEST_CASE("in f64 every step's loss of MLPs, CNNs and linear models is PyTorch's, with every optimizer and loss") {
  for (const Reference& t : traces()) {
    const std::string model = t.model, loss = t.loss, optimizer = t.optimizer;
    CAPTURE(model);
    CAPTURE(loss);
    CAPTURE(optimizer);
    // PyTorch adds 1e-6 to the norm that it clips by.
    CHECK(worst_deviation(t, DType::kF64, 1) < (t.clip > 0 ? 1e-4 : 1e-9));
  }
}

TEST_CASE("in f32 the losses of 20 steps stay within 1e-3 of PyTorch's f64") {
  for (const Reference& t : traces()) {
    const std::string model = t.model, loss = t.loss, optimizer = t.optimizer;
    CAPTURE(model);
    CAPTURE(loss);
    CAPTURE(optimizer);
    CHECK(worst_deviation(t, DType::kF32, 1) < 1e-3);
  }
}

TEST_CASE("shards change the order of sums alone") {
  for (const Reference& t : traces()) {
    if (std::string_view(t.model) == "normalised") continue;  // statistics are those of a shard
    const std::string model = t.model, optimizer = t.optimizer;
    CAPTURE(model);
    CAPTURE(optimizer);
    CHECK(worst_deviation(t, DType::kF64, 4) < (t.clip > 0 ? 1e-4 : 1e-9));
  }
}

}  // namespace percale

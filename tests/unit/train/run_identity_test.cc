// The identity of a run and its job: what a resume accepts, and which difference it names.
#include "core/checkpoint/checkpoint_folder.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

const char* const kKeys = R"(, "loss": "mse", "optimizer": {"name": "adam", "learning_rate": 0.001})";

// Makes a trainer of rows [?, 5] with the layers and further keys of a SPEC.
std::unique_ptr<Trainer> trainer_of(const std::string& layers, const std::string& keys) {
  auto trainer =
      trainer_from_spec(engine_of(1), str_cat("{\"model\": ", layers, ", \"input_shape\": [5]", keys, "}"), "", "", {});
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  return std::move(*trainer);
}

std::shared_ptr<Dataset> data_of(int64_t rows, int64_t batch_size, DType dtype = DType::kF32) {
  const auto pool = std::make_shared<MemoryPool>();
  auto data = Dataset::create(
      {{"x", formula(dtype, Shape{rows, 5}, 1), dtype, 1}, {"y", formula(dtype, Shape{rows, 3}, 2), dtype, 1}}, pool);
  REQUIRE_MESSAGE(data.ok(), data.status().to_string());
  REQUIRE_OK((*data)->configure({.batch_size = batch_size, .shuffle_seed = 4}));
  return *data;
}

const char* const kLayers = R"([{"layer": "Dense", "units": 4, "activation": "relu"}, {"layer": "Dense", "units": 3}])";

// Saves one epoch of the job into the folder.
void train_into(const std::string& folder) {
  const auto trainer = trainer_of(kLayers, kKeys);
  REQUIRE_OK(trainer->fit(data_of(12, 4), 1, nullptr));
  REQUIRE_OK(trainer->save(folder));
}

}  // namespace

TEST_CASE("a resume of another job names the first difference") {
  const TempFolder folder;
  train_into(folder.path());
  const struct {
    std::string layers, keys, words;
  } jobs[] = {
      {kLayers, R"(, "loss": "mse", "optimizer": {"name": "adam", "learning_rate": 0.01})",
       "optimizer.learning_rate: the checkpoint has 0.001, but this job 0.01"},
      {kLayers, R"(, "loss": "mse", "optimizer": "rmsprop")", "optimizer.name: the checkpoint has \"adam\""},
      {kLayers, R"(, "loss": "mae", "optimizer": "adam")", "loss.name: the checkpoint has \"mean_squared_error\""},
      {kLayers, std::string(kKeys) + R"(, "seed": 5)", "seed: the checkpoint has 0, but this job 5"},
      {kLayers, std::string(kKeys) + R"(, "schedule": {"name": "cosine", "decay_steps": 9})", "schedule.name"},
      {kLayers, std::string(kKeys) + R"(, "accumulation": 2)", "accumulation"},
      {R"([{"layer": "Dense", "units": 4, "activation": "tanh"}, {"layer": "Dense", "units": 3}])", kKeys,
       "model.nodes."},
      {R"([{"layer": "Dense", "units": 4, "activation": "relu", "kernel_initializer": "he_normal"},
           {"layer": "Dense", "units": 3}])",
       kKeys, "initializers."},
      {R"([{"layer": "Dense", "units": 6, "activation": "relu"}, {"layer": "Dense", "units": 3}])", kKeys,
       "model.variables.dense/kernel"},
  };
  for (const auto& job : jobs) {
    const auto other = trainer_of(job.layers, job.keys);
    const Status status = other->restore(folder.path());
    CAPTURE(status.to_string());
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(status.message().find(job.words) != std::string::npos);
    CHECK(other->steps() == 0);
  }
}

TEST_CASE("epochs, metrics and words that say the default may change on resume") {
  const TempFolder folder;
  train_into(folder.path());
  for (const std::string keys : {R"(, "epochs": 9)", R"(, "metrics": ["mae"])", R"(, "memory_limit": 100000000)",
                                 R"(, "schedule": "constant")", R"(, "early_stopping": {"patience": 3})"}) {
    const std::string words = R"([{"layer": "Dense", "units": 4, "activation": "relu", "use_bias": true},
                                  {"layer": "Dense", "units": 3, "kernel_initializer": "glorot_uniform"}])";
    REQUIRE_OK(trainer_of(words, kKeys + keys)->restore(folder.path()));
  }
}

TEST_CASE("a run that is taken up asks for the data of its checkpoint, and keeps its id") {
  const TempFolder folder;
  train_into(folder.path());
  const auto trainer = trainer_of(kLayers, kKeys);
  REQUIRE_OK(trainer->restore(folder.path()));
  const Status other = trainer->fit(data_of(12, 6), 2, nullptr);
  CHECK(other.code() == Code::kFailedPrecondition);
  CHECK(other.message().find("data.batch_size: the checkpoint has 4, but this job 6") != std::string::npos);
  CHECK(trainer->fit(data_of(11, 4), 2, nullptr).message().find("data.rows") != std::string::npos);
  REQUIRE_OK(trainer->fit(data_of(12, 4), 2, nullptr));
  CHECK(trainer->steps() == 6);
  REQUIRE_OK(trainer->fit(data_of(12, 6), 3, nullptr));  // the host may continue as it likes
  REQUIRE_OK(trainer->save(folder.path()));
  const auto first = read_checkpoint(folder / "step-3"), second = read_checkpoint(folder / "step-8");
  REQUIRE(first.ok());
  REQUIRE_MESSAGE(second.ok(), second.status().to_string());
  CHECK(first->run.size() == 32);
  CHECK(first->run == second->run);
}

TEST_CASE("one chosen checkpoint is restored, and a damaged newest one is passed over and told of") {
  const TempFolder folder;
  const auto trainer = trainer_of(kLayers, kKeys);
  for (int64_t epoch = 1; epoch <= 2; ++epoch) {
    REQUIRE_OK(trainer->fit(data_of(12, 4), epoch, nullptr));
    REQUIRE_OK(trainer->save(folder.path()));
  }
  const auto chosen = trainer_of(kLayers, kKeys);
  REQUIRE_OK(chosen->restore(folder / "step-3/"));
  CHECK(chosen->steps() == 3);

  REQUIRE_OK(remove_file(folder / "step-6/state.safetensors"));
  const auto other = trainer_of(kLayers, kKeys);
  CHECK(other->restore(folder / "step-6").code() == Code::kDataLoss);
  REQUIRE_OK(other->restore(folder.path()));
  CHECK(other->steps() == 3);
  const auto facts = Json::parse(other->describe());
  REQUIRE(facts.ok());
  CHECK(*facts->find("restored_from")->as_string("") == folder / "step-3");
  REQUIRE(facts->find("skipped_checkpoints")->size() == 1);
  CHECK(facts->find("skipped_checkpoints")->item(0).as_string("")->find("step-6") != std::string::npos);
  REQUIRE_OK(remove_file(folder / "step-3/MANIFEST"));
  CHECK(trainer_of(kLayers, kKeys)->restore(folder.path()).code() == Code::kDataLoss);
}

}  // namespace percale

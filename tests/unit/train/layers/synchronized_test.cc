// Batch normalization over all shards of a batch gives the result of one shard with the whole
// batch, on any devices.
#include <doctest/doctest.h>

#include <cmath>

#include "core/train/trainer.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "optimizer": "adam", "seed": 4, "epochs": 2)";
constexpr const char* kSynchronized = R"(, "synchronized_batch_norm": true)";

// Four batches of 24 rows and one of 4.
std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& more,
                             DType dtype = DType::kF32) {
  return make_job(engine, "normalised", str_cat(kKeys, more), dtype, {.batch_size = 24, .shuffle_seed = 4}, 100);
}

std::vector<double> losses_of(Trainer& trainer) {
  std::vector<double> out;
  REQUIRE_OK(trainer.fit(nullptr, 0, [&](const Progress& p) {
    out.push_back(p.loss);
    return true;
  }));
  return out;
}

// Returns the largest relative difference between numbers of the same variables.
double distance(const Trainer& a, const Trainer& b) {
  double most = 0;
  const auto left = a.variables()->current(), right = b.variables()->current();
  for (size_t i = 0; i < left->values.size(); ++i) {
    if (left->values[i].dtype() != DType::kF64) continue;
    const auto x = left->values[i].span<double>(), y = right->values[i].span<double>();
    for (size_t j = 0; j < x.size(); ++j) most = std::max(most, std::abs(x[j] - y[j]) / std::max(1.0, std::abs(x[j])));
  }
  return most;
}

}  // namespace

TEST_CASE("synchronized statistics make shards one batch: losses, weights and moving statistics of an uncut batch") {
  const auto whole = job(engine_of(1), R"(, "shards": 1)", DType::kF64);
  const std::vector<double> expected = losses_of(*whole);
  REQUIRE(expected.size() == 10);
  for (const int shards : {2, 3, 8}) {
    CAPTURE(shards);
    const auto cut = job(engine_of(2, "cpu=2"), str_cat(", \"shards\": ", shards, kSynchronized), DType::kF64);
    const std::vector<double> losses = losses_of(*cut);
    REQUIRE(losses.size() == expected.size());
    for (size_t i = 0; i < losses.size(); ++i) CHECK(std::abs(losses[i] - expected[i]) < 1e-9);
    CHECK(distance(*whole, *cut) < 1e-7);
    // The statistics of single shards differ; otherwise the test would show nothing.
    const auto apart = job(engine_of(1), str_cat(", \"shards\": ", shards), DType::kF64);
    losses_of(*apart);
    CHECK(distance(*whole, *apart) > 1e-4);
  }
}

TEST_CASE("shards that wait for each other give the same bits on any devices and any number of threads") {
  for (const std::string more :
       {R"(, "shards": 8)", R"(, "shards": 5, "accumulation": 2)", R"(, "shards": 8, "recompute": true)"}) {
    CAPTURE(more);
    std::string digest;
    for (const char* devices :
         {"cpu:0", "cpu=2", "cpu=4x1", "cpu=5", "cpu:0,sim:0", "sim:1,sim:0,cpu:0", "cpu:0,sim_partition:0"}) {
      for (const int32_t threads : {1, 2, 4}) {
        CAPTURE(devices);
        CAPTURE(threads);
        const auto trainer = job(sim_engine(threads, devices), more + kSynchronized);
        REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
        if (digest.empty()) digest = trainer->variables()->digest();
        CHECK(trainer->variables()->digest() == digest);
      }
    }
  }
}

TEST_CASE("a device that is lost while others wait for its shard leaves it to them") {
  const std::string keys = str_cat(R"(, "shards": 8)", kSynchronized);
  const auto sound = job(engine_of(1), keys);
  REQUIRE_OK(sound->fit(nullptr, 0, nullptr));
  for (const char* devices : {"cpu:0,sim:0", "sim:0,sim:1,cpu:0", "cpu:0,sim_partition:0"}) {
    for (uint64_t moment = 1; moment < 400; moment += 37) {
      CAPTURE(devices);
      CAPTURE(moment);
      const auto engine = sim_engine(2, devices);
      const auto trainer = job(engine, keys);
      percale_sim_faults faults{};
      faults.lose_at_launch = moment;
      set_faults(0, faults);
      set_faults(PERCALE_SIM_PARTITION(0), faults);
      REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
      CHECK(trainer->variables()->digest() == sound->variables()->digest());
    }
  }
  set_faults(-1, {});
}

TEST_CASE(
    "a layer asks for it by itself; cancelling wakes those that wait; modes that take part of a batch refuse it") {
  const auto engine = engine_of(2, "cpu=2");
  auto spec = parse_spec(str_cat(R"({"model": [{"layer": "Dense", "units": 4}, {"layer": "BatchNormalization",
      "synchronized": true}, {"layer": "Dense", "units": 3}])",
                                 kKeys, "}"));
  REQUIRE_OK(spec.status());
  const auto model = build_model(*spec, engine->registry(), Shape{-1, 5}, ValueType{DType::kI64, Shape{-1}});
  REQUIRE_OK(model.status());
  const auto graph = build_train_graph(*model, spec->trainer.optimizer);
  REQUIRE_OK(graph.status());
  CHECK(graph->has_shard_barrier);
  CHECK_FALSE(graph->batch_coupled);

  const auto trainer = job(engine, str_cat(R"(, "shards": 8)", kSynchronized));
  const Status stopped = trainer->fit(nullptr, 1000, [&](const Progress& p) {
    if (p.step == 3) trainer->cancel();
    return true;
  });
  CHECK(stopped.code() == Code::kCancelled);

  for (const char* mode : {"async", "bounded:1", "backup:1"}) {
    TrainerOptions options = spec->trainer;
    options.mode = mode;
    const auto refused = Trainer::create(engine, *model, nullptr, options);
    CHECK(refused.status().code() == Code::kInvalidArgument);
    CHECK(refused.status().message().find("synchronized batch normalization") != std::string::npos);
  }
}

}  // namespace percale

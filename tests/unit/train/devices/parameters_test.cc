// The placement of parameters does not change results: weights, checkpoints and losses equal those
// of the host alone.
#include <random>

#include "core/train/parallel/parameter_spec.h"
#include "core/train/trainer.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/devices/placement.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"], "seed": 4, "epochs": 2)";
constexpr const char* kAdam = R"(, "optimizer": "adam", "shards": 4)";

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model, const std::string& more,
                             const std::vector<std::string>& own = {}) {
  return make_job(engine, model, str_cat(kKeys, more), DType::kF32, {.batch_size = 24, .shuffle_seed = 4}, 100, own);
}

std::string trained(const std::shared_ptr<Engine>& engine, const std::string& model, const std::string& more,
                    const std::vector<std::string>& own = {}) {
  const auto trainer = job(engine, model, more, own);
  REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
  CHECK(trainer->lost_devices().empty());
  return trainer->variables()->digest();
}

std::string ps(const std::string& devices, int64_t least = 64) {
  return str_cat(R"(, "parameters": {"ps": ")", devices, R"(", "min_shard_bytes": )", least, "}");
}

constexpr const char *kPs = R"(, "parameters": "ps")", *kMirrored = R"(, "parameters": "mirrored")";

}  // namespace

TEST_CASE("parameters on the host, on several devices or mirrored train to the same bits") {
  for (const std::string more :
       {R"(, "optimizer": "adam", "shards": 4)",
        R"(, "optimizer": {"name": "sgd", "momentum": 0.9}, "shards": 3, "clip": 0.05)",
        R"(, "optimizer": "lamb", "shards": 2, "clip": {"value": 0.01, "norm": 0.02})",
        R"(, "optimizer": "adagrad", "shards": 4, "accumulation": 2, "clip": {"global_norm": 0.1, "norm": 0.05})",
        R"(, "optimizer": "rmsprop", "shards": 4, "ema": 0.9, "freeze": "*bias",
           "groups": [{"pattern": "*kernel", "learning_rate_factor": 0.5, "weight_decay": 0.01}])"}) {
    for (const std::string model : {"mlp", "cnn", "normalised"}) {
      CAPTURE(more);
      CAPTURE(model);
      const std::string digest = trained(engine_of(1), model, more);
      for (const std::string devices : {"cpu:0,cpu:1", "cpu:0,sim:0", "cpu:0,sim_partition:0"}) {
        CAPTURE(devices);
        for (const std::string& where : {std::string(kPs), std::string(kMirrored), ps(devices)}) {
          CAPTURE(where);
          CHECK(trained(sim_engine(2, devices), model, more + where) == digest);
        }
      }
      // Devices that store parameters and compute no shards, and the reverse.
      CHECK(trained(sim_engine(2, "cpu:0,sim:0,sim:1"), model, more + ps("sim:0,sim:1"), {"cpu:0"}) == digest);
      CHECK(trained(sim_engine(2, "cpu:0,sim:0,sim:1"), model, more + ps("cpu:0,sim:0"), {"sim:1"}) == digest);
    }
  }
}

TEST_CASE("large parameters are cut by rows, parts go to the device with the fewest bytes") {
  Variable large, small;
  large.dtype = small.dtype = DType::kF32;
  large.shape = Shape{10, 8};
  small.shape = Shape{6};
  const Optimizer adam = *parse_optimizer(std::string_view("adam"));
  const auto parts = lay_out_parameters({small, large, small}, adam, 3, 64);
  REQUIRE(parts.size() == 5);
  CHECK(parts[0].whole());
  CHECK(parts[4].whole());
  // Rows of 32 bytes; parts begin at multiples of 64.
  const std::vector<std::pair<int64_t, int64_t>> rows = {{0, 2}, {2, 6}, {6, 10}};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(parts[1 + i].parameter == 1);
    CHECK(std::pair(parts[1 + i].begin, parts[1 + i].end) == rows[i]);
    CHECK(parts[1 + i].bytes == 3 * 32 * (rows[i].second - rows[i].first));
  }
  CHECK(parts[2].device == 0);
  CHECK(parts[3].device == 1);
  CHECK(parts[1].device == 2);
  CHECK(parts[0].device == 2);
  CHECK(parts[4].device == 2);
  CHECK(lay_out_parameters({large}, adam, 3, 161).size() == 1);
  CHECK(lay_out_parameters({large}, *parse_optimizer(std::string_view("lamb")), 3, 64).size() == 1);
}

TEST_CASE("each device holds its part of the values and of what the optimizer keeps") {
  // Adam stores two numbers per weight. Kernels have 160 and 96 bytes, biases 32 and 12.
  const int64_t all = 3 * (160 + 32 + 96 + 12);
  const auto virtual_ones = job(sim_engine(2, "cpu:0,cpu:1"), "mlp", str_cat(kAdam, kPs));
  REQUIRE_OK(virtual_ones->fit(nullptr, 0, nullptr));
  CHECK(number_of(*virtual_ones, "cpu:0", "bytes") == 3 * 160);
  CHECK(number_of(*virtual_ones, "cpu:1", "bytes") == 3 * (96 + 32 + 12));
  CHECK(number_of(*virtual_ones, "cpu:0", "parts") == 1);

  const auto own_memory =
      job(sim_engine(2, "cpu:0,sim:0,sim:1"), "mlp", str_cat(kAdam, ps("sim:0,sim:1", 1000)), {"cpu:0"});
  REQUIRE_OK(own_memory->fit(nullptr, 0, nullptr));
  CHECK(number_of(*own_memory, "sim:0", "resident_bytes") == 3 * 160);
  CHECK(number_of(*own_memory, "sim:1", "resident_bytes") == 3 * (96 + 32 + 12));
  CHECK(number_of(*own_memory, "sim:0", "spare_bytes") == 3 * 160);
  CHECK(number_of(*own_memory, "cpu:0", "bytes") == -1);

  const auto mirrored = job(sim_engine(2, "cpu:0,sim:0"), "mlp", str_cat(kAdam, kMirrored));
  REQUIRE_OK(mirrored->fit(nullptr, 0, nullptr));
  CHECK(number_of(*mirrored, "sim:0", "bytes") == all);
  CHECK(number_of(*mirrored, "sim:0", "resident_bytes") == all);
}

TEST_CASE("a device that holds parameters gets gradients alone, once it has them") {
  const int64_t values = 160 + 32 + 96 + 12, steps = 10, batches = 2 * 100 * (5 * 4 + 8);
  const auto bytes_to = [steps](const std::string& more, const std::string& own) {
    const auto engine = sim_engine(2, "cpu:0,sim:0");
    const auto trainer = job(engine, "mlp", str_cat(kAdam, more), {own});
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    CHECK(trainer->steps() == steps);
    percale_sim_counts counts{};
    percale_sim_get_counts(sim_plugin(), 0, &counts);
    return static_cast<int64_t>(counts.bytes_from_host);
  };
  // Values and slots are sent once, gradients in each step. Weight, rate and step have 4, 8 and 8
  // bytes.
  const int64_t parts = bytes_to(ps("sim:0"), "cpu:0");
  CHECK(parts >= 3 * values + steps * (values + 16));
  CHECK(parts <= 3 * values + steps * (values + 24) + 200);
  const int64_t mirrored = bytes_to(kMirrored, "sim:0");
  CHECK(mirrored >= batches + 3 * values + steps * (values + 20));
  CHECK(mirrored <= batches + 3 * values + steps * (values + 24) + 4 * steps * 8 + 800);
}

TEST_CASE("whatever becomes of a device that holds parameters, the weights are those without the loss") {
  const std::string digest = trained(engine_of(1), "mlp", kAdam);
  int64_t lost = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const bool mirrored = seed % 4 == 0, apart = seed % 4 == 1;
    const auto engine = sim_engine(1 + static_cast<int32_t>(random() % 3), "cpu:0,sim:0,sim:1");
    const std::string where = mirrored ? kMirrored : ps(seed % 4 == 2 ? "cpu:0,sim:0,sim:1" : "sim:0,sim:1");
    const auto trainer =
        job(engine, "mlp", kAdam + where, apart ? std::vector<std::string>{"cpu:0"} : std::vector<std::string>{});
    for (int32_t device = 0; device < 2; ++device) {
      percale_sim_faults faults{};
      const uint32_t kind = random() % 4;
      if (kind == 0) faults.lose_at_launch = 1 + random() % 100;
      if (kind == 1) faults.lose_at_copy = 1 + random() % 150;
      if (kind == 2) faults.lose_at_allocation = 1 + random() % 60;
      set_faults(device, faults);
    }
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    CHECK(trainer->steps() == 10);
    CHECK(trainer->variables()->digest() == digest);
    lost += static_cast<int64_t>(trainer->lost_devices().size());
  }
  CHECK(lost > 75);
}

TEST_CASE("checkpoints are the host's, wherever parameters lie") {
  const std::string digest = trained(engine_of(1), "mlp", kAdam);
  for (const std::string& where : {std::string(kMirrored), ps("cpu:0,sim:0")}) {
    CAPTURE(where);
    const TempFolder folder;
    const auto first = job(sim_engine(2, "cpu:0,sim:0"), "mlp", kAdam + where);
    REQUIRE_OK(first->fit(nullptr, 1, nullptr));
    REQUIRE_OK(first->save(folder.path()));
    const auto on_host = job(engine_of(1), "mlp", kAdam);
    REQUIRE_OK(on_host->restore(folder.path()));
    REQUIRE_OK(on_host->fit(nullptr, 2, nullptr));
    CHECK(on_host->variables()->digest() == digest);
    // The device still holds the end of the run when the trainer returns to the first epoch.
    REQUIRE_OK(first->fit(nullptr, 2, nullptr));
    CHECK(first->variables()->digest() == digest);
    REQUIRE_OK(first->restore(folder.path()));
    CHECK(first->variables()->digest() != digest);
    REQUIRE_OK(first->fit(nullptr, 2, nullptr));
    CHECK(first->variables()->digest() == digest);
  }
}

TEST_CASE("modes that stream commit to parameters wherever they lie") {
  const std::string bounded = R"(, "mode": "bounded:0")", async = R"(, "mode": "async")";
  const std::string of_sync = trained(engine_of(1), "mlp", kAdam);
  const std::string of_async = trained(engine_of(1), "mlp", kAdam + async);
  for (const std::string& where : {std::string(kMirrored), ps("cpu:0,sim:0")}) {
    CAPTURE(where);
    CHECK(trained(sim_engine(2, "cpu:0,sim:0"), "mlp", kAdam + bounded + where) == of_sync);
    CHECK(trained(sim_engine(1, "cpu:0,sim:0"), "mlp", kAdam + async + where, {"cpu:0"}) == of_async);
    const auto many = job(sim_engine(2, "cpu:0,sim:0,sim:1"), "mlp", str_cat(kAdam, R"(, "mode": "bounded:2")", where));
    REQUIRE_OK(many->fit(nullptr, 0, nullptr));
    CHECK(many->steps() == 10);
  }
  // The preset is TensorFlow's: variables on devices, and each shard is a step.
  const auto preset = job(sim_engine(1, "cpu:0,cpu:1"), "mlp", str_cat(kAdam, R"(, "strategy": "parameter_server")"));
  CHECK(preset->options().mode == "async");
  CHECK(preset->options().parameters.where == ParameterSpec::Where::kPs);
  REQUIRE_OK(preset->fit(nullptr, 0, nullptr));
  CHECK(number_of(*preset, "cpu:1", "bytes") > 0);
}

TEST_CASE("what cannot be held says why") {
  const auto parse = [](const std::string& value) {
    return parse_spec(
               str_cat(R"({"model": [{"layer": "Dense", "units": 3}], "loss": "mean_squared_error", "optimizer": "sgd",
                                  "parameters": )",
                       value, "}"))
        .status();
  };
  CHECK(parse(R"("mirrored")").ok());
  CHECK(parse(R"({"ps": "cpu:0"})").ok());
  CHECK(parse(R"("mirored")").message().find("not one of host, ps, mirrored") != std::string_view::npos);
  CHECK(parse(R"({"min_shard_bytes": 5})").message().find("'ps' is missing") != std::string_view::npos);
  CHECK(parse(R"({"ps": "cpu:0", "max": 5})").code() == Code::kInvalidArgument);
  CHECK(parse(R"({"ps": "cpu:0", "min_shard_bytes": 0})").code() == Code::kOutOfRange);
  auto spec =
      parse_spec(R"({"model": [{"layer": "Dense", "units": 3}], "loss": "mean_squared_error", "optimizer": "sgd"})");
  REQUIRE(spec.ok());
  const auto engine = engine_of(1);
  const auto model =
      build_model(*spec, engine->registry(), Shape{kUnknownDim, 4}, ValueType{DType::kF32, Shape{kUnknownDim, 3}});
  REQUIRE(model.ok());
  spec->trainer.parameters = {ParameterSpec::Where::kPs, "sim:5"};
  const Status lacks = Trainer::create(engine, *model, nullptr, spec->trainer).status();
  CHECK(lacks.code() == Code::kFailedPrecondition);
  CHECK(lacks.message().find("sim:5") != std::string_view::npos);
}

}  // namespace percale

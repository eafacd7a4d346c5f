// Parameters stored on the computing devices ("parameters": "device"). The simulated devices use
// the CPU's kernels.
#include "tests/support/sim_engine.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kDevice = R"(, "parameters": "device")";

// Trains on `devices` simulated devices, or on the host with as many shards.
std::unique_ptr<Trainer> job(const std::string& model, const std::string& more, bool resident, int devices = 1,
                             int64_t batch_size = 20) {
  const std::string keys = str_cat(R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "epochs": 2)",
                                   more, resident ? kDevice : str_cat(R"(, "shards": )", devices));
  std::vector<std::string> names;
  for (int i = 0; resident && i < devices; ++i) names.push_back(str_cat("sim:", i));
  const auto engine = resident ? sim_engine(2, "cpu:0,sim:0,sim:1,sim:2") : engine_of(1);
  return make_job(engine, model, keys, DType::kF32, {.batch_size = batch_size, .shuffle_seed = 3}, 100, names);
}

constexpr const char* kAdam = R"(, "optimizer": "adam")";

}  // namespace

TEST_CASE("parameters on devices train to the bits of those on the host") {
  for (const std::string more :
       {R"(, "optimizer": "adam")", R"(, "optimizer": {"name": "sgd", "momentum": 0.9}, "clip": 0.05)",
        R"(, "optimizer": "lamb", "clip": {"value": 0.01, "norm": 0.02})",
        R"(, "optimizer": "rmsprop", "ema": 0.9, "freeze": "*bias", "schedule": {"name": "cosine"},
           "groups": [{"pattern": "*kernel", "learning_rate_factor": 0.5, "weight_decay": 0.01}])",
        R"(, "optimizer": "adam", "recompute": true)"}) {
    for (const std::string model : {"mlp", "cnn", "normalised", "dropout"}) {
      for (const int devices : {1, 3}) {
        CAPTURE(more);
        CAPTURE(model);
        CAPTURE(devices);
        const auto host = job(model, more, false, devices), device = job(model, more, true, devices);
        for (const auto* t : {&host, &device}) REQUIRE_OK((*t)->fit(nullptr, 0, nullptr));
        CHECK(device->variables()->digest() == host->variables()->digest());
        REQUIRE(device->history().rows.size() == host->history().rows.size());
        for (size_t i = 0; i < host->history().rows.size(); ++i) {
          CHECK(device->history().rows[i].loss == host->history().rows[i].loss);
        }
        const auto a = device->evaluate(nullptr), b = host->evaluate(nullptr);
        REQUIRE_OK(a.status());
        CHECK(*a == *b);
      }
    }
  }
}

TEST_CASE("where devices cannot do a step together, the host takes the parameters and goes on to the same bits") {
  // The last batch of each epoch has one row.
  const auto host = job("normalised", kAdam, false, 2, 33), few = job("normalised", kAdam, true, 2, 33);
  for (const auto* t : {&host, &few}) REQUIRE_OK((*t)->fit(nullptr, 0, nullptr));
  CHECK(few->variables()->digest() == host->variables()->digest());

  const auto whole = job("mlp", kAdam, false, 2), loses = job("mlp", kAdam, true, 2);
  REQUIRE_OK(loses->fit(nullptr, 1, nullptr));
  percale_sim_faults faults{};
  faults.lose_at_launch = 30;
  set_faults(1, faults);
  for (const auto* t : {&whole, &loses}) REQUIRE_OK((*t)->fit(nullptr, 2, nullptr));
  CHECK(loses->lost_devices() == std::vector<std::string>{"sim:1"});
  CHECK(loses->variables()->digest() == whole->variables()->digest());
}

TEST_CASE("a step takes the batch alone to the devices, and gives its totals alone back") {
  for (const int devices : {1, 2}) {
    CAPTURE(devices);
    const auto trainer = job("mlp", R"(, "optimizer": "adam", "publish": "hand")", true, devices);
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    for (int i = 0; i < devices; ++i) {
      percale_sim_counts counts{};
      percale_sim_get_counts(sim_plugin(), i, &counts);
      const int64_t state = 3 * 4 * (5 * 8 + 8 + 8 * 3 + 3), steps = 10, batches = 2 * 100 * (5 * 4 + 8) / devices;
      CHECK(static_cast<int64_t>(counts.bytes_from_host) >= state + batches);
      CHECK(static_cast<int64_t>(counts.bytes_from_host) <= state + batches + steps * 100 + 800);
      CHECK(static_cast<int64_t>(counts.bytes_to_host) <= steps * 100);
    }
  }
}

TEST_CASE("what lies on the device comes home for checkpoints, single steps, and whoever has assigned a variable") {
  const auto whole = job("normalised", kAdam, false);
  REQUIRE_OK(whole->fit(nullptr, 2, nullptr));
  const TempFolder folder;
  const auto first = job("normalised", kAdam, true);
  REQUIRE_OK(first->fit(nullptr, 1, nullptr));
  REQUIRE_OK(first->save(folder.path()));
  const auto on_host = job("normalised", kAdam, false);
  REQUIRE_OK(on_host->restore(folder.path()));
  REQUIRE_OK(on_host->fit(nullptr, 2, nullptr));
  CHECK(on_host->variables()->digest() == whole->variables()->digest());
  // The device still holds the end of the run when the trainer returns to the first epoch.
  REQUIRE_OK(first->fit(nullptr, 2, nullptr));
  CHECK(first->variables()->digest() == whole->variables()->digest());
  REQUIRE_OK(first->restore(folder.path()));
  CHECK(first->variables()->digest() != whole->variables()->digest());
  REQUIRE_OK(first->fit(nullptr, 2, nullptr));
  CHECK(first->variables()->digest() == whole->variables()->digest());

  const auto stepped = [](bool resident) {
    const auto trainer = job("mlp", kAdam, resident);
    const auto batch = trainer->train_data()->batch({0, 0}, trainer->engine()->threads().parallel());
    REQUIRE_OK(batch.status());
    std::string digests;
    for (int i = 0; i < 4; ++i) {
      const auto loss = trainer->step({"x", "y"}, *batch);
      REQUIRE_OK(loss.status());
      digests += trainer->variables()->digest() + str_cat(*loss, ";");
      if (i == 1) {
        const Shape shape = trainer->variables()->variables()[0].shape;
        REQUIRE_OK(trainer->variables()->publish({{0, formula(DType::kF32, shape, 5, 0.3)}}).status());
      }
    }
    return digests;
  };
  CHECK(stepped(true) == stepped(false));
}

TEST_CASE("the best weights come back to the device's parameters, too") {
  const std::string more =
      R"(, "optimizer": {"name": "sgd", "learning_rate": 3}, "early_stopping": {"monitor": "loss", "patience": 1,
                               "restore_best_weights": true})";
  const auto host = job("mlp", more, false), device = job("mlp", more, true);
  for (const auto* t : {&host, &device}) REQUIRE_OK((*t)->fit(nullptr, 6, nullptr));
  CHECK(device->steps() == host->steps());
  CHECK(device->variables()->digest() == host->variables()->digest());
}

TEST_CASE("a device that is lost with the parameters is an error; a checkpoint goes on where it was") {
  const TempFolder folder;
  const auto trainer = job("mlp", kAdam, true);
  REQUIRE_OK(trainer->fit(nullptr, 1, nullptr));
  REQUIRE_OK(trainer->save(folder.path()));
  const std::string saved = trainer->variables()->digest();
  percale_sim_faults faults{};
  faults.lose_at_launch = 40;
  set_faults(0, faults);
  const Status lost = trainer->fit(nullptr, 2, nullptr);
  CHECK(lost.code() == Code::kUnavailable);
  CHECK(trainer->variables()->digest() == saved);
  const auto other = job("mlp", kAdam, false);
  REQUIRE_OK(other->restore(folder.path()));
  CHECK(other->variables()->digest() == saved);
}

TEST_CASE("parameters on devices want these to do whole steps; on a CPU they are the host's") {
  const auto refused = [](const std::string& more, const std::vector<std::string>& devices) {
    const auto spec = parse_spec(str_cat(R"({"model": [{"layer": "Dense", "units": 3}], "loss": "mean_squared_error",
                                             "optimizer": "sgd", "input_shape": [4])",
                                         kDevice, more, "}"));
    REQUIRE_OK(spec.status());
    TrainerOptions options = spec->trainer;
    options.devices = devices;
    const auto engine = sim_engine(1, "cpu:0,sim:0,sim:1");
    const auto model = build_model(*spec, engine->registry(), Shape{-1, 4}, std::nullopt);
    REQUIRE_OK(model.status());
    const auto trainer = Trainer::create(engine, *model, nullptr, options);
    CHECK((trainer.ok() || trainer.status().code() == Code::kFailedPrecondition));
    return trainer.ok() ? std::string() : std::string(trainer.status().message());
  };
  CHECK(refused("", {"sim:0"}).empty());
  CHECK(refused("", {"cpu:0"}).empty());
  CHECK(refused("", {"sim:0", "sim:1"}).empty());
  CHECK(refused("", {"cpu:0", "sim:0"}).find("cpu:0 does not add across devices") != std::string::npos);
  CHECK(refused(R"(, "shards": 2)", {"sim:0"}).find("2 shards for 1 devices") != std::string::npos);
  CHECK(refused(R"(, "accumulation": 2)", {"sim:0"}).find("'accumulation' is 2") != std::string::npos);
  CHECK(refused(R"(, "mode": "async")", {"sim:0"}).find("'mode' is async") != std::string::npos);
}

}  // namespace percale

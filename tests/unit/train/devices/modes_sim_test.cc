// Slow and lost devices in each mode.
#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <thread>

#include "core/train/trainer.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
       "optimizer": "adam", "seed": 4, "epochs": 2)";

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model, const std::string& mode,
                             int64_t shards = 6, const std::vector<std::string>& own = {}) {
  // 0: the default, which is one shard for so small a model
  const std::string cut = shards == 0 ? "" : str_cat(R"(, "shards": )", shards);
  return make_job(engine, model, str_cat(kKeys, cut, R"(, "mode": ")", mode, "\""), DType::kF32,
                  {.batch_size = 24, .shuffle_seed = 4}, 96, own);
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

TEST_CASE("bounded:0 on sim devices is sync on the CPU, bit for bit") {
  for (const std::string model : {"mlp", "cnn", "dropout", "normalised"}) {
    CAPTURE(model);
    const auto sync = job(engine_of(1), model, "sync");
    REQUIRE_OK(sync->fit(nullptr, 0, nullptr));
    for (const char* devices : {"cpu:0,sim:0", "sim:0,sim:1,cpu:0,cpu:1"}) {
      for (const int32_t threads : {1, 3}) {
        const auto bounded = job(sim_engine(threads, devices), model, "bounded:0");
        REQUIRE_OK(bounded->fit(nullptr, 0, nullptr));
        CHECK(bounded->variables()->digest() == sync->variables()->digest());
      }
    }
  }
}

TEST_CASE("a slow device holds backup, bounded and async up less than sync, and the run tells why") {
  for (const std::string mode : {"backup:3", "bounded:2", "async"}) {
    CAPTURE(mode);
    const auto number = [](const Json& object, const char* key) { return *object.find(key)->as_double(key); };
    const auto trained = [&] {
      const auto engine = sim_engine(1, "cpu:0,sim:0");
      percale_sim_faults faults{};
      faults.launch_ns = 2'000'000;  // a shard on it takes longer than a batch on the CPU
      set_faults(0, faults);
      const auto trainer = job(engine, "cnn", mode, 4);
      REQUIRE_OK(trainer->fit(nullptr, 10, nullptr));
      set_faults(0, {});
      auto run = Json::parse(trainer->describe());
      REQUIRE_OK(run.status());
      return *std::move(run);
    };
    Json run = trained();
    // A busy machine may not have run the slow device's thread at all: then there is nothing to
    // compare.
    for (int again = 0; again < 20 && number(run.find("run")->find("devices")->item(1), "shards") == 0; ++again)
      run = trained();
    const Json& facts = *run.find("run");
    const Json& devices = *facts.find("devices");
    REQUIRE(devices.size() == 2);
    const Json &fast = devices.item(0), &slow = devices.item(1);
    CHECK(*fast.find("name")->as_string("name") == "cpu:0");
    CHECK(number(fast, "shards") > number(slow, "shards"));
    CHECK(number(slow, "busy_seconds") * number(fast, "shards") >
          number(fast, "busy_seconds") * number(slow, "shards"));
    CHECK(number(fast, "rows_per_second") > number(slow, "rows_per_second"));
    const Json& shards = *facts.find("shards");
    CHECK(number(shards, "handed_out") == number(shards, "accepted") + number(shards, "dropped"));
    CHECK(number(shards, "accepted") == (mode == "backup:3" ? 120 : 160));
    if (mode == "backup:3") CHECK(number(slow, "stopped") > 0);
    // The other devices continued while the slow one computed its shard.
    if (mode != "backup:3") CHECK(facts.find("staleness")->size() > 1);
  }
}

TEST_CASE("whatever devices are lost at whatever moment, each gradient is applied once and nobody hangs") {
  int64_t lost = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const std::string mode = seed % 4 == 0   ? "bounded:0"
                             : seed % 4 == 1 ? "bounded:2"
                             : seed % 4 == 2 ? "async"
                                             : "backup:4";
    std::mt19937 random(seed);
    const auto engine =
        sim_engine(1 + static_cast<int32_t>(random() % 3), seed % 3 == 0 ? "sim:0,cpu:0,sim:1" : "cpu:0,sim:0,sim:1");
    // With one shard, two devices are idle at first.
    const int64_t shards = seed % 5 == 0 ? 0 : 6;
    const auto trainer = job(engine, "mlp", shards == 0 && mode == "backup:4" ? "backup:1" : mode, shards);
    for (int32_t device = 0; device < 2; ++device) {
      percale_sim_faults faults{};
      const uint32_t kind = random() % 4;
      if (kind == 0) faults.lose_at_launch = 1 + random() % 150;
      if (kind == 1) faults.lose_at_copy = 1 + random() % 150;
      if (kind == 2) faults.lose_at_allocation = 1 + random() % 40;
      if (random() % 4 == 0) faults.launch_ns = random() % 20'000;
      set_faults(device, faults);
    }
    int64_t last = 0;
    const auto begin = Clock::now();
    REQUIRE_OK(trainer->fit(nullptr, 0, [&](const Progress& p) {
      CHECK(p.step == ++last);
      return true;
    }));
    CHECK(seconds_since(begin) < 10);
    const int64_t steps = 2 * 4 * (mode == "async" ? trainer->shards() : 1);
    CHECK(trainer->steps() == steps);
    CHECK(last == steps);
    lost += static_cast<int64_t>(trainer->lost_devices().size());
  }
  CHECK(lost > 60);
}

TEST_CASE("with no device left a mode that streams ends with a clear error and the state of the last commit") {
  for (const std::string mode : {"async", "bounded:1"}) {
    for (const uint64_t at : {1, 40, 120}) {
      CAPTURE(mode);
      CAPTURE(at);
      const auto engine = sim_engine(2, "cpu:0,sim:0,sim:1");
      const auto trainer = job(engine, "mlp", mode, 6, {"sim:0", "sim:1"});
      percale_sim_faults faults{};
      faults.lose_at_launch = at;
      set_faults(-1, faults);
      int64_t told = 0;
      const Status status = trainer->fit(nullptr, 50, [&](const Progress& p) {
        told = p.step;
        return true;
      });
      CHECK(status.code() == Code::kUnavailable);
      CHECK(status.message().find("no device is left to compute the batch") != std::string::npos);
      CHECK(trainer->steps() == told);
      CHECK(trainer->history().rows.size() == static_cast<size_t>(told));
      CHECK(trainer->lost_devices().size() == 2);
      // Training continues from there on a machine without faults.
      const TempFolder folder;
      REQUIRE_OK(trainer->save(folder.path()));
      const auto sound = job(sim_engine(1, "cpu:0"), "mlp", mode);
      REQUIRE_OK(sound->restore(folder.path()));
      REQUIRE_OK(sound->fit(nullptr, 50, nullptr));
      CHECK(sound->steps() == 50 * 4 * (mode == "async" ? 6 : 1));
    }
  }
}

TEST_CASE("cancelling ends a mode that streams at once, whatever its devices are at") {
  for (const std::string mode : {"async", "bounded:2", "backup:2"}) {
    CAPTURE(mode);
    const auto engine = sim_engine(2, "cpu:0,sim:0");
    const auto trainer = job(engine, "mlp", mode, 6, {"sim:0"});
    percale_sim_faults faults{};
    faults.launch_ns = 200'000'000;
    set_faults(0, faults);
    const auto begin = Clock::now();
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      trainer->cancel();
    });
    CHECK(trainer->fit(nullptr, 0, nullptr).code() == Code::kCancelled);
    CHECK(seconds_since(begin) < 1.3);
    canceller.join();
    set_faults(0, {});
  }
}

TEST_CASE("a trace of a training shows what was averaged and committed beside what was computed") {
  for (const std::string mode : {"sync", "bounded:1", "async"}) {
    CAPTURE(mode);
    const auto trainer = job(engine_of(2, "cpu=2"), "mlp", mode);
    Trace trace;
    trainer->set_trace(&trace);
    REQUIRE_OK(trainer->fit(nullptr, 1, nullptr));
    trainer->set_trace(nullptr);
    const std::string json = trace.to_json();
    CHECK(json.find(R"("name":"commit")") != std::string::npos);
    CHECK((json.find(R"("name":"average")") != std::string::npos) == (mode != "async"));
  }
}

}  // namespace percale

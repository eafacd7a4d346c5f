// Devices with streams compute shards and are lost, and the weights do not change because of it.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "core/train/trainer.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
       "optimizer": "adam", "seed": 4, "epochs": 2)";

// A trainer whose shards are computed by the devices in `own`, or by all of the engine's.
std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model, const std::string& more,
                             const std::vector<std::string>& own = {}) {
  return make_job(engine, model, str_cat(kKeys, more), DType::kF32, {.batch_size = 24, .shuffle_seed = 4}, 100, own);
}

std::string digest_of(const std::string& model, const std::string& more) {
  const auto trainer = job(engine_of(1), model, more);
  REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
  return trainer->variables()->digest();
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

TEST_CASE("sim devices, with the CPU or without it, give the CPU's weights on any number of threads") {
  for (const std::string model : {"mlp", "cnn", "dropout", "normalised"}) {
    for (const std::string more : {R"(, "shards": 8)", R"(, "shards": 5, "accumulation": 2)"}) {
      CAPTURE(model);
      CAPTURE(more);
      const std::string digest = digest_of(model, more);
      for (int32_t threads : {1, 3}) {
        CAPTURE(threads);
        const auto beside = job(sim_engine(threads, "cpu:0,sim:0"), model, more);
        REQUIRE_OK(beside->fit(nullptr, 0, nullptr));
        CHECK(beside->variables()->digest() == digest);
        const auto first = job(sim_engine(threads, "sim:1,sim:0,cpu:0,cpu:1"), model, more);
        REQUIRE_OK(first->fit(nullptr, 0, nullptr));
        CHECK(first->variables()->digest() == digest);
        const auto whole = job(sim_engine(threads, "cpu:0,sim_partition:0,sim:0"), model, more);
        REQUIRE_OK(whole->fit(nullptr, 0, nullptr));
        CHECK(whole->variables()->digest() == digest);
        const auto home = job(sim_engine(threads, "sim_partition:0,sim_partition:1"), model, more);
        REQUIRE_OK(home->fit(nullptr, 0, nullptr));
        CHECK(home->variables()->digest() == digest);
        const auto alone = job(sim_engine(threads, "cpu:0,sim:0,sim:1"), model, more, {"sim:0", "sim:1"});
        REQUIRE_OK(alone->fit(nullptr, 0, nullptr));
        CHECK(alone->variables()->digest() == digest);
        CHECK(alone->replicas() == 2);
      }
    }
  }
}

TEST_CASE("a sim device works while the only thread of the engine does") {
  const auto engine = sim_engine(1, "cpu:0,sim:0");
  const auto trainer = job(engine, "mlp", R"(, "shards": 8)");
  percale_sim_counts counts{};
  // A free thread takes the next shard. On a busy machine the device's thread may be late.
  for (int64_t epochs = 1; epochs <= 500 && counts.launches == 0; ++epochs) {
    REQUIRE_OK(trainer->fit(nullptr, epochs, nullptr));
    percale_sim_get_counts(sim_plugin(), 0, &counts);
  }
  CHECK(counts.launches > 0);
  CHECK(counts.copies_from_host > 0);
}

TEST_CASE("variables go to a device once per step, whatever the number of shards") {
  // Each shard sends x, y, its fraction of the batch and the counters of random ops. The 75 numbers
  // of the model are sent once per step.
  const auto bytes_of = [](int32_t unit, const std::string& devices, const std::string& own, int shards) {
    const auto engine = sim_engine(2, devices);
    const auto trainer = job(engine, "mlp", str_cat(R"(, "shards": )", shards, R"(, "freeze": "dense/bias")"), {own});
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    CHECK(trainer->steps() == 10);
    CHECK(trainer->lost_devices().empty());
    percale_sim_counts counts{};
    percale_sim_get_counts(sim_plugin(), unit, &counts);
    return static_cast<int64_t>(counts.bytes_from_host);
  };
  const int64_t batches = 2 * 100 * (5 * 4 + 8), parameters = (5 * 8 + 8 + 8 * 3 + 3) * 4, frozen = 8 * 4;
  for (const auto& [unit, name] : {std::pair{0, "sim:0"}, {PERCALE_SIM_PARTITION(0), "sim_partition:0"}}) {
    CAPTURE(name);
    const std::string devices = str_cat("cpu:0,", name);
    const int64_t one = bytes_of(unit, devices, name, 1);
    const int64_t eight = bytes_of(unit, devices, name, 8);
    CHECK(one >= batches + 10 * (parameters - frozen) + frozen);
    // The rest are constants, and scalars sent with each of the 80 shards.
    CHECK(one <= batches + 10 * (parameters - frozen) + frozen + 400);
    CHECK(eight >= batches + 10 * (parameters - frozen) + frozen);
    CHECK(eight <= batches + 10 * (parameters - frozen) + frozen + 80 * 8 + 2 * 400);
  }
}

TEST_CASE("a device that takes partitions whole may be lost too") {
  const std::string more = R"(, "shards": 8)", digest = digest_of("cnn", more);
  int64_t lost = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const auto engine = sim_engine(1 + static_cast<int32_t>(seed % 3), "sim_partition:0,cpu:0,sim_partition:1");
    const auto trainer = job(engine, "cnn", more);
    percale_sim_faults faults{};
    const uint32_t kind = seed % 4;
    if (kind < 2) faults.lose_at_launch = 1 + seed;
    if (kind == 2) faults.lose_at_copy = 1 + seed * 5;
    if (kind == 3) faults.lose_at_allocation = 1 + seed;
    set_faults(PERCALE_SIM_PARTITION(kind % 2), faults);
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    CHECK(trainer->variables()->digest() == digest);
    lost += static_cast<int64_t>(trainer->lost_devices().size());
  }
  CHECK(lost > 15);
}

TEST_CASE("a device that was idle for want of shards takes the place of one that is lost") {
  const std::string digest = digest_of("mlp", "");
  const auto engine = sim_engine(2, "sim:0,sim:1,cpu:0");
  const auto trainer = job(engine, "mlp", "");  // so small a model has one shard
  percale_sim_faults faults{};
  faults.lose_at_launch = 40;
  set_faults(0, faults);
  REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
  CHECK(trainer->lost_devices() == std::vector<std::string>{"sim:0"});
  CHECK(trainer->replicas() == 1);
  CHECK(trainer->variables()->digest() == digest);
  CHECK(trainer->describe().find(R"("lost_devices":["sim:0"])") != std::string::npos);
}

TEST_CASE("with no device left training ends with a clear error and the state of the last completed step") {
  const std::string more = R"(, "shards": 4)";
  for (uint64_t at : {1, 30, 77, 120}) {
    CAPTURE(at);
    const auto engine = sim_engine(2, "cpu:0,sim:0,sim:1");
    std::vector<std::string> log;
    engine->log().user = &log;
    engine->log().write = [](void* user, LogLevel, std::string_view text) {
      static_cast<std::vector<std::string>*>(user)->emplace_back(text);
    };
    const auto trainer = job(engine, "mlp", more, {"sim:0", "sim:1"});
    percale_sim_faults faults{};
    faults.lose_at_launch = at;
    set_faults(-1, faults);
    const auto begin = Clock::now();
    const Status status = trainer->fit(nullptr, 50, nullptr);
    CHECK(seconds_since(begin) < 5);
    CHECK(status.code() == Code::kUnavailable);
    CHECK(status.message().find("no device is left to compute the batch") != std::string::npos);
    CHECK(status.message().find("the device is lost") != std::string::npos);
    CHECK(log.size() == 2);
    CHECK(log[0].find("is lost and takes no further part") != std::string::npos);
    if (trainer->steps() > 0) REQUIRE_OK(trainer->publish());

    const auto sound = job(engine_of(1), "mlp", more);
    const int64_t steps = trainer->steps();
    if (steps > 0) {
      const Status stopped = sound->fit(nullptr, 50, [&](const Progress& p) { return p.step < steps; });
      CHECK((stopped.ok() || stopped.code() == Code::kCancelled));
    }
    CHECK(sound->steps() == steps);
    if (steps > 0) REQUIRE_OK(sound->publish());
    CHECK(trainer->variables()->digest() == sound->variables()->digest());
    CHECK(trainer->fit(nullptr, 50, nullptr).code() == Code::kUnavailable);
  }
}

TEST_CASE("cancelling ends a step on slow devices at once") {
  const auto engine = sim_engine(2, "cpu:0,sim:0");
  const auto trainer = job(engine, "mlp", R"(, "shards": 8)");
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

}  // namespace percale

// A thousand faults: whichever device is lost at whatever moment of a step, training continues to
// the end and leaks nothing.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <random>

#include "core/train/trainer.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kFaults = 1000, kMostTrials = 4 * kFaults;
constexpr const char* kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "optimizer": "adam", "seed": 4, "epochs": 1,
       "shards": 8)";

// The second and the third device may be lost.
struct Form {
  const char* devices;
  int32_t units[2];  // numbers in sim.h
};
constexpr Form kForms[] = {
    {"cpu:0,sim:0,sim:1", {0, 1}},
    {"sim:1,cpu:0,sim:0", {0, 1}},
    {"cpu:0,sim_partition:0,sim_partition:1", {PERCALE_SIM_PARTITION(0), PERCALE_SIM_PARTITION(1)}},
    {"sim_partition:0,sim:0,cpu:0", {PERCALE_SIM_PARTITION(0), 0}},
};

std::unique_ptr<Trainer> job(const std::shared_ptr<Engine>& engine, const std::string& model) {
  return make_job(engine, model, kKeys, DType::kF32, {.batch_size = 24, .shuffle_seed = 4}, 100);
}

// Counts the calls that a run without faults makes to each unit.
std::map<int32_t, percale_sim_counts> counts_of(const Form& form, const std::string& model) {
  const auto trainer = job(sim_engine(1, form.devices), model);
  REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
  std::map<int32_t, percale_sim_counts> out;
  for (const int32_t unit : form.units) percale_sim_get_counts(sim_plugin(), unit, &out[unit]);
  return out;
}

// Counts the entries of a folder of /proc. Wine shows one too, but with descriptors of its own.
int64_t entries_of([[maybe_unused]] const char* folder) {
#ifdef __linux__
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
#else
  return 0;
#endif
}

int64_t device_bytes(const Engine& engine) {
  int64_t total = 0;
  for (const auto& device : engine.devices()) {
    uint64_t used = 0, peak = 0;
    if (!device->shares_host_memory()) device->api().memory_stats(device->handle(), &used, &peak);
    total += static_cast<int64_t>(used);
  }
  return total;
}

}  // namespace

TEST_CASE(
    "a thousand faults at random moments of a step: the weights are those without them, nothing hangs or stays "
    "behind") {
  std::map<std::string, std::string> digests;
  std::map<std::pair<const Form*, std::string>, std::map<int32_t, percale_sim_counts>> counts;
  for (const std::string model : {"mlp", "dropout"}) {
    const auto sound = job(engine_of(1), model);
    REQUIRE_OK(sound->fit(nullptr, 0, nullptr));
    digests[model] = sound->variables()->digest();
    for (const Form& form : kForms) counts[{&form, model}] = counts_of(form, model);
  }
  const int64_t threads_before = entries_of("/proc/self/task"), files_before = entries_of("/proc/self/fd");
  std::mt19937 random(2026);
  int64_t lost = 0, trials = 0;
  // With several devices a device may finish before its fault is due; such a trial does not count.
  for (; lost < kFaults && trials < kMostTrials; ++trials) {
    CAPTURE(trials);
    const Form& form = kForms[random() % std::size(kForms)];
    const std::string model = random() % 4 == 0 ? "dropout" : "mlp";
    const auto engine = sim_engine(1 + static_cast<int32_t>(random() % 3), form.devices);
    auto trainer = job(engine, model);
    const bool both = random() % 4 == 0;
    for (int i = 0; i < 2; ++i) {
      if (!both && i == trials % 2) continue;
      const percale_sim_counts& asked = counts[{&form, model}][form.units[i]];
      const auto any = [&](uint64_t most) { return 1 + random() % std::max<uint64_t>(1, most); };
      percale_sim_faults faults{};
      const uint32_t kind = random() % 5;
      if (kind < 2) faults.lose_at_launch = any(asked.launches);
      if (kind == 2 || kind == 3) faults.lose_at_copy = any(asked.copies_from_host + asked.copies_to_host);
      if (kind == 4) faults.lose_at_allocation = any(asked.allocations);
      if (random() % 4 == 0) faults.launch_ns = random() % 20'000;
      percale_sim_set_faults(sim_plugin(), form.units[i], &faults);
    }
    const auto begin = Clock::now();
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    CHECK(std::chrono::duration<double>(Clock::now() - begin).count() < 5);
    CHECK(trainer->variables()->digest() == digests[model]);
    lost += static_cast<int64_t>(trainer->lost_devices().size());
    trainer.reset();
    CHECK(device_bytes(*engine) == 0);
    CHECK(engine->memory()->used() == 0);
  }
  const percale_sim_faults none{};
  percale_sim_set_faults(sim_plugin(), -1, &none);
  CHECK(entries_of("/proc/self/task") == threads_before);
  CHECK(entries_of("/proc/self/fd") == files_before);
  CHECK(lost >= kFaults);
  MESSAGE(lost, " devices lost in ", trials, " trainings");
}

}  // namespace percale

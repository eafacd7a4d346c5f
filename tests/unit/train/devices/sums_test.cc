// Gradients that simulated devices add while they compute others. These are large, so this file
// runs after streaming_test.cc, which limits how much memory the process may take.
#include "tests/support/sim_engine.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

// Trains on `devices` simulated devices that keep the parameters, or on the host with as many
// shards.
std::unique_ptr<Trainer> job(bool resident, int devices) {
  const std::string keys =
      str_cat(R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "epochs": 2, "optimizer": "adam")",
              resident ? R"(, "parameters": "device")" : str_cat(R"(, "shards": )", devices));
  std::vector<std::string> names;
  for (int i = 0; resident && i < devices; ++i) names.push_back(str_cat("sim:", i));
  const auto engine = resident ? sim_engine(2, "cpu:0,sim:0,sim:1,sim:2") : engine_of(1);
  return make_job(engine, "wide", keys, DType::kF32, {.batch_size = 20, .shuffle_seed = 3}, 100, names);
}

}  // namespace

TEST_CASE("devices add large gradients while they compute the others") {
  const auto host = job(false, 3), device = job(true, 3);
  percale_sim_faults slow{};
  slow.launch_ns = 1'000'000;
  set_faults(-1, slow);
  for (const auto* t : {&host, &device}) REQUIRE_OK((*t)->fit(nullptr, 0, nullptr));
  CHECK(device->variables()->digest() == host->variables()->digest());
  uint64_t beside = 0;
  for (int i = 0; i < 3; ++i) {
    percale_sim_counts counts{};
    percale_sim_get_counts(sim_plugin(), i, &counts);
    const uint64_t steps = 10, large = 2;
    CHECK(counts.sums >= steps);
    CHECK(counts.sums <= steps * (large + 1));
    beside += counts.sums_beside;
  }
  CHECK(beside > 0);
  set_faults(-1, {});
}

TEST_CASE("a device may be lost while devices compute, add gradients or commit") {
  const auto host = job(false, 2);
  REQUIRE_OK(host->fit(nullptr, 2, nullptr));
  for (const uint64_t launch : {20, 37, 54}) {
    CAPTURE(launch);
    const auto loses = job(true, 2);
    REQUIRE_OK(loses->fit(nullptr, 1, nullptr));
    percale_sim_faults faults{};
    faults.lose_at_launch = launch;
    set_faults(1, faults);
    REQUIRE_OK(loses->fit(nullptr, 2, nullptr));
    CHECK(loses->lost_devices() == std::vector<std::string>{"sim:1"});
    CHECK(loses->variables()->digest() == host->variables()->digest());
  }
}

}  // namespace percale

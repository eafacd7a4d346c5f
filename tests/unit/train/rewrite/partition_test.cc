// Devices that take whole partitions, as stages and as parts of layers: curve and bits are the
// CPU's.
#include <doctest/doctest.h>

#include "tests/support/sim_engine.h"
#include "tests/unit/train/devices/parallel_jobs.h"

namespace percale {
namespace {

std::vector<std::string> partitions(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back(str_cat("sim_partition:", i));
  return out;
}

std::string list_of(const std::vector<std::string>& devices) {
  std::string out = "cpu:0";
  for (const std::string& device : devices) out += "," + device;
  return out;
}

// Trains on partition devices alone, and checks that they did work.
Curve curve_on(int count, int32_t threads, const ParallelJob& job, const std::string& keys) {
  const auto devices = partitions(count);
  const Curve out = curve(sim_engine(threads, list_of(devices)), job, keys, devices);
  for (int i = 0; i < count; ++i) {
    percale_sim_counts counts{};
    percale_sim_get_counts(sim_plugin(), PERCALE_SIM_PARTITION(i), &counts);
    CHECK(counts.launches > 0);
  }
  return out;
}

}  // namespace

TEST_CASE("pipelines of devices that take partitions whole give one device's losses and weights, bit for bit") {
  for (const std::string model : {"mlp", "block"}) {
    CAPTURE(model);
    const ParallelJob job = parallel_job(model);
    const Curve one = curve(engine_of(2), job, R"(, "shards": 4)");
    for (const int stages : {2, 4}) {
      for (const std::string schedule : {"gpipe", "1f1b"}) {
        CAPTURE(stages);
        CAPTURE(schedule);
        const Curve piped = curve_on(stages, 1 + stages / 2, job,
                                     str_cat(R"(, "parallel": {"replicas": 1, "stages": )", stages,
                                             R"(, "micro_batches": 4, "schedule": ")", schedule, "\"}"));
        CHECK(piped.losses == one.losses);
        CHECK(piped.digest == one.digest);
      }
    }
    // Stages on devices of different kinds.
    const std::vector<std::string> mixed = {"sim_partition:0", "sim:0"};
    const Curve both = curve(sim_engine(2, list_of(mixed)), job,
                             R"(, "parallel": {"replicas": 1, "stages": 2, "micro_batches": 4})", mixed);
    CHECK(both.digest == one.digest);
  }
}

TEST_CASE("splits and hybrids on devices that take partitions whole give the CPU's bits") {
  for (const std::string model : {"mlp", "block"}) {
    CAPTURE(model);
    const ParallelJob job = parallel_job(model);
    const std::string pair = model == "mlp" ? R"("dense": "column", "dense_1": "row", "dense_2": "column")"
                                            : R"("attention/attention_output": "row", "attention*": "column",
                                                 "wide": "column", "narrow": "row")";
    for (const int n : {2, 4}) {
      CAPTURE(n);
      const std::string keys =
          str_cat(R"(, "shards": 2, "parallel": {"replicas": 1, "splits": {"n": )", n, R"(, "layers": {)", pair, "}}}");
      const Curve cpu = curve(engine_of(2, "cpu=4"), job, keys);
      const Curve split = curve_on(n, 2, job, keys);
      CHECK(split.losses == cpu.losses);
      CHECK(split.digest == cpu.digest);
    }
    const std::string splits = model == "mlp" ? "2" : str_cat(R"({"n": 2, "layers": {)", pair, "}}");
    const std::string hybrid =
        str_cat(R"(, "parallel": {"replicas": 2, "stages": 2, "micro_batches": 2, "splits": )", splits, "}");
    const Curve cpu = curve(engine_of(2, "cpu=8"), job, hybrid);
    const Curve eight = curve_on(8, 2, job, hybrid);
    CHECK(eight.losses == cpu.losses);
    CHECK(eight.digest == cpu.digest);
  }
}

TEST_CASE("a stage that is lost with its device takes its replica along, and the weights are those without the loss") {
  const ParallelJob job = parallel_job("mlp");
  const std::string keys = R"(, "shards": 8, "parallel": {"stages": 2, "replicas": 2})";
  const Curve one = curve(engine_of(2), job, R"(, "shards": 8)");
  for (const uint64_t at : {1, 17, 60}) {
    CAPTURE(at);
    const auto devices = partitions(4);
    const auto engine = sim_engine(2, list_of(devices));
    auto trainer = try_parallel_job(engine, job, keys, devices);
    REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
    percale_sim_faults faults{};
    faults.lose_at_launch = at;
    percale_sim_set_faults(sim_plugin(), PERCALE_SIM_PARTITION(1), &faults);
    REQUIRE_OK((*trainer)->fit(nullptr, 0, nullptr));
    CHECK((*trainer)->variables()->digest() == one.digest);
    CHECK((*trainer)->lost_devices() == std::vector<std::string>{"sim_partition:1"});
  }
}

}  // namespace percale

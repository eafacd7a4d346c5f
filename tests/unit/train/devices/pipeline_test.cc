// Pipelines: the layers of a replica are on several devices, and the bits are those of one device.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "core/engine/trace.h"
#include "core/graph/device_hint.h"
#include "core/text/json.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/train/devices/parallel_jobs.h"

namespace percale {
namespace {

std::string message_of(const std::string& keys, const std::string& devices = "cpu=4",
                       const std::string& model = "mlp") {
  return std::string(try_curve(engine_of(1, devices), parallel_job(model), keys).status().message());
}

Json described(const Trainer& trainer) {
  auto json = Json::parse(trainer.describe());
  REQUIRE(json.ok());
  return *json;
}

int64_t largest_planned(const Trainer& trainer) {
  const Json json = described(trainer);
  const Json& planned = *json.find("parallel")->find("planned_bytes");
  int64_t most = 0;
  for (size_t i = 0; i < planned.size(); ++i) most = std::max(most, *planned.item(i).as_int("bytes"));
  return most;
}

// Counts how often kernels of the two devices run at the same time.
int64_t overlaps(const Trace& trace, const std::string& first, const std::string& second) {
  const auto json = Json::parse(trace.to_json());
  REQUIRE(json.ok());
  struct Span {
    double begin, end;
  };
  std::vector<Span> spans[2];
  std::map<int64_t, std::string> rows;
  const Json& events = *json->find("traceEvents");
  for (size_t i = 0; i < events.size(); ++i) {
    const Json& e = events.item(i);
    const Result<std::string> kind = e.find("ph")->as_string("");
    if (*kind == "M" && *e.find("name")->as_string("") == "thread_name") {
      rows[*e.find("tid")->as_int("")] = *e.find("args")->find("name")->as_string("");
    }
    if (*kind != "X") continue;
    const std::string& row = rows[*e.find("tid")->as_int("")];
    const double begin = *e.find("ts")->as_double(""), end = begin + *e.find("dur")->as_double("");
    if (row.starts_with(first)) spans[0].push_back({begin, end});
    if (row.starts_with(second)) spans[1].push_back({begin, end});
  }
  int64_t count = 0;
  for (const Span& a : spans[0]) {
    for (const Span& b : spans[1]) count += a.begin < b.end && b.begin < a.end ? 1 : 0;
  }
  return count;
}

// Trains until more than 20 overlaps were seen, because a busy machine may delay a thread.
bool overlap(const std::shared_ptr<Engine>& engine, const std::string& first, const std::string& second,
             const std::vector<std::string>& devices) {
  auto trainer =
      try_parallel_job(engine, parallel_job("mlp"), R"(, "parallel": {"stages": 2, "micro_batches": 8})", devices);
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  int64_t count = 0;
  for (int64_t epochs = 1; epochs <= 64 && count <= 20; ++epochs) {
    Trace trace;
    (*trainer)->set_trace(&trace);
    REQUIRE_OK((*trainer)->fit(nullptr, epochs, nullptr));
    count += overlaps(trace, first, second);
  }
  (*trainer)->set_trace(nullptr);
  return count > 20;
}

}  // namespace

TEST_CASE("pipelines of 2 and 4 stages give one device's losses and weights, bit for bit") {
  for (const std::string model : {"mlp", "block"}) {
    CAPTURE(model);
    const ParallelJob job = parallel_job(model);
    const Curve one = curve(engine_of(2), job, R"(, "shards": 4)");
    for (const int stages : {2, 4}) {
      for (const std::string schedule : {"gpipe", "1f1b"}) {
        CAPTURE(stages);
        CAPTURE(schedule);
        const std::string keys = str_cat(R"(, "parallel": {"replicas": 1, "stages": )", stages,
                                         R"(, "micro_batches": 4, "schedule": ")", schedule, "\"}");
        for (const int32_t threads : {1, 2, 4}) {
          const Curve piped = curve(engine_of(threads, "cpu=4x1"), job, keys);
          CHECK(piped.losses == one.losses);
          CHECK(piped.digest == one.digest);
        }
        const Curve sim =
            curve(sim_engine(2, "cpu:0,sim:0,sim:1,sim:2,sim:3"), job, keys, {"sim:0", "sim:1", "sim:2", "sim:3"});
        CHECK(sim.losses == one.losses);
        CHECK(sim.digest == one.digest);
      }
    }
    const Curve eight = curve(engine_of(2), job, R"(, "shards": 8)");
    const Curve twice =
        curve(engine_of(2, "cpu=4"), job, R"(, "parallel": {"replicas": 2, "stages": 2, "micro_batches": 4})");
    CHECK(twice.digest == eight.digest);
  }
}

TEST_CASE("stages by the names of layers") {
  const ParallelJob job = parallel_job("block");
  const Curve one = curve(engine_of(2), job, R"(, "shards": 2)");
  const std::string keys =
      R"(, "shards": 2, "parallel": {"stages": [["embed", "attention"], ["wide", "narrow"], "head"]})";
  const auto engine = engine_of(2, "cpu=3");
  CHECK(curve(engine, job, keys).digest == one.digest);
  auto trainer = try_parallel_job(engine, job, keys);
  REQUIRE(trainer.ok());
  const Json json = described(**trainer);
  const Json& stages = *json.find("parallel")->find("stage_variables");
  REQUIRE(stages.size() == 3);
  // A node between two stages is in the earlier one.
  CHECK(*stages.item(0).item(stages.item(0).size() - 1).as_string("") == "norm/beta");
  CHECK(*stages.item(1).item(0).as_string("") == "wide/kernel");
  CHECK(*stages.item(2).item(0).as_string("") == "head/kernel");
}

TEST_CASE("no device's planned memory passes a cap that the whole model on one device would pass") {
  for (const std::string model : {"mlp", "block"}) {
    CAPTURE(model);
    const ParallelJob job = parallel_job(model);
    const auto one = try_parallel_job(engine_of(2), job, R"(, "shards": 16)");
    REQUIRE(one.ok());
    REQUIRE_OK((*one)->fit(nullptr, 1, nullptr));
    const int64_t whole = largest_planned(**one);
    for (const int stages : {2, 4}) {
      CAPTURE(stages);
      const int64_t cap = whole * (stages == 2 ? 9 : 8) / 10;
      const std::string keys = str_cat(R"(, "parallel": {"replicas": 1, "stages": )", stages,
                                       R"(, "micro_batches": 16, "device_memory": )", cap, "}");
      const auto piped = try_parallel_job(engine_of(2, "cpu=4"), job, keys);
      REQUIRE(piped.ok());
      REQUIRE_OK((*piped)->fit(nullptr, 1, nullptr));
      CHECK(largest_planned(**piped) <= cap);
      const Curve capped = curve(engine_of(2, "cpu=4"), job, keys);
      CHECK(capped.digest == curve(engine_of(2), job, R"(, "shards": 16)").digest);
      const Status status =
          try_curve(engine_of(2), job, str_cat(R"(, "parallel": {"micro_batches": 16, "device_memory": )", cap, "}"))
              .status();
      CHECK(status.code() == Code::kResourceExhausted);
      CHECK(status.message().find("cpu:0 would need") != std::string_view::npos);
      CHECK(status.message().find(str_cat("it may have ", cap)) != std::string_view::npos);
    }
  }
}

TEST_CASE("stages of different shards work at the same time") {
  CHECK(overlap(engine_of(2, "cpu=2x1"), "cpu:0", "cpu:1", {}));
  const auto engine = sim_engine(1, "cpu:0,sim:0,sim:1");
  percale_sim_faults slow{};
  slow.launch_ns = 100'000;  // after each kernel: the device is busy, and traces show it
  percale_sim_set_faults(sim_plugin(), -1, &slow);
  CHECK(overlap(engine, "sim:0", "sim:1", {"sim:0", "sim:1"}));
  const percale_sim_faults none{};
  percale_sim_set_faults(sim_plugin(), -1, &none);
}

TEST_CASE("losing a device of a group loses the replica, and the others, or an idle group, give the same weights") {
  const ParallelJob job = parallel_job("mlp");
  const Curve one = curve(engine_of(2), job, R"(, "shards": 8)");
  int64_t lost = 0;
  for (const bool idle : {false, true}) {
    for (uint64_t at : {1, 40, 333, 777}) {
      CAPTURE(idle);
      CAPTURE(at);
      const auto engine = sim_engine(2, "cpu:0,sim:0,sim:1,sim:2,sim:3");
      auto trainer = try_parallel_job(
          engine, job, str_cat(R"(, "shards": 8, "parallel": {"stages": 2, "replicas": )", idle ? 1 : 2, "}"),
          {"sim:0", "sim:1", "sim:2", "sim:3"});
      REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
      percale_sim_faults faults{};
      faults.lose_at_launch = at;
      percale_sim_set_faults(sim_plugin(), 1, &faults);
      REQUIRE_OK((*trainer)->fit(nullptr, 0, nullptr));
      CHECK((*trainer)->variables()->digest() == one.digest);
      CHECK((*trainer)->lost_devices() == std::vector<std::string>{"sim:1"});
      CHECK((*trainer)->replicas() == 1);
      lost += static_cast<int64_t>((*trainer)->lost_devices().size());
    }
  }
  CHECK(lost == 8);
}

TEST_CASE("what a pipeline cannot be is an error that says what was found and what was wanted") {
  const auto has = [](const std::string& message, const std::string& part) {
    CAPTURE(message);
    CHECK(message.find(part) != std::string::npos);
  };
  has(message_of(R"(, "parallel": {"stages": 0})"), "'stages' is 0, wanted 1 to");
  has(message_of(R"(, "parallel": {"stagse": 2})"), "did you mean 'stages'?");
  has(message_of(R"(, "parallel": {"stages": 2, "schedule": "fifo"})"), "wanted gpipe or 1f1b");
  has(message_of(R"(, "parallel": {"stages": 6})", "cpu=6"), "'stages' is 6, but the model has only 5 products");
  has(message_of(R"(, "parallel": {"stages": [["dense"], ["dens_1"]]})"),
      "no layer matches 'dens_1', did you mean 'dense_1'?");
  has(message_of(R"(, "parallel": {"stages": [["dense_1"], ["dense"]]})"), "which comes after it");
  has(message_of(R"(, "parallel": {"stages": [["dense*"], ["dense_1"]]})"), "belongs to both stage 1 and stage 2");
  has(message_of(R"(, "parallel": {"stages": [["dense"], []]})"), "stage 2 names no layer");
  has(message_of(R"(, "parallel": {"stages": 2, "replicas": 3})"),
      "3 replicas x 2 stages x 1 splits require 6 devices, but there are 4: cpu:0, cpu:1, cpu:2, cpu:3");
  has(message_of(R"(, "shards": 3, "parallel": {"stages": 2, "micro_batches": 4})"),
      "2 replicas x 4 micro_batches are 8");
  has(message_of(R"(, "parallel": {"stages": 2, "micro_batches": 65536})"),
      "2 replicas x 65536 micro_batches are 131072 shards of a batch, wanted 65536 at most");
  has(message_of(R"(, "shards": 1, "parallel": {"stages": 2, "replicas": 2})"), "2 replicas share 1 shards");
  has(message_of(R"(, "strategy": "mirored")"), "did you mean 'mirrored'");
  has(message_of(R"(, "strategy": "many_worker_mirrored")"), "no strategy 'many_worker_mirrored'");
  has(message_of(R"(, "strategy": "mirrored", "parallel": {"stages": 2})"), "give one of them");
}

TEST_CASE("the preset mirrored is one replica per device, and what it expands to is told") {
  const ParallelJob job = parallel_job("mlp");
  const auto engine = engine_of(2, "cpu=4");
  auto trainer = try_parallel_job(engine, job, R"(, "strategy": "mirrored", "shards": 8)");
  REQUIRE(trainer.ok());
  REQUIRE_OK((*trainer)->fit(nullptr, 0, nullptr));
  CHECK((*trainer)->variables()->digest() == curve(engine_of(2), job, R"(, "shards": 8)").digest);
  const std::string text = (*trainer)->describe();
  CHECK(text.find(R"("parallel":{"strategy":"mirrored","replicas":4,"stages":1,"splits":1)") != std::string::npos);
  CHECK(text.find(R"("groups":[["cpu:0"],["cpu:1"],["cpu:2"],["cpu:3"]])") != std::string::npos);
}

}  // namespace percale

// Tables that train by rows on parameter servers: only rows travel, and the bits are those of one
// process.
#include <random>

#include "tests/support/sim_engine.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/devices/placement.h"
#include "tests/unit/train/method/row_sparse_jobs.h"

namespace percale {
namespace {

constexpr int64_t kBatch = 9;  // the last of the batches of 40 rows has 4

const std::vector<std::string>& optimizers() {
  static const std::vector<std::string> kOptimizers = {
      R"("optimizer": {"name": "sgd", "learning_rate": 0.5, "sparse": true})",
      R"("optimizer": {"name": "adam", "sparse": true}, "clip": 0.1)",
      R"("optimizer": {"name": "adagrad", "sparse": true}, "clip": {"global_norm": 0.1, "norm": 0.05}, "accumulation": 2)",
      R"("optimizer": {"name": "ftrl", "sparse": true}, "clip": {"value": 0.01})"};
  return kOptimizers;
}

std::string on(const std::string& devices) {
  return str_cat(R"(, "parameters": {"ps": ")", devices, R"(", "min_shard_bytes": 64})");
}

std::string digest_of(Trainer& trainer) {
  REQUIRE_OK(trainer.fit(nullptr, 0, nullptr));
  CHECK(trainer.lost_devices().empty());
  return trainer.variables()->digest();
}

}  // namespace

TEST_CASE("tables in parts on servers train to the bits of one process") {
  struct Cluster {
    std::string devices, servers;
    std::vector<std::string> workers;
  };
  const std::vector<Cluster> clusters = {
      {"cpu:0,cpu:1", "cpu:0,cpu:1", {}},
      {"cpu:0,sim:0,sim:1", "sim:0,sim:1", {"cpu:0"}},
      {"cpu:0,sim:0,sim:1,sim:2", "sim:1,sim:2", {"sim:0"}},
      {"cpu:0,sim:0,sim:1", "cpu:0,sim:1", {"sim:0", "sim:1"}},
      {"cpu:0,sim_partition:0,sim_partition:1", "sim_partition:0,sim_partition:1", {"cpu:0", "sim_partition:0"}}};
  for (const char* layers : {kLookup, kBag, kGreatest}) {
    for (const std::string& optimizer : optimizers()) {
      const std::string keys = str_cat(optimizer, R"(, "shards": 2, "epochs": 2, "seed": 1)");
      const std::string wanted = digest_of(*job(engine_of(1), layers, keys, DType::kF32, kBatch));
      for (const Cluster& c : clusters) {
        CAPTURE(layers);
        CAPTURE(optimizer);
        CAPTURE(c.devices);
        const auto trainer =
            job(sim_engine(2, c.devices), layers, keys + on(c.servers), DType::kF32, kBatch, c.workers);
        CHECK(digest_of(*trainer) == wanted);
      }
    }
  }
}

TEST_CASE("each server holds rows of a table with their slots, and no second copy of them") {
  const std::string keys =
      str_cat(R"("optimizer": {"name": "adam", "sparse": true}, "shards": 1, "epochs": 1)", on("sim:0,sim:1"));
  const auto trainer = job(sim_engine(2, "cpu:0,sim:0,sim:1"), table_of(1000), keys, DType::kF32, 8, {"cpu:0"});
  digest_of(*trainer);
  const int64_t half = 3 * 500 * 2 * 4;
  for (const char* server : {"sim:0", "sim:1"}) {
    CHECK(number_of(*trainer, server, "bytes") >= half - 3 * 64);
    CHECK(number_of(*trainer, server, "bytes") < half + 1000);
    CHECK(number_of(*trainer, server, "spare_bytes") < 1000);
  }
}

TEST_CASE("the bytes of a step do not depend on the size of a table") {
  struct Bytes {
    int64_t to_worker = 0, to_server = 0, from_server = 0;
  };
  const auto bytes_of = [](int64_t rows, int64_t epochs) {
    const auto engine = sim_engine(2, "cpu:0,sim:0,sim:1");
    const std::string keys =
        str_cat(R"("optimizer": {"name": "adam", "sparse": true}, "shards": 1, "epochs": )", epochs, on("sim:1"));
    digest_of(*job(engine, table_of(rows), keys, DType::kF32, 8, {"sim:0"}));
    percale_sim_counts worker{}, server{};
    percale_sim_get_counts(sim_plugin(), 0, &worker);
    percale_sim_get_counts(sim_plugin(), 1, &server);
    return Bytes{static_cast<int64_t>(worker.bytes_from_host), static_cast<int64_t>(server.bytes_from_host),
                 static_cast<int64_t>(server.bytes_to_host)};
  };
  // An epoch has 5 steps of 8 * 5 lookups. Values and slots reach the server in the first one.
  const auto later = [&](int64_t rows) {
    const Bytes one = bytes_of(rows, 1), two = bytes_of(rows, 2);
    return Bytes{two.to_worker - one.to_worker, two.to_server - one.to_server, two.from_server - one.from_server};
  };
  const Bytes small = later(100), large = later(20'000);
  CHECK(large.to_worker == small.to_worker);
  CHECK(large.to_server == small.to_server);
  CHECK(large.from_server == small.from_server);
  CHECK(large.to_worker < 5 * 4000);
  CHECK(large.to_server + large.from_server < 5 * 8000);
}

TEST_CASE("modes that stream read rows of one version, and commit each gradient once") {
  const std::string keys = R"("optimizer": {"name": "adagrad", "sparse": true}, "shards": 2, "epochs": 3, "seed": 1)";
  const std::string bounded = R"(, "mode": "bounded:0")", async = R"(, "mode": "async")";
  for (const char* layers : {kLookup, kBag}) {
    CAPTURE(layers);
    const std::string of_sync = digest_of(*job(engine_of(1), layers, keys, DType::kF32, kBatch));
    const std::string of_async = digest_of(*job(engine_of(1), layers, keys + async, DType::kF32, kBatch));
    const std::string devices = "cpu:0,sim:0,sim:1,sim:2", servers = on("sim:1,sim:2");
    CHECK(digest_of(*job(sim_engine(2, devices), layers, keys + bounded + servers, DType::kF32, kBatch, {"sim:0"})) ==
          of_sync);
    CHECK(digest_of(*job(sim_engine(1, devices), layers, keys + async + servers, DType::kF32, kBatch, {"sim:0"})) ==
          of_async);
    for (const char* mode : {"bounded:2", "async"}) {
      CAPTURE(mode);
      const auto many = job(sim_engine(2, devices), layers, str_cat(keys, R"(, "mode": ")", mode, "\"", servers),
                            DType::kF32, kBatch, {"cpu:0", "sim:0"});
      REQUIRE_OK(many->fit(nullptr, 0, nullptr));
      CHECK(many->steps() == (std::string_view(mode) == "async" ? 30 : 15));
    }
  }
}

TEST_CASE("whatever becomes of a server, no step of a table is lost") {
  const std::string keys = R"("optimizer": {"name": "adam", "sparse": true}, "shards": 3, "epochs": 2, "seed": 1)";
  const std::string wanted = digest_of(*job(engine_of(1), kLookup, keys, DType::kF32, kBatch));
  int64_t lost = 0;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto engine = sim_engine(1 + static_cast<int32_t>(random() % 3), "cpu:0,sim:0,sim:1");
    const auto trainer = job(engine, kLookup, keys + on("sim:0,sim:1"), DType::kF32, kBatch,
                             seed % 2 == 0 ? std::vector<std::string>{"cpu:0"} : std::vector<std::string>{});
    for (int32_t device = 0; device < 2; ++device) {
      percale_sim_faults faults{};
      const uint32_t kind = random() % 4;
      if (kind == 0) faults.lose_at_launch = 1 + random() % 100;
      if (kind == 1) faults.lose_at_copy = 1 + random() % 150;
      if (kind == 2) faults.lose_at_allocation = 1 + random() % 60;
      set_faults(device, faults);
    }
    REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
    CHECK(trainer->variables()->digest() == wanted);
    lost += static_cast<int64_t>(trainer->lost_devices().size());
  }
  CHECK(lost > 30);
}

TEST_CASE("one process goes on with a checkpoint of a table on servers, and the reverse") {
  const std::string keys = R"("optimizer": {"name": "adam", "sparse": true}, "shards": 3, "epochs": 4, "seed": 1)";
  const std::string wanted = digest_of(*job(engine_of(1), kBag, keys, DType::kF32, kBatch));
  for (const bool first_alone : {false, true}) {
    const TempFolder folder;
    const auto make = [&](bool alone) {
      return alone ? job(engine_of(1), kBag, keys, DType::kF32, kBatch)
                   : job(sim_engine(2, "cpu:0,sim:0,sim:1"), kBag, keys + on("sim:0,sim:1"), DType::kF32, kBatch);
    };
    const auto first = make(first_alone);
    REQUIRE_OK(first->fit(nullptr, 2, nullptr));
    REQUIRE_OK(first->save(folder.path()));
    const auto second = make(!first_alone);
    REQUIRE_OK(second->restore(folder.path()));
    CHECK(digest_of(*second) == wanted);
    // The servers still hold the end of the run.
    REQUIRE_OK(second->restore(folder.path()));
    CHECK(digest_of(*second) == wanted);
  }
}

TEST_CASE("a row that a table on servers lacks is named") {
  const auto trainer = job(sim_engine(1, "cpu:0,sim:0"), kLookup,
                           str_cat(R"("optimizer": {"name": "adam", "sparse": true}, "shards": 1)", on("sim:0")),
                           DType::kF32, 8, {"cpu:0"});
  const auto failed = trainer->step({"x", "y"}, {looked_up(kTable), labels()});
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.status().code() == Code::kOutOfRange);
  CHECK_MESSAGE(failed.status().message().find("of 13 rows: index 13 is out of range") != std::string::npos,
                failed.status().to_string());
  REQUIRE_OK(trainer->step({"x", "y"}, {looked_up(), labels()}).status());
}

}  // namespace percale

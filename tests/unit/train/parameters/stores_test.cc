// Every store commits the same sums to the same bits, and says what its devices hold.
#include "core/train/parameters/mirrored_store.h"
#include "core/train/parameters/partitioned_store.h"
#include "core/train/parameters/resident/resident_store.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/train/parts.h"

namespace percale {
namespace {

constexpr const char* kMomentum = R"(, "optimizer": {"name": "sgd", "momentum": 0.9, "learning_rate": 0.1})";

// A model with the parts that stores work with.
struct Parts {
  Parts(const std::shared_ptr<Engine>& engine, const std::vector<std::string>& computing)
      : small(small_model(engine, "mlp", kMomentum)),
        working(working_set_of(small)),
        session(session_of(small)),
        devices(devices_of(small, computing)) {
    auto groups = devices.candidates();
    REQUIRE_OK(groups.status());
    const size_t count = groups->size();
    devices.assign(*std::move(groups), count);
  }
  std::unique_ptr<HostStore> host() { return std::make_unique<HostStore>(session, *working, small.graph.layout, true); }
  // The digests after two commits of the same sums.
  std::vector<std::string> commit_twice(ParameterStore& store) {
    const auto plan = planner(store).commit(none, nullptr);
    REQUIRE_OK(plan.status());
    const std::vector<Tensor> sums = sums_of(small);
    std::vector<std::string> out;
    for (const int64_t step : {1, 2}) {
      REQUIRE_OK(store.commit({plan->get(), sums, none, 0.1, step}));
      REQUIRE_OK(store.synchronize());
      out.push_back(digest_of(small, *working));
    }
    return out;
  }
  ShardPlanner planner(ParameterStore& store) {
    return {session, small.graph, devices, store, small.engine->memory(), {}};
  }

  SmallModel small;
  std::unique_ptr<WorkingSet> working;
  std::shared_ptr<Session> session;
  ReplicaDevices devices;
  RowGradients none;
};

std::vector<std::string> on_host() {
  Parts parts(engine_of(1), {});
  const auto store = parts.host();
  return parts.commit_twice(*store);
}

std::string described(const ParameterStore& store) {
  JsonWriter w;
  w.begin_array();
  store.describe(w);
  w.end_array();
  return w.text();
}

PartitionedStore::Source source_of(const Parts& parts, const std::string& devices) {
  ParameterSpec spec;
  spec.where = ParameterSpec::Where::kPs;
  spec.devices = devices;
  spec.min_shard_bytes = 16;
  return {parts.small.engine,
          parts.small.engine->memory(),
          &parts.small.graph,
          parts.small.spec.trainer.optimizer,
          spec,
          {},
          parts.devices.host_group()};
}

}  // namespace

TEST_CASE("a commit on the host changes the working set and its versions") {
  Parts parts(engine_of(1), {});
  const auto store = parts.host();
  const std::string before = digest_of(parts.small, *parts.working);
  const std::vector<int64_t> versions = parts.working->versions();
  const auto digests = parts.commit_twice(*store);
  CHECK(digests[0] != before);
  CHECK(digests[1] != digests[0]);
  CHECK(parts.working->versions() != versions);
  CHECK(described(*store) == "[]");
  CHECK(store->resident() == nullptr);
}

TEST_CASE("parts on several devices are committed to the host's bits") {
  for (const std::string holders : {"cpu:0", "cpu:0,sim:0", "sim:0,sim:1"}) {
    CAPTURE(holders);
    Parts parts(sim_engine(2, "cpu:0,sim:0,sim:1"), {"sim:0", "sim:1"});
    auto store = PartitionedStore::create(source_of(parts, holders), parts.host(), *parts.working);
    REQUIRE_OK(store.status());
    CHECK(parts.commit_twice(**store) == on_host());
    CHECK(described(**store).find("\"parts\"") != std::string::npos);
  }
}

TEST_CASE("the host commits when the devices of the parts are lost") {
  Parts parts(sim_engine(2, "cpu:0,sim:0"), {"cpu:0"});
  auto store = PartitionedStore::create(source_of(parts, "sim:0"), parts.host(), *parts.working);
  REQUIRE_OK(store.status());
  percale_sim_faults faults = {};
  faults.lose_at_copy = 1;
  set_faults(0, faults);
  CHECK(parts.commit_twice(**store) == on_host());
  CHECK((*store)->take_lost() == std::vector<std::string>{"sim:0"});
  CHECK((*store)->take_lost().empty());
  set_faults(-1, {});
}

TEST_CASE("mirrors leave the host's bits as they are") {
  Parts parts(sim_engine(2, "cpu:0,sim:0,sim:1"), {"sim:0", "sim:1"});
  MirroredStore store(parts.session, parts.small.graph, parts.devices, parts.host(), *parts.working);
  CHECK(parts.commit_twice(store) == on_host());
}

TEST_CASE("parameters stay on a device of its own memory, and nowhere else") {
  SmallModel small = small_model(sim_engine(1, "cpu:0,sim:0"), "mlp", kMomentum);
  ResidentRequest request;
  request.where = ParameterSpec::Where::kDevice;
  const auto on_cpu = plan_resident(request, devices_of(small, {"cpu:0"}), small.graph);
  REQUIRE_OK(on_cpu.status());
  CHECK(!on_cpu->has_value());
  request.accumulation = 2;
  const auto refused = plan_resident(request, devices_of(small, {"sim:0"}), small.graph);
  CHECK(refused.status().code() == Code::kFailedPrecondition);
  CHECK(refused.status().message().find("'accumulation' is 2") != std::string_view::npos);
  request.accumulation = 1;
  const auto on_sim = plan_resident(request, devices_of(small, {"sim:0"}), small.graph);
  REQUIRE_OK(on_sim.status());
  REQUIRE(on_sim->has_value());
  CHECK((*on_sim)->shards() == 1);
  CHECK(small.graph.graph->find_function(kStepFunction) != nullptr);
  request.where = ParameterSpec::Where::kHost;
  CHECK(!plan_resident(request, devices_of(small, {"sim:0"}), small.graph)->has_value());
}

}  // namespace percale

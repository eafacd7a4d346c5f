// Which devices are replicas, which are spare, and who takes the place of a lost one.
#include "core/train/parallel/replica_devices.h"

#include "core/base/c_status.h"
#include "tests/support/sim_engine.h"
#include "tests/unit/train/parts.h"

namespace percale {
namespace {

ReplicaDevices sims(const std::shared_ptr<Engine>& engine, size_t replicas) {
  ReplicaDevices out(engine, {"sim:0", "sim:1", "sim:2"}, {}, false);
  auto groups = out.candidates();
  REQUIRE_OK(groups.status());
  REQUIRE(groups->size() == 3);
  out.assign(*std::move(groups), replicas);
  return out;
}

}  // namespace

TEST_CASE("the first candidates compute, the others are spare") {
  const auto engine = sim_engine(1, "cpu:0,sim:0,sim:1,sim:2");
  const ReplicaDevices devices = sims(engine, 2);
  CHECK(devices.groups() == std::vector<DeviceGroup>{{1}, {2}});
  CHECK(devices.spare() == std::vector<DeviceGroup>{{3}});
  CHECK(devices.name(1) == "sim:1");
  CHECK(devices.named());
  CHECK(devices.host_group() == DeviceGroup{0});
  CHECK(ReplicaDevices(engine_of(1), {}, {}, false).host_group().empty());
}

TEST_CASE("a graph that names devices has one replica of all of them") {
  const auto engine = sim_engine(1, "cpu:0,sim:0");
  ReplicaDevices devices(engine, {}, {}, true);
  const auto groups = devices.candidates();
  REQUIRE_OK(groups.status());
  REQUIRE(groups->size() == 1);
  devices.assign(*groups, 1);
  CHECK(devices.name(0) == "cpu:0+sim:0");
  ParallelSpec two;
  two.replicas = 2;
  CHECK(ReplicaDevices(engine, {}, two, true).check().code() == Code::kInvalidArgument);
}

TEST_CASE("a spare device takes the place of a lost one, whose name is told once") {
  const auto engine = sim_engine(1, "cpu:0,sim:0,sim:1,sim:2");
  ReplicaDevices devices = sims(engine, 2);
  Replicas replicas(2, 1);
  for (size_t i = 0; i < 2; ++i) REQUIRE_OK(replicas.place(i, false));
  CHECK(!*devices.replace_lost(replicas, false));

  const Status error(Code::kUnavailable, "gone");
  CHECK(!devices.is_lost(0, error));  // the device works
  percale_sim_faults faults = {};
  faults.lose_at_allocation = 1;
  set_faults(0, faults);
  const Device& device = devices.device(1);
  void* memory = nullptr;
  CHECK(!from_c(device.api().allocate(device.handle(), 64, &memory)).ok());
  CHECK(devices.note_loss(0, error));
  CHECK(!devices.note_loss(1, error));
  devices.note_loss("sim:0");
  CHECK(devices.lost() == std::vector<std::string>{"sim:0"});

  replicas.lose(0);
  CHECK(*devices.replace_lost(replicas, false));
  CHECK(!replicas.lost(0));
  CHECK(devices.groups() == std::vector<DeviceGroup>{{3}, {2}});
  CHECK(devices.spare().empty());
  set_faults(-1, {});
}

}  // namespace percale

// Values on devices: which copies are found, shared, overwritten and freed.
#include "core/engine/device_store.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "core/engine/resident_values.h"
#include "tests/support/get.h"
#include "tests/support/sim_engine.h"

namespace percale {
namespace {

using Floats = std::array<float, 4>;
constexpr int64_t kBytes = sizeof(Floats);

struct Fixture {
  const std::shared_ptr<Engine> engine = sim_engine(1, "cpu:0,sim:0,sim:1");
  const Device& device = *engine->find_device("sim:0");
  const Device& other = *engine->find_device("sim:1");
  const std::shared_ptr<MemoryPool> memory = std::make_shared<MemoryPool>(0, engine->memory());
  DeviceStore store{memory};

  DeviceStore::Copy* fetch(StoreKey key, int64_t version, const Floats& values) {
    return get(store.fetch(device, key, {version, nullptr}, values.data(), kBytes));
  }
  Floats values_of(const DeviceStore::Copy& copy) const {
    Floats out{};
    CHECK(copy.copy_to_host(device, out.data(), kBytes).ok());
    return out;
  }
};

constexpr Floats kOld = {1, 2, 3, 4}, kNew = {5, 6, 7, 8};

TEST_CASE("keys of different kinds with one index are different values") {
  Fixture f;
  DeviceStore::Copy* variable = f.fetch(StoreKey::variable(0), 1, kOld);
  DeviceStore::Copy* resident = f.fetch(StoreKey::resident(0), 1, kNew);
  CHECK(variable != resident);
  CHECK(f.values_of(*variable) == kOld);
  CHECK(f.values_of(*resident) == kNew);
  DeviceStore::release(variable);
  DeviceStore::release(resident);
}

TEST_CASE("a version is copied to a device once, and the device has no other version") {
  Fixture f;
  const StoreKey key = StoreKey::variable(3);
  DeviceStore::Copy* first = f.fetch(key, 1, kOld);
  CHECK(f.fetch(key, 1, kNew) == first);  // the contents are not read
  CHECK(f.values_of(*first) == kOld);
  CHECK(f.store.find(f.device, key, {2, nullptr}) == nullptr);
  CHECK(f.store.find(f.other, key, {1, nullptr}) == nullptr);
  CHECK(f.store.find(f.device, key, {1, &f}) == nullptr);  // numbers of another owner
  DeviceStore::release(first);
  DeviceStore::release(first);
}

TEST_CASE("contents without a version are never found again") {
  Fixture f;
  const StoreKey key = StoreKey::variable(0);
  DeviceStore::release(f.fetch(key, -1, kOld));
  CHECK(f.store.find(f.device, key, {-1, nullptr}) == nullptr);
}

TEST_CASE("a copy that is lent is not overwritten, one that is not lent is reused") {
  Fixture f;
  const StoreKey key = StoreKey::variable(0);
  DeviceStore::Copy* old = f.fetch(key, 1, kOld);
  DeviceStore::Copy* next = f.fetch(key, 2, kNew);
  CHECK(next != old);
  CHECK(f.values_of(*old) == kOld);
  DeviceStore::release(old);
  CHECK(f.fetch(key, 3, kNew) == old);
  DeviceStore::release(old);
  DeviceStore::release(next);
}

TEST_CASE("a computed value is found once it is published, unless its version is unknown") {
  Fixture f;
  const StoreKey key = StoreKey::resident(0);
  DeviceStore::Copy* made = get(f.store.allocate(f.device, key, kBytes));
  CHECK(f.store.find(f.device, key, {7, nullptr}) == nullptr);
  DeviceStore::publish(made, {7, nullptr});
  CHECK(f.store.find(f.device, key, {7, nullptr}) == made);
  DeviceStore::release(made);
  DeviceStore::publish(get(f.store.allocate(f.device, key, kBytes)), {});
  CHECK(f.store.find(f.device, key, {7, nullptr}) == nullptr);  // its memory was reused
}

TEST_CASE("bytes count the newest version apart, and dropping spares what is lent") {
  Fixture f;
  const StoreKey key = StoreKey::variable(0);
  DeviceStore::Copy* old = f.fetch(key, 1, kOld);
  DeviceStore::release(f.fetch(key, 2, kNew));
  CHECK(f.store.bytes_on(f.device).current == kBytes);
  CHECK(f.store.bytes_on(f.device).spare == kBytes);
  CHECK(f.store.bytes_on(f.other).current == 0);
  const int64_t booked = f.memory->used();
  f.store.drop(std::array{key});
  CHECK(f.memory->used() < booked);
  CHECK(f.store.find(f.device, key, {2, nullptr}) == nullptr);
  CHECK(f.values_of(*old) == kOld);
  CHECK_FALSE(f.store.drop_unused());
  DeviceStore::release(old);
  CHECK(f.store.drop_unused());
  CHECK(f.memory->used() == 0);
}

TEST_CASE("reserved keys are unique, precomputed keys follow the form") {
  Fixture f;
  const std::vector<StoreKey> first = f.store.reserve(2), second = f.store.reserve(1);
  CHECK(first[0] != first[1]);
  CHECK(second[0] != first[0]);
  CHECK(second[0] != first[1]);
  CHECK(f.store.precomputed("a") == f.store.precomputed("a"));
  CHECK(f.store.precomputed("a") != f.store.precomputed("b"));
}

TEST_CASE("held values stay on the device, and a value that is gone is named") {
  Fixture f;
  std::vector<Variable> variables(1);
  variables[0].name = "weights";
  const std::array keys{StoreKey::variable(0)};
  DeviceStore::release(f.fetch(keys[0], 4, kOld));
  {
    const auto held = get(ResidentValues::hold(f.store, f.device, keys, std::array{int64_t{4}}, variables));
    CHECK_FALSE(f.store.drop_unused());
    std::vector<Tensor> state{Tensor::of<float>({4}, std::vector<float>(4))};
    CHECK(held->copy_to(state).ok());
    CHECK(static_cast<const float*>(state[0].data())[3] == 4);
  }
  CHECK(f.store.drop_unused());
  const auto gone = ResidentValues::hold(f.store, f.device, keys, std::array{int64_t{4}}, variables);
  CHECK(gone.status().code() == Code::kNotFound);
  CHECK(gone.status().to_string().find("weights") != std::string::npos);
}

}  // namespace
}  // namespace percale

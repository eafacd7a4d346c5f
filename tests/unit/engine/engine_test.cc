#include "core/engine/engine.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <set>
#include <string>
#include <thread>

#include "tests/support/engine.h"

using namespace percale;

namespace {

EngineOptions with_devices(std::string devices, int32_t threads = 2) {
  EngineOptions options;
  options.devices = std::move(devices);
  options.threads = threads;
  return options;
}

std::string names_of(const Engine& engine) {
  std::string out;
  for (const auto& device : engine.devices()) out += device->name() + " ";
  return out;
}

// A configurable kind of device.
struct FakeKind {
  int32_t count = 1;
  const char* reason = nullptr;
  double gflops = 0;
  int32_t open_now = 0, opened = 0;
  bool fail_to_open = false;
  percale_device_api api{};

  explicit FakeKind(const char* kind) {
    api.struct_size = sizeof api;
    api.self = this;
    api.kind = kind;
    api.probe = [](void* self, const char** reason) {
      *reason = static_cast<FakeKind*>(self)->reason;
      return static_cast<FakeKind*>(self)->count;
    };
    api.open = [](void* self, int32_t, const percale_device_options*, void** device) -> percale_status* {
      auto& fake = *static_cast<FakeKind*>(self);
      if (fake.fail_to_open) return to_c(Status(Code::kUnavailable, "the driver is asleep"));
      ++fake.open_now, ++fake.opened;
      *device = self;
      return nullptr;
    };
    api.close = [](void* device) { --static_cast<FakeKind*>(device)->open_now; };
    api.describe = [](void* device, percale_device_description* out) -> percale_status* {
      const auto& fake = *static_cast<FakeKind*>(device);
      out->kind = fake.api.kind;
      out->model = "a fake";
      out->gflops = fake.gflops;
      return nullptr;
    };
    api.allocate = [](void*, uint64_t, void** memory) -> percale_status* {
      *memory = nullptr;
      return to_c(Status(Code::kResourceExhausted, "none"));
    };
    api.free = [](void*, void*) {};
    api.copy_from_host =
        api.copy_to_host = [](void*, void*, void*, const void*, uint64_t) -> percale_status* { return nullptr; };
  }
};

Result<std::shared_ptr<Engine>> engine_of(const EngineOptions& options, std::vector<FakeKind*> kinds) {
  Engine::Parts parts;
  for (FakeKind* kind : kinds) parts.device_apis.push_back(&kind->api);
  return Engine::create(options, std::move(parts));
}

}  // namespace

TEST_CASE("an engine opens the devices of its option, in that order") {
  const auto engine = make_test_engine(with_devices("cpu:2,cpu:0"));
  REQUIRE(engine.ok());
  CHECK(names_of(**engine) == "cpu:2 cpu:0 ");
  const Device* device = (*engine)->find_device("cpu:2");
  REQUIRE(device != nullptr);
  CHECK(device->kind() == "cpu");
  CHECK(device->index() == 2);
  CHECK(device->shares_host_memory());
  CHECK(std::string(device->description().model) != "");
  CHECK((*engine)->find_device("cpu:1") == nullptr);
}

TEST_CASE("an engine without devices is an engine all the same") {
  for (const char* none : {"", "none"}) {
    const auto engine = make_test_engine(with_devices(none));
    REQUIRE(engine.ok());
    CHECK((*engine)->devices().empty());
    CHECK((*engine)->check_usable().ok());
    CHECK((*engine)->registry()->ops().size() > 0);
  }
}

TEST_CASE("a device that is not there is refused with what is, and why the absent are absent") {
  FakeKind cpu("cpu"), cuda("cuda");
  cpu.count = 4;
  cuda.count = 0;
  cuda.reason = "no NVIDIA driver";
  const auto engine = engine_of(with_devices("cuda:0"), {&cpu, &cuda});
  REQUIRE_FALSE(engine.ok());
  CHECK(engine.status().code() == Code::kNotFound);
  CHECK(engine.status().message() ==
        "devices: there is no cuda:0; there are cpu:0 to cpu:3; cuda is absent: no NVIDIA driver");
  CHECK_FALSE(engine_of(with_devices("cpu:4"), {&cpu}).ok());
  CHECK(cpu.opened == 0);
  CHECK(engine_of(with_devices("gpu:0"), {}).status().message() ==
        "devices: there is no gpu:0; there is no kind of device");
}

TEST_CASE("a table that lacks what no device can do without is a kind that is absent") {
  FakeKind broken("broken");
  broken.api.copy_to_host = nullptr;
  const auto engine = engine_of(with_devices(""), {&broken});
  REQUIRE(engine.ok());
  REQUIRE((*engine)->absent_devices().size() == 1);
  CHECK((*engine)->absent_devices()[0].kind == "broken");
  CHECK((*engine)->absent_devices()[0].reason == "its table has no copy_to_host");
}

TEST_CASE("a table of an older plug-in is read as far as it goes") {
  FakeKind old("old");
  old.api.executable_destroy = [](void*) {};
  old.api.struct_size = offsetof(percale_device_api, executable_destroy);
  const auto engine = engine_of(with_devices("old:0"), {&old});
  REQUIRE(engine.ok());
  CHECK(!(*engine)->devices()[0]->api().executable_destroy);
  CHECK(!!(*engine)->devices()[0]->api().copy_to_host);
}

TEST_CASE("every device that was opened is closed, also when the next one cannot be") {
  FakeKind good("good"), bad("bad");
  bad.fail_to_open = true;
  const auto engine = engine_of(with_devices("good:0,bad:0"), {&good, &bad});
  REQUIRE_FALSE(engine.ok());
  CHECK(engine.status().code() == Code::kUnavailable);
  CHECK(engine.status().message() == "bad:0: the driver is asleep");
  CHECK(good.opened == 1);
  CHECK(good.open_now == 0);
  {
    const auto other = engine_of(with_devices("good:0,good:0/1"), {&good});
    REQUIRE(other.ok());
    CHECK(good.open_now == 2);
    CHECK((*other)->devices()[1]->name() == "good:0/1");
  }
  CHECK(good.open_now == 0);
}

TEST_CASE("the word all means every accelerator that can be used, else the CPU") {
  FakeKind cpu("cpu"), cuda("cuda"), counter("counter"), asleep("asleep");
  cuda.count = 2;
  cuda.gflops = 1000;
  asleep.fail_to_open = true;
  {
    const auto engine = engine_of(with_devices("all"), {&cpu, &counter, &asleep, &cuda});
    REQUIRE(engine.ok());
    CHECK(names_of(**engine) == "cuda:0 cuda:1 ");
    CHECK((*engine)->absent_devices().size() == 1);
    CHECK((*engine)->absent_devices()[0].kind == "asleep:0");
    CHECK(counter.open_now == 0);
  }
  const auto engine = engine_of(with_devices("all"), {&cpu, &counter});
  REQUIRE(engine.ok());
  CHECK(names_of(**engine) == "cpu:0 ");
}

TEST_CASE("a device of a width lets no more threads than that work for it at once") {
  const auto engine = make_test_engine(with_devices("cpu=2x2,cpu:2,cpu:3", 4));
  REQUIRE(engine.ok());
  for (const char* name : {"cpu:0", "cpu:1"}) {
    const Device* device = (*engine)->find_device(name);
    REQUIRE(device->width() == 2);
    std::atomic<int> inside{0}, most{0};
    std::atomic<int64_t> sum{0};
    device->parallel()(int64_t{200}, [&](int64_t piece) {
      const int now = ++inside;
      int seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      sum += piece;
      --inside;
    });
    CHECK(most <= 2);
    CHECK(sum == 199 * 200 / 2);
  }
  CHECK((*engine)->find_device("cpu:2")->width() == 0);
}

TEST_CASE("a device one thread wide runs its loops on the caller alone") {
  const auto engine = make_test_engine(with_devices("cpu=4x1", 4));
  REQUIRE(engine.ok());
  REQUIRE((*engine)->devices().size() == 4);
  std::set<std::thread::id> ids;
  (*engine)->devices()[3]->parallel()(int64_t{100}, [&](int64_t) { ids.insert(std::this_thread::get_id()); });
  CHECK(ids == std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_CASE("options that mean nothing are refused by name") {
  EngineOptions threads, memory;
  threads.threads = -1;
  memory.memory_limit = -1;
  CHECK(make_test_engine(threads).status().message().substr(0, 8) == "threads:");
  CHECK(make_test_engine(memory).status().message().substr(0, 13) == "memory_limit:");
  CHECK(make_test_engine(with_devices("cpu:0", 100000)).status().code() == Code::kOutOfRange);
}

TEST_CASE("no number of threads means as many as the machine lends") {
  const auto engine = make_test_engine(with_devices("", 0));
  REQUIRE(engine.ok());
  CHECK((*engine)->threads().threads() == default_threads());
}

TEST_CASE("the memory limit counts what the CPU device and tensors allocate together") {
  EngineOptions options;
  options.memory_limit = 1 << 20;
  const auto engine = make_test_engine(options);
  REQUIRE(engine.ok());
  const Device& device = *(*engine)->devices()[0];
  void* block = nullptr;
  REQUIRE(from_c(device.api().allocate(device.handle(), 600 << 10, &block)).ok());
  CHECK((*engine)->memory()->used() >= 600 << 10);
  const auto refused = Tensor::allocate((*engine)->memory(), DType::kU8, Shape{600 << 10});
  CHECK(refused.status().code() == Code::kResourceExhausted);
  device.api().free(device.handle(), block);
  CHECK((*engine)->memory()->used() == 0);
  CHECK((*engine)->memory()->peak() >= 600 << 10);
  CHECK(device.description().memory_bytes == 1 << 20);
}

TEST_CASE("memory of an engine may outlive it") {
  Result<Tensor> tensor = Tensor();
  {
    const auto engine = make_test_engine(with_devices("cpu:0"));
    REQUIRE(engine.ok());
    tensor = Tensor::allocate((*engine)->memory(), DType::kF32, Shape{4});
  }
  REQUIRE(tensor.ok());
  std::memset(tensor->data(), 0, 16);
  CHECK(tensor->span<float>()[3] == 0.0f);
}

TEST_CASE("the fingerprint tells apart what decides bits and nothing else") {
  const auto print = [](const char* isa, const char* numerics, int32_t threads) {
    Engine::Parts parts;
    parts.isa = isa;
    parts.numerics = numerics;
    return (*Engine::create(with_devices("", threads), std::move(parts)))->fingerprint();
  };
  CHECK(print("avx2", "", 1).find(" isa=avx2") != std::string::npos);
  CHECK(print("avx2", "", 1).substr(0, 8) == "percale-");
  CHECK(print("avx2", "", 1) == print("avx2", "", 2));
  CHECK(print("avx2", "", 1) != print("avx512", "", 1));
  CHECK(print("avx2", "", 1) != print("avx2", "onednn=3.7.2", 1));
}

TEST_CASE("the fingerprint of portable numerics does not name the CPU") {
  const auto print = [](const char* isa, Numerics numerics) {
    EngineOptions options = with_devices("");
    options.numerics = numerics;
    Engine::Parts parts;
    parts.isa = isa;
    return (*Engine::create(options, std::move(parts)))->fingerprint();
  };
  const Numerics portable{.portable = true}, invariant{.batch_invariant = true};
  CHECK(print("avx2", portable) == print("sse4", portable));
  CHECK(print("avx2", portable).ends_with(" numerics=portable"));
  CHECK(print("avx2", portable) != print("avx2", {}));
  CHECK(print("avx2", invariant).ends_with(" isa=avx2 batch_invariant=on"));
  CHECK(print("avx2", {.portable = true, .batch_invariant = true}).ends_with(" numerics=portable batch_invariant=on"));
}

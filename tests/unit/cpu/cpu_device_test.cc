#include "devices/cpu/cpu_device.h"

#include <doctest/doctest.h>

#include <string>

#include "core/base/c_status.h"

using namespace percale;

namespace {

struct Opened {
  explicit Opened(const CpuDevices& kind, int32_t index) : api(kind.api()) {
    percale_device_options options{};
    options.struct_size = sizeof options;
    REQUIRE(from_c(api.open(api.self, index, &options, &handle)).ok());
  }
  ~Opened() { api.close(handle); }

  Status allocate(uint64_t bytes, void** memory) { return from_c(api.allocate(handle, bytes, memory)); }
  uint64_t used() const {
    uint64_t now = 0, peak = 0;
    api.memory_stats(handle, &now, &peak);
    return now;
  }

  const percale_device_api& api;
  void* handle = nullptr;
};

}  // namespace

TEST_CASE("virtual CPU devices count for themselves and draw on one pool") {
  const auto pool = std::make_shared<MemoryPool>(int64_t{100'000});
  const auto kind = CpuDevices::create(pool);
  Opened first(*kind, 0), second(*kind, 1);
  void *a = nullptr, *b = nullptr;
  REQUIRE(first.allocate(60'000, &a).ok());
  CHECK(first.used() == 60'000);
  CHECK(second.used() == 0);
  CHECK(second.allocate(60'000, &b).code() == Code::kResourceExhausted);
  CHECK(second.used() == 0);
  first.api.free(first.handle, a);
  REQUIRE(second.allocate(60'000, &b).ok());
  CHECK(pool->used() >= 60'000);
  second.api.free(second.handle, b);
  CHECK(pool->used() == 0);
}

TEST_CASE(
    "the CPU says which processor it is, that the host shares its memory, and how much an engine may have of it") {
  const auto describe = [](int64_t limit) {
    const auto kind = CpuDevices::create(std::make_shared<MemoryPool>(limit));
    Opened device(*kind, 0);
    percale_device_description facts{};
    facts.struct_size = sizeof facts;
    REQUIRE(from_c(device.api.describe(device.handle, &facts)).ok());
    CHECK(std::string(facts.model) == kind->model());
    CHECK(facts.shares_host_memory == 1);
    return facts.memory_bytes;
  };
  CHECK(describe(0) > uint64_t{1} << 20);
  CHECK(describe(1 << 20) == 1 << 20);
}

TEST_CASE("the name of the processor has no blanks around it") {
  const std::string model = CpuDevices::create(std::make_shared<MemoryPool>())->model();
  REQUIRE(model != "");
  CHECK(model.front() != ' ');
  CHECK(model.back() != ' ');
}

TEST_CASE("a table that outlives its maker's other references still counts in the pool") {
  std::weak_ptr<MemoryPool> watch;
  {
    auto pool = std::make_shared<MemoryPool>();
    watch = pool;
    const auto kind = CpuDevices::create(std::move(pool));
    Opened device(*kind, 0);
    void* memory = nullptr;
    REQUIRE(device.allocate(100, &memory).ok());
    CHECK(watch.lock()->used() >= 100);
    device.api.free(device.handle, memory);
  }
  CHECK(watch.expired());
}

// An engine with the null device, whose memory is separate from the host's and whose counters work.
#include <doctest/doctest.h>

#include <vector>

#include "devices/null/null_device.h"
#include "tests/support/engine.h"

using namespace percale;

namespace {

Result<std::shared_ptr<Engine>> null_engine() {
  EngineOptions options;
  options.devices = "cpu:0,null:0,null:1";
  return make_test_engine(options, {null_plugin()});
}

}  // namespace

TEST_CASE("the null device says that its memory is its own, and refuses copies that leave it") {
  const auto engine = null_engine();
  REQUIRE(engine.ok());
  const Device& first = *(*engine)->find_device("null:0");
  const Device& second = *(*engine)->find_device("null:1");
  CHECK_FALSE(first.shares_host_memory());
  void* memory = nullptr;
  REQUIRE(from_c(first.api().allocate(first.handle(), 8, &memory)).ok());
  char host[16] = "fifteen letters";
  const auto write = [&](const Device& device, void* to, uint64_t bytes) {
    return from_c(device.api().copy_from_host(device.handle(), nullptr, to, host, bytes)).code();
  };
  const auto read = [&](const Device& device, const void* from, uint64_t bytes) {
    char back[16];
    return from_c(device.api().copy_to_host(device.handle(), nullptr, back, from, bytes)).code();
  };
  CHECK(write(first, memory, 8) == Code::kOk);
  CHECK(write(first, memory, 9) == Code::kInvalidArgument);
  CHECK(write(first, static_cast<char*>(memory) + 4, 4) == Code::kOk);
  CHECK(write(first, static_cast<char*>(memory) + 4, 5) == Code::kInvalidArgument);
  CHECK(write(first, host, 1) == Code::kInvalidArgument);
  CHECK(write(second, memory, 8) == Code::kInvalidArgument);
  CHECK(read(first, memory, 8) == Code::kOk);
  CHECK(read(second, memory, 8) == Code::kInvalidArgument);
  first.api().free(first.handle(), memory);
  CHECK(write(first, memory, 8) == Code::kInvalidArgument);
}

TEST_CASE("the null device counts what it is asked, each device for itself") {
  const auto engine = null_engine();
  REQUIRE(engine.ok());
  const Device& device = *(*engine)->find_device("null:0");
  void* memory = nullptr;
  REQUIRE(from_c(device.api().allocate(device.handle(), 100, &memory)).ok());
  std::vector<char> host(100);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(from_c(device.api().copy_from_host(device.handle(), nullptr, memory, host.data(), 100)).ok());
  }
  REQUIRE(from_c(device.api().copy_to_host(device.handle(), nullptr, host.data(), memory, 40)).ok());
  percale_null_counts counts{};
  percale_null_get_counts(device.handle(), &counts);
  CHECK(counts.allocations == 1);
  CHECK(counts.frees == 0);
  CHECK(counts.copies_from_host == 3);
  CHECK(counts.bytes_from_host == 300);
  CHECK(counts.copies_to_host == 1);
  CHECK(counts.bytes_to_host == 40);
  device.api().free(device.handle(), memory);
  percale_null_get_counts(device.handle(), &counts);
  CHECK(counts.frees == 1);
  percale_null_get_counts((*engine)->find_device("null:1")->handle(), &counts);
  CHECK(counts.allocations == 0);
}

TEST_CASE("a plug-in that is opened twice by one library is one plug-in") {
  CHECK(null_plugin() != nullptr);
  CHECK(null_plugin() == null_plugin());
}

TEST_CASE("a library that is older than the plug-in is refused") {
  percale_host_status_api statuses{};
  statuses.create = [](percale_code code, const char* message, size_t size) {
    return to_c(Status(static_cast<Code>(code), std::string(message, size)));
  };
  percale_host_api host{};
  host.struct_size = offsetof(percale_host_api, graph);
  host.status = &statuses;
  const percale_plugin_api* plugin = nullptr;
  const Status status = from_c(percale_null_plugin_init(&host, PERCALE_PLUGIN_ABI, "", &plugin));
  CHECK(status.code() == Code::kUnimplemented);
  CHECK(plugin == nullptr);
}

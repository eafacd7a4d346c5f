// Devices of another process by the functions of the transport, over a socket of the file system.
#include <chrono>
#include <thread>

#include "devices/remote/frame/frame.h"
#include "tests/unit/remote/endpoint.h"
#include "tests/unit/remote/failure_of.h"
#include "tests/unit/remote/opened_device.h"
#include "tests/unit/remote/raw_client.h"

namespace percale::remote {
namespace {

using Bytes = std::vector<std::byte>;
constexpr size_t kMiB = size_t{1} << 20;

// The names of the devices that a process serves.
Result list(const Place& place, std::vector<std::string>& names) {
  const percale_peer peer = place.peer();
  return transport().list_devices(
      transport().user, &peer,
      [](void* to, const char* name) { static_cast<std::vector<std::string>*>(to)->emplace_back(name); }, &names);
}

// The error of opening a device.
Result open(const Place& place, const char* name = "cpu:0") {
  const percale_device_options options{sizeof options, 0, 1, 0};
  const percale_peer peer = place.peer();
  const percale_device_api* api = nullptr;
  void* device = nullptr;
  Result result = transport().open_device(transport().user, &peer, name, &options, &api, &device);
  if (device != nullptr) api->close(device);
  return result;
}

// Returns when the device has exactly so many blocks.
void wait_for_blocks(const MemoryDevice& device, size_t count) {
  while (device.counts().blocks != count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TEST_CASE("a device of another process copies and computes") {
  ServedMemory served;
  const OpenedMemory opened(served.place);
  std::byte *const a = opened.allocate(5 * kMiB), *const b = opened.allocate(5 * kMiB);
  void *const copy = opened.compile("copy 5242880"), *const stream = opened.stream();
  for (void* const on : {stream, static_cast<void*>(nullptr)}) {
    for (const size_t size : {size_t{0}, size_t{1}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB}) {
      const Bytes sent = pattern(size);
      Bytes arrived(size);
      CHECK(opened.write(on, a, sent).is_ok());
      CHECK(opened.execute(copy, on, a, b).is_ok());
      CHECK(opened.read(on, arrived, b).is_ok());
      if (on != nullptr) CHECK(opened.synchronize(on).is_ok());
      CHECK(arrived == sent);
    }
  }
  opened.destroy(stream);
  opened.destroy(copy);
  opened.api->free(opened.device, a);
  opened.api->free(opened.device, b);
  opened.allocate(1);
  CHECK(served.device.counts() == MemoryDevice::Counts{1, 0, 1});
}

TEST_CASE("a process with certificates serves at a port of its machine, and lists its devices") {
  const CertificateFolder folder;
  MemoryDevice device;
  const percale_served_device devices[] = {device.served(), device.served()};
  Place place{"127.0.0.1:0"};
  place.certificates = folder.path();
  const percale_peer own = place.peer();
  void* server = nullptr;
  int32_t port = 0;
  REQUIRE(transport().serve(transport().user, &own, devices, 2, &server, &port) == nullptr);
  place.address = "localhost:" + std::to_string(port);
  std::vector<std::string> names;
  CHECK(list(place, names).is_ok());
  CHECK(names == std::vector<std::string>{"cpu:0", "cpu:0"});
  CHECK(open(place).is_ok());
  place.certificates = "";
  place.timeout_ns = 300'000'000;
  CHECK(contains(open(place).message, "other certificates"));
  transport().stop_serving(transport().user, server);
}

TEST_CASE("other builds, names and machines are refused by name") {
  ServedMemory served;
  Place other = served.place;
  other.build = "percale y";
  std::vector<std::string> names;
  for (const Result& result : {open(other), list(other, names)}) {
    CHECK(result.code == PERCALE_FAILED_PRECONDITION);
    CHECK(contains(result.message, served.place.address));
    CHECK(contains(result.message, "it has \"percale y\", this process \"percale x\""));
  }
  CHECK(open(served.place, "cpu:1").code == PERCALE_NOT_FOUND);
  CHECK(open(served.place, "").code == PERCALE_INVALID_ARGUMENT);
  CHECK(contains(open({"10.255.0.1:4711"}).message, "is not on this machine"));
  Place none{"unix:" + served.folder.path() + "/none"};
  none.timeout_ns = 300'000'000;
  const Result missing = open(none);
  CHECK(missing.code == PERCALE_UNAVAILABLE);
  CHECK(contains(missing.message, "the device cpu:0 at " + none.address + " is not reached: "));
}

TEST_CASE("a client waits for a process that starts later") {
  ServedMemory served;
  served.stop();
  std::thread starting([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    served.start();
  });
  CHECK(open(served.place).is_ok());
  starting.join();
}

TEST_CASE("a server that stops ends its clients' commands, and waits for those under way") {
  ServedMemory served;
  const OpenedMemory opened(served.place);
  std::byte* const memory = opened.allocate(100);
  void *const wait = opened.compile("wait 100"), *const stream = opened.stream();
  const Bytes untouched = pattern(100);
  Bytes to = untouched;
  CHECK(opened.execute(wait, stream, memory, memory).is_ok());
  CHECK(opened.read(stream, to, memory).is_ok());
  served.device.wait_for_run();
  std::thread stopping([&] { served.stop(); });
  const Result error = opened.synchronize(stream);
  CHECK(error.code == PERCALE_UNAVAILABLE);
  CHECK(contains(error.message, "the device cpu:0 at " + served.place.address + " is lost: "));
  CHECK(opened.api->lost(opened.device) == 1);
  CHECK(served.device.counts() == MemoryDevice::Counts{1, 1, 100});
  served.device.let_go();
  stopping.join();
  CHECK(served.device.counts() == MemoryDevice::Counts{0, 0, 0});
  CHECK(to == untouched);
  // A new server knows none of the old clients.
  served.start();
  void* none = nullptr;
  CHECK(opened.try_stream(none).code == PERCALE_UNAVAILABLE);
  CHECK(OpenedMemory(served.place).allocate(5) != nullptr);
}

TEST_CASE("a client that closes or vanishes leaves nothing behind") {
  ServedMemory served;
  {
    OpenedMemory opened(served.place);
    opened.allocate(100);
    opened.compile("copy 1");
    CHECK(opened.write(opened.stream(), opened.allocate(10), Bytes(10)).is_ok());
    wait_for_blocks(served.device, 2);
  }
  wait_for_blocks(served.device, 0);
  wire::OpenT open;
  open.protocol = kProtocol;
  open.build = served.place.build;
  open.device = "cpu:0";
  open.deterministic = true;
  wire::AllocateT allocate;
  allocate.bytes = 7;
  {
    const Opened raw(served.place.address, {}, kDevicePurpose);
    raw.stream->send(frame_bytes(open), {});
    raw.stream->send(frame_bytes(allocate, {}, 1), {});
    wait_for_blocks(served.device, 1);
  }
  wait_for_blocks(served.device, 0);
}

TEST_CASE("a process has a limited number of clients and streams") {
  Limits limits;
  limits.clients = 2;
  limits.streams = 4;
  ServedMemory served(limits);
  OpenedMemory first(served.place);
  const OpenedMemory second(served.place);
  const Result third = open(served.place);
  CHECK(third.code == PERCALE_RESOURCE_EXHAUSTED);
  CHECK(contains(third.message, "it is one client too many: 2 have opened a device"));
  void* none = nullptr;
  Result stream = first.try_stream(none);
  while (stream.is_ok()) stream = first.try_stream(none);
  CHECK(stream.code == PERCALE_RESOURCE_EXHAUSTED);
  CHECK(contains(stream.message, "this process has 4 streams of clients"));
  CHECK(first.api->lost(first.device) == 0);
  first.close();
  Result again = open(served.place);
  while (!again.is_ok()) again = open(served.place);
  CHECK(second.allocate(1) != nullptr);
}

TEST_CASE("a stream that says nothing is closed in time") {
  Limits limits;
  limits.silence = std::chrono::milliseconds(500);
  ServedMemory served(limits);
  const OpenedMemory opened(served.place);
  const Opened device(served.place.address, {}, kDevicePurpose), queue(served.place.address, {}, kQueuePurpose);
  CHECK_FALSE(device.end->reason().empty());
  CHECK_FALSE(queue.end->reason().empty());
  std::this_thread::sleep_for(limits.silence);
  CHECK(opened.allocate(1) != nullptr);  // its heartbeats are heard
}

TEST_CASE("a device that cannot be served is named") {
  MemoryDevice device;
  percale_served_device served = device.served();
  served.list_operands = nullptr;
  const ScratchFolder folder;
  const Place place{"unix:" + folder.path() + "/devices"};
  const percale_peer own = place.peer();
  void* server = nullptr;
  int32_t port = 0;
  const Result result = transport().serve(transport().user, &own, &served, 1, &server, &port);
  CHECK(result.code == PERCALE_INVALID_ARGUMENT);
  CHECK(contains(result.message, "the device cpu:0 cannot be served"));
}

}  // namespace percale::remote

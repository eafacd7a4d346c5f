// A served device and the clients that open it by the functions of the transport.
#ifndef PERCALE_TESTS_UNIT_REMOTE_OPENED_DEVICE_H_
#define PERCALE_TESTS_UNIT_REMOTE_OPENED_DEVICE_H_

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "devices/remote/serve/server.h"
#include "devices/remote/transport.h"
#include "tests/unit/remote/device_calls.h"
#include "tests/unit/remote/memory_device.h"
#include "tests/unit/remote/net/certificate_folder.h"

namespace percale::remote {

inline const percale_transport& transport() {
  static const percale_transport* const table = [] {
    const percale_transport* out = nullptr;
    REQUIRE(percale_remote_transport(&fake_host(), &out) == nullptr);
    return out;
  }();
  return *table;
}

// A process, as it is named to the transport.
struct Place {
  std::string address;
  std::string build = "percale x";
  std::string certificates = "";
  int64_t timeout_ns = int64_t{30} * 1'000'000'000;

  percale_peer peer() const {
    return {sizeof(percale_peer), address.c_str(), build.c_str(), certificates.empty() ? nullptr : certificates.c_str(),
            timeout_ns};
  }
};

// Serves a device at a socket of the file system.
class ServedMemory {
 public:
  explicit ServedMemory(const Limits& limits = {}, uint64_t memory_bytes = uint64_t{1} << 30) : device(memory_bytes) {
    start(limits);
  }
  void start(const Limits& limits = {}) {
    const percale_served_device served = device.served();
    server_.emplace(fake_host(), place.peer(), &served, 1, limits);
  }
  void stop() { server_.reset(); }

  const ScratchFolder folder;
  const Place place{"unix:" + folder.path() + "/devices"};
  MemoryDevice device;

 private:
  std::optional<Server> server_;
};

// A device of another process. REQUIREs that it opens.
class OpenedMemory : public DeviceCalls {
 public:
  explicit OpenedMemory(const Place& place, uint64_t memory_limit = 0) {
    const percale_device_options options{sizeof options, memory_limit, 1, 0};
    const percale_peer peer = place.peer();
    const Result result = transport().open_device(transport().user, &peer, "cpu:0", &options, &api, &device);
    REQUIRE_MESSAGE(result.is_ok(), result.message);
  }
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_OPENED_DEVICE_H_

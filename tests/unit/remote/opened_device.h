// A served device and the clients that open it by the functions of the transport.
#ifndef PERCALE_TESTS_UNIT_REMOTE_OPENED_DEVICE_H_
#define PERCALE_TESTS_UNIT_REMOTE_OPENED_DEVICE_H_

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/remote/serve/server.h"
#include "devices/remote/transport.h"
#include "tests/unit/remote/certificate_folder.h"
#include "tests/unit/remote/memory_device.h"

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
class OpenedMemory {
 public:
  explicit OpenedMemory(const Place& place, uint64_t memory_limit = 0) {
    const percale_device_options options{sizeof options, memory_limit, 1, 0};
    const percale_peer peer = place.peer();
    const Result result = transport().open_device(transport().user, &peer, "cpu:0", &options, &api, &device);
    REQUIRE_MESSAGE(result.is_ok(), result.message);
  }
  ~OpenedMemory() { close(); }
  void close() {
    if (device != nullptr) api->close(std::exchange(device, nullptr));
  }
  OpenedMemory(const OpenedMemory&) = delete;
  OpenedMemory& operator=(const OpenedMemory&) = delete;

  std::byte* allocate(uint64_t bytes) const {
    void* out = nullptr;
    const Result result = api->allocate(device, bytes, &out);
    REQUIRE_MESSAGE(result.is_ok(), result.message);
    return static_cast<std::byte*>(out);
  }
  void* stream() const {
    void* out = nullptr;
    const Result result = api->stream_create(device, &out);
    REQUIRE_MESSAGE(result.is_ok(), result.message);
    return out;
  }
  void* compile(const std::string& text) const {
    void* out = nullptr;
    const Result result = api->compile(device, text.data(), text.size(), &out);
    REQUIRE_MESSAGE(result.is_ok(), result.message);
    return out;
  }
  Result write(void* stream, void* to, const std::vector<std::byte>& from) const {
    return api->copy_from_host(device, stream, to, from.data(), from.size());
  }
  Result read(void* stream, std::vector<std::byte>& to, const void* from) const {
    return api->copy_to_host(device, stream, to.data(), from, to.size());
  }
  Result execute(void* executable, void* stream, void* input, void* output) const {
    return api->execute(executable, stream, &input, &output);
  }
  Result synchronize(void* stream) const { return api->stream_synchronize(stream); }

  const percale_device_api* api = nullptr;
  void* device = nullptr;
};

inline std::vector<std::byte> pattern(size_t size, size_t salt = 0) {
  std::vector<std::byte> out(size);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 13 + (i >> 9) + salt);
  return out;
}

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_OPENED_DEVICE_H_

// The functions of a device's table, for tests.
#ifndef PERCALE_TESTS_UNIT_REMOTE_DEVICE_CALLS_H_
#define PERCALE_TESTS_UNIT_REMOTE_DEVICE_CALLS_H_

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/remote/fake_host.h"

namespace percale::remote {

// Functions without a Result REQUIRE that the call succeeds.
class DeviceCalls {
 public:
  std::byte* allocate(uint64_t bytes) const {
    void* out = nullptr;
    const Result result = api->allocate(device, bytes, &out);
    REQUIRE_MESSAGE(result.is_ok(), result.message);
    return static_cast<std::byte*>(out);
  }
  Result try_stream(void*& out) const {
    Result result = api->stream_create(device, &out);
    if (result.is_ok()) keep(out, api->stream_destroy);
    return result;
  }
  void* stream() const {
    void* out = nullptr;
    const Result result = try_stream(out);
    REQUIRE_MESSAGE(result.is_ok(), result.message);
    return out;
  }
  void* compile(const std::string& text) const {
    void* out = nullptr;
    const Result result = api->compile(device, text.data(), text.size(), &out);
    REQUIRE_MESSAGE(result.is_ok(), result.message);
    keep(out, api->executable_destroy);
    return out;
  }
  // Destroys a stream or an executable. Those that are left end with the device.
  void destroy(void* one) const {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(one);
    REQUIRE(found != kept_.end());
    found->second(one);
    kept_.erase(found);
  }
  void close() {
    for (const auto& [one, end] : kept_) end(one);
    kept_.clear();
    if (device != nullptr) api->close(std::exchange(device, nullptr));
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

 protected:
  DeviceCalls() = default;
  ~DeviceCalls() { close(); }

 private:
  using Destroy = void (*)(void*);
  void keep(void* one, Destroy destroy) const {
    const std::lock_guard lock(mutex_);
    kept_.emplace(one, destroy);
  }

  mutable std::mutex mutex_;  // guards the next one
  mutable std::map<void*, Destroy> kept_;
};

inline std::vector<std::byte> pattern(size_t size, size_t salt = 0) {
  std::vector<std::byte> out(size);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 13 + (i >> 9) + salt);
  return out;
}

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_DEVICE_CALLS_H_

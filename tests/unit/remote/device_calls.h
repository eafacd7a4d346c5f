// The functions of a device's table, for tests.
#ifndef PERCALE_TESTS_UNIT_REMOTE_DEVICE_CALLS_H_
#define PERCALE_TESTS_UNIT_REMOTE_DEVICE_CALLS_H_

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/remote/fake_host.h"

namespace percale::remote {

// Functions without a Result REQUIRE that the call succeeds.
struct DeviceCalls {
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

#endif  // PERCALE_TESTS_UNIT_REMOTE_DEVICE_CALLS_H_

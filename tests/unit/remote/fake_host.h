// The functions of a library for the plug-in, as far as devices and groups use them.
#ifndef PERCALE_TESTS_UNIT_REMOTE_FAKE_HOST_H_
#define PERCALE_TESTS_UNIT_REMOTE_FAKE_HOST_H_

#include <percale_plugin.h>

#include <string>
#include <utility>

#include "core/file/crc32c.h"

namespace percale::remote {

// It takes the place of percale_status, which the library may define in the same program.
struct FakeStatus {
  percale_code code;
  std::string message;
};

inline percale_status* make_status(percale_code code, std::string message) {
  return reinterpret_cast<percale_status*>(new FakeStatus{code, std::move(message)});
}
inline const FakeStatus* fake_of(const percale_status* status) { return reinterpret_cast<const FakeStatus*>(status); }

inline const percale_host_api& fake_host() {
  static const percale_host_status_api status = [] {
    percale_host_status_api out{};
    out.struct_size = sizeof out;
    out.create = [](percale_code code, const char* text, size_t size) {
      return make_status(code, size == PERCALE_NUL_ENDED ? std::string(text) : std::string(text, size));
    };
    out.code = [](const percale_status* of) { return of == nullptr ? PERCALE_OK : fake_of(of)->code; };
    out.message = [](const percale_status* of, size_t* out_size) {
      if (out_size != nullptr) *out_size = of == nullptr ? 0 : fake_of(of)->message.size();
      return of == nullptr ? "" : fake_of(of)->message.c_str();
    };
    out.release = [](percale_status* of) { delete fake_of(of); };
    return out;
  }();
  static const percale_host_tensor_api tensor = [] {
    percale_host_tensor_api out{};
    out.struct_size = sizeof out;
    out.crc32c = &crc32c;
    return out;
  }();
  static const percale_host_api host = [] {
    percale_host_api out{};
    out.struct_size = sizeof out;
    out.status = &status;
    out.tensor = &tensor;
    return out;
  }();
  return host;
}

// The result of a call. Releases the status.
struct Result {
  Result(percale_status* status) {  // NOLINT: a status is one
    if (status == nullptr) return;
    code = fake_of(status)->code;
    message = fake_of(status)->message;
    delete fake_of(status);
  }
  bool is_ok() const { return code == PERCALE_OK; }

  percale_code code = PERCALE_OK;
  std::string message;
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_FAKE_HOST_H_

// The functions of a library for the plug-in, as far as devices and groups use them.
#ifndef PERCALE_TESTS_UNIT_REMOTE_FAKE_HOST_H_
#define PERCALE_TESTS_UNIT_REMOTE_FAKE_HOST_H_

#include <percale_plugin.h>

#include <string>

#include "core/file/crc32c.h"

struct percale_status {
  percale_code code;
  std::string message;
};

namespace percale::remote {

inline percale_status* make_status(percale_code code, std::string message) {
  return new percale_status{code, std::move(message)};
}

inline const percale_host_api& fake_host() {
  static const percale_host_status_api status = [] {
    percale_host_status_api out{};
    out.struct_size = sizeof out;
    out.create = [](percale_code code, const char* text, size_t size) {
      return make_status(code, size == PERCALE_NUL_ENDED ? std::string(text) : std::string(text, size));
    };
    out.code = [](const percale_status* of) { return of == nullptr ? PERCALE_OK : of->code; };
    out.message = [](const percale_status* of, size_t* out_size) {
      if (out_size != nullptr) *out_size = of == nullptr ? 0 : of->message.size();
      return of == nullptr ? "" : of->message.c_str();
    };
    out.release = [](percale_status* of) { delete of; };
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
    code = status->code;
    message = status->message;
    delete status;
  }
  bool is_ok() const { return code == PERCALE_OK; }

  percale_code code = PERCALE_OK;
  std::string message;
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_FAKE_HOST_H_

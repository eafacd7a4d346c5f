// Wraps the library's function table: statuses become values, and tensors have owners.
#ifndef PERCALE_BINDINGS_ONNX_HOST_H_
#define PERCALE_BINDINGS_ONNX_HOST_H_

#include <percale_plugin.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace percale_onnx {

// Success, or a code and a message.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(percale_code code, std::string message) : code_(code), message_(std::move(message)) {}
  bool ok() const { return code_ == PERCALE_OK; }
  percale_code code() const { return code_; }
  const std::string& message() const { return message_; }
  // "context: message"; success stays success.
  Status within(std::string_view context) const;

 private:
  percale_code code_ = PERCALE_OK;
  std::string message_;
};

#define ONNX_TRY(expression)                                                    \
  do {                                                                          \
    if (::percale_onnx::Status tried = (expression); !tried.ok()) return tried; \
  } while (false)

inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, int64_t number) { out += std::to_string(number); }
inline void append(std::string& out, uint64_t number) { out += std::to_string(number); }
inline void append(std::string& out, int32_t number) { out += std::to_string(number); }
inline void append(std::string& out, uint32_t number) { out += std::to_string(number); }
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}
bool is_utf8(std::string_view text);
// Quotes a name from a file for a one-line message. Control characters and bytes that are not UTF-8
// become '?'. A name of more than 120 bytes is cut.
std::string quoted(std::string_view name);

template <class... Parts>
Status bad(const Parts&... parts) {
  return Status(PERCALE_INVALID_ARGUMENT, text(parts...));
}
template <class... Parts>
Status unsupported(const Parts&... parts) {
  return Status(PERCALE_UNIMPLEMENTED, text(parts...));
}

class Host;

struct TensorRelease {
  const percale_host_api* api = nullptr;
  void operator()(percale_tensor* tensor) const { api->tensor->release(tensor); }
};
using TensorPtr = std::shared_ptr<percale_tensor>;

// The library's function table. Copies are cheap and refer to the same table.
class Host {
 public:
  explicit Host(const percale_host_api* api) : api_(api) {}
  const percale_host_api* operator->() const { return api_; }
  // Converts a status of the library, and releases it.
  Status take(percale_status* status) const;
  // A zeroed tensor in the engine's memory.
  Status make_tensor(percale_engine* engine, percale_dtype dtype, const int64_t* dims, size_t rank,
                     TensorPtr* out) const;

 private:
  const percale_host_api* api_;
};

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_HOST_H_

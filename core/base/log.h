// The log sink. Messages go to the host's function or are dropped; the library never prints.
#ifndef PERCALE_CORE_BASE_LOG_H_
#define PERCALE_CORE_BASE_LOG_H_

#include <cstdint>
#include <string_view>

#include "core/base/status.h"

namespace percale {

enum class LogLevel : int32_t { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kOff = 4 };

// Thread-safe if the host's function is.
struct LogSink {
  using Write = void (*)(void* user, LogLevel level, std::string_view message);
  Write write = nullptr;
  void* user = nullptr;
  LogLevel level = LogLevel::kWarning;

  template <class... Parts>
  void log(LogLevel at, const Parts&... parts) const {
    if (write != nullptr && at >= level) write(user, at, str_cat(parts...));
  }
};

}  // namespace percale

#endif  // PERCALE_CORE_BASE_LOG_H_

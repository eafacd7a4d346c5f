/// Timeouts in the form of the C ABI.
#ifndef PERCALE_CPP_TIME_LIMIT_HPP_
#define PERCALE_CPP_TIME_LIMIT_HPP_

#include <percale.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace percale::detail {

/// Returns a timeout for the C ABI. PERCALE_FOREVER is kept; any other negative time becomes 0.
inline int64_t time_limit(int64_t timeout_ns) {
  return timeout_ns < 0 && timeout_ns != PERCALE_FOREVER ? 0 : timeout_ns;
}
/// Returns a timeout for the C ABI. None means no limit; negative times become 0.
inline int64_t time_limit(std::optional<std::chrono::nanoseconds> timeout) {
  return timeout ? std::max<int64_t>(timeout->count(), 0) : PERCALE_FOREVER;
}

}  // namespace percale::detail

#endif  // PERCALE_CPP_TIME_LIMIT_HPP_

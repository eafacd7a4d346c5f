// Times and deadlines.
#ifndef PERCALE_DEVICES_REMOTE_NET_CLOCK_H_
#define PERCALE_DEVICES_REMOTE_NET_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace percale::remote {

using Clock = std::chrono::steady_clock;

// < 0: no limit, which is Clock::time_point::max().
inline Clock::time_point deadline_after(int64_t timeout_ns) {
  const std::chrono::nanoseconds timeout(timeout_ns);
  const Clock::time_point now = Clock::now();
  if (timeout_ns < 0 || timeout > Clock::time_point::max() - now) return Clock::time_point::max();
  return now + timeout;
}

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_CLOCK_H_

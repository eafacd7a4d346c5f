// A rank's place in the group: it joins, learns who is lost, and leaves. The chief decides for all.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_CONTROL_H_
#define PERCALE_DEVICES_REMOTE_GROUP_CONTROL_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "devices/remote/group/exchange.h"

namespace percale::remote {

// A rank as it introduces itself.
struct Application {
  int rank = 0, size = 1;
  std::string build;    // version and numerics fingerprint, which must be the same on all ranks
  std::string address;  // where the others reach this rank; "": where it calls from, with `port`
  int port = 0;
};

// The group as all ranks see it.
struct Roll {
  uint64_t generation = 0;
  std::vector<std::string> addresses;  // by rank
};

// The chief's decisions reach the exchange in the order in which he takes them. Thread-safe.
// Functions throw Failure.
class Control {
 public:
  virtual ~Control() = default;
  // Waits until all ranks have joined.
  virtual Roll join(Clock::time_point deadline) = 0;
  // After an exchange has failed: waits until all ranks that are left have stopped, and returns
  // those that are lost. The exchange goes on without them, and with new links in place of harmed
  // ones.
  virtual std::vector<int32_t> lost(const LinkReport& report) = 0;
  // Needs the others no more. Waits a little until they know.
  virtual void leave() = 0;
};

// A control stream closes within this time, or is given up.
inline constexpr std::chrono::milliseconds kControlFarewell(1000);

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_CONTROL_H_

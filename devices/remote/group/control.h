// A rank's place in the group: it joins, learns who is lost, and leaves. The chief decides for all.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_CONTROL_H_
#define PERCALE_DEVICES_REMOTE_GROUP_CONTROL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "devices/remote/group/exchange.h"

namespace percale::remote {

// The data with which a rank applies.
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

// Thread-safe. Functions throw Failure.
class Control {
 public:
  virtual ~Control() = default;
  // Waits until all ranks have joined.
  virtual Roll join(Clock::time_point deadline) = 0;
  // After an exchange has failed: waits until all ranks that are left have stopped, and returns
  // those that are lost.
  virtual std::vector<int32_t> lost(int broken_peer) = 0;
  // Needs no other rank any more.
  virtual void leave() = 0;
};

// Called with the reason for which no exchange can end any more.
using OnFailing = std::function<void(const std::string& reason)>;

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_CONTROL_H_

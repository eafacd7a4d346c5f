// Measured times of nodes, in seconds.
#ifndef PERCALE_CORE_PLACEMENT_MEASURED_H_
#define PERCALE_CORE_PLACEMENT_MEASURED_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percale {

// Times per device and per group of nodes that ran as one. A plain value.
class MeasuredTimes {
 public:
  struct Entry {
    std::vector<std::string> nodes;
    double seconds = 0;  // a mean dominated by the last 16 measurements
    int64_t count = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;  // keyed by the names of the nodes

  // Adds one measurement of `nodes` together. Does nothing if `nodes` is empty.
  void add(std::string_view device, std::span<const std::string> nodes, double seconds);
  // Returns null if there is no measurement of the device.
  const Entries* of(std::string_view device) const;
  const std::map<std::string, Entries, std::less<>>& devices() const { return devices_; }
  bool empty() const { return devices_.empty(); }

 private:
  std::map<std::string, Entries, std::less<>> devices_;
};

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_MEASURED_H_

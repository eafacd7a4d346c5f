// Seconds that nodes were seen to take.
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

// Per device and per group of nodes that ran as one. A plain value.
class MeasuredTimes {
 public:
  struct Entry {
    std::vector<std::string> nodes;
    double seconds = 0;  // a mean in which the last 16 times count most
    int64_t count = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;  // by the nodes' names

  // One more time of `nodes` together. Nothing where there are none.
  void add(std::string_view device, std::span<const std::string> nodes, double seconds);
  // Null where nothing is known of the device.
  const Entries* of(std::string_view device) const;
  const std::map<std::string, Entries, std::less<>>& devices() const { return devices_; }
  bool empty() const { return devices_.empty(); }

 private:
  std::map<std::string, Entries, std::less<>> devices_;
};

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_MEASURED_H_

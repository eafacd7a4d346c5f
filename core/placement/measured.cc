#include "core/placement/measured.h"

#include <algorithm>

namespace percale {

void MeasuredTimes::add(std::string_view device, std::span<const std::string> nodes, double seconds) {
  if (nodes.empty()) return;
  std::string key;
  for (const std::string& name : nodes) key.append(name).push_back('\n');
  auto known = devices_.find(device);
  if (known == devices_.end()) known = devices_.emplace(std::string(device), Entries()).first;
  Entry& entry = known->second[std::move(key)];
  if (entry.count == 0) entry.nodes.assign(nodes.begin(), nodes.end());
  ++entry.count;
  entry.seconds += (seconds - entry.seconds) / static_cast<double>(std::min<int64_t>(entry.count, 16));
}

const MeasuredTimes::Entries* MeasuredTimes::of(std::string_view device) const {
  const auto found = devices_.find(device);
  return found == devices_.end() ? nullptr : &found->second;
}

}  // namespace percale

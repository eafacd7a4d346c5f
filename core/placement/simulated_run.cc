#include "core/placement/simulated_run.h"

#include <algorithm>

namespace percale {
namespace {

int64_t transfer_bytes(const Function& f, ValueId value) {
  const auto bytes = byte_size(f.type(value).dtype, f.type(value).shape);
  return bytes.ok() ? *bytes : 0;
}

// Joins a cheap node with its only user if both have the same candidates.
class Regions {
 public:
  Regions(const Function& f, const CostModel& costs, const PlacementUnits& units) : of_(units.unit_of) {
    std::vector<int32_t> user(f.nodes.size(), kNone);
    const auto use = [&](NodeId by, NodeId of) {
      int32_t& known = user[static_cast<size_t>(of)];
      known = known == kNone || known == by ? by : kMany;
    };
    for (size_t i = 0; i < f.nodes.size(); ++i) {
      for (ValueId id : f.nodes[i].inputs) {
        if (id != kNoValue && f.value(id).kind == ValueKind::kNode) use(static_cast<NodeId>(i), f.value(id).def);
      }
      for (NodeId before : f.nodes[i].control) use(static_cast<NodeId>(i), before);
    }
    for (ValueId id : f.outputs) {
      if (f.value(id).kind == ValueKind::kNode) user[static_cast<size_t>(f.value(id).def)] = kMany;
    }
    members_.resize(units.units.size());
    for (size_t u = 0; u < units.units.size(); ++u) members_[u] = units.units[u].nodes;
    for (size_t i = f.nodes.size(); i-- > 0;) {
      const int32_t own = units.unit_of[i];
      const PlacementUnit& unit = units.units[static_cast<size_t>(own)];
      if (user[i] < 0 || unit.nodes.size() > 1 || unit.candidates.size() < 2) continue;
      const int32_t joined = of_[static_cast<size_t>(user[i])];
      const PlacementUnit& other = units.units[static_cast<size_t>(units.unit_of[static_cast<size_t>(user[i])])];
      if (other.candidates != unit.candidates || !is_cheap(costs, static_cast<NodeId>(i), unit)) continue;
      of_[i] = joined;
      members_[static_cast<size_t>(joined)].push_back(static_cast<NodeId>(i));
    }
  }

  // Returns the nodes that are placed together with this one.
  const std::vector<NodeId>& of(size_t node) const { return members_[static_cast<size_t>(of_[node])]; }

 private:
  static constexpr int32_t kNone = -1, kMany = -2;

  static bool is_cheap(const CostModel& costs, NodeId node, const PlacementUnit& unit) {
    return std::all_of(unit.candidates.begin(), unit.candidates.end(),
                       [&](int32_t d) { return costs.seconds(node, d) < CostModel::kHopSeconds; });
  }

  std::vector<int32_t> of_;  // per node: the unit that it is placed with
  std::vector<std::vector<NodeId>> members_;
};

}  // namespace

SimulatedRun::SimulatedRun(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs)
    : f_(function),
      devices_(devices),
      costs_(costs),
      device_of_(function.nodes.size(), -1),
      end_of_(function.nodes.size(), 0),
      device_free_(devices.size(), CostModel::kHopSeconds),
      threads_free_(static_cast<size_t>(costs.threads()), 0) {
  // The caller's thread starts the host's first device at once. All other devices are woken.
  for (size_t d = 0; d < devices.size(); ++d) {
    if (!devices[d].holds_variables) continue;
    device_free_[d] = 0;
    break;
  }
}

double SimulatedRun::arrival(ValueId value, int32_t device) const {
  if (value == kNoValue) return 0;
  const Value& v = f_.value(value);
  if (v.kind == ValueKind::kConstant) return 0;
  if (v.kind == ValueKind::kInput) {
    const int32_t home = costs_.home_of(v);
    const bool here = home < 0 ? devices_[static_cast<size_t>(device)].holds_variables : home == device;
    return here ? 0 : costs_.transfer_seconds(transfer_bytes(f_, value), home, device);
  }
  const auto def = static_cast<size_t>(v.def);
  const int32_t from = device_of_[def];
  if (from == device || from < 0) return end_of_[def];
  if (const auto sent = sent_.find({value, device}); sent != sent_.end()) return sent->second;
  return end_of_[def] + costs_.transfer_seconds(transfer_bytes(f_, value), from, device);
}

double SimulatedRun::end_of(NodeId node, int32_t device) const {
  return begin_of(node, device) + costs_.seconds(node, device);
}

double SimulatedRun::begin_of(NodeId node, int32_t device) const {
  double begin = 0;
  for (ValueId id : f_.node(node).inputs) begin = std::max(begin, arrival(id, device));
  for (NodeId before : f_.node(node).control) {
    const bool same = device_of_[static_cast<size_t>(before)] == device;
    begin = std::max(begin, end_of_[static_cast<size_t>(before)] + (same ? 0 : CostModel::kHopSeconds));
  }
  if (costs_.seconds(node, device) == 0) return begin;
  begin = std::max(begin, device_free_[static_cast<size_t>(device)]);
  const int32_t width = costs_.width(device);
  if (width > 0) begin = std::max(begin, threads_free_[static_cast<size_t>(width) - 1]);
  return begin;
}

void SimulatedRun::run(NodeId node, int32_t device) {
  const double begin = begin_of(node, device), end = begin + costs_.seconds(node, device);
  const auto n = static_cast<size_t>(node);
  for (ValueId id : f_.node(node).inputs) {
    if (id == kNoValue || f_.value(id).kind != ValueKind::kNode) continue;
    const int32_t from = device_of_[static_cast<size_t>(f_.value(id).def)];
    if (from >= 0 && from != device) sent_.emplace(std::pair(id, device), arrival(id, device));
  }
  device_of_[n] = device;
  end_of_[n] = end;
  end_ = std::max(end_, end);
  if (costs_.seconds(node, device) == 0) return;
  device_free_[static_cast<size_t>(device)] = end;
  // Takes the threads that became free last before `begin`, which are the device's own if it had
  // some.
  const auto by_then = std::upper_bound(threads_free_.begin(), threads_free_.end(), begin);
  std::fill(by_then - costs_.width(device), by_then, end);
  std::sort(threads_free_.begin(), threads_free_.end());
}

int32_t SimulatedRun::nearest(NodeId node, std::span<const int32_t> candidates) const {
  std::map<int32_t, int64_t> bytes_at;
  for (ValueId id : f_.node(node).inputs) {
    if (id == kNoValue || f_.value(id).kind == ValueKind::kConstant) continue;
    const Value& v = f_.value(id);
    const int32_t at = v.kind == ValueKind::kInput ? costs_.home_of(v) : device_of_[static_cast<size_t>(v.def)];
    if (at >= 0) bytes_at[at] += transfer_bytes(f_, id) + 1;
  }
  int32_t best = -1;
  int64_t most = 0;
  for (const int32_t device : candidates) {
    const auto found = bytes_at.find(device);
    if (found == bytes_at.end() || found->second <= most) continue;
    best = device;
    most = found->second;
  }
  return best;
}

Assignment assign_nearest(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs,
                          const PlacementUnits& units) {
  SimulatedRun simulated(function, devices, costs);
  Assignment out;
  std::vector<int32_t> chosen(units.units.size(), -1);
  for (size_t i = 0; i < function.nodes.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const auto u = static_cast<size_t>(units.unit_of[i]);
    const std::vector<int32_t>& candidates = units.units[u].candidates;
    if (chosen[u] < 0) chosen[u] = candidates.size() == 1 ? candidates[0] : simulated.nearest(id, candidates);
    if (chosen[u] < 0) chosen[u] = candidates[0];
    simulated.run(id, chosen[u]);
    out.device_of.push_back(chosen[u]);
  }
  out.end = simulated.end();
  return out;
}

Assignment assign_earliest(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs,
                           const PlacementUnits& units) {
  const Regions regions(function, costs, units);
  SimulatedRun simulated(function, devices, costs);
  Assignment out;
  out.device_of.assign(function.nodes.size(), -1);
  for (size_t i = 0; i < function.nodes.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (out.device_of[i] < 0) {
      const PlacementUnit& unit = units.units[static_cast<size_t>(units.unit_of[i])];
      const std::vector<NodeId>& region = regions.of(i);
      int32_t best = unit.candidates[0];
      double first = 0;
      for (const int32_t device : unit.candidates) {
        if (unit.candidates.size() == 1) break;
        double end = simulated.end_of(id, device);
        for (NodeId other : region) end += other == id ? 0 : costs.seconds(other, device);
        if (device != unit.candidates[0] && end >= first) continue;
        best = device;
        first = end;
      }
      for (NodeId other : region) out.device_of[static_cast<size_t>(other)] = best;
      for (NodeId other : unit.nodes) out.device_of[static_cast<size_t>(other)] = best;
    }
    simulated.run(id, out.device_of[i]);
  }
  out.end = simulated.end();
  return out;
}

}  // namespace percale

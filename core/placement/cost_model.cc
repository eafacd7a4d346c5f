#include "core/placement/cost_model.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/graph/flops.h"

namespace percale {
namespace {

// Rates of one host thread in f32 as kernels reach them, and the cost of a launch on the host and
// on another device.
constexpr double kThreadFlops = 32e9, kThreadBytes = 8e9, kHostBytes = 24e9;
constexpr double kHostLaunch = 0.3e-6, kDeviceLaunch = 5e-6;
constexpr double kLinkBytes = 10e9;
constexpr int32_t kNominalThreads = 8;

double bytes_of(const Function& f, ValueId id) {
  const auto bytes = id == kNoValue ? Result<int64_t>(0) : byte_size(f.type(id).dtype, f.type(id).shape);
  return bytes.ok() ? static_cast<double>(*bytes) : 0;
}

double elements_of(const Function& f, ValueId id) {
  if (id == kNoValue || !f.type(id).shape.is_static()) return 0;
  return static_cast<double>(f.type(id).shape.num_elements());
}

// Returns layer_flops(), plus one per output element of elementwise nodes.
double arithmetic(const Function& f, const Node& node) {
  const double layer = layer_flops(f, node);
  if (layer > 0 || !node.op->has(kElementwise)) return layer;
  double outputs = 0;
  for (ValueId id : node.outputs) outputs += elements_of(f, id);
  return outputs;
}

bool costs_nothing(const Node& node) { return node.op->has(kView) || node.op->has(kRuntime); }

}  // namespace

CostModel::CostModel(const Function& function, std::span<const PlacementDevice> devices, std::span<const int32_t> homes,
                     int32_t threads, const MeasuredTimes* measured)
    : f_(function),
      devices_(devices),
      homes_(homes),
      nominal_(threads <= 0),
      threads_(threads <= 0 ? kNominalThreads : threads),
      scale_(devices.size(), 1),
      measured_(devices.size()) {
  for (const Node& node : f_.nodes) {
    double bytes = 0;
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (ValueId id : *ids) bytes += bytes_of(f_, id);
    }
    flops_.push_back(costs_nothing(node) ? 0 : arithmetic(f_, node));
    bytes_.push_back(costs_nothing(node) ? 0 : bytes);
  }
  if (measured != nullptr && !measured->empty()) read_measured(*measured);
}

int32_t CostModel::home_of(const Value& input) const {
  const auto i = static_cast<size_t>(input.def);
  return i < homes_.size() ? homes_[i] : -1;
}

int32_t CostModel::width(int32_t device) const {
  const PlacementDevice& d = devices_[static_cast<size_t>(device)];
  if (!d.holds_variables) return 0;
  return nominal_ || d.width <= 0 ? threads_ : std::min(d.width, threads_);
}

double CostModel::formula(NodeId node, int32_t device) const {
  const auto i = static_cast<size_t>(node);
  if (costs_nothing(f_.node(node))) return 0;
  const PlacementDevice& d = devices_[static_cast<size_t>(device)];
  const double threads = d.holds_variables ? width(device) : threads_;
  const double flops = d.gflops > 0 ? d.gflops * 1e9 : threads * kThreadFlops;
  const double bytes =
      d.gbytes_per_second > 0 ? d.gbytes_per_second * 1e9 : std::min(threads * kThreadBytes, kHostBytes);
  return std::max(flops_[i] / flops, bytes_[i] / bytes) + (d.holds_variables ? kHostLaunch : kDeviceLaunch);
}

void CostModel::read_measured(const MeasuredTimes& measured) {
  std::unordered_map<std::string_view, NodeId> node_of;
  for (size_t i = 0; i < f_.nodes.size(); ++i) node_of.emplace(f_.nodes[i].name, static_cast<NodeId>(i));
  std::vector<double> seen(devices_.size(), 0), expected(devices_.size(), 0);
  for (size_t d = 0; d < devices_.size(); ++d) {
    const MeasuredTimes::Entries* entries = measured.of(devices_[d].name);
    if (entries == nullptr) continue;
    std::vector<double>& times = measured_[d];
    times.assign(f_.nodes.size(), -1);
    for (const auto& [key, entry] : *entries) {
      std::vector<NodeId> nodes;
      double sum = 0;
      for (const std::string& name : entry.nodes) {
        const auto found = node_of.find(name);
        if (found == node_of.end()) break;
        nodes.push_back(found->second);
        sum += formula(found->second, static_cast<int32_t>(d));
      }
      // From another function or plan.
      if (nodes.size() != entry.nodes.size() || !(sum > 0)) continue;
      seen[d] += entry.seconds;
      expected[d] += sum;
      for (NodeId node : nodes) {
        times[static_cast<size_t>(node)] = entry.seconds * formula(node, static_cast<int32_t>(d)) / sum;
      }
    }
    if (expected[d] > 0) {
      scale_[d] = seen[d] / expected[d];
    } else {
      times.clear();
    }
  }
  for (size_t d = 0; d < devices_.size(); ++d) {
    if (expected[d] > 0) continue;
    double all_seen = 0, all_expected = 0;
    for (size_t other = 0; other < devices_.size(); ++other) {
      if (devices_[other].numerics() != devices_[d].numerics() || devices_[other].kind != devices_[d].kind) continue;
      all_seen += seen[other];
      all_expected += expected[other];
    }
    if (all_expected > 0) scale_[d] = all_seen / all_expected;
  }
}

double CostModel::seconds(NodeId node, int32_t device) const {
  const auto d = static_cast<size_t>(device), i = static_cast<size_t>(node);
  if (!measured_[d].empty() && measured_[d][i] >= 0) return measured_[d][i];
  const double expected = formula(node, device);
  // A measurement on another device with the same numerics is better than the formula.
  for (size_t other = 0; other < devices_.size(); ++other) {
    if (measured_[other].empty() || measured_[other][i] < 0) continue;
    if (devices_[other].numerics() != devices_[d].numerics()) continue;
    const double there = formula(node, static_cast<int32_t>(other)) * scale_[other];
    if (there > 0) return measured_[other][i] * expected * scale_[d] / there;
  }
  return expected * scale_[d];
}

double CostModel::transfer_seconds(int64_t bytes, int32_t from, int32_t to) const {
  if (from == to) return 0;
  int links = 0;
  for (const int32_t end : {from, to}) {
    if (end >= 0 && !devices_[static_cast<size_t>(end)].holds_variables) ++links;
  }
  return kHopSeconds + links * (static_cast<double>(bytes) / kLinkBytes);
}

}  // namespace percale

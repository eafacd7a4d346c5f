#include "core/placement/constraints.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "core/graph/device_hint.h"

namespace percale {
namespace {

// The index of the first device that matches; -1: none does.
template <class Matches>
int32_t first_device(const std::vector<PlacementDevice>& devices, Matches&& matches) {
  const auto found = std::find_if(devices.begin(), devices.end(), matches);
  return found == devices.end() ? -1 : static_cast<int32_t>(found - devices.begin());
}

// "/job:worker/task:0/device:cpu:1" is that device of a task, and "/job:worker/task:0" the first
// one of the task. An engine without devices of tasks runs such nodes, too: they, "device:cpu:1"
// and "cpu:1" mean one device then; "cpu" means the first of the kind.
int32_t find_device(const std::vector<PlacementDevice>& devices, std::string_view hint) {
  const auto is_of_task = [](const PlacementDevice& d) { return d.name.starts_with("/job:"); };
  if (hint.starts_with("/job:") && std::any_of(devices.begin(), devices.end(), is_of_task)) {
    const std::string task = str_cat(hint, "/device:");
    return first_device(devices, [&](const PlacementDevice& d) { return d.name == hint || d.name.starts_with(task); });
  }
  const size_t at = hint.rfind("device:");
  if (at != std::string_view::npos) hint.remove_prefix(at + 7);
  return first_device(devices, [&](const PlacementDevice& d) { return d.name == hint || d.kind == hint; });
}

class UnitFinder {
 public:
  UnitFinder(const Function& f, const std::vector<PlacementDevice>& devices, const KernelProbe& probe,
             const PlaceOptions& options)
      : f_(f),
        devices_(devices),
        probe_(probe),
        soft_(options.soft),
        group_(options.group),
        home_(group_.empty() ? -1 : group_.front()),
        all_devices_(first_device(devices, [](const PlacementDevice& d) { return d.places_nodes; })) {}

  Result<PlacementUnits> run() {
    join_nodes();
    find_variables();
    for (PlacementUnit& unit : out_.units) PERCALE_RETURN_IF_ERROR(settle(unit));
    return std::move(out_);
  }

 private:
  // Joins nodes into units by the hints that name another node.
  void join_nodes() {
    std::vector<int32_t> root(f_.nodes.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int32_t n) {
      while (root[static_cast<size_t>(n)] != n) n = root[static_cast<size_t>(n)];
      return n;
    };
    missing_.resize(f_.nodes.size(), false);
    std::unordered_map<std::string_view, NodeId> by_name;  // nodes take precedence over variables
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      const auto with = parse_colocation_hint(f_.nodes[i].device);
      if (!with) continue;
      if (by_name.empty()) name_nodes(by_name);
      const auto found = by_name.find(*with);
      missing_[i] = found == by_name.end();
      if (missing_[i]) continue;
      const int32_t a = find(static_cast<int32_t>(i)), b = find(found->second);
      root[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
    }
    out_.unit_of.resize(f_.nodes.size());
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      const auto first = static_cast<size_t>(find(static_cast<int32_t>(i)));
      if (first == i) {
        out_.unit_of[i] = static_cast<int32_t>(out_.units.size());
        out_.units.emplace_back();
      } else {
        out_.unit_of[i] = out_.unit_of[first];
      }
      out_.units[static_cast<size_t>(out_.unit_of[i])].nodes.push_back(static_cast<NodeId>(i));
    }
  }

  void name_nodes(std::unordered_map<std::string_view, NodeId>& by_name) const {
    for (size_t i = 0; i < f_.nodes.size(); ++i) by_name.emplace(f_.nodes[i].name, static_cast<NodeId>(i));
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      const std::string_view variable = variable_of(f_.nodes[i]);
      if (!variable.empty()) by_name.emplace(variable, static_cast<NodeId>(i));
    }
  }

  // Returns the variable of a node, or "" if it has none.
  static std::string_view variable_of(const Node& node) {
    return node.op->has(kRuntime) ? node.attributes.get_string("variable") : std::string_view();
  }

  // Records the devices that nodes request for the variables that they read or assign.
  void find_variables() {
    for (const Node& node : f_.nodes) {
      const std::string_view variable = variable_of(node);
      if (variable.empty() || node.device.empty() || parse_group_hint(node.device)) continue;
      const int32_t device = find_device(devices_, node.device);
      if (device >= 0 && devices_[static_cast<size_t>(device)].holds_variables) asked_.emplace(variable, device);
    }
  }

  Status settle(PlacementUnit& unit) {
    PERCALE_RETURN_IF_ERROR(settle_by_hints(unit));
    if (!unit.candidates.empty()) return {};
    if (home_ >= 0) {
      const Status status = all_run(unit, home_);
      if (status.ok()) return settle_on(unit, home_, "runs on the home device"), Status();
      if (status.code() == Code::kResourceExhausted) return status;
    }
    const auto runtime =
        std::find_if(unit.nodes.begin(), unit.nodes.end(), [&](NodeId id) { return f_.node(id).op->has(kRuntime); });
    if (runtime != unit.nodes.end()) {
      PERCALE_RETURN_IF_ERROR(settle_runtime(unit, f_.node(*runtime)));
      if (unit.nodes.size() == 1) return {};
      return all_run(unit, unit.candidates[0]);
    }
    return find_candidates(unit);
  }

  static void settle_on(PlacementUnit& unit, int32_t device, std::string reason) {
    unit.candidates = {device};
    unit.reason = std::move(reason);
  }

  // Places the unit on the device that one of its nodes requests by name or by position in the
  // group.
  Status settle_by_hints(PlacementUnit& unit) {
    for (NodeId id : unit.nodes) {
      const Node& node = f_.node(id);
      if (node.device.empty()) continue;
      if (const auto with = parse_colocation_hint(node.device)) {
        if (missing_[static_cast<size_t>(id)]) {
          unit.note += str_cat("; placement with '", *with, "' was requested, which is not part of the plan");
        }
        continue;
      }
      if (all_devices_ >= 0) {
        // A node that cannot run there stays in this process, where its hint means nothing.
        if (all_run(unit, all_devices_).ok()) settle_on(unit, all_devices_, str_cat("requested there: ", node.device));
        continue;
      }
      const auto place = parse_group_hint(node.device);
      int32_t device = -1;
      if (place) {
        PERCALE_ASSIGN_OR_RETURN(device, in_group(node, *place));
      } else {
        device = find_device(devices_, node.device);
      }
      Status status = device >= 0 ? all_run(unit, device)
                      : place     ? not_found("no device uses the host's memory")
                                  : not_found("no device '", node.device, "' in this engine (it has ", names(), ")");
      if (status.ok() && !unit.candidates.empty() && unit.candidates[0] != device) {
        status = invalid_argument("it must be placed with a node that is requested on ",
                                  devices_[static_cast<size_t>(unit.candidates[0])].name);
      }
      if (status.ok()) {
        settle_on(unit, device, str_cat("requested: ", node.device));
        continue;
      }
      if ((!place && !soft_) || status.code() == Code::kResourceExhausted) {
        return status.with_context(str_cat(op_name(*node.op), " '", node.name, "'"));
      }
      unit.note += str_cat("; requested ", node.device, ", but ", status.message());
    }
    return {};
  }

  // Returns -1 if the hint asks for the host and no device has the host's memory.
  Result<int32_t> in_group(const Node& node, const GroupHint& hint) const {
    if (static_cast<size_t>(hint.place) >= group_.size()) {
      return invalid_argument(op_name(*node.op), " '", node.name, "': requests '", node.device,
                              "', but the run's group has only ", static_cast<uint64_t>(group_.size()), " devices");
    }
    const int32_t device = group_[static_cast<size_t>(hint.place)];
    return !hint.host || devices_[static_cast<size_t>(device)].holds_variables ? device : first_host();
  }

  int32_t first_host() const {
    return first_device(devices_, [](const PlacementDevice& d) { return d.holds_variables; });
  }

  Status can_run(const Node& node, int32_t device) const {
    const PlacementDevice& d = devices_[static_cast<size_t>(device)];
    if (node.op->has(kRuntime)) {
      return d.holds_variables ? Status()
                               : unimplemented("variables and control flow run on the host, not on ", d.name);
    }
    if (node.op->has(kWaitsForShards)) {
      return d.holds_variables ? probe_.can_run(node, d.kind)
                               : unimplemented("shards of a batch are synchronised on the host, not on ", d.name);
    }
    if (d.is_home && device != home_) {
      return unimplemented("the engine does not compute on ", d.name, ", which is only the home of its variables");
    }
    if (d.takes_partitions) {
      return node.op->has(kStateful) || node.op->has(kRandom)
                 ? unimplemented("stateful and random ops cannot run on ", d.name, ", which runs whole partitions")
                 : Status();
    }
    return probe_.can_run(node, d.kind);
  }

  Status all_run(const PlacementUnit& unit, int32_t device) const {
    for (NodeId id : unit.nodes) {
      Status status = can_run(f_.node(id), device);
      if (status.ok()) continue;
      if (unit.nodes.size() == 1) return status;
      return status.with_context(
          str_cat(op_name(*f_.node(id).op), " '", f_.node(id).name, "', which is placed with it"));
    }
    return {};
  }

  // True if the run may use the device for nodes that its group cannot run.
  bool may_use(int32_t device) const {
    return group_.empty() || devices_[static_cast<size_t>(device)].holds_variables ||
           std::find(group_.begin(), group_.end(), device) != group_.end();
  }

  Status settle_runtime(PlacementUnit& unit, const Node& node) {
    const auto asked = asked_.find(variable_of(node));
    if (asked != asked_.end() && group_.empty()) {
      return settle_on(unit, asked->second, str_cat("placed with the other nodes of its variable", unit.note)),
             Status();
    }
    if (const int32_t host = first_host(); host >= 0) {
      return settle_on(unit, host, "variables and control flow run on the host"), Status();
    }
    return failed_precondition(op_name(*node.op), " '", node.name,
                               "': requires a device in the host's memory (cpu:0), but the engine has ", names());
  }

  Status find_candidates(PlacementUnit& unit) {
    std::string refusals;
    // Per kind: devices of one kind have the same kernels.
    std::map<std::string_view, Status> known;
    for (size_t i = 0; i < devices_.size(); ++i) {
      const auto device = static_cast<int32_t>(i);
      if (!may_use(device)) continue;
      auto found = known.find(devices_[i].kind);
      const bool first = found == known.end();
      if (first) found = known.emplace(devices_[i].kind, all_run(unit, device)).first;
      const Status& status = found->second;
      if (status.ok()) {
        unit.candidates.push_back(device);
      } else if (status.code() == Code::kResourceExhausted) {
        return status;
      } else if (first) {
        refusals += str_cat("; not on ", devices_[i].name, ": ", status.message());
      }
    }
    if (unit.candidates.empty() && settle_random(unit)) return {};
    if (unit.candidates.empty()) {
      const Node& node = f_.node(unit.nodes[0]);
      return unimplemented(op_name(*node.op), " '", node.name, "': no device runs it", refusals, unit.note);
    }
    unit.note = refusals + unit.note;
    if (unit.candidates.size() == 1) {
      unit.reason = devices_.size() == 1 ? "the only device" : "the only device that can run it";
    }
    return {};
  }

  // Random ops run on the home of variables if no device of the run takes them. Returns false if
  // the unit has others, too, or there is no home.
  bool settle_random(PlacementUnit& unit) const {
    const int32_t home = first_device(devices_, [](const PlacementDevice& d) { return d.is_home; });
    const bool is_random = std::all_of(unit.nodes.begin(), unit.nodes.end(), [&](NodeId id) {
      return home >= 0 && f_.node(id).op->has(kRandom) &&
             probe_.can_run(f_.node(id), devices_[static_cast<size_t>(home)].kind).ok();
    });
    if (is_random) settle_on(unit, home, str_cat("random ops run on the host", unit.note));
    return is_random;
  }

  std::string names() const {
    std::string out;
    for (const PlacementDevice& d : devices_) out += (out.empty() ? "" : ", ") + d.name;
    return out.empty() ? "none" : out;
  }

  const Function& f_;
  const std::vector<PlacementDevice>& devices_;
  const KernelProbe& probe_;
  const bool soft_;
  const std::span<const int32_t> group_;
  const int32_t home_;         // -1: no home
  const int32_t all_devices_;  // all devices of another process, which follow hints; -1: none
  std::vector<bool> missing_;  // per node: the node that its hint names does not exist
  std::map<std::string_view, int32_t> asked_;
  PlacementUnits out_;
};

}  // namespace

Result<PlacementUnits> find_units(const Function& function, const std::vector<PlacementDevice>& devices,
                                  const KernelProbe& probe, const PlaceOptions& options) {
  return UnitFinder(function, devices, probe, options).run();
}

}  // namespace percale

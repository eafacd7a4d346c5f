#include "core/placement/place.h"

#include <algorithm>

#include "core/graph/device_hint.h"

namespace percale {
namespace {

// "/job:worker/task:0/device:cpu:1", "device:cpu:1" and "cpu:1" mean one device; "cpu" means the first of the kind.
int32_t find_device(const std::vector<PlacementDevice>& devices, std::string_view hint) {
  const size_t at = hint.rfind("device:");
  if (at != std::string_view::npos) hint.remove_prefix(at + 7);
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].name == hint || devices[i].kind == hint) return static_cast<int32_t>(i);
  }
  return -1;
}

class Placer {
 public:
  Placer(const Function& f, const std::vector<PlacementDevice>& devices, const KernelProbe& probe, bool soft,
         std::span<const int32_t> group)
      : f_(f),
        devices_(devices),
        probe_(probe),
        soft_(soft),
        group_(group),
        home_(group.empty() ? -1 : group.front()) {}

  Result<Placement> run() {
    for (const Node& node : f_.nodes) PERCALE_RETURN_IF_ERROR(place_node(node));
    return std::move(out_);
  }

 private:
  void set(int32_t device, std::string reason) {
    out_.device_of.push_back(device);
    out_.reasons.push_back(std::move(reason));
  }

  Status place_node(const Node& node) {
    std::string note;
    if (const auto hint = parse_group_hint(node.device)) {
      PERCALE_ASSIGN_OR_RETURN(const int32_t device, in_group(node, *hint));
      const Status status = device < 0 ? not_found("no device has the host's memory") : can_run(node, device);
      if (status.ok()) {
        set(device, str_cat("asked for: ", node.device));
        return {};
      }
      if (status.code() == Code::kResourceExhausted) return status;
      note = str_cat("; asked for ", node.device, ", but ", status.message());
    } else if (!node.device.empty()) {
      const int32_t device = find_device(devices_, node.device);
      const Status status = device < 0
                                ? not_found("no device '", node.device, "' in this engine (it has ", names(), ")")
                                : can_run(node, device);
      if (status.ok()) {
        set(device, str_cat("asked for: ", node.device));
        return {};
      }
      if (!soft_ || status.code() == Code::kResourceExhausted) {
        return status.with_context(str_cat(op_name(*node.op), " '", node.name, "'"));
      }
      note = str_cat("; asked for ", node.device, ", but ", status.message());
    }
    if (home_ >= 0) {
      const Status status = can_run(node, home_);
      if (status.ok()) return set(home_, str_cat("runs at home", note)), Status();
      if (status.code() == Code::kResourceExhausted) return status;
    }
    if (node.op->has(kRuntime)) return place_runtime_node(node, note);
    return place_freely(node, note);
  }

  // -1: there is none.
  Result<int32_t> in_group(const Node& node, const GroupHint& hint) const {
    if (static_cast<size_t>(hint.place) >= group_.size()) {
      return invalid_argument(op_name(*node.op), " '", node.name, "': asks for '", node.device,
                              "', the run's group has ", static_cast<uint64_t>(group_.size()), " devices");
    }
    const int32_t device = group_[static_cast<size_t>(hint.place)];
    return !hint.host || devices_[static_cast<size_t>(device)].holds_variables ? device : first_host();
  }

  int32_t first_host() const {
    for (size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i].holds_variables) return static_cast<int32_t>(i);
    }
    return -1;
  }

  Status can_run(const Node& node, int32_t device) const {
    const PlacementDevice& d = devices_[static_cast<size_t>(device)];
    if (node.op->has(kRuntime)) {
      return d.holds_variables ? Status()
                               : unimplemented("variables and control flow live on the host, not on ", d.name);
    }
    if (d.takes_partitions) {
      return node.op->has(kStateful) || node.op->has(kRandom)
                 ? unimplemented("a partition that ", d.name, " takes as a whole has no state and draws no numbers")
                 : Status();
    }
    return probe_.can_run(node, d.kind);
  }

  // Whether the run may use the device for what its group cannot run.
  bool may_use(int32_t device) const {
    return group_.empty() || devices_[static_cast<size_t>(device)].holds_variables ||
           std::find(group_.begin(), group_.end(), device) != group_.end();
  }

  Status place_runtime_node(const Node& node, const std::string& note) {
    if (const int32_t host = first_host(); host >= 0) {
      set(host, str_cat("variables and control flow live on the host", note));
      return {};
    }
    return failed_precondition(op_name(*node.op), " '", node.name,
                               "': needs a device in the host's memory (cpu:0), the engine has ", names());
  }

  // The device where most bytes of the inputs are already, among those that can run the node.
  Status place_freely(const Node& node, const std::string& note) {
    std::vector<int64_t> bytes_at(devices_.size(), 0);
    for (ValueId id : node.inputs) {
      if (id == kNoValue || f_.value(id).kind != ValueKind::kNode) continue;
      const auto bytes = byte_size(f_.type(id).dtype, f_.type(id).shape);
      bytes_at[static_cast<size_t>(out_.device_of[static_cast<size_t>(f_.value(id).def)])] +=
          bytes.ok() ? *bytes + 1 : 1;
    }
    std::vector<int32_t> order(devices_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return bytes_at[static_cast<size_t>(a)] > bytes_at[static_cast<size_t>(b)];
    });
    std::string refusals;
    for (int32_t device : order) {
      if (!may_use(device)) continue;
      const Status status = can_run(node, device);
      if (status.ok()) {
        const bool near = bytes_at[static_cast<size_t>(device)] > 0;
        set(device, str_cat(near ? "next to its largest inputs" : "first device that runs it", refusals, note));
        return {};
      }
      if (status.code() == Code::kResourceExhausted) return status;
      refusals += str_cat("; not on ", devices_[static_cast<size_t>(device)].name, ": ", status.message());
    }
    return unimplemented(op_name(*node.op), " '", node.name, "': no device runs it", refusals, note);
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
  const int32_t home_;  // -1: none
  Placement out_;
};

}  // namespace

Result<Placement> place(const Function& function, const std::vector<PlacementDevice>& devices, const KernelProbe& probe,
                        bool soft, std::span<const int32_t> group) {
  if (devices.empty()) return failed_precondition("this engine has no device: it can build, check and save, not run");
  return Placer(function, devices, probe, soft, group).run();
}

}  // namespace percale

#include "core/train/parallel/replica_devices.h"

#include <algorithm>

#include "core/graph/device_hint.h"
#include "core/train/shards/device_choice.h"

namespace percale {

bool names_devices(const Graph& graph) {
  for (const Function& f : graph.functions) {
    for (const Node& node : f.nodes) {
      if (names_device(node.device) && !parse_colocation_hint(node.device)) return true;
    }
  }
  return false;
}

ReplicaDevices::ReplicaDevices(std::shared_ptr<Engine> engine, std::vector<std::string> wanted, ParallelSpec spec,
                               bool placed)
    : engine_(std::move(engine)), wanted_(std::move(wanted)), spec_(std::move(spec)), placed_(placed) {}

Status ReplicaDevices::check() const {
  if (!spec_.says_devices()) return {};
  if (placed_) {
    return invalid_argument("'parallel': nodes of the model name devices, which says where they run already");
  }
  return device_groups(*engine_, wanted_, spec_).status();
}

Result<std::vector<DeviceGroup>> ReplicaDevices::candidates() const {
  const bool one = engine_->devices().size() == 1 && !named();
  if (placed_ || one || engine_->devices().empty()) return std::vector<DeviceGroup>(1);
  return device_groups(*engine_, wanted_, spec_);
}

void ReplicaDevices::assign(std::vector<DeviceGroup> candidates, size_t replicas) {
  const auto first_spare = candidates.begin() + static_cast<ptrdiff_t>(replicas);
  groups_.assign(candidates.begin(), first_spare);
  spare_.assign(first_spare, candidates.end());
  lost_.reserve(engine_->devices().size());
}

// A model whose nodes name their devices has one replica of all devices.
std::string ReplicaDevices::name(size_t replica) const {
  std::string out;
  const auto add = [&](const Device& device) { out += str_cat(out.empty() ? "" : "+", device.name()); };
  for (const int32_t index : groups_[replica]) add(device(index));
  if (!groups_[replica].empty()) return out;
  for (const auto& device : engine_->devices()) add(*device);
  return out;
}

DeviceGroup ReplicaDevices::host_group() const {
  const auto& devices = engine_->devices();
  if (devices.size() < 2 || placed_) return {};
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i]->shares_host_memory()) return {static_cast<int32_t>(i)};
  }
  return {};
}

bool ReplicaDevices::computes_as_host(int32_t index) const {
  const auto& devices = engine_->devices();
  const auto host = std::ranges::find_if(devices, [](const auto& d) { return d->shares_host_memory(); });
  return host != devices.end() && kernel_kind(device(index)) == kernel_kind(**host);
}

bool ReplicaDevices::works_alone(const DeviceGroup& group) const {
  return !group.empty() && std::ranges::all_of(group, [&](int32_t index) { return device(index).has_streams(); });
}

bool ReplicaDevices::may_be_lost(size_t replica) const {
  const auto& group = groups_[replica];
  if (group.empty()) return std::ranges::any_of(engine_->devices(), [](const auto& d) { return d->can_be_lost(); });
  return std::ranges::any_of(group, [&](int32_t index) { return device(index).can_be_lost(); });
}

bool ReplicaDevices::is_lost(size_t replica, const Status& status) const {
  return status.code() == Code::kUnavailable &&
         std::ranges::any_of(groups_[replica], [&](int32_t index) { return device(index).lost(); });
}

bool ReplicaDevices::note_loss(size_t replica, const Status& status) {
  if (!is_lost(replica, status)) return false;
  for (const int32_t index : groups_[replica]) {
    if (device(index).lost()) note_loss(std::string(device(index).name()));
  }
  return true;
}

void ReplicaDevices::note_loss(std::string device) {
  if (std::ranges::find(lost_, device) == lost_.end()) lost_.push_back(std::move(device));
}

Result<bool> ReplicaDevices::replace_lost(Replicas& replicas, bool all_apart) {
  bool any = false;
  for (size_t i = 0; i < groups_.size() && !spare_.empty(); ++i) {
    if (!replicas.lost(i)) continue;
    groups_[i] = spare_.front();
    spare_.erase(spare_.begin());
    PERCALE_RETURN_IF_ERROR(replicas.place(i, all_apart || works_alone(groups_[i])));
    any = true;
  }
  return any;
}

// Devices that run the same kernels give the same bits.
bool ReplicaDevices::computes_like(const DeviceGroup& group, const Device& other) const {
  return std::ranges::all_of(group, [&](int32_t index) { return kernel_kind(device(index)) == kernel_kind(other); });
}

void ReplicaDevices::report_losses(int64_t step, size_t left) {
  for (; reported_ < lost_.size(); ++reported_) {
    const Device& lost = *engine_->find_device(lost_[reported_]);
    const auto like_it = [&](const DeviceGroup& group) { return computes_like(group, lost); };
    const bool same = std::ranges::all_of(groups_, like_it) && std::ranges::all_of(spare_, like_it);
    engine_->log().log(LogLevel::kWarning, "trainer, step ", step, ": ", lost.name(),
                       " is lost and takes no further part; replicas that can compute its shards: ",
                       static_cast<uint64_t>(left + spare_.size()),
                       same ? ", with the same bits" : ", with kernels of their own, which may give other bits");
  }
}

}  // namespace percale

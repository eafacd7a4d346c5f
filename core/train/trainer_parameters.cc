#include "core/train/trainer_parameters.h"

#include <algorithm>
#include <cstring>

#include "core/compile/plan.h"
#include "core/train/shards/device_choice.h"

namespace percale {
namespace {

using Where = ParameterSpec::Where;

std::vector<ValueType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<ValueType> out;
  for (const Tensor& t : tensors) out.push_back({t.dtype(), t.shape()});
  return out;
}

}  // namespace

Result<std::unique_ptr<Trainer::Parameters>> Trainer::Parameters::create(Trainer& trainer) {
  const ParameterSpec& spec = trainer.options_.parameters;
  if (spec.where == Where::kHost || spec.where == Where::kDevice || trainer.resident_ != nullptr) {
    return std::unique_ptr<Parameters>();
  }
  std::unique_ptr<Parameters> out(new Parameters(trainer));
  const auto& devices = trainer.engine_->devices();
  if (spec.where == Where::kMirrored) {
    if (trainer.options_.parallel.group_size() > 1) {
      return unimplemented(
          "'parameters': mirrored with stages or splits, of which each device computes a part of the model");
    }
    for (const NextValue& next : next_values(*trainer.graph_.graph)) {
      if (!next.computed) continue;
      out->mirrored_values_.push_back(trainer.graph_.graph->find_function(kCommitFunction)->value(next.value).name);
      out->mirrored_.push_back(next.variable);
    }
    return out;
  }
  PERCALE_ASSIGN_OR_RETURN(const auto named, choose_devices(*trainer.engine_, spec.devices));
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  for (size_t i = 0; i < devices.size(); ++i) {
    const bool wanted = spec.devices.empty()
                            ? devices[i]->shares_host_memory() && in(trainer.options_.devices, devices[i]->name())
                            : in(named, devices[i]->name());
    if (wanted) out->devices_.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < devices.size() && out->devices_.empty(); ++i) {
    if (devices[i]->shares_host_memory()) out->devices_.push_back(static_cast<int32_t>(i));
  }
  if (out->devices_.empty()) {
    return failed_precondition("'parameters': ps wants devices for the parts, or one in the host's memory (cpu:0)");
  }
  PERCALE_RETURN_IF_ERROR(out->lay_out());
  return out;
}

// Parts of all parameters on the devices that are left.
Status Trainer::Parameters::lay_out() {
  const ParameterSpec& spec = t_.options_.parameters;
  away_ = here_ = nullptr;
  planned_for_.clear();
  std::vector<PsDevice> devices;
  std::vector<Holder> holders;
  for (const int32_t index : devices_) {
    devices.push_back({device(index).name(), device(index).shares_host_memory()});
    holders.push_back({index});
  }
  if (!devices.empty()) {
    const auto parts = lay_out_parameters(t_.graph_.parameters, t_.graph_.by_rows, t_.options_.optimizer,
                                          devices.size(), spec.min_shard_bytes);
    for (const ParameterPart& part : parts) {
      ++holders[part.device].parts;
      holders[part.device].bytes += part.bytes;
    }
    PERCALE_ASSIGN_OR_RETURN(parts_, build_ps_commit(t_.graph_, t_.options_.optimizer, parts, devices));
    state_.clear();
    for (const PsCommit::View& view : parts_.variables) {
      PERCALE_ASSIGN_OR_RETURN(state_.emplace_back(), view_of(t_.working_[view.of], view));
    }
    fetched_.clear();
    fetched_to_.clear();
    for (const PsCommit::Update& update : parts_.updates) {
      if (update.on_host) continue;
      const Tensor& to = state_[update.variable];
      PERCALE_ASSIGN_OR_RETURN(fetched_.emplace_back(), Tensor::allocate(t_.memory_, to.dtype(), to.shape()));
      fetched_to_.push_back(update.variable);
    }
    SessionOptions session;
    session.memory = t_.memory_;
    PERCALE_ASSIGN_OR_RETURN(session_, Session::create(t_.engine_, parts_.graph, nullptr, std::move(session)));
  }
  const std::lock_guard lock(mutex_);
  holders_ = std::move(holders);
  return {};
}

Status Trainer::Parameters::plan_parts(const std::vector<ValueType>& types) {
  if (planned_for_ == types) return {};
  planned_for_.clear();
  away_ = here_ = nullptr;
  RunSpec spec;
  spec.function = kCommitFunction;
  spec.feeds = parts_.input_names;
  spec.group = t_.host_group();
  RunSpec away = spec;
  ResidentSlots slots;
  for (const PsCommit::Update& update : parts_.updates) {
    if (update.on_host) {
      spec.targets.push_back(update.node);
    } else {
      away.fetches.push_back(update.value);
      slots.fetches.push_back(StoreKey::variable(static_cast<int64_t>(update.variable)));
    }
  }
  if (!away.fetches.empty()) {
    away.binding = RunBinding::changing(std::move(slots));
    PERCALE_ASSIGN_OR_RETURN(away_, session_->prepare(away, types));
  }
  if (!spec.targets.empty()) {
    spec.binding = RunBinding::exclusive();
    PERCALE_ASSIGN_OR_RETURN(here_, session_->prepare(spec, types));
  }
  planned_for_ = types;
  return {};
}

std::vector<int64_t> Trainer::Parameters::versions_of(int64_t next) const {
  std::vector<int64_t> out = t_.versions_;
  for (size_t i = 0; i < out.size(); ++i) {
    if (t_.committed_[i]) out[i] = t_.version_number(next, i);
  }
  return out;
}

Result<bool> Trainer::Parameters::commit(const std::vector<Tensor>& feeds, const RunOptions& options, int64_t next) {
  if (t_.options_.parameters.where == Where::kPs) return commit_parts(feeds, options, next);
  mirror(feeds, options, next);
  return false;
}

// First what may be lost on its way: until it is all here the working set is as it was.
Result<bool> Trainer::Parameters::commit_parts(const std::vector<Tensor>& feeds, RunOptions options, int64_t next) {
  const size_t before = devices_.size();
  std::erase_if(devices_, [&](int32_t index) {
    if (!device(index).lost()) return false;
    note_lost(device(index));
    return true;
  });
  const auto host_instead = [&](const Status& status) {
    t_.engine_->log().log(LogLevel::kWarning, "trainer, step ", t_.steps_ + 1,
                          ": the host commits instead of the devices of 'parameters': ", status.message());
    return false;
  };
  if (devices_.size() < before) {
    if (const Status status = lay_out(); !status.ok()) {
      devices_.clear();
      return host_instead(status);
    }
  }
  if (devices_.empty()) return false;
  std::vector<Tensor> own;
  for (const PsCommit::View& view : parts_.inputs) {
    PERCALE_ASSIGN_OR_RETURN(own.emplace_back(), view_of(feeds[view.of], view));
  }
  if (const Status status = plan_parts(types_of(own)); !status.ok()) return host_instead(status);

  const std::vector<int64_t> after = versions_of(next);
  std::vector<int64_t> versions, next_versions;
  for (const PsCommit::View& view : parts_.variables) {
    versions.push_back(t_.versions_[view.of]);
    next_versions.push_back(after[view.of]);
  }
  options.values = RunValues::of_caller(state_, {.each = &versions});
  if (away_ != nullptr) {
    RunOptions away = options;
    away.values = RunValues::of_caller(state_, {.each = &versions, .next = &next_versions});
    std::vector<Tensor> outputs = fetched_;
    const Status status = session_->run(*away_, own, outputs, away);
    if (!status.ok()) return host_instead(status);
  }
  if (here_ != nullptr) PERCALE_RETURN_IF_ERROR(session_->run(*here_, own, {}, options));
  for (size_t i = 0; i < fetched_.size(); ++i) {
    const Tensor& to = state_[fetched_to_[i]];
    if (to.bytes() > 0) std::memcpy(to.data(), fetched_[i].data(), static_cast<size_t>(to.bytes()));
  }
  return true;
}

// A device with kernels of its own would drift away from what the host has: it gets copies instead.
bool Trainer::Parameters::mirrors(int32_t index) const {
  const Device& own = device(index);
  return !own.shares_host_memory() && !own.lost() && t_.computes_as_host(index);
}

// Before the host commits: what a device lacks it takes from the working set as it is. What fails leaves a device without copies of the
// next state, so that it takes those from the host too.
void Trainer::Parameters::mirror(const std::vector<Tensor>& feeds, RunOptions options, int64_t next) {
  const std::vector<int64_t> after = versions_of(next);
  options.values = RunValues::of_caller(t_.working_, {.each = &t_.versions_, .next = &after});
  for (const auto& group : t_.groups_) {
    if (group.size() != 1 || !mirrors(group[0])) continue;
    auto found = std::find_if(mirrors_.begin(), mirrors_.end(), [&](const Mirror& m) { return m.device == group[0]; });
    if (found == mirrors_.end()) found = mirrors_.insert(mirrors_.end(), Mirror{group[0], {}, nullptr});
    const Status status = mirror_on(*found, feeds, options);
    if (status.ok() || device(group[0]).lost()) continue;  // a loss is told when its shards are
    t_.engine_->log().log(LogLevel::kInfo, "trainer, step ", t_.steps_ + 1, ": ", device(group[0]).name(),
                          " takes the parameters from the host: ", status.message());
  }
}

Status Trainer::Parameters::mirror_on(Mirror& mirror, const std::vector<Tensor>& feeds, const RunOptions& options) {
  std::vector<ValueType> types = types_of(feeds);
  if (mirror.plan == nullptr || mirror.types != types) {
    RunSpec spec;
    spec.function = kCommitFunction;
    spec.feeds = t_.graph_.commit_inputs;
    spec.fetches = mirrored_values_;
    spec.group = {mirror.device};
    spec.binding = RunBinding::changing({.fetches = variable_keys(mirrored_), .keep_on_device = true});
    PERCALE_ASSIGN_OR_RETURN(mirror.plan, t_.session_->prepare(spec, types));
    mirror.types = std::move(types);
  }
  std::vector<Tensor> outputs(mirrored_values_.size());
  return t_.session_->run(*mirror.plan, feeds, outputs, options);
}

void Trainer::Parameters::note_lost(const Device& device) {
  const std::lock_guard lock(mutex_);
  if (std::find(known_lost_.begin(), known_lost_.end(), device.name()) != known_lost_.end()) return;
  known_lost_.push_back(device.name());
  lost_.push_back(device.name());
}

std::vector<std::string> Trainer::Parameters::take_lost() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lost_, {});
}

void Trainer::Parameters::describe(JsonWriter& w) const {
  const std::lock_guard lock(mutex_);
  int64_t all = 0;
  for (size_t i = 0; i < t_.working_.size(); ++i) all += t_.committed_[i] ? t_.working_[i].bytes() : 0;
  const auto write = [&](int32_t index, size_t parts, int64_t bytes, const std::shared_ptr<Session>& session) {
    w.begin_object().key("name").value(device(index).name()).key("parts").value(static_cast<int64_t>(parts));
    w.key("bytes").value(bytes).key("held_bytes");
    if (device(index).shares_host_memory()) {
      w.value(bytes).key("spare_bytes").value(int64_t{0});
    } else {
      const auto held = session == nullptr ? DeviceStore::Bytes{} : session->device_store().bytes_on(device(index));
      w.value(held.current).key("spare_bytes").value(held.spare);
    }
    w.end_object();
  };
  for (const Holder& h : holders_) write(h.device, h.parts, h.bytes, session_);
  if (t_.options_.parameters.where != Where::kMirrored) return;
  for (const auto& group : t_.groups_) {
    if (group.size() == 1 && mirrors(group[0])) write(group[0], t_.graph_.parameters.size(), all, t_.session_);
  }
}

}  // namespace percale

#include "core/train/parameters/partitioned_store.h"

#include <algorithm>
#include <utility>

#include "core/train/parameters/table_rows.h"
#include "core/train/shards/device_choice.h"

namespace percale {
namespace {

std::vector<ValueType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<ValueType> out;
  for (const Tensor& t : tensors) out.push_back({t.dtype(), t.shape()});
  return out;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Result<std::unique_ptr<ParameterStore>> PartitionedStore::create(Source source, std::unique_ptr<HostStore> host,
                                                                 WorkingSet& working) {
  std::unique_ptr<PartitionedStore> out(new PartitionedStore(std::move(source), std::move(host), working));
  PERCALE_RETURN_IF_ERROR(out->choose_devices());
  PERCALE_RETURN_IF_ERROR(out->lay_out());
  return std::unique_ptr<ParameterStore>(std::move(out));
}

// The devices of the ParameterSpec; else the parameter servers; else those in the host's memory
// that compute; else any there.
Status PartitionedStore::choose_devices() {
  const auto& devices = source_.engine->devices();
  const std::string& wanted = source_.spec.devices;
  PERCALE_ASSIGN_OR_RETURN(const auto named, percale::choose_devices(*source_.engine, wanted));
  const bool has_servers =
      std::any_of(devices.begin(), devices.end(), [](const auto& d) { return is_parameter_server(*d); });
  const auto is_wanted = [&](const Device& d) {
    if (!wanted.empty()) return named.empty() || contains(named, d.name());
    if (has_servers) return is_parameter_server(d);
    return d.shares_host_memory() && (source_.computing.empty() || contains(source_.computing, d.name()));
  };
  for (size_t i = 0; i < devices.size(); ++i) {
    if (is_wanted(*devices[i])) devices_.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < devices.size() && devices_.empty(); ++i) {
    if (devices[i]->shares_host_memory()) devices_.push_back(static_cast<int32_t>(i));
  }
  if (!devices_.empty()) return {};
  return failed_precondition("'parameters': ps wants devices for the parts, or one in the host's memory (cpu:0)");
}

// Parts of all parameters on the devices that are left.
Status PartitionedStore::lay_out() {
  away_ = here_ = nullptr;
  planned_for_.clear();
  std::vector<PsDevice> devices;
  std::vector<Holder> holders;
  for (const int32_t index : devices_) {
    devices.push_back({device(index).name(), device(index).shares_host_memory()});
    holders.push_back({index});
  }
  if (!devices.empty()) {
    const TrainGraph& graph = *source_.graph;
    const auto parts =
        lay_out_parameters(graph.parameters, source_.optimizer, devices.size(), source_.spec.min_shard_bytes);
    for (const ParameterPart& part : parts) {
      ++holders[part.device].parts;
      holders[part.device].bytes += part.bytes;
    }
    PERCALE_ASSIGN_OR_RETURN(parts_, build_ps_commit(graph, source_.optimizer, parts, devices));
    PERCALE_RETURN_IF_ERROR(make_views());
    SessionOptions session;
    session.memory = source_.memory;
    PERCALE_ASSIGN_OR_RETURN(session_, Session::create(source_.engine, parts_.graph, nullptr, std::move(session)));
  }
  const std::lock_guard lock(mutex_);
  holders_ = std::move(holders);
  return {};
}

Status PartitionedStore::make_views() {
  state_.clear();
  for (const PsCommit::View& view : parts_.variables) state_.push_back(view_of(working_.values()[view.of], view));
  fetched_.clear();
  fetched_to_.clear();
  for (const PsCommit::Update& update : parts_.updates) {
    if (update.on_host || update.by_rows()) continue;
    const Tensor& to = state_[update.variable];
    PERCALE_ASSIGN_OR_RETURN(fetched_.emplace_back(), Tensor::allocate(source_.memory, to.dtype(), to.shape()));
    fetched_to_.push_back(update.variable);
  }
  return {};
}

Status PartitionedStore::plan(const std::vector<ValueType>& types) {
  if (planned_for_ == types) return {};
  planned_for_.clear();
  away_ = here_ = nullptr;
  std::vector<std::string> targets;
  ResidentOutputs outputs;
  outputs.also_on_host = true;
  const auto add = [&outputs](const std::string& name, StoreKey key, bool in_place) {
    outputs.names.push_back(name);
    outputs.keys.push_back(key);
    outputs.in_place.push_back(in_place);
  };
  const auto add_next = [&add](const PsCommit::Update& update) {
    add(update.value, StoreKey::variable(static_cast<int64_t>(update.variable)), update.by_rows());
  };
  // First the values of fetched_.
  for (const PsCommit::Update& update : parts_.updates) {
    if (update.on_host) targets.push_back(update.node);
    if (!update.on_host && !update.by_rows()) add_next(update);
  }
  changed_.clear();
  for (const PsCommit::Update& update : parts_.updates) {
    if (update.on_host || !update.by_rows()) continue;
    add_next(update);
    changed_.push_back({update.variable, outputs.names.size(), outputs.names.size() + 1});
    add(update.rows, {}, false);
    add(update.row_values, {}, false);
  }
  if (!outputs.names.empty()) {
    PERCALE_ASSIGN_OR_RETURN(
        away_, session_->prepare(
                   resident_spec(kCommitFunction, parts_.input_names, std::move(outputs), source_.host_group), types));
  }
  if (!targets.empty()) {
    PERCALE_ASSIGN_OR_RETURN(
        here_, session_->prepare(parts_spec(parts_.input_names, std::move(targets), source_.host_group), types));
  }
  planned_for_ = types;
  return {};
}

Status PartitionedStore::commit(const StepCommit& step) {
  const std::vector<Tensor> feeds = commit_feeds(host_->layout(), step);
  CommitGuard guard(working_);
  PERCALE_ASSIGN_OR_RETURN(const bool done, commit_parts(step, feeds));
  if (!done) return host_->commit(step, feeds, guard);
  guard.succeed();
  return {};
}

Status PartitionedStore::drop_lost() {
  const size_t before = devices_.size();
  std::erase_if(devices_, [&](int32_t index) {
    if (!device(index).lost()) return false;
    note_lost(device(index));
    return true;
  });
  if (devices_.size() == before) return {};
  const Status status = lay_out();
  if (!status.ok()) devices_.clear();
  return status;
}

// True if the working set has the next state. False if nothing has changed, so that the host
// commits.
Result<bool> PartitionedStore::commit_parts(const StepCommit& step, const std::vector<Tensor>& feeds) {
  const auto host_instead = [&](const Status& status) {
    source_.engine->log().log(LogLevel::kWarning, "trainer, step ", step.step,
                              ": the host commits instead of the devices of 'parameters': ", status.message());
    return false;
  };
  if (const Status status = drop_lost(); !status.ok()) return host_instead(status);
  if (devices_.empty()) return false;
  std::vector<Tensor> own(parts_.inputs.size());
  if (const Status status = cut_table_rows(parts_, feeds, source_.memory, own); !status.ok()) {
    return host_instead(status);
  }
  for (size_t i = 0; i < own.size(); ++i) {
    if (!own[i].defined()) own[i] = view_of(feeds[parts_.inputs[i].of], parts_.inputs[i]);
  }
  if (const Status status = plan(types_of(own)); !status.ok()) return host_instead(status);
  std::vector<int64_t> versions;
  for (const PsCommit::View& view : parts_.variables) versions.push_back(working_.versions()[view.of]);
  const RunOptions options =
      commit_options(RunValues::of_caller(state_, {.each = &versions}), host_->alone(), step.trace);
  // First what may be lost on its way: until it is all here the working set is as it was.
  std::vector<Tensor> outputs = fetched_;
  if (away_ != nullptr) {
    if (const Status status = run_away(own, options, outputs); !status.ok()) return host_instead(status);
  }
  if (here_ != nullptr) PERCALE_RETURN_IF_ERROR(session_->run(*here_, own, {}, options));
  adopt(outputs);
  return true;
}

// Writes what devices with memory of their own have computed into the working set.
void PartitionedStore::adopt(const std::vector<Tensor>& outputs) {
  for (size_t i = 0; i < fetched_.size(); ++i) copy_contents(outputs[i], state_[fetched_to_[i]]);
  if (away_ == nullptr) return;
  for (const ChangedRows& rows : changed_) {
    write_rows(outputs[rows.numbers], outputs[rows.values], state_[rows.variable]);
  }
}

Status PartitionedStore::run_away(const std::vector<Tensor>& feeds, RunOptions options, std::vector<Tensor>& outputs) {
  const std::vector<int64_t> after = working_.versions_after(working_.next_state());
  std::vector<int64_t> next;
  for (const PsCommit::View& view : parts_.variables) next.push_back(after[view.of]);
  outputs.resize(fetched_.size() + 3 * changed_.size());
  options.values = with_next(options.values, next);
  return session_->run(*away_, feeds, outputs, options);
}

void PartitionedStore::note_lost(const Device& device) {
  const std::lock_guard lock(mutex_);
  if (contains(known_lost_, device.name())) return;
  known_lost_.push_back(device.name());
  lost_.push_back(device.name());
}

std::vector<std::string> PartitionedStore::take_lost() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lost_, {});
}

void PartitionedStore::describe(JsonWriter& w) const {
  const std::lock_guard lock(mutex_);
  for (const Holder& h : holders_) {
    DeviceParameters stored{device(h.device).name(), h.parts, h.bytes, h.bytes, 0};
    if (!device(h.device).shares_host_memory()) {
      const auto own = session_ == nullptr ? DeviceStore::Bytes{} : session_->device_store().bytes_on(device(h.device));
      stored.resident_bytes = own.current;
      stored.spare_bytes = own.spare;
    }
    write_device(stored, w);
  }
}

}  // namespace percale

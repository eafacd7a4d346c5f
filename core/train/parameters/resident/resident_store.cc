#include "core/train/parameters/resident/resident_store.h"

#include <algorithm>
#include <utility>

namespace percale {

ResidentStore::ResidentStore(ResidentPlan plan, std::shared_ptr<Session> session, const TrainGraph& graph,
                             std::unique_ptr<HostStore> host, WorkingSet& working)
    : ParameterStore(working),
      plan_(std::move(plan)),
      session_(std::move(session)),
      graph_(graph),
      host_(std::move(host)),
      commits_(plan_.devices.size()) {
  if (!several()) return;
  const IndexSpan added{graph_.layout.totals().end(), plan_.added.size()};
  sums_ = std::make_unique<DeviceSums>(plan_.devices.size(), added, graph_.parameters[0].dtype);
}

const Device& ResidentStore::device(size_t i) const {
  return *session_->engine()->devices()[static_cast<size_t>(plan_.devices[i])];
}

RunSpec ResidentStore::shard_spec(const DeviceGroup& group) const {
  ResidentOutputs outputs;
  outputs.keys.resize(graph_.layout.totals().count);  // the host gets the totals
  const std::vector<StoreKey>& updates = several() ? plan_.added : plan_.changed;
  outputs.keys.insert(outputs.keys.end(), updates.begin(), updates.end());
  outputs.names = several() ? graph_.outputs : graph_.step_outputs;
  return resident_spec(several() ? plan_.compute : kStepFunction,
                       several() ? graph_.shard_inputs() : graph_.step_inputs, std::move(outputs), group);
}

Result<std::shared_ptr<const Plan>> ResidentStore::plan(std::vector<ValueType> feeds, const DeviceGroup& group) {
  if (!several()) {
    feeds.push_back({DType::kF64, Shape{}});
    feeds.push_back({DType::kI64, Shape{}});
  }
  const RunSpec spec = shard_spec(group);
  PERCALE_ASSIGN_OR_RETURN(auto out, session_->prepare(spec, feeds));
  std::vector<int64_t> results;
  for (size_t i = graph_.layout.totals().end(); i < out->fetches.size(); ++i) {
    const ValueSource& fetch = out->fetches[i];
    const bool stays = fetch.kind == ValueSource::Kind::kResult && out->stays[static_cast<size_t>(fetch.index)];
    const bool own = std::ranges::find(results, fetch.index) == results.end();
    results.push_back(fetch.index);
    if (stays && own) continue;
    return failed_precondition("'parameters': ", parameters_name(plan_.where), ": the value '", spec.fetches[i],
                               "' does not stay on the device; use host, which commits there");
  }
  return out;
}

Status ResidentStore::begin_step(int64_t rows, double learning_rate) {
  if (rows < plan_.shards()) {
    return failed_precondition("a batch of ", rows, " rows for ", plan_.shards(), " devices");
  }
  step_.learning_rate = learning_rate;
  // Numbers that nothing had before: what a step made that is not committed is never found again.
  step_.state = working_.reserve_state();
  step_.versions = working_.versions_after(step_.state);
  step_.replica_of.assign(plan_.devices.size(), 0);
  if (several()) sums_->begin_step();
  return {};
}

Status ResidentStore::run_shard(size_t replica, const Plan& plan, std::vector<Tensor> feeds,
                                std::vector<Tensor>& totals, RunOptions options) {
  std::vector<Tensor> outputs = totals;
  outputs.resize(plan.fetches.size());
  step_.replica_of[static_cast<size_t>(options.shard)] = replica;
  if (!several()) {
    feeds.push_back(Tensor::scalar(step_.learning_rate));
    feeds.push_back(Tensor::scalar(options.step + 1));
  } else {
    options.watcher = sums_->results_of(static_cast<size_t>(options.shard), device(replica));
  }
  options.values = with_next(options.values, step_.versions).with_resident(-1, step_.state);
  return session_->run(plan, feeds, outputs, options);
}

// The versions that the step under way has computed of these values, on each device.
Result<ResidentStore::PerDevice> ResidentStore::hold(const std::vector<StoreKey>& keys) const {
  std::vector<int64_t> versions;
  for (const StoreKey key : keys) {
    const bool variable = key.kind == StoreKey::Kind::kVariable;
    versions.push_back(variable ? step_.versions[static_cast<size_t>(key.index)] : step_.state);
  }
  PerDevice out;
  for (const size_t i : step_.replica_of) {
    PERCALE_ASSIGN_OR_RETURN(out.emplace_back(), session_->hold(device(i), keys, versions));
  }
  return out;
}

// The commits of all devices at once, each on the updates that were added.
Status ResidentStore::commit_on_devices(const StepCommit& step) {
  const Tensor& weight = step.sums[StepLayout::kWeight];
  for (size_t i = 0; i < commits_.size(); ++i) {
    if (commits_[i] != nullptr) continue;
    PERCALE_ASSIGN_OR_RETURN(commits_[i], plan_commit(i, {weight.dtype(), weight.shape()}));
  }
  const CommitLayout inputs(graph_.layout);
  std::vector<Tensor> feeds(inputs.gradients().end());  // the gradients lie on the devices
  feeds[CommitLayout::kWeight] = weight;
  feeds[CommitLayout::kLearningRate] = Tensor::scalar(step_.learning_rate);
  feeds[CommitLayout::kStep] = Tensor::scalar(step.step);
  const RunValues values = with_next(working_.view(), step_.versions).with_resident(step_.state, -1);
  const RunOptions options = commit_options(values, false, step.trace);
  std::vector<Status> ended(commits_.size());
  session_->engine()->threads().parallel()(static_cast<int64_t>(commits_.size()), [&](int64_t i) {
    std::vector<Tensor> outputs(plan_.committed.names.size());
    ended[static_cast<size_t>(i)] = session_->run(*commits_[static_cast<size_t>(i)], feeds, outputs, options);
  });
  for (Status& status : ended) PERCALE_RETURN_IF_ERROR(std::move(status));
  return {};
}

Result<std::shared_ptr<const Plan>> ResidentStore::plan_commit(size_t i, const ValueType& weight) const {
  const CommitLayout inputs(graph_.layout);
  std::vector<ValueType> types(inputs.updates().begin);
  types[CommitLayout::kWeight] = weight;
  types[CommitLayout::kLearningRate] = {DType::kF64, Shape{}};
  types[CommitLayout::kStep] = {DType::kI64, Shape{}};
  std::vector<StoreKey> resident(types.size());
  for (size_t k = 0; k < graph_.parameters.size(); ++k) {
    types.push_back({graph_.parameters[k].dtype, graph_.parameters[k].shape});
    resident.push_back(plan_.added[k]);
  }
  std::vector<std::string> names(graph_.commit_inputs.begin(),
                                 graph_.commit_inputs.begin() + static_cast<ptrdiff_t>(types.size()));
  return session_->prepare(
      resident_commit_spec(std::move(names), std::move(resident), plan_.committed, {plan_.devices[i]}), types);
}

Status ResidentStore::commit(const StepCommit& step) {
  if (left_) return host_->commit(step);
  if (several()) {
    PERCALE_ASSIGN_OR_RETURN(const PerDevice shards, hold(plan_.added));
    PERCALE_RETURN_IF_ERROR(sums_->finish(shards));
    PERCALE_RETURN_IF_ERROR(commit_on_devices(step));
  }
  PERCALE_ASSIGN_OR_RETURN(PerDevice state, hold(plan_.changed));
  working_.adopt_versions(step_.versions);
  state_ = std::move(state);
  ahead_ = true;
  return {};
}

Status ResidentStore::synchronize() {
  if (!ahead_) return {};
  Status status;
  for (const auto& values : state_) {
    status = values->copy_to(working_.memory());
    ahead_ = !status.ok();
    if (!ahead_) return {};
  }
  return std::move(status).with_context("parameters that lie on devices");
}

void ResidentStore::note_assigned() noexcept {
  state_.clear();
  ahead_ = false;
  ParameterStore::note_assigned();
}

Status ResidentStore::leave_devices(std::string_view why, int64_t step) {
  PERCALE_RETURN_IF_ERROR(synchronize());
  session_->engine()->log().log(LogLevel::kWarning, "trainer, step ", step,
                                ": the parameters are the host's from now on: ", why);
  left_ = true;
  state_.clear();
  sums_ = nullptr;
  return {};
}

void ResidentStore::describe(JsonWriter& w) const {
  if (left_) return;
  int64_t bytes = 0;
  for (const StoreKey key : plan_.changed) bytes += working_.values()[static_cast<size_t>(key.index)].bytes();
  for (size_t i = 0; i < plan_.devices.size(); ++i) {
    const auto memory = session_->device_store().bytes_on(device(i));
    write_device({device(i).name(), graph_.parameters.size(), bytes, memory.current, memory.spare}, w);
  }
}

}  // namespace percale

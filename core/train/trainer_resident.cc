#include "core/train/trainer_resident.h"

#include <algorithm>

#include "core/compile/plan.h"
#include "core/train/shards/device_choice.h"

namespace percale {

using Where = ParameterSpec::Where;

Result<std::unique_ptr<Trainer::Resident>> Trainer::Resident::create(Trainer& trainer) {
  TrainerOptions& options = trainer.options_;
  const Where where = options.parameters.where;
  if (where != Where::kDevice && where != Where::kMirrored) return std::unique_ptr<Resident>();
  std::unique_ptr<Resident> out(new Resident(trainer));
  PERCALE_ASSIGN_OR_RETURN(const auto groups, trainer.candidate_groups());
  bool own_kernels = groups.size() > 1, in_host_memory = !trainer.is_placed();
  for (const auto& group : groups) {
    if (group.size() == 1) out->devices_.push_back(group[0]);
    for (const int32_t device : group) {
      own_kernels = own_kernels && !trainer.computes_as_host(device);
      in_host_memory = in_host_memory && trainer.engine_->devices()[static_cast<size_t>(device)]->shares_host_memory();
    }
  }
  if (in_host_memory) return std::unique_ptr<Resident>();
  // Devices that compute what the host computes are mirrors of what it commits.
  if (where == Where::kMirrored && !own_kernels) return std::unique_ptr<Resident>();
  Status status = out->devices_.size() == groups.size()
                      ? out->eligible()
                      : failed_precondition("and replicas have several devices, or nodes name theirs");
  if (status.ok() && out->several()) status = out->can_add();
  if (!status.ok()) {
    if (where == Where::kMirrored) return std::unique_ptr<Resident>();
    return failed_precondition("'parameters': device means devices that do whole steps, a shard each, ",
                               status.message());
  }
  options.shards = static_cast<int64_t>(groups.size());
  const bool again = options.recompute.when == Recompute::When::kAlways && trainer.graph_.can_recompute;
  const std::string_view compute = again ? kRecomputeFunction : kComputeFunction;
  if (!out->several()) {
    PERCALE_RETURN_IF_ERROR(add_whole_step(trainer.graph_, compute));
    out->kept_ = trainer.graph_.step_of;
    return out;
  }
  const Graph& graph = *trainer.graph_.graph;
  for (const NextValue& next : next_values(graph)) {
    if (next.computed) {
      out->committed_.push_back(graph.find_function(kCommitFunction)->value(next.value).name);
      out->committed_to_.push_back(next.variable);
    }
    out->kept_.push_back(next.variable);
  }
  for (size_t i = 0; i < trainer.graph_.parameters.size(); ++i) {
    out->added_.push_back(StoreKey::resident(static_cast<int64_t>(i)));
  }
  // A sum of statistics is what the commit would assign.
  for (const Variable& v : trainer.graph_.statistics) {
    out->added_.push_back(StoreKey::variable(graph.find_variable(v.name) - graph.variables.data()));
  }
  return out;
}

Status Trainer::Resident::eligible() const {
  const TrainerOptions& options = t_.options_;
  const auto count = static_cast<int64_t>(devices_.size());
  if (t_.mode_.kind != TrainMode::Kind::kSync) return failed_precondition("and 'mode' is ", options.mode);
  if (options.accumulation > 1) return failed_precondition("and 'accumulation' is ", options.accumulation);
  if (options.shards > 0 && options.shards != count) {
    return failed_precondition("and a batch has ", options.shards, " shards for ", count, " devices");
  }
  if (options.parallel.group_size() > 1 || options.parallel.micro_batches > 1) {
    return failed_precondition("and 'parallel' cuts the model or its replicas' batches");
  }
  if (several() && !t_.graph_.by_rows.empty()) {
    return failed_precondition("and '", t_.graph_.parameters[t_.graph_.by_rows[0]].name, "' trains by rows");
  }
  return {};
}

// Asks the devices, with nothing to add.
Status Trainer::Resident::can_add() const {
  const percale_device_api& api = device(0).api();
  std::vector<void*> handles;
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (device(i).api().all_reduce == nullptr || device(i).api().all_reduce != api.all_reduce) {
      return failed_precondition("and ", device(i).name(), " does not add across devices");
    }
    handles.push_back(device(i).handle());
  }
  return from_c(api.all_reduce(handles.data(), static_cast<uint32_t>(handles.size()), nullptr, nullptr, 0,
                               static_cast<percale_dtype>(t_.graph_.parameters[0].dtype)));
}

const Device& Trainer::Resident::device(size_t i) const {
  return *t_.engine_->devices()[static_cast<size_t>(devices_[i])];
}

Result<std::shared_ptr<const Plan>> Trainer::Resident::plan(std::vector<ValueType> feeds,
                                                            const std::vector<int32_t>& group) {
  const TrainGraph& graph = t_.graph_;
  const bool again = t_.options_.recompute.when == Recompute::When::kAlways && graph.can_recompute;
  RunSpec spec;
  spec.group = group;
  std::vector<StoreKey> kept(graph.totals);
  if (several()) {
    spec.function = again ? kRecomputeFunction : kComputeFunction;
    spec.feeds = graph.inputs;
    if (!graph.shard_fraction.empty()) spec.feeds.push_back(graph.shard_fraction);
    spec.fetches = graph.outputs;
    kept.insert(kept.end(), added_.begin(), added_.end());
  } else {
    feeds.push_back({DType::kF64, Shape{}});
    feeds.push_back({DType::kI64, Shape{}});
    spec.function = kStepFunction;
    spec.feeds = graph.step_inputs;
    spec.fetches = graph.step_outputs;
    const std::vector<StoreKey> next = variable_keys(graph.step_of);
    kept.insert(kept.end(), next.begin(), next.end());
  }
  spec.binding = RunBinding::changing({.fetches = std::move(kept), .keep_on_device = true});
  PERCALE_ASSIGN_OR_RETURN(auto out, t_.session_->prepare(spec, feeds));
  std::vector<int64_t> results;
  for (size_t i = graph.totals; i < out->fetches.size(); ++i) {
    const ValueSource& fetch = out->fetches[i];
    const bool stays = fetch.kind == ValueSource::Kind::kResult && out->stays[static_cast<size_t>(fetch.index)];
    const bool own = std::find(results.begin(), results.end(), fetch.index) == results.end();
    results.push_back(fetch.index);
    if (stays && own) continue;
    return failed_precondition("'parameters': ", parameters_name(t_.options_.parameters.where), ": the value '",
                               spec.fetches[i], "' does not stay on the device; use host, which commits there");
  }
  return out;
}

Status Trainer::Resident::begin(int64_t rows, double learning_rate) {
  if (rows < t_.options_.shards) {
    return failed_precondition("a batch of ", rows, " rows for ", t_.options_.shards, " devices");
  }
  learning_rate_ = learning_rate;
  // Numbers that nothing had before: what a step that is not adopted has made is nobody's.
  number_ = ++t_.state_version_;
  next_ = t_.versions_;
  for (const int32_t i : kept_) {
    next_[static_cast<size_t>(i)] = t_.version_number(number_, static_cast<size_t>(i));
  }
  replicas_.assign(devices_.size(), 0);
  return {};
}

Status Trainer::Resident::run(size_t replica, int64_t shard, const Plan& plan, std::vector<Tensor> feeds,
                              std::vector<Tensor>& totals, RunOptions options) {
  ValueVersions versions = options.values.versions();
  versions.next = &next_;
  options.values = RunValues::of_caller(*options.values.variables(), versions).with_resident(-1, number_);
  std::vector<Tensor> outputs = totals;
  outputs.resize(plan.fetches.size());
  replicas_[static_cast<size_t>(shard)] = replica;
  if (!several()) {
    feeds.push_back(Tensor::scalar(learning_rate_));
    feeds.push_back(Tensor::scalar(options.step + 1));
  }
  return t_.session_->run(plan, feeds, outputs, options);
}

Result<Trainer::Resident::Held> Trainer::Resident::hold(const std::vector<StoreKey>& keys) const {
  std::vector<int64_t> versions;
  for (const StoreKey key : keys) {
    versions.push_back(key.kind == StoreKey::Kind::kVariable ? next_[static_cast<size_t>(key.index)] : number_);
  }
  Held out;
  for (const size_t i : replicas_) {
    PERCALE_ASSIGN_OR_RETURN(out.emplace_back(), t_.session_->hold(device(i), keys, versions));
  }
  return out;
}

// The commits of all devices at once, each on what was added.
Status Trainer::Resident::commit(const Tensor& weight) {
  commits_.resize(devices_.size());
  for (size_t i = 0; i < devices_.size(); ++i) {
    if (commits_[i] != nullptr) continue;
    PERCALE_ASSIGN_OR_RETURN(commits_[i], plan_commit(i, {weight.dtype(), weight.shape()}));
  }
  std::vector<Tensor> feeds = {weight, Tensor::scalar(learning_rate_), Tensor::scalar(t_.steps_ + 1)};
  feeds.resize(3 + t_.graph_.parameters.size());
  RunOptions options;
  options.values = RunValues::of_caller(t_.working_, {.all = t_.state_version_, .each = &t_.versions_, .next = &next_})
                       .with_resident(number_, -1);
  options.trace = t_.trace_;
  std::vector<Status> ended(devices_.size());
  t_.engine_->threads().parallel()(static_cast<int64_t>(devices_.size()), [&](int64_t i) {
    std::vector<Tensor> outputs(committed_.size());
    ended[static_cast<size_t>(i)] = t_.session_->run(*commits_[static_cast<size_t>(i)], feeds, outputs, options);
  });
  for (Status& status : ended) PERCALE_RETURN_IF_ERROR(std::move(status));
  return {};
}

Result<std::shared_ptr<const Plan>> Trainer::Resident::plan_commit(size_t i, const ValueType& weight) {
  std::vector<ValueType> types = {weight, {DType::kF64, Shape{}}, {DType::kI64, Shape{}}};
  RunSpec spec;
  spec.function = kCommitFunction;
  ResidentSlots slots{
      .feeds = std::vector<StoreKey>(3), .fetches = variable_keys(committed_to_), .keep_on_device = true};
  for (size_t k = 0; k < t_.graph_.parameters.size(); ++k) {
    types.push_back({t_.graph_.parameters[k].dtype, t_.graph_.parameters[k].shape});
    slots.feeds.push_back(added_[k]);
  }
  spec.feeds.assign(t_.graph_.commit_inputs.begin(),
                    t_.graph_.commit_inputs.begin() + static_cast<ptrdiff_t>(types.size()));
  spec.fetches = committed_;
  spec.group = {devices_[i]};
  spec.binding = RunBinding::changing(std::move(slots));
  return t_.session_->prepare(spec, types);
}

Status Trainer::Resident::adopt(const Tensor& weight) {
  if (several()) {
    PERCALE_ASSIGN_OR_RETURN(const Held shards, hold(added_));
    PERCALE_RETURN_IF_ERROR(ResidentValues::all_reduce(shards, t_.graph_.parameters[0].dtype));
    PERCALE_RETURN_IF_ERROR(commit(weight));
  }
  PERCALE_ASSIGN_OR_RETURN(Held held, hold(variable_keys(kept_)));
  t_.versions_ = next_;
  held_ = std::move(held);
  ahead_ = true;
  return {};
}

Status Trainer::Resident::bring_home() {
  if (!ahead_) return {};
  Status status;
  for (const auto& held : held_) {
    status = held->copy_to(t_.working_);
    ahead_ = !status.ok();
    if (!ahead_) return {};
  }
  return std::move(status).with_context("parameters that lie on devices");
}

void Trainer::Resident::forget() {
  held_.clear();
  ahead_ = false;
}

void Trainer::Resident::describe(JsonWriter& w) const {
  int64_t bytes = 0;
  for (const int32_t i : kept_) bytes += t_.working_[static_cast<size_t>(i)].bytes();
  for (size_t i = 0; i < devices_.size(); ++i) {
    const auto held = t_.session_->device_store().bytes_on(device(i));
    w.begin_object().key("name").value(device(i).name());
    w.key("parts").value(static_cast<int64_t>(t_.graph_.parameters.size())).key("bytes").value(bytes);
    w.key("held_bytes").value(held.current).key("spare_bytes").value(held.spare).end_object();
  }
}

}  // namespace percale

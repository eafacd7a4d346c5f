// One step: the shards' sums, then the commit.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "core/base/similar_name.h"
#include "core/compile/plan.h"
#include "core/train/method/metrics.h"
#include "core/train/shards/device_choice.h"
#include "core/train/trainer_parameters.h"
#include "core/train/trainer_period.h"
#include "core/train/trainer_resident.h"

namespace percale {
namespace {

// Rows [begin, end) of a tensor: a view where kernels may read it as it lies, else a copy.
Result<Tensor> rows_of(const Tensor& tensor, const ShardRows& rows, const std::shared_ptr<MemoryPool>& pool) {
  Shape shape = tensor.shape();
  const int64_t all = shape[0];
  if (rows.begin == 0 && rows.end == all) return tensor;
  const int64_t row_bytes = tensor.bytes() / all;
  shape[0] = rows.end - rows.begin;
  const auto* from = static_cast<const char*>(tensor.data()) + rows.begin * row_bytes;
  if (reinterpret_cast<uintptr_t>(from) % kAlignment == 0) {
    return Tensor::view(tensor.buffer(), from - static_cast<const char*>(tensor.buffer()->data()), tensor.dtype(),
                        shape);
  }
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(pool, tensor.dtype(), shape));
  std::memcpy(out.data(), from, static_cast<size_t>(out.bytes()));
  return out;
}

template <class T>
Status widen(const Tensor& from, std::span<int64_t> to) {
  const auto values = from.span<T>();
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kEnd = T{1} * (int64_t{1} << 62);
    for (const T value : values) {
      if (!(std::abs(value) < kEnd && std::trunc(value) == value)) {
        return invalid_argument("wanted whole numbers, the data has ", value);
      }
    }
  }
  std::ranges::transform(values, to.begin(), [](T value) { return static_cast<int64_t>(value); });
  return {};
}

// Class numbers and ids come in whatever numbers their source has. Another tensor stays as it is.
Result<Tensor> as_whole_numbers(const Tensor& from, const std::shared_ptr<MemoryPool>& pool) {
  using Widen = Status (*)(const Tensor&, std::span<int64_t>);
  const auto function = [&]() -> Widen {
    switch (from.dtype()) {
      case DType::kI32: return widen<int32_t>;
      case DType::kI16: return widen<int16_t>;
      case DType::kI8: return widen<int8_t>;
      case DType::kU32: return widen<uint32_t>;
      case DType::kU16: return widen<uint16_t>;
      case DType::kU8: return widen<uint8_t>;
      case DType::kF32: return widen<float>;
      case DType::kF64: return widen<double>;
      default: return nullptr;
    }
  }();
  if (function == nullptr) return from;
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(pool, DType::kI64, from.shape()));
  PERCALE_RETURN_IF_ERROR(function(from, {static_cast<int64_t*>(out.data()), static_cast<size_t>(out.num_elements())}));
  return out;
}

// The dims of a row of a batch that are not 1.
std::vector<int64_t> row_dims(const Shape& batch) {
  std::vector<int64_t> out;
  for (size_t i = 1; i < batch.rank(); ++i) {
    if (batch[i] != 1) out.push_back(batch[i]);
  }
  return out;
}

// Whether numbers in row-major order mean the same in both: dims of 1 do not count, and a flat row says nothing of its dims. Rows of
// [28, 28, 3] are none of [3, 28, 28], however many numbers they have.
bool rows_agree(const Shape& a, const Shape& b) {
  const std::vector<int64_t> one = row_dims(a), other = row_dims(b);
  return one == other || one.size() < 2 || other.size() < 2;
}

// What helps a batch of this shape.
std::string remedy_for(const Shape& want, const Shape& batch) {
  if (!want.known_rank() || want.rank() != batch.rank()) return "";
  if (want[0] >= 0 && want[0] != batch[0] &&
      compatible(Shape{std::span(want.begin(), want.end()).subspan(1)},
                 Shape{std::span(batch.begin(), batch.end()).subspan(1)})) {
    return str_cat("; the model is made for batches of ", want[0],
                   ": free its batch dim (percale_graph_with_dims(), 'percale import --dim batch=?')");
  }
  std::vector<int64_t> one = row_dims(want), other = row_dims(batch);
  std::ranges::sort(one);
  std::ranges::sort(other);
  return one == other ? "; map the data through a graph with a Transpose that puts its dims in this order" : "";
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += str_cat(out.empty() ? "" : ", ", "'", n, "'");
  return out.empty() ? "nothing" : out;
}

}  // namespace

// The batch's tensors in the order of the inputs, shaped as these want them: images without a channel dim get one.
Result<std::vector<Tensor>> Trainer::bind(const Function& f, const std::vector<std::string>& inputs,
                                          const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                                          int64_t* rows) const {
  std::vector<Tensor> out;
  *rows = -1;
  // That the labels are missing says more than that something has another dtype.
  for (const std::string& input : inputs) {
    if (std::find(names.begin(), names.end(), input) != names.end()) continue;
    return invalid_argument("the model needs an input '", input, "', which the data lacks: it has ", list_of(names));
  }
  for (const std::string& input : inputs) {
    const auto at = static_cast<size_t>(std::find(names.begin(), names.end(), input) - names.begin());
    const ValueType& want = f.type(f.find_value(input));
    Tensor tensor = batch[at];
    if (tensor.defined() && want.dtype == DType::kI64) {
      auto whole = as_whole_numbers(tensor, memory_);
      if (!whole.ok()) return whole.status().with_context(str_cat("input '", input, "' (i64)"));
      tensor = *std::move(whole);
    }
    if (!tensor.defined() || tensor.dtype() != want.dtype) {
      return invalid_argument("input '", input, "' is ", want.dtype, ", the data ", tensor.dtype(),
                              "; a graph with a Cast, which the data set is mapped through, converts it");
    }
    if (tensor.shape().rank() == 0) return invalid_argument("input '", input, "': the data has no rows");
    const int64_t own_rows = tensor.shape()[0];
    if (*rows < 0) *rows = own_rows;
    if (own_rows != *rows) {
      return invalid_argument("input '", input, "' has ", own_rows, " rows, '", inputs[0], "' ", *rows);
    }
    if (!compatible(want.shape, tensor.shape())) {
      Shape shape = want.shape;
      if (shape.known_rank() && shape.rank() > 0 && (shape[0] < 0 || shape[0] == own_rows)) shape[0] = own_rows;
      if (!shape.is_static() || !byte_size(want.dtype, shape).ok() || shape.num_elements() != tensor.num_elements() ||
          !rows_agree(shape, tensor.shape())) {
        return invalid_argument("input '", input, "' has shape ", want.shape, ", the data ", tensor.shape(),
                                remedy_for(want.shape, tensor.shape()));
      }
      tensor = tensor.reshaped(shape);
    }
    out.push_back(std::move(tensor));
  }
  if (*rows < 1) return invalid_argument("the batch has no rows");
  return out;
}

Result<std::shared_ptr<const Plan>> Trainer::compiled(std::string_view function, const std::vector<std::string>& inputs,
                                                      const std::vector<std::string>& outputs,
                                                      const std::vector<ValueType>& feeds,
                                                      const std::vector<int32_t>& group) {
  std::string key(function);
  for (const int32_t device : group) key += str_cat("@", device);
  for (const ValueType& t : feeds) key += t.shape.to_string();
  for (size_t i = graph_.outputs.size(); function != kMainFunction && i < outputs.size(); ++i) key += outputs[i] + '\n';
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  RunSpec spec;
  spec.function = function;
  spec.feeds = inputs;
  spec.fetches = outputs;
  // An evaluation runs many batches on the same parameters.
  spec.binding = function == kMainFunction ? RunBinding::shared()
                 : graph_.split.empty()    ? RunBinding::changing()
                                           : RunBinding::changing_with_slices();
  spec.group = group;
  PERCALE_ASSIGN_OR_RETURN(auto plan, session_->prepare(spec, feeds));
  plans_[key] = plan;
  return plan;
}

// The plan that a shard runs: the one that keeps what the backward pass needs, or the one that rebuilds it. Decided once per
// shapes: later the memory that is in use is our own too.
Result<std::shared_ptr<const Plan>> Trainer::compute_plan(const std::vector<std::string>& inputs,
                                                          const std::vector<ValueType>& feeds,
                                                          const std::vector<int32_t>& group) {
  if (resident_ != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(auto whole, resident_->plan(feeds, group));
    planned_bytes_ = whole->peak_bytes;
    return whole;
  }
  using When = Recompute::When;
  const Recompute& option = options_.recompute;
  std::string key;
  for (const ValueType& t : feeds) key += t.shape.to_string();
  const auto decided = recompute_for_.find(key);
  bool again = decided != recompute_for_.end() ? decided->second : graph_.can_recompute && option.when == When::kAlways;
  std::vector<std::string> outputs = graph_.outputs;
  if (fetches_ != nullptr) fetches_->append_names(outputs);
  std::shared_ptr<const Plan> plan;
  if (!again) {
    PERCALE_ASSIGN_OR_RETURN(plan, compiled(kComputeFunction, inputs, outputs, feeds, group));
    if (decided == recompute_for_.end() && graph_.can_recompute) {
      const auto at_once = static_cast<int64_t>(groups_.size() * lanes_);
      const int64_t room = option.when == When::kAboveBytes ? option.bytes : memory_->room() / at_once;
      again = plan->peak_bytes > room;
    }
  }
  if (again) {
    PERCALE_ASSIGN_OR_RETURN(plan, compiled(kRecomputeFunction, inputs, outputs, feeds, group));
  }
  if (option.when == When::kAboveBytes && plan->peak_bytes > option.bytes) {
    return resource_exhausted("a step needs ", plan->peak_bytes, " bytes", again ? " although it recomputes" : "",
                              ", 'recompute' allows ", option.bytes, "; use a smaller batch or more shards");
  }
  recompute_for_[std::move(key)] = again;
  recomputes_ = again;
  planned_bytes_ = plan->peak_bytes;
  return plan;
}

// The plans of all shards of such a batch on all replicas, so that nobody plans while others compute.
Status Trainer::plan_shards(const std::vector<Tensor>& feeds, int64_t rows) {
  std::string shapes;
  for (const Tensor& t : feeds) shapes += t.shape().to_string();
  for (const auto& group : groups_) {
    for (const int32_t device : group) shapes += str_cat("@", device);
    shapes += ';';
  }
  std::vector<std::string> fetched;
  if (fetches_ != nullptr) fetches_->append_names(fetched);
  for (const std::string& name : fetched) shapes += name + '\n';
  if (shapes == planned_for_) return {};
  const std::lock_guard lock(plan_mutex_);
  planned_for_.clear();
  auto all = std::make_shared<ShardPlans>();
  std::vector<std::string> inputs = graph_.inputs;
  if (!graph_.shard_fraction.empty()) inputs.push_back(graph_.shard_fraction);
  for (int64_t shard = 0; shard < options_.shards; ++shard) {
    const ShardRows range = shard_rows(rows, options_.shards, shard);
    const int64_t own = range.end - range.begin;
    if (own == 0 || all->contains(own)) continue;
    std::vector<ValueType> types;
    for (const Tensor& t : feeds) {
      types.push_back({t.dtype(), t.shape()});
      types.back().shape[0] = own;
    }
    if (!graph_.shard_fraction.empty()) types.push_back({graph_.statistics[0].dtype, Shape{}});
    auto& plans = (*all)[own];
    // A device that takes whole partitions has a part in planning, so that it may be lost at it: then there is no plan.
    for (size_t i = 0; i < groups_.size(); ++i) {
      auto plan = compute_plan(inputs, types, groups_[i]);
      if (!plan.ok() && !is_lost(i, plan.status())) return plan.status();
      plans.push_back(plan.ok() ? *std::move(plan) : nullptr);
    }
  }
  shard_plans_ = std::move(all);
  PERCALE_RETURN_IF_ERROR(check_device_memory());
  planned_for_ = std::move(shapes);
  return {};
}

// The job's number of shards and the buffers of the tree, both made once.
Status Trainer::prepare_sums(int64_t rows) {
  if (sums_ != nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(const auto candidates, candidate_groups());
  PERCALE_ASSIGN_OR_RETURN(const size_t replicas, choose_shards(rows, candidates.size()));
  if (mode_.kind == TrainMode::Kind::kBackup && mode_.count > options_.shards) {
    return invalid_argument("mode '", options_.mode, "' waits for ", mode_.count, " shards of a batch, which has ",
                            options_.shards);
  }
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  std::vector<ValueType> types;
  for (size_t i = 0; i < graph_.totals; ++i) {
    const ValueType& type = f.type(f.outputs[i]);
    if (!type.shape.is_static()) return internal_error("the total '", graph_.outputs[i], "' has shape ", type.shape);
    types.push_back(type);
  }
  std::vector<ValueType> tables;
  for (size_t i = 0; i < graph_.parameters.size() && resident_ == nullptr; ++i) {
    const Variable& v = graph_.parameters[i];
    if (std::find(graph_.by_rows.begin(), graph_.by_rows.end(), i) == graph_.by_rows.end()) {
      types.push_back({v.dtype, v.shape});
    } else {
      tables.push_back({v.dtype, Shape{std::span(v.shape.begin(), v.shape.end()).subspan(1)}});
    }
  }
  for (const Variable& v : graph_.statistics) {
    if (resident_ == nullptr) types.push_back({v.dtype, v.shape});
  }
  // Each shard that waits for others has a thread: after the loss of a device one may have them all.
  const bool together = computes_together();
  PERCALE_ASSIGN_OR_RETURN(ShardSums sums, ShardSums::create(types,
                                                             {options_.shards, replicas,
                                                              together ? static_cast<size_t>(options_.shards) : lanes_,
                                                              options_.accumulation > 1, together},
                                                             memory_));
  groups_.assign(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(replicas));
  idle_.assign(candidates.begin() + static_cast<ptrdiff_t>(replicas), candidates.end());
  for (size_t i = 0; i < replicas; ++i) facts_.device(replica_name(i));  // told in this order
  if (!idle_.empty()) {
    // Whoever has named the devices did not want this.
    const bool named = !options_.devices.empty() || options_.parallel.says_devices();
    engine_->log().log(named ? LogLevel::kWarning : LogLevel::kInfo, "trainer: ", static_cast<uint64_t>(replicas),
                       " of ", static_cast<uint64_t>(replicas + idle_.size()), " replicas get work, since a batch has ",
                       options_.shards, " shards; 'shards' says how many, a multiple of the replicas suits them best");
  }
  lost_devices_.reserve(engine_->devices().size());
  for (size_t i = 0; i < replicas; ++i) PERCALE_RETURN_IF_ERROR(sums.replicas().place(i, waits_apart(groups_[i])));
  sums_ = std::make_unique<ShardSums>(std::move(sums));
  sums_->set_facts(&facts_);

  if (resident_ != nullptr) return {};
  row_gradients_ = RowGradients(std::move(tables), memory_);
  commit_types_ = {types[1], {DType::kF64, Shape{}}, {DType::kI64, Shape{}}};
  commit_types_.insert(commit_types_.end(), types.begin() + static_cast<ptrdiff_t>(graph_.totals), types.end());
  return row_gradients_.empty() ? prepare_commit() : Status();
}

Status Trainer::prepare_commit() {
  PERCALE_ASSIGN_OR_RETURN(commit_, plan_commit(row_gradients_));
  return {};
}

// The commit of a step that looked up these rows.
Result<std::shared_ptr<const Plan>> Trainer::plan_commit(const RowGradients& rows) {
  std::vector<ValueType> feeds = commit_types_;
  for (ValueType& type : rows.types()) feeds.push_back(std::move(type));
  if (commit_ != nullptr && commit_->feed_types == feeds) return commit_;
  RunSpec spec;
  spec.function = kCommitFunction;
  spec.feeds = graph_.commit_inputs;
  spec.targets = graph_.commit_targets;
  spec.binding = RunBinding::exclusive();
  spec.group = host_group();  // no device that can be lost has a part in it
  return session_->prepare(spec, feeds);
}

// How many rows of each table the shards of a batch look up.
Result<std::vector<std::vector<int64_t>>> Trainer::row_counts(const ShardPlans& plans, int64_t rows) const {
  const size_t tables = graph_.by_rows.size();
  std::vector<std::vector<int64_t>> counts(static_cast<size_t>(options_.shards));
  for (int64_t shard = 0; shard < options_.shards; ++shard) {
    const ShardRows range = shard_rows(rows, options_.shards, shard);
    if (range.begin == range.end) continue;
    const auto& of_rows = plans.at(range.end - range.begin);
    const auto plan = std::find_if(of_rows.begin(), of_rows.end(), [](const auto& p) { return p != nullptr; });
    if (plan == of_rows.end()) return Status(Code::kUnavailable, "no device is left to compute the batch");
    const std::vector<ValueType> types = Session::fetch_types(**plan);
    for (size_t i = 0; i < tables; ++i) {
      const ValueType& type = types[graph_.outputs.size() - 2 * (tables - i)];
      if (type.dtype != DType::kI64 || !type.shape.is_static()) {
        return unimplemented("how many rows of '", graph_.parameters[graph_.by_rows[i]].name,
                             "' a step looks up is known only when it has run; train with 'sparse' false");
      }
      counts[static_cast<size_t>(shard)].push_back(type.shape[0]);
    }
  }
  return counts;
}

// Room for these rows, and the commit that takes them.
Status Trainer::prepare_rows(int64_t rows, bool first) {
  if (row_gradients_.empty()) return {};
  PERCALE_ASSIGN_OR_RETURN(const auto counts, row_counts(*shard_plans_, rows));
  PERCALE_RETURN_IF_ERROR(row_gradients_.begin_batch(first, counts));
  return prepare_commit();
}

// Null where shards do not wait for each other.
std::unique_ptr<BatchBarrier> Trainer::barrier_for(int64_t rows) const {
  if (!graph_.meets_shards) return nullptr;
  std::vector<int64_t> counts;
  for (int64_t shard = 0; shard < options_.shards; ++shard) {
    const ShardRows range = shard_rows(rows, options_.shards, shard);
    counts.push_back(range.end - range.begin);
  }
  return std::make_unique<BatchBarrier>(std::move(counts), engine_->threads().threads());
}

// When devices that have the parameters cannot go on together, the host takes these and goes on with those that are left.
Status Trainer::reduce(const std::vector<Tensor>& feeds, int64_t rows, const BatchPlace& place, bool first,
                       double learning_rate) {
  if (resident_ == nullptr) return reduce_shards(feeds, rows, place, first);
  Status status = resident_->begin(rows, learning_rate);
  if (status.ok()) status = reduce_shards(feeds, rows, place, first);
  const bool may_go_on = status.code() == Code::kUnavailable || status.code() == Code::kFailedPrecondition;
  if (!may_go_on || !resident_->several()) return status;
  PERCALE_RETURN_IF_ERROR(leave_devices(status.message()));
  PERCALE_RETURN_IF_ERROR(prepare_sums(rows));
  return reduce_shards(feeds, rows, place, first);
}

Status Trainer::leave_devices(std::string_view why) {
  PERCALE_RETURN_IF_ERROR(bring_home());
  engine_->log().log(LogLevel::kWarning, "trainer, step ", steps_ + 1,
                     ": the parameters are the host's from now on: ", why);
  resident_ = nullptr;
  sums_ = nullptr;
  planned_for_.clear();
  return {};
}

Status Trainer::reduce_shards(const std::vector<Tensor>& feeds, int64_t rows, const BatchPlace& place, bool first) {
  PERCALE_RETURN_IF_ERROR(plan_shards(feeds, rows));
  PERCALE_RETURN_IF_ERROR(prepare_rows(rows, first));
  if (fetches_ != nullptr) fetches_->begin_batch(options_.shards);
  const bool backup = mode_.kind == TrainMode::Kind::kBackup;
  const bool several_have_parameters = resident_ != nullptr && resident_->several();
  const int64_t waiting = facts_.waiting();
  while (true) {
    CancelToken shards(token_.get());
    std::unique_ptr<BatchBarrier> barrier = barrier_for(rows);
    const Status status = sums_->reduce(
        rows, engine_->threads().parallel(),
        [&](size_t replica, int64_t shard, const ShardRows& part, std::vector<Tensor>& out) {
          const ShardRun run{feeds,  *shard_plans_, place,          working_, state_version_, versions_,
                             steps_, shards,        row_gradients_, shard,    barrier.get()};
          return watch_shard(replica, part, [&] { return compute_shard(replica, part, run, out); });
        },
        // A device that has parameters does not take another's shard.
        [&](size_t replica, const Status& error) { return note_loss(replica, error) && !several_have_parameters; },
        {backup ? mode_.count : INT64_MAX, [&] { shards.cancel(); }});
    if (!status.ok()) facts_.drop_all_but(waiting);
    report_losses();
    PERCALE_ASSIGN_OR_RETURN(const bool replaced, replace_lost());
    // With others in the place of the last ones the batch begins again; otherwise they are there for the next one.
    if (status.code() == Code::kUnavailable && replaced) {
      PERCALE_RETURN_IF_ERROR(plan_shards(feeds, rows));
      continue;
    }
    if (status.code() == Code::kUnavailable && replicas() == 0) {
      return status.with_context("no device is left to compute the batch");
    }
    if (status.ok()) settle_backup(rows);
    return status.code() == Code::kCancelled && token_->cancelled() ? cancelled() : status;
  }
}

size_t Trainer::replicas() const {
  size_t out = 0;
  for (size_t i = 0; i < groups_.size(); ++i)
    out += sums_ != nullptr && !sums_->replicas().lost(i) ? size_t{1} : size_t{0};
  return out;
}

// The device of the host's memory where the commit and evaluations run, so that losing another changes nothing for them; empty:
// where placement says.
std::vector<int32_t> Trainer::host_group() const {
  const auto& devices = engine_->devices();
  if (devices.size() < 2 || is_placed()) return {};
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i]->shares_host_memory()) return {static_cast<int32_t>(i)};
  }
  return {};
}

// A thread that computes must not wait for devices that do all the work by themselves, nor for other shards.
bool Trainer::waits_apart(const std::vector<int32_t>& group) const {
  if (computes_together()) return true;
  return !group.empty() && std::all_of(group.begin(), group.end(), [&](int32_t device) {
    return engine_->devices()[static_cast<size_t>(device)]->has_streams();
  });
}

bool Trainer::is_lost(size_t replica, const Status& status) const {
  const auto& group = groups_[replica];
  return status.code() == Code::kUnavailable && std::any_of(group.begin(), group.end(), [&](int32_t index) {
           return engine_->devices()[static_cast<size_t>(index)]->lost();
         });
}

bool Trainer::note_loss(size_t replica, const Status& status) {
  if (!is_lost(replica, status)) return false;
  for (const int32_t index : groups_[replica]) {
    const Device& device = *engine_->devices()[static_cast<size_t>(index)];
    if (!device.lost()) continue;
    const bool known = std::find(lost_devices_.begin(), lost_devices_.end(), device.name()) != lost_devices_.end();
    if (!known) lost_devices_.push_back(device.name());
  }
  return true;
}

Result<bool> Trainer::replace_lost() {
  bool any = false;
  for (size_t i = 0; i < groups_.size() && !idle_.empty(); ++i) {
    if (!sums_->replicas().lost(i)) continue;
    groups_[i] = idle_.front();
    idle_.erase(idle_.begin());
    PERCALE_RETURN_IF_ERROR(sums_->replicas().place(i, waits_apart(groups_[i])));
    any = true;
  }
  return any;
}

void Trainer::report_losses() {
  if (parameters_ != nullptr) {
    for (std::string& name : parameters_->take_lost()) {
      const bool known = std::find(lost_devices_.begin(), lost_devices_.end(), name) != lost_devices_.end();
      if (!known) lost_devices_.push_back(std::move(name));
    }
  }
  for (; reported_losses_ < lost_devices_.size(); ++reported_losses_) {
    const Device& lost = *engine_->find_device(lost_devices_[reported_losses_]);
    // Devices that run the same kernels give the same bits.
    const auto others_like_it = [&](const std::vector<int32_t>& group) {
      return std::all_of(group.begin(), group.end(), [&](int32_t device) {
        return kernel_kind(*engine_->devices()[static_cast<size_t>(device)]) == kernel_kind(lost);
      });
    };
    const bool same = std::all_of(groups_.begin(), groups_.end(), others_like_it) &&
                      std::all_of(idle_.begin(), idle_.end(), others_like_it);
    engine_->log().log(LogLevel::kWarning, "trainer, step ", steps_ + 1, ": ", lost.name(),
                       " is lost and takes no further part; replicas that can compute its shards: ",
                       static_cast<uint64_t>(replicas() + idle_.size()),
                       same ? ", with the same bits" : ", with kernels of their own, which may give other bits");
  }
}

Status Trainer::compute_shard(size_t replica, const ShardRows& rows, const ShardRun& shard, std::vector<Tensor>& out) {
  const int64_t count = rows.end - rows.begin;
  std::vector<Tensor> own;
  for (const Tensor& t : shard.feeds) {
    PERCALE_ASSIGN_OR_RETURN(Tensor part, rows_of(t, rows, memory_));
    own.push_back(std::move(part));
  }
  if (!graph_.shard_fraction.empty()) {
    const double part = static_cast<double>(count) / static_cast<double>(shard.place.all);
    own.push_back(scalar_tensor(graph_.statistics[0].dtype, part));
  }
  RunOptions run;
  run.cancel = &shard.cancel;
  run.trace = trace_;
  run.seed = options_.seed;
  run.step = shard.step;
  run.first_row = shard.place.before + rows.begin;
  run.barrier = shard.barrier;
  run.shard = shard.part;
  run.values = RunValues::of_caller(shard.state, {.all = shard.state_version, .each = &shard.versions});
  const Plan* plan = shard.plans.find(count)->second[replica].get();
  if (plan == nullptr) return Status(Code::kUnavailable, "a device was lost while the batch was planned for it");
  if (resident_ != nullptr) return resident_->run(replica, shard.part, *plan, std::move(own), out, run);
  if (row_gradients_.empty() && fetches_ == nullptr) return session_->run(*plan, own, out, run);
  std::vector<Tensor> outputs = out;
  PERCALE_RETURN_IF_ERROR(shard.by_rows.append_parts(shard.part, outputs));
  if (fetches_ != nullptr) outputs.resize(outputs.size() + fetches_->size());
  PERCALE_RETURN_IF_ERROR(session_->run(*plan, own, outputs, run));
  if (fetches_ != nullptr) fetches_->keep(shard.part, outputs);
  return {};
}

// Cannot be cancelled: all that it needs is there.
Status Trainer::commit(const Plan& plan, const std::vector<Tensor>& total, double learning_rate, int64_t step,
                       const RowGradients& by_rows) {
  std::vector<Tensor> feeds = {total[1], Tensor::scalar(learning_rate), Tensor::scalar(step)};
  feeds.insert(feeds.end(), total.begin() + static_cast<ptrdiff_t>(graph_.totals), total.end());
  by_rows.append_all(feeds);
  const RunFacts::Span span(&facts_, RunFacts::Work::kCommit);
  RunOptions run;
  run.trace = trace_;
  run.values = RunValues::of_caller(working_);
  run.alone = !mode_.streams();
  // Whatever happens: nothing that was derived from the old contents may be used again, nor from those that have not come about.
  struct Change {
    Trainer& trainer;
    bool made = false;
    ~Change() {
      if (!made) ++trainer.state_version_;
      trainer.note_change(true);
    }
  } change{*this};
  if (parameters_ != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(change.made, parameters_->commit(feeds, run, state_version_ + 1));
    if (change.made) return {};
  }
  Status status = session_->run(plan, feeds, {}, run);
  change.made = status.ok();
  return status;
}

double Trainer::batch_loss() const { return scalar_value(sums_->total()[0]) / scalar_value(sums_->total()[1]); }

Status Trainer::set_learning_rate(double rate) {
  if (!(rate >= 0) || std::isinf(rate))
    return invalid_argument("the learning rate is ", rate, ", wanted a number from 0 on");
  if (!options_.schedule.has_base()) {
    return failed_precondition(
        "the schedule says the learning rate itself, by 'max_learning_rate'; train with another schedule");
  }
  rate_by_hand_.store(rate);
  return {};
}

double Trainer::base_rate() const {
  const double by_hand = rate_by_hand_.load();
  return by_hand >= 0 ? by_hand : options_.optimizer.learning_rate;
}

double Trainer::learning_rate(int64_t done, int64_t steps) const {
  const Schedule& schedule = options_.schedule;
  const double rate = schedule.learning_rate(base_rate(), done, steps);
  return schedule.waits_for() != nullptr ? rate * plateau_.factor : rate;
}

Status Trainer::run_step(const std::vector<std::string>& names, std::span<const std::vector<Tensor>> batches,
                         double learning_rate, int64_t* rows) {
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  std::vector<std::vector<Tensor>> feeds;
  std::vector<int64_t> counts;
  *rows = 0;
  for (const std::vector<Tensor>& batch : batches) {
    PERCALE_ASSIGN_OR_RETURN(auto bound, bind(f, graph_.inputs, names, batch, &counts.emplace_back()));
    feeds.push_back(std::move(bound));
    *rows += counts.back();
  }
  PERCALE_RETURN_IF_ERROR(prepare_sums(counts[0]));
  int64_t before = 0;
  for (size_t i = 0; i < feeds.size(); ++i) {
    PERCALE_RETURN_IF_ERROR(reduce(feeds[i], counts[i], {before, *rows}, i == 0, learning_rate));
    row_gradients_.keep_batch();
    if (options_.accumulation > 1) sums_->add_batch(i == 0, engine_->threads().parallel());
    before += counts[i];
  }
  return finish_step(scalar_value(sums_->total()[1]), learning_rate);
}

Status Trainer::finish_step(double weight, double learning_rate) {
  if (!(weight > 0)) return invalid_argument("step ", steps_ + 1, ": the weights of the batch add up to ", weight);
  if (token_->cancelled()) return cancelled();
  PERCALE_RETURN_IF_ERROR(check_loss(batch_loss(), steps_ + 1));
  if (resident_ != nullptr) {
    PERCALE_RETURN_IF_ERROR(resident_->adopt(sums_->total()[1]));
  } else {
    PERCALE_RETURN_IF_ERROR(commit(*commit_, sums_->total(), learning_rate, steps_ + 1, row_gradients_));
  }
  facts_.accept_all();
  report_losses();
  ++steps_;
  unpublished_ = true;
  return {};
}

Status Trainer::check_loss(double loss, int64_t step) {
  if (std::isfinite(loss)) return {};
  constexpr std::string_view kRemedy = "a smaller learning rate or 'clip' may help, and the data may hold a NaN";
  if (options_.terminate_on_nan) {
    return out_of_range("the loss of step ", step, " is ", loss,
                        "; 'terminate_on_nan' ends the training before this step's update; ", kRemedy);
  }
  if (warned_of_loss_) return {};
  warned_of_loss_ = true;
  engine_->log().log(LogLevel::kWarning, "trainer, step ", step, ": the loss is ", loss, "; ", kRemedy,
                     "; 'terminate_on_nan' ends the training at such a step");
  return {};
}

Status Trainer::check_between_steps(std::string_view what) const {
  if (batches_added_ == 0) return {};
  return failed_precondition(what, ": a step has ", batches_added_, " of its ", options_.accumulation,
                             " batches; step() must complete it first");
}

Result<StepFetches> Trainer::find_fetches(const std::vector<std::string>& names) const {
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& name : names) {
    const auto is_it = [&](const auto& prediction) { return prediction.first == name; };
    const auto prediction = std::find_if(graph_.predictions.begin(), graph_.predictions.end(), is_it);
    if (prediction != graph_.predictions.end()) {
      found.push_back(*prediction);
    } else if (f.find_value(name) != kNoValue) {
      found.emplace_back(name, name);
    } else {
      std::vector<std::string> known;
      for (const auto& [own, value] : graph_.predictions) known.push_back(own);
      return not_found("a training step computes no '", name, "'", did_you_mean(name, known));
    }
  }
  return StepFetches(std::move(found));
}

Result<double> Trainer::step(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                             const std::vector<std::string>& fetches, std::vector<Tensor>* fetched) {
  fetched->clear();
  PERCALE_ASSIGN_OR_RETURN(StepFetches values, find_fetches(fetches));
  if (values.empty()) return step(names, batch);
  if (mode_.kind == TrainMode::Kind::kBackup) {
    return failed_precondition("mode '", options_.mode, "' leaves shards out, whose rows no fetch would have");
  }
  if (resident_ != nullptr) PERCALE_RETURN_IF_ERROR(leave_devices("steps with fetches are the host's"));
  struct UnderWay {
    Trainer& trainer;
    ~UnderWay() { trainer.fetches_ = nullptr; }
  } under_way{*this};
  fetches_ = &values;
  Result<double> loss = step(names, batch);
  if (loss.ok()) *fetched = values.take();
  return loss;
}

Result<double> Trainer::step(const std::vector<std::string>& names, const std::vector<Tensor>& batch) {
  if (names.size() != batch.size()) return invalid_argument("a batch needs a name per tensor");
  if (mode_.streams()) {
    return failed_precondition("mode '", options_.mode, "' works on several batches at once: use fit()");
  }
  if (options_.schedule.needs_total()) {
    return failed_precondition("the schedule needs the run's number of steps: use fit(), or give it a length");
  }
  PERCALE_ASSIGN_OR_RETURN(const auto token, begin());
  PERCALE_RETURN_IF_ERROR(take_up_variables());
  const Period period(*this);
  const int64_t started = now_ns(), several = options_.accumulation;
  const double rate = learning_rate(steps_, 0);
  const bool last = batches_added_ + 1 == several;
  // What follows the step must not fail, for a step that ends with an error has not happened: its memory is taken before.
  const Publishing& p = options_.publishing;
  const bool due = last && (p.when == Publishing::When::kAuto ||
                            (p.when == Publishing::When::kSteps && (steps_ + 1) % p.steps == 0));
  Publication publication;
  if (due) {
    PERCALE_ASSIGN_OR_RETURN(publication, prepare_publication());
  }
  history_.make_room();

  int64_t rows = 0;
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  PERCALE_ASSIGN_OR_RETURN(const auto feeds, bind(f, graph_.inputs, names, batch, &rows));
  if (!graph_.shard_fraction.empty() && batches_added_ > 0 && rows * batches_added_ != rows_added_) {
    return invalid_argument("the step's batches so far have ", rows_added_ / batches_added_, " rows each, this one ",
                            rows, ": moving statistics are averaged over batches of one size");
  }
  PERCALE_RETURN_IF_ERROR(prepare_sums(rows));
  PERCALE_RETURN_IF_ERROR(reduce(feeds, rows, {rows_added_, rows * several}, batches_added_ == 0, rate));
  const double sum = scalar_value(sums_->batch()[0]), weight = scalar_value(sums_->batch()[1]), loss = sum / weight;
  const double before = batches_added_ > 0 ? scalar_value(sums_->total()[1]) : 0;
  if (last && !(before + weight > 0)) {
    return invalid_argument("step ", steps_ + 1, ": the weights of the batch add up to ", before + weight);
  }
  if (fetches_ != nullptr) PERCALE_RETURN_IF_ERROR(fetches_->join(rows, engine_->memory()));
  if (token->cancelled()) return cancelled();
  if (several > 1) sums_->add_batch(batches_added_ == 0, engine_->threads().parallel());
  row_gradients_.keep_batch();
  ++batches_added_;
  rows_added_ += rows;
  if (!last) {
    seconds_ += static_cast<double>(now_ns() - started) * 1e-9;
    return loss;
  }
  batches_added_ = rows_added_ = 0;
  PERCALE_RETURN_IF_ERROR(finish_step(scalar_value(sums_->total()[1]), rate));
  seconds_ += static_cast<double>(now_ns() - started) * 1e-9;
  history_.rows.push_back({position_.epoch + 1, steps_, batch_loss(), rate, seconds_, {}});
  if (due) {
    PERCALE_RETURN_IF_ERROR(bring_home());
    publish(std::move(publication));
  }
  return loss;
}

}  // namespace percale

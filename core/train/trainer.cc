#include "core/train/trainer.h"

#include <cstring>

#include "core/train/prefetch.h"

namespace percale {
namespace {

constexpr size_t kBatchesAhead = 2;

// Rows [begin, end) of a tensor: a view where kernels may read it as it lies, else a copy.
Result<Tensor> rows_of(const Tensor& tensor, const ShardRows& rows, const std::shared_ptr<MemoryPool>& pool) {
  Shape shape = tensor.shape();
  const int64_t all = shape[0];
  if (rows.begin == 0 && rows.end == all) return tensor;
  const int64_t row_bytes = tensor.bytes() / all;
  shape[0] = rows.end - rows.begin;
  const auto* from = static_cast<const char*>(tensor.data()) + rows.begin * row_bytes;
  if (reinterpret_cast<uintptr_t>(from) % kAlignment == 0) {
    return Tensor::view(tensor.buffer(), from - static_cast<const char*>(tensor.buffer()->data()), tensor.dtype(), shape);
  }
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(pool, tensor.dtype(), shape));
  std::memcpy(out.data(), from, static_cast<size_t>(out.bytes()));
  return out;
}

double number(const Tensor& scalar) {
  return scalar.dtype() == DType::kF64 ? scalar.span<double>()[0] : static_cast<double>(scalar.span<float>()[0]);
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += str_cat(out.empty() ? "" : ", ", "'", n, "'");
  return out.empty() ? "nothing" : out;
}

std::vector<std::string> column_names(const Dataset& dataset) {
  std::vector<std::string> out;
  for (const Column& c : dataset.columns()) out.push_back(c.name);
  return out;
}

}  // namespace

Result<std::unique_ptr<Trainer>> Trainer::create(std::shared_ptr<Engine> engine, Model model,
                                                 std::shared_ptr<Variables> variables, const TrainerOptions& options) {
  PERCALE_RETURN_IF_ERROR(engine->check_usable());
  if (options.mode != "sync") return unimplemented("mode '", options.mode, "' is not there yet");
  if (options.shards < 0 || options.shards > 65536) return out_of_range("shards = ", options.shards, ", wanted 0 to 65536");
  std::unique_ptr<Trainer> t(new Trainer);
  t->engine_ = std::move(engine);
  t->model_ = std::move(model);
  t->options_ = options;
  PERCALE_ASSIGN_OR_RETURN(t->graph_, build_train_graph(t->model_, options.optimizer));
  if (variables == nullptr) {
    PERCALE_ASSIGN_OR_RETURN(variables, initialize_variables(t->engine_, t->model_.graph, options.seed));
  }
  t->variables_ = std::move(variables);
  PERCALE_ASSIGN_OR_RETURN(t->session_, Session::create(t->engine_, t->graph_.graph, nullptr));
  for (const Objective::Mean& m : t->model_.objective.metrics) t->history_.metric_names.push_back(m.name);
  t->epoch_sums_.assign(2 * t->model_.objective.metrics.size(), 0);

  const auto current = t->variables_->current();
  for (const Variable& v : t->graph_.graph->variables) {
    const int32_t at = t->variables_->find(v.name);
    t->published_.push_back(at);
    const Tensor first = at >= 0 ? current->values[static_cast<size_t>(at)] : v.initial;
    if (!first.defined()) return not_found("the variables have no '", v.name, "'");
    if (first.dtype() != v.dtype || !(first.shape() == v.shape)) {
      return invalid_argument("variable '", v.name, "' is ", first.dtype(), " ", first.shape(), ", the model wants ",
                              v.dtype, " ", v.shape);
    }
    PERCALE_ASSIGN_OR_RETURN(Tensor own, Tensor::allocate(t->engine_->memory(), v.dtype, v.shape));
    if (own.bytes() > 0) std::memcpy(own.data(), first.data(), static_cast<size_t>(own.bytes()));
    t->working_.push_back(std::move(own));
  }
  t->version_ = current->number;
  return t;
}

void Trainer::set_data(std::shared_ptr<Dataset> train, std::shared_ptr<Dataset> test) {
  train_data_ = std::move(train);
  test_data_ = std::move(test);
}

std::shared_ptr<CancelToken> Trainer::begin() {
  const std::lock_guard lock(cancel_mutex_);
  token_ = std::make_shared<CancelToken>();
  return token_;
}

void Trainer::cancel() {
  const std::lock_guard lock(cancel_mutex_);
  if (token_ != nullptr) token_->cancel();
}

// Somebody may have loaded or assigned variables between two calls.
Status Trainer::take_up_variables() {
  const auto current = variables_->current();
  if (current->number == version_) return {};
  for (size_t i = 0; i < working_.size(); ++i) {
    if (published_[i] < 0 || working_[i].bytes() == 0) continue;
    std::memcpy(working_[i].data(), current->values[static_cast<size_t>(published_[i])].data(),
                static_cast<size_t>(working_[i].bytes()));
  }
  version_ = current->number;
  ++state_version_;
  return {};
}

Status Trainer::publish() {
  std::vector<std::pair<int32_t, Tensor>> changes;
  const auto add = [&](const Variable& v) -> Status {
    for (size_t i = 0; i < working_.size(); ++i) {
      if (graph_.graph->variables[i].name != v.name || published_[i] < 0) continue;
      PERCALE_ASSIGN_OR_RETURN(Tensor copy, Tensor::allocate(engine_->memory(), v.dtype, v.shape));
      if (copy.bytes() > 0) std::memcpy(copy.data(), working_[i].data(), static_cast<size_t>(copy.bytes()));
      changes.emplace_back(published_[i], std::move(copy));
    }
    return {};
  };
  for (const Variable& v : graph_.parameters) PERCALE_RETURN_IF_ERROR(add(v));
  for (const Variable& v : graph_.statistics) PERCALE_RETURN_IF_ERROR(add(v));
  PERCALE_RETURN_IF_ERROR(variables_->publish(changes));
  version_ = variables_->current()->number;
  return {};
}

// The batch's tensors in the order of the inputs, shaped as these want them: images without a channel dim get one.
Result<std::vector<Tensor>> Trainer::bind(const Function& f, const std::vector<std::string>& inputs,
                                          const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                                          int64_t* rows) const {
  std::vector<Tensor> out;
  *rows = -1;
  for (const std::string& input : inputs) {
    size_t at = 0;
    while (at < names.size() && names[at] != input) ++at;
    if (at == names.size()) {
      return invalid_argument("the model needs an input '", input, "', which the data lacks: it has ", list_of(names));
    }
    const ValueType& want = f.type(f.find_value(input));
    Tensor tensor = batch[at];
    if (!tensor.defined() || tensor.dtype() != want.dtype) {
      return invalid_argument("input '", input, "' is ", want.dtype, ", the data ", tensor.dtype());
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
      if (!shape.is_static() || !byte_size(want.dtype, shape).ok() || shape.num_elements() != tensor.num_elements()) {
        return invalid_argument("input '", input, "' has shape ", want.shape, ", the data ", tensor.shape());
      }
      tensor = tensor.reshaped(shape);
    }
    out.push_back(std::move(tensor));
  }
  if (*rows < 1) return invalid_argument("the batch has no rows");
  return out;
}

Result<std::shared_ptr<const Compiled>> Trainer::compiled(std::string_view function,
                                                          const std::vector<std::string>& inputs,
                                                          const std::vector<std::string>& outputs,
                                                          const std::vector<Tensor>& feeds) {
  std::string key(function);
  for (const Tensor& t : feeds) key += t.shape().to_string();
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
  RunSpec spec;
  spec.function = function;
  spec.feeds = inputs;
  spec.fetches = outputs;
  PERCALE_ASSIGN_OR_RETURN(auto plan, session_->prepare(spec, types));
  plans_[key] = plan;
  return plan;
}

// The job's number of shards and the buffers of the tree, both made once.
Status Trainer::prepare_sums(int64_t rows) {
  if (sums_ != nullptr) return {};
  if (options_.shards == 0) options_.shards = default_shards(graph_, rows);
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  std::vector<ValueType> types;
  const size_t scalars = graph_.outputs.size() - graph_.parameters.size() - graph_.statistics.size();
  for (size_t i = 0; i < scalars; ++i) types.push_back({f.type(f.outputs[i]).dtype, Shape{}});
  for (const Variable& v : graph_.parameters) types.push_back({v.dtype, v.shape});
  for (const Variable& v : graph_.statistics) types.push_back({v.dtype, v.shape});
  PERCALE_ASSIGN_OR_RETURN(ShardSums sums, ShardSums::create(types, options_.shards, engine_->memory()));
  sums_ = std::make_unique<ShardSums>(std::move(sums));

  std::vector<ValueType> feeds = {types[1], {DType::kF64, Shape{}}, {DType::kI64, Shape{}}};
  feeds.insert(feeds.end(), types.begin() + static_cast<ptrdiff_t>(scalars), types.end());
  RunSpec spec;
  spec.function = kCommitFunction;
  spec.feeds = graph_.commit_inputs;
  spec.targets = graph_.commit_targets;
  spec.exclusive_state = true;
  PERCALE_ASSIGN_OR_RETURN(commit_, session_->prepare(spec, feeds));
  return {};
}

Status Trainer::compute_shard(const std::vector<Tensor>& feeds, int64_t batch_rows, const ShardRows& rows,
                              std::vector<Tensor>& out) {
  std::vector<Tensor> own;
  std::vector<std::string> inputs = graph_.inputs;
  for (const Tensor& t : feeds) {
    PERCALE_ASSIGN_OR_RETURN(Tensor part, rows_of(t, rows, engine_->memory()));
    own.push_back(std::move(part));
  }
  if (!graph_.shard_fraction.empty()) {
    const double part = static_cast<double>(rows.end - rows.begin) / static_cast<double>(batch_rows);
    own.push_back(scalar_tensor(graph_.statistics[0].dtype, part));
    inputs.push_back(graph_.shard_fraction);
  }
  PERCALE_ASSIGN_OR_RETURN(const auto plan, compiled(kComputeFunction, inputs, graph_.outputs, own));
  RunOptions run;
  run.cancel = token_.get();
  run.trace = trace_;
  run.seed = options_.seed;
  run.step = steps_;
  run.first_row = rows.begin;
  run.state = &working_;
  run.state_version = state_version_;
  return session_->run(*plan, own, out, run);
}

// Cannot be cancelled: all that it needs is there.
Status Trainer::commit(double learning_rate) {
  const std::vector<Tensor>& total = sums_->total();
  std::vector<Tensor> feeds = {total[1], Tensor::scalar(learning_rate), Tensor::scalar(steps_ + 1)};
  const size_t scalars = graph_.outputs.size() - graph_.parameters.size() - graph_.statistics.size();
  feeds.insert(feeds.end(), total.begin() + static_cast<ptrdiff_t>(scalars), total.end());
  RunOptions run;
  run.trace = trace_;
  run.state = &working_;
  ++state_version_;  // whatever happens: nothing that was derived from the old contents may be used again
  return session_->run(*commit_, feeds, {}, run);
}

double Trainer::total(size_t i) const { return number(sums_->total()[i]); }

Status Trainer::run_step(const std::vector<std::string>& names, const std::vector<Tensor>& batch, double learning_rate,
                         int64_t* rows) {
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  PERCALE_ASSIGN_OR_RETURN(const auto feeds, bind(f, graph_.inputs, names, batch, rows));
  PERCALE_RETURN_IF_ERROR(prepare_sums(*rows));
  PERCALE_RETURN_IF_ERROR(sums_->reduce(*rows, engine_->threads().parallel(),
                                        [&](int64_t, const ShardRows& part, std::vector<Tensor>& out) {
                                          return compute_shard(feeds, *rows, part, out);
                                        }));
  if (!(total(1) > 0)) return invalid_argument("step ", steps_ + 1, ": the weights of the batch add up to ", total(1));
  if (token_->cancelled()) return Status(Code::kCancelled, "training was cancelled");
  PERCALE_RETURN_IF_ERROR(commit(learning_rate));
  ++steps_;
  return {};
}

Result<double> Trainer::step(const std::vector<std::string>& names, const std::vector<Tensor>& batch) {
  if (names.size() != batch.size()) return invalid_argument("a batch needs a name per tensor");
  if (options_.schedule.needs_total()) {
    return failed_precondition("the schedule needs the run's number of steps: use fit(), or give it a length");
  }
  const auto token = begin();
  PERCALE_RETURN_IF_ERROR(take_up_variables());
  const int64_t started = now_ns();
  const double rate = options_.schedule.learning_rate(options_.optimizer.learning_rate, steps_, 0);
  int64_t rows = 0;
  PERCALE_RETURN_IF_ERROR(run_step(names, batch, rate, &rows));
  seconds_ += static_cast<double>(now_ns() - started) * 1e-9;
  const double loss = total(0) / total(1);
  history_.rows.push_back({position_.epoch + 1, steps_, loss, rate, seconds_, {}});
  PERCALE_RETURN_IF_ERROR(publish());
  return loss;
}

Status Trainer::fit(std::shared_ptr<Dataset> dataset, int64_t epochs, const ProgressFunction& progress) {
  if (dataset == nullptr) dataset = train_data_;
  if (dataset == nullptr) return failed_precondition("there is no data to train on");
  if (epochs <= 0) epochs = options_.epochs;
  const int64_t batches = dataset->batches();
  if (position_.batch > batches) {
    return failed_precondition("the training stands at batch ", position_.batch, " of an epoch, the data has ", batches);
  }
  const auto token = begin();
  PERCALE_RETURN_IF_ERROR(take_up_variables());
  const std::vector<std::string> names = column_names(*dataset);
  const size_t ahead = engine_->threads().threads() > 1 ? kBatchesAhead : 0;
  PERCALE_ASSIGN_OR_RETURN(const auto source,
                           Prefetcher::create(dataset, position_, epochs, ahead, engine_->threads().parallel()));
  const int64_t before = position_.epoch * batches + position_.batch, steps = steps_ - before + epochs * batches;
  const int64_t first_step = steps_, started = now_ns();
  const double seconds_before = seconds_;
  int64_t rows_done = 0;
  bool go = true, unpublished = false;
  while (go && position_.epoch < epochs) {
    PERCALE_ASSIGN_OR_RETURN(const auto batch, source->next());
    const double rate = options_.schedule.learning_rate(options_.optimizer.learning_rate, steps_, steps);
    int64_t rows = 0;
    const Status status = run_step(names, batch, rate, &rows);
    if (!status.ok()) {
      if (unpublished) PERCALE_RETURN_IF_ERROR(publish());
      return status;
    }
    unpublished = true;
    rows_done += rows;
    const double elapsed = static_cast<double>(now_ns() - started) * 1e-9;
    seconds_ = seconds_before + elapsed;
    for (size_t i = 0; i < epoch_sums_.size(); ++i) epoch_sums_[i] += total(2 + i);

    Progress p;
    p.epoch = position_.epoch + 1;
    p.epochs = epochs;
    p.step = steps_;
    p.steps = steps;
    p.step_in_epoch = ++position_.batch;
    p.steps_in_epoch = batches;
    p.loss = total(0) / total(1);
    p.learning_rate = rate;
    p.rows_per_second = elapsed > 0 ? static_cast<double>(rows_done) / elapsed : 0;
    p.seconds = seconds_;
    p.eta_seconds = elapsed / static_cast<double>(steps_ - first_step) * static_cast<double>(steps - steps_);
    p.epoch_ended = position_.batch >= batches;
    p.metric_names = &history_.metric_names;
    std::vector<double> metrics;
    if (p.epoch_ended) {
      for (const auto& [name, value] : means(epoch_sums_)) metrics.push_back(value);
      epoch_sums_.assign(epoch_sums_.size(), 0);
      position_ = {position_.epoch + 1, 0};
    }
    history_.rows.push_back({p.epoch, p.step, p.loss, rate, seconds_, metrics});
    if (p.epoch_ended) {
      PERCALE_RETURN_IF_ERROR(publish());
      unpublished = false;
    }
    p.metrics = &history_.rows.back().metrics;
    if (progress) go = progress(p);
    if (go && token->cancelled()) {
      if (unpublished) PERCALE_RETURN_IF_ERROR(publish());
      return Status(Code::kCancelled, "training was cancelled");
    }
  }
  return unpublished ? publish() : Status();
}

NamedNumbers Trainer::means(const std::vector<double>& sums) const {
  NamedNumbers out;
  for (size_t i = 0; i < history_.metric_names.size(); ++i) {
    out.emplace_back(history_.metric_names[i], sums[2 * i] / sums[2 * i + 1]);
  }
  return out;
}

Result<NamedNumbers> Trainer::evaluate(std::shared_ptr<Dataset> dataset) {
  if (dataset == nullptr) dataset = test_data_;
  if (dataset == nullptr) return failed_precondition("there is no test data to evaluate on");
  const auto token = begin();
  PERCALE_RETURN_IF_ERROR(take_up_variables());
  std::vector<std::string> outputs = {model_.objective.loss.sum, model_.objective.loss.weight};
  for (const Objective::Mean& m : model_.objective.metrics) {
    outputs.push_back(m.sum);
    outputs.push_back(m.weight);
  }
  const std::vector<std::string> names = column_names(*dataset);
  std::vector<double> sums(outputs.size(), 0);
  for (int64_t i = 0; i < dataset->batches(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(const auto batch, dataset->batch({0, i}, engine_->threads().parallel()));
    int64_t rows = 0;
    PERCALE_ASSIGN_OR_RETURN(const auto feeds, bind(graph_.graph->main(), graph_.inputs, names, batch, &rows));
    PERCALE_ASSIGN_OR_RETURN(const auto plan, compiled(kMainFunction, graph_.inputs, outputs, feeds));
    std::vector<Tensor> results(outputs.size());
    RunOptions run;
    run.cancel = token.get();
    run.trace = trace_;
    run.seed = options_.seed;
    run.step = steps_;
    run.state = &working_;
    run.state_version = state_version_;
    PERCALE_RETURN_IF_ERROR(session_->run(*plan, feeds, results, run));
    for (size_t k = 0; k < results.size(); ++k) sums[k] += number(results[k]);
  }
  NamedNumbers out = {{"loss", sums[0] / sums[1]}};
  for (const auto& metric : means({sums.begin() + 2, sums.end()})) out.push_back(metric);
  return out;
}

Result<std::shared_ptr<const Graph>> Trainer::inference_model() const {
  return inference_graph(*model_.graph, model_.objective.predictions);
}

}  // namespace percale

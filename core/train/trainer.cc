#include "core/train/trainer.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>

#include "core/base/similar_name.h"
#include "core/session/initialize.h"
#include "core/train/data/csv_rules.h"
#include "core/train/trainer_parameters.h"
#include "core/train/trainer_resident.h"
#include "core/train/trainer_stream.h"

namespace percale {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Result<Publishing> parse_publishing(std::string_view text) {
  using When = Publishing::When;
  Publishing out;
  for (const auto& [name, when] :
       {std::pair{"auto", When::kAuto}, {"step", When::kSteps}, {"epoch", When::kEpoch}, {"hand", When::kByHand}}) {
    if (text != name) continue;
    out.when = when;
    return out;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.steps);
  if (error != std::errc() || end != text.data() + text.size() || out.steps < 1) {
    return invalid_argument("'publish' is '", text, "', wanted auto, step, epoch, hand or a number of steps");
  }
  out.when = When::kSteps;
  return out;
}

Status check_monitors(const TrainerOptions& options, const std::vector<std::string>& metrics) {
  std::vector<std::string> known = {"loss"};
  known.insert(known.end(), metrics.begin(), metrics.end());
  const auto check = [&](std::string_view what, const Monitor& monitor) -> Status {
    const std::string name = monitor.of_validation() ? monitor.name.substr(4) : monitor.name;
    if (std::find(known.begin(), known.end(), name) != known.end()) return {};
    return invalid_argument(what, " cannot watch '", monitor.name,
                            "': there is 'loss', a metric of the job, or one of these with 'val_' before it",
                            did_you_mean(name, known));
  };
  if (const Plateau* plateau = options.schedule.waits_for(); plateau != nullptr) {
    PERCALE_RETURN_IF_ERROR(check("the schedule", plateau->monitor));
  }
  if (options.early_stopping.on) PERCALE_RETURN_IF_ERROR(check("early_stopping", options.early_stopping.monitor));
  return options.keep_best > 0 ? check("keep_best", options.keep_monitor) : Status();
}

Trainer::Trainer() = default;
Trainer::~Trainer() = default;

Result<std::unique_ptr<Trainer>> Trainer::create(std::shared_ptr<Engine> engine, Model model,
                                                 std::shared_ptr<Variables> variables, const TrainerOptions& options) {
  PERCALE_RETURN_IF_ERROR(engine->check_usable());
  PERCALE_ASSIGN_OR_RETURN(const TrainMode mode, parse_train_mode(options.mode));
  if (mode.streams() && options.accumulation > 1) {
    return unimplemented("mode '", options.mode, "' with 'accumulation': ", options.accumulation);
  }
  if (options.shards < 0 || options.shards > kMaxShards)
    return out_of_range("shards = ", options.shards, ", wanted 0 to ", kMaxShards);
  std::unique_ptr<Trainer> t(new Trainer);
  t->engine_ = std::move(engine);
  t->model_ = std::move(model);
  t->options_ = options;
  t->mode_ = mode;
  PERCALE_ASSIGN_OR_RETURN(t->graph_, build_train_graph(t->model_, options.optimizer, options.freeze,
                                                        options.recompute.when != Recompute::When::kNever,
                                                        options.parallel, options.synchronized_batch_norm));
  if (t->graph_.meets_shards && mode.kind != TrainMode::Kind::kSync) {
    return invalid_argument("mode '", options.mode,
                            "': synchronized batch normalization needs all shards of a batch at "
                            "the same time, as mode 'sync' has them");
  }
  PERCALE_RETURN_IF_ERROR(t->check_parallel());
  PERCALE_ASSIGN_OR_RETURN(t->resident_, Resident::create(*t));
  if (variables == nullptr) {
    PERCALE_ASSIGN_OR_RETURN(variables, initialize_variables(t->engine_, t->model_.graph, options.seed));
  }
  t->variables_ = std::move(variables);
  t->variables_->set_changing(options.publishing.when == Publishing::When::kSteps);
  t->memory_ = std::make_shared<MemoryPool>(options.memory_limit, t->engine_->memory());
  SessionOptions session;
  session.memory = t->memory_;
  session.resources = t->variables_->resources();
  session.compile.bf16 = options.bf16;
  PERCALE_ASSIGN_OR_RETURN(t->session_, Session::create(t->engine_, t->graph_.graph, nullptr, std::move(session)));
  for (const Objective::Metric& m : t->model_.objective.metrics) t->history_.metric_names.push_back(m.name);

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
    PERCALE_ASSIGN_OR_RETURN(Tensor own, Tensor::allocate(t->memory_, v.dtype, v.shape));
    if (own.bytes() > 0) std::memcpy(own.data(), first.data(), static_cast<size_t>(own.bytes()));
    t->working_.push_back(std::move(own));
  }
  t->committed_.assign(t->working_.size(), false);
  for (const Node& node : t->graph_.graph->find_function(kCommitFunction)->nodes) {
    if (op_name(*node.op) != "percale:Assign") continue;
    const Variable* v = t->graph_.graph->find_variable(node.attributes.get_string("variable"));
    t->committed_[static_cast<size_t>(v - t->graph_.graph->variables.data())] = true;
  }
  t->versions_.resize(t->working_.size());
  t->note_change();
  t->seen_ = current;
  t->started_ = wall_seconds();
  const auto& all = t->graph_.graph->variables;
  for (const Variable& v : all) {
    const auto is_average = [&](const Variable& other) { return other.slot && other.name == average_name(v.name); };
    const auto found = options.optimizer.ema > 0 ? std::find_if(all.begin(), all.end(), is_average) : all.end();
    t->averages_.push_back(found == all.end() ? -1 : static_cast<int32_t>(found - all.begin()));
  }
  PERCALE_RETURN_IF_ERROR(check_monitors(options, t->history_.metric_names));
  PERCALE_ASSIGN_OR_RETURN(t->parameters_, Parameters::create(*t));
  return t;
}

void Trainer::set_data(std::shared_ptr<Dataset> train, std::shared_ptr<Dataset> test) {
  train_data_ = std::move(train);
  test_data_ = std::move(test);
  if (train_data_ != nullptr) csv_rules_ = train_data_->csv_rules();
}

Status Trainer::set_validation(std::shared_ptr<Dataset> dataset) {
  PERCALE_RETURN_IF_ERROR(check_not_streaming("set_validation"));
  std::vector<std::string>& names = history_.metric_names;
  const bool had = std::find(names.begin(), names.end(), "val_loss") != names.end();
  // Columns of the history stay: an epoch without validation data has NaN in them.
  if (steps_ == 0 || !had) {
    names.clear();
    for (const Objective::Metric& m : model_.objective.metrics) names.push_back(m.name);
  }
  if (dataset != nullptr && std::find(names.begin(), names.end(), "val_loss") == names.end()) {
    const std::vector<std::string> own = history_.metric_names;
    history_.metric_names.push_back("val_loss");
    for (const std::string& name : own) history_.metric_names.push_back("val_" + name);
  }
  validation_data_ = std::move(dataset);
  return {};
}

Status Trainer::bring_home() { return resident_ != nullptr ? resident_->bring_home() : Status(); }

void Trainer::note_change(bool by_commit) {
  if (resident_ != nullptr) resident_->forget();
  ++state_version_;
  for (size_t i = 0; i < working_.size(); ++i) {
    if (!by_commit || committed_[i]) versions_[i] = version_number(state_version_, i);
  }
}

Result<std::shared_ptr<CancelToken>> Trainer::begin() {
  const std::lock_guard lock(cancel_mutex_);
  token_ = std::make_shared<CancelToken>(stop_.get());
  if (token_->cancelled()) return cancelled();
  return token_;
}

Status Trainer::cancelled() const {
  return Status(Code::kCancelled, str_cat("training was cancelled; the state is that of step ", steps_));
}

void Trainer::set_cancel(std::shared_ptr<const CancelToken> stop) {
  const std::lock_guard lock(cancel_mutex_);
  token_ = nullptr;
  stop_ = std::move(stop);
}

void Trainer::cancel() {
  const std::lock_guard lock(cancel_mutex_);
  if (token_ != nullptr) token_->cancel();
}

// Somebody may have loaded or assigned variables between two calls: those, and no others, are taken up. What was not assigned
// stands in both versions in the same memory.
Status Trainer::take_up_variables() {
  auto current = variables_->current();
  if (current == seen_) return {};
  PERCALE_RETURN_IF_ERROR(bring_home());
  for (size_t i = 0; i < working_.size(); ++i) {
    if (published_[i] < 0 || working_[i].bytes() == 0) continue;
    const auto at = static_cast<size_t>(published_[i]);
    const void* value = current->values[at].data();
    if (value == seen_->values[at].data()) continue;
    std::memcpy(working_[i].data(), value, static_cast<size_t>(working_[i].bytes()));
    if (averages_[i] >= 0) {
      std::memcpy(working_[static_cast<size_t>(averages_[i])].data(), value, static_cast<size_t>(working_[i].bytes()));
    }
  }
  seen_ = std::move(current);
  note_change();
  return {};
}

// Where the value of a working variable lies as others see it: before the first step there are no averages yet.
size_t Trainer::served_at(size_t i) const {
  return averages_[i] >= 0 && steps_ > 0 ? static_cast<size_t>(averages_[i]) : i;
}

Result<Trainer::Publication> Trainer::prepare_publication() const {
  Publication out;
  const auto add = [&](const Variable& v) -> Status {
    for (size_t i = 0; i < working_.size(); ++i) {
      if (graph_.graph->variables[i].name != v.name || published_[i] < 0) continue;
      PERCALE_ASSIGN_OR_RETURN(Tensor copy, Tensor::allocate(engine_->memory(), v.dtype, v.shape));
      out.changes.emplace_back(published_[i], std::move(copy));
      out.sources.push_back(i);
    }
    return {};
  };
  for (const Variable& v : graph_.parameters) PERCALE_RETURN_IF_ERROR(add(v));
  for (const Variable& v : graph_.statistics) PERCALE_RETURN_IF_ERROR(add(v));
  out.draft = variables_->draft();
  return out;
}

void Trainer::publish(Publication publication) noexcept {
  for (size_t k = 0; k < publication.changes.size(); ++k) {
    const Tensor& copy = publication.changes[k].second;
    const void* from = working_[served_at(publication.sources[k])].data();
    if (copy.bytes() > 0) std::memcpy(copy.data(), from, static_cast<size_t>(copy.bytes()));
  }
  seen_ = variables_->publish(std::move(publication.draft), publication.changes);
  unpublished_ = false;
}

Status Trainer::publish() {
  const auto held = streaming_ == nullptr ? std::unique_lock<std::shared_mutex>() : streaming_->hold();
  PERCALE_ASSIGN_OR_RETURN(Publication publication, prepare_publication());
  PERCALE_RETURN_IF_ERROR(bring_home());
  publish(std::move(publication));
  return {};
}

Status Trainer::publish_if(bool due) { return due && unpublished_ ? publish() : Status(); }

Result<std::shared_ptr<const Graph>> Trainer::inference_model() const {
  PERCALE_ASSIGN_OR_RETURN(const auto graph, inference_graph(*model_.graph, model_.objective.predictions));
  if (!csv_rules_) return graph;
  // Whoever serves the model reads files as the training did.
  auto out = std::make_shared<Graph>(*graph);
  out->metadata.erase(std::string(kCsvMetadata));
  if (*csv_rules_ != nullptr) out->metadata.emplace(kCsvMetadata, csv_rules_json(**csv_rules_));
  return std::shared_ptr<const Graph>(std::move(out));
}

}  // namespace percale

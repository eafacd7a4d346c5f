// Steps over data sets: epochs of training, and one pass of evaluation.
#include <algorithm>
#include <cstring>
#include <limits>

#include "core/train/data/prefetch.h"
#include "core/train/method/metrics.h"
#include "core/train/trainer.h"
#include "core/train/trainer_period.h"
#include "core/train/trainer_stream.h"

namespace percale {
std::shared_ptr<Dataset> Trainer::validation() const {
  return validation_data_ != nullptr ? validation_data_ : test_data_;
}

bool TrainerOptions::watches_validation() const {
  const Plateau* plateau = schedule.waits_for();
  return (plateau != nullptr && plateau->monitor.of_validation()) ||
         (early_stopping.on && early_stopping.monitor.of_validation()) ||
         (keep_best > 0 && keep_monitor.of_validation());
}

Status Trainer::fit(std::shared_ptr<Dataset> dataset, int64_t epochs, const ProgressFunction& progress) {
  if (dataset == nullptr) dataset = train_data_;
  if (dataset == nullptr) return failed_precondition("there is no data to train on");
  if (epochs <= 0) epochs = options_.epochs;
  const int64_t batches = dataset->batches(), per_step = options_.accumulation;
  if (position_.batch > batches) {
    return failed_precondition("the training stands at batch ", position_.batch, " of an epoch, the data has ",
                               batches);
  }
  PERCALE_RETURN_IF_ERROR(check_not_streaming("fit"));
  PERCALE_RETURN_IF_ERROR(check_between_steps("fit"));
  if (early_stopping_.stopped) return finish_fit();
  if (options_.watches_validation() && validation() == nullptr) {
    return failed_precondition("there is no validation data to watch");
  }
  PERCALE_RETURN_IF_ERROR(identity_.take_data(*dataset));
  csv_rules_ = dataset->csv_rules();
  const std::shared_ptr<const Dataset> trained = dataset, validated = validation();
  const Dataset::Use training(*trained), validating(validated != nullptr ? *validated : *trained);
  PERCALE_ASSIGN_OR_RETURN(const auto token, begin());
  PERCALE_RETURN_IF_ERROR(take_up_variables());
  PERCALE_RETURN_IF_ERROR(make_room_for_best());
  if (mode_.streams()) return Streaming(*this, std::move(dataset), epochs, progress, *token).fit();
  const std::vector<std::string> names = column_names(*dataset);
  const size_t ahead = engine_->threads().threads() > 1 && !dataset->on_callers_thread() ? kBatchesAhead : 0;
  PERCALE_ASSIGN_OR_RETURN(const auto source,
                           Prefetcher::create(dataset, position_, epochs, ahead, engine_->threads().parallel()));
  const auto steps_of = [&](int64_t count) { return (count + per_step - 1) / per_step; };
  const int64_t before = position_.epoch * steps_of(batches) + steps_of(position_.batch);
  const int64_t steps = steps_ - before + epochs * steps_of(batches);
  const int64_t first_step = steps_, started = now_ns();
  const double seconds_before = seconds_;
  int64_t rows_done = 0;
  const Publishing::When when = options_.publishing.when;
  const bool by_hand = when == Publishing::When::kByHand;
  bool go = true;
  while (go && position_.epoch < epochs && !early_stopping_.stopped) {
    // A validation that was cancelled left the epoch without its end.
    if (position_.batch >= batches) {
      PERCALE_RETURN_IF_ERROR(end_epoch(*token));
      continue;
    }
    const double rate = learning_rate(steps_, steps);
    int64_t rows = 0;
    history_.make_room();  // nothing between the step and its row may fail
    if (epoch_sums_.empty()) epoch_sums_.assign(count_totals(), 0);
    const int64_t count = std::min(per_step, batches - position_.batch);
    const Status status = [&]() -> Status {
      const Period period(*this);
      std::vector<std::vector<Tensor>> batch;
      while (static_cast<int64_t>(batch.size()) < count) {
        PERCALE_ASSIGN_OR_RETURN(auto next, source->next());
        batch.push_back(std::move(next));
      }
      return run_step(names, batch, rate, &rows);
    }();
    if (!status.ok()) {
      facts_.drop_all_but(0);
      PERCALE_RETURN_IF_ERROR(publish_if(!by_hand));
      return status;
    }
    position_.batch += count;
    rows_done += rows;
    const double elapsed = static_cast<double>(now_ns() - started) * 1e-9;
    seconds_ = seconds_before + elapsed;
    add_totals(std::span(sums_->total()).first(graph_.totals), epoch_sums_);

    Progress p;
    p.epoch = position_.epoch + 1;
    p.epochs = epochs;
    p.step = steps_;
    p.steps = steps;
    p.step_in_epoch = steps_of(position_.batch);
    p.steps_in_epoch = steps_of(batches);
    p.loss = batch_loss();
    p.epoch_loss = epoch_sums_[0] / epoch_sums_[1];
    p.learning_rate = rate;
    p.rows_per_second = elapsed > 0 ? static_cast<double>(rows_done) / elapsed : 0;
    p.seconds = seconds_;
    p.eta_seconds = elapsed / static_cast<double>(steps_ - first_step) * static_cast<double>(steps - steps_);
    p.epoch_ended = position_.batch >= batches;
    p.metric_names = &history_.metric_names;
    history_.rows.push_back({p.epoch, p.step, p.loss, rate, seconds_, {}});
    if (p.epoch_ended) {
      const Status ended = end_epoch(*token);
      if (!ended.ok()) {
        PERCALE_RETURN_IF_ERROR(publish_if(!by_hand));
        return ended;
      }
    }
    PERCALE_RETURN_IF_ERROR(publish_if(when == Publishing::When::kSteps ? steps_ % options_.publishing.steps == 0
                                                                        : p.epoch_ended && !by_hand));
    p.metrics = &history_.rows.back().metrics;
    if (progress) go = progress(p);
    if (go && token->cancelled()) {
      PERCALE_RETURN_IF_ERROR(publish_if(!by_hand));
      return cancelled();
    }
  }
  return go ? finish_fit() : publish_if(!by_hand);
}

Status Trainer::make_room_for_best() {
  if (!options_.early_stopping.restore_best_weights || !best_.empty()) return {};
  std::vector<Tensor> out(working_.size());
  const auto add = [&](const std::vector<Variable>& variables) -> Status {
    for (size_t i = 0; i < working_.size(); ++i) {
      const std::string& name = graph_.graph->variables[i].name;
      const bool changes =
          std::any_of(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == name; });
      for (const int32_t at : {changes ? static_cast<int32_t>(i) : -1, changes ? averages_[i] : -1}) {
        if (at < 0) continue;
        const Tensor& own = working_[static_cast<size_t>(at)];
        PERCALE_ASSIGN_OR_RETURN(out[static_cast<size_t>(at)], Tensor::allocate(memory_, own.dtype(), own.shape()));
      }
    }
    return {};
  };
  PERCALE_RETURN_IF_ERROR(add(graph_.parameters));
  PERCALE_RETURN_IF_ERROR(add(graph_.statistics));
  best_ = std::move(out);
  return {};
}

void Trainer::keep_best() noexcept {
  for (size_t i = 0; i < best_.size(); ++i) {
    if (!best_[i].defined() || best_[i].bytes() == 0) continue;
    std::memcpy(best_[i].data(), working_[i].data(), static_cast<size_t>(best_[i].bytes()));
  }
  has_best_ = true;
}

// The best weights come back once: what a host assigns or trains after that stays.
Status Trainer::finish_fit() {
  if (best_waits_) {
    PERCALE_RETURN_IF_ERROR(bring_home());
    for (size_t i = 0; i < best_.size(); ++i) {
      if (!best_[i].defined() || best_[i].bytes() == 0) continue;
      std::memcpy(working_[i].data(), best_[i].data(), static_cast<size_t>(best_[i].bytes()));
    }
    note_change();
    unpublished_ = true;
    best_waits_ = false;
  }
  return publish_if(options_.publishing.when != Publishing::When::kByHand);
}

// Everything that an epoch decides, before anybody can save the trainer: the epoch's numbers, the rate of the next one, whether
// there is one.
Status Trainer::end_epoch(const CancelToken& token) {
  NamedNumbers numbers = finish(epoch_sums_);
  const Plateau* const plateau = options_.schedule.waits_for();
  if (validation_data_ != nullptr || options_.watches_validation()) {
    PERCALE_ASSIGN_OR_RETURN(const NamedNumbers own, evaluate_on(*validation(), token));
    for (const auto& [name, value] : own) numbers.emplace_back("val_" + name, value);
  }
  const auto value_of = [&](const std::string& name) {
    const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const auto& n) { return n.first == name; });
    return found == numbers.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  };
  std::vector<double> metrics;
  for (const std::string& name : history_.metric_names) metrics.push_back(value_of(name));
  if (!best_.empty()) PERCALE_RETURN_IF_ERROR(bring_home());
  // From here on nothing fails.
  if (!history_.rows.empty()) history_.rows.back().metrics = std::move(metrics);
  if (plateau != nullptr) {
    plateau_.update(*plateau, base_rate(), value_of(plateau->monitor.name));
  }
  if (options_.early_stopping.on) {
    const EarlyStopping& o = options_.early_stopping;
    if (early_stopping_.update(o, position_.epoch, value_of(o.monitor.name)) && !best_.empty()) keep_best();
    best_waits_ = has_best_;
  }
  epoch_sums_.clear();
  position_ = {position_.epoch + 1, 0};
  score_ = value_of(options_.keep_monitor.name);
  if (options_.keep_monitor.larger_is_better) score_ = -*score_;
  score_epoch_ = position_.epoch;
  return {};
}

size_t Trainer::count_totals() const {
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  size_t out = 0;
  for (size_t i = 0; i < graph_.totals; ++i) out += static_cast<size_t>(f.type(f.outputs[i]).shape.num_elements());
  return out;
}

NamedNumbers Trainer::finish(const std::vector<double>& sums) const {
  NamedNumbers out = {{"loss", sums[0] / sums[1]}};
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  size_t at = 2, output = 2;
  for (const Objective::Metric& m : model_.objective.metrics) {
    size_t count = 0;
    for (size_t i = 0; i < m.totals.size(); ++i) {
      count += static_cast<size_t>(f.type(f.outputs[output++]).shape.num_elements());
    }
    out.emplace_back(m.name, finish_metric(m.rule, std::span(sums).subspan(at, count)));
    at += count;
  }
  return out;
}

Result<NamedNumbers> Trainer::evaluate(std::shared_ptr<Dataset> dataset) {
  if (dataset == nullptr) dataset = test_data_ != nullptr ? test_data_ : validation_data_;
  if (dataset == nullptr) return failed_precondition("there is no test or validation data to evaluate on");
  PERCALE_RETURN_IF_ERROR(check_not_streaming("evaluate"));
  PERCALE_ASSIGN_OR_RETURN(const auto token, begin());
  PERCALE_RETURN_IF_ERROR(take_up_variables());
  return evaluate_on(*dataset, *token);
}

Result<NamedNumbers> Trainer::evaluate_on(const Dataset& dataset, const CancelToken& token) {
  PERCALE_RETURN_IF_ERROR(bring_home());
  const Dataset::Use use(dataset);
  std::vector<std::string> outputs = {model_.objective.loss_sum, model_.objective.loss_weight};
  for (const Objective::Metric& m : model_.objective.metrics) {
    outputs.insert(outputs.end(), m.totals.begin(), m.totals.end());
  }
  const std::vector<std::string> names = column_names(dataset);
  std::vector<Tensor> state;
  std::vector<int64_t> versions;
  for (size_t i = 0; i < working_.size(); ++i) {
    state.push_back(working_[served_at(i)]);
    versions.push_back(versions_[served_at(i)]);
  }
  std::vector<double> sums;
  for (int64_t i = 0; i < dataset.batches(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(const auto batch, dataset.batch({0, i}, engine_->threads().parallel()));
    int64_t rows = 0;
    PERCALE_ASSIGN_OR_RETURN(const auto feeds, bind(graph_.graph->main(), graph_.inputs, names, batch, &rows));
    std::vector<ValueType> types;
    for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
    PERCALE_ASSIGN_OR_RETURN(const auto plan, compiled(kMainFunction, graph_.inputs, outputs, types, host_group()));
    std::vector<Tensor> results(outputs.size());
    RunOptions run;
    run.cancel = &token;
    run.trace = trace_;
    run.seed = options_.seed;
    run.step = steps_;
    run.values = RunValues::of_caller(state, {.all = state_version_, .each = &versions});
    PERCALE_RETURN_IF_ERROR(session_->run(*plan, feeds, results, run));
    add_totals(results, sums);
  }
  return finish(sums);
}

}  // namespace percale

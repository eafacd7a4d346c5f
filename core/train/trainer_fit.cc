// Steps over data sets: epochs of training, and one pass of evaluation.
#include "core/train/metrics.h"
#include "core/train/prefetch.h"
#include "core/train/trainer.h"

namespace percale {
namespace {

constexpr size_t kBatchesAhead = 2;

std::vector<std::string> column_names(const Dataset& dataset) {
  std::vector<std::string> out;
  for (const Column& c : dataset.columns()) out.push_back(c.name);
  return out;
}

}  // namespace

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
  const Publishing::When when = options_.publishing.when;
  const bool by_hand = when == Publishing::When::kByHand;
  bool go = true;
  while (go && position_.epoch < epochs) {
    PERCALE_ASSIGN_OR_RETURN(const auto batch, source->next());
    const double rate = options_.schedule.learning_rate(options_.optimizer.learning_rate, steps_, steps);
    int64_t rows = 0;
    history_.make_room();  // nothing between the step and its row may fail
    std::vector<double> metrics(history_.metric_names.size());
    const Status status = run_step(names, batch, rate, &rows);
    if (!status.ok()) {
      PERCALE_RETURN_IF_ERROR(publish_if(!by_hand));
      return status;
    }
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
    if (p.epoch_ended) {
      for (size_t i = 0; i < metrics.size(); ++i) metrics[i] = epoch_sums_[2 * i] / epoch_sums_[2 * i + 1];
      epoch_sums_.assign(epoch_sums_.size(), 0);
      position_ = {position_.epoch + 1, 0};
    }
    if (!p.epoch_ended) metrics.clear();
    history_.rows.push_back({p.epoch, p.step, p.loss, rate, seconds_, std::move(metrics)});
    PERCALE_RETURN_IF_ERROR(publish_if(when == Publishing::When::kSteps ? steps_ % options_.publishing.steps == 0
                                                                         : p.epoch_ended && !by_hand));
    p.metrics = &history_.rows.back().metrics;
    if (progress) go = progress(p);
    if (go && token->cancelled()) {
      PERCALE_RETURN_IF_ERROR(publish_if(!by_hand));
      return Status(Code::kCancelled, "training was cancelled");
    }
  }
  return publish_if(!by_hand);
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
    add_totals(results, sums);
  }
  NamedNumbers out = {{"loss", sums[0] / sums[1]}};
  for (const auto& metric : means({sums.begin() + 2, sums.end()})) out.push_back(metric);
  return out;
}

}  // namespace percale

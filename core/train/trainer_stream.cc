#include "core/train/trainer_stream.h"

#include <algorithm>
#include <cstring>

#include "core/compile/plan.h"
#include "core/train/method/metrics.h"
#include "core/train/trainer_period.h"

namespace percale {
namespace {

// a += factor * b.
template <class T>
void add_scaled(const Tensor& a, const Tensor& b, double factor) {
  const auto to = a.mutable_span<T>();
  const auto from = b.span<T>();
  for (size_t i = 0; i < to.size(); ++i) to[i] += static_cast<T>(factor * static_cast<double>(from[i]));
}

void add_scaled(const Tensor& a, const Tensor& b, double factor) {
  a.dtype() == DType::kF64 ? add_scaled<double>(a, b, factor) : add_scaled<float>(a, b, factor);
}

}  // namespace

Trainer::Streaming::Streaming(Trainer& trainer, std::shared_ptr<Dataset> dataset, int64_t epochs,
                              const ProgressFunction& progress, const CancelToken& token)
    : trainer_(trainer),
      dataset_(std::move(dataset)),
      epochs_(epochs),
      batches_(dataset_->batches()),
      progress_(progress),
      token_(token),
      names_(column_names(*dataset_)) {
  trainer_.streaming_ = this;
}

Status Trainer::check_not_streaming(std::string_view what) const {
  if (streaming_ == nullptr || (what == "evaluate" && !streaming_->running())) return {};
  return failed_precondition(what, ": a fit in mode '", options_.mode, "' is under way");
}

Trainer::Streaming::~Streaming() { trainer_.streaming_ = nullptr; }

int64_t Trainer::Streaming::rows_of(int64_t batch) const {
  const int64_t size = dataset_->options().batch_size;
  return std::min(size, dataset_->rows() - batch * size);
}

// Steps that the first `batch` batches of an epoch make.
int64_t Trainer::Streaming::steps_before(int64_t batch) const {
  if (whole_batches() || batch == 0) return batch;
  const int64_t shards = trainer_.options_.shards;
  return (batch - 1) * std::min(shards, rows_of(0)) + std::min(shards, rows_of(batch - 1));
}

Status Trainer::Streaming::prepare() {
  Trainer& t = trainer_;
  PERCALE_RETURN_IF_ERROR(t.prepare_sums(rows_of(0)));
  const auto add = [&](const std::vector<Variable>& variables) {
    for (const Variable& v : variables) {
      size_t at = 0;
      while (t.graph_.graph->variables[at].name != v.name) ++at;
      changing_.push_back(at);
    }
  };
  add(t.graph_.parameters);
  add(t.graph_.statistics);
  deltas_ = !t.graph_.statistics.empty() && !(whole_batches() && t.mode_.count == 0);
  std::vector<ValueType> types(t.sums_->types());
  const ShardStream::Options options{t.options_.shards, whole_batches() ? t.mode_.count : -1,
                                     dataset_->on_callers_thread()};
  stream_ = std::make_unique<ShardStream>(std::move(types), options, t.memory_, &t.facts_);
  lanes_.resize(t.sums_->replicas().loops());
  for (Lane& lane : lanes_) lane.by_rows = t.row_gradients_;

  per_epoch_ = steps_before(batches_);
  const int64_t before =
      t.position_.epoch * per_epoch_ + steps_before(t.position_.batch) + static_cast<int64_t>(t.applied_.size());
  total_steps_ = t.steps_ - before + epochs_ * per_epoch_;
  first_step_ = t.steps_;
  seconds_before_ = t.seconds_;
  started_ns_ = now_ns();
  return {};
}

Status Trainer::Streaming::fit() {
  Trainer& t = trainer_;
  PERCALE_RETURN_IF_ERROR(prepare());
  const bool by_hand = t.options_.publishing.when == Publishing::When::kByHand;
  while (go_ && t.position_.epoch < epochs_ && !t.early_stopping_.stopped) {
    const Status status = t.position_.batch >= batches_ ? end_epoch() : run_epoch();
    if (status.ok()) continue;
    PERCALE_RETURN_IF_ERROR(t.publish_if(!by_hand));
    return status;
  }
  return go_ ? t.finish_fit() : t.publish_if(!by_hand);
}

// What is left of the epoch, but for its end.
Status Trainer::Streaming::run_epoch() {
  Trainer& t = trainer_;
  const int64_t left = per_epoch_ - steps_before(t.position_.batch) - static_cast<int64_t>(t.applied_.size());
  t.history_.rows.reserve(t.history_.rows.size() + static_cast<size_t>(left));  // taking up notes cannot fail
  if (t.epoch_sums_.empty()) t.epoch_sums_.assign(t.count_totals(), 0);
  if (source_ == nullptr) {
    const ThreadPool& threads = t.engine_->threads();
    const size_t ahead = threads.threads() > 1 && !dataset_->on_callers_thread() ? kBatchesAhead : 0;
    PERCALE_ASSIGN_OR_RETURN(
        source_, Prefetcher::create(dataset_, t.position_, epochs_, ahead, t.engine_->threads().parallel()));
  }
  run_first_batch_ = t.position_.batch;
  run_first_step_ = committed_ = t.steps_;
  running_ = true;
  Status status;
  {
    const Period period(t);
    status = stream_->run(t.position_.batch, batches_, t.sums_->replicas(), t.engine_->threads().parallel(),
                          t.engine_->threads().threads(), token_, calls());
  }
  running_ = false;
  open_.clear();
  settle();
  t.facts_.drop_all_but(0);
  if (status.ok() && go_) return {};
  source_.reset();  // it is ahead of what was committed
  PERCALE_ASSIGN_OR_RETURN(const bool replaced, t.replace_lost());
  if (status.code() != Code::kUnavailable) return status;
  if (replaced) return {};
  return t.replicas() == 0 ? status.with_context("no device is left to compute the batch") : status;
}

// All of the epoch is committed; its last step is told when its numbers are there.
Status Trainer::Streaming::end_epoch() {
  Trainer& t = trainer_;
  PERCALE_RETURN_IF_ERROR(t.end_epoch(token_));
  const Publishing& p = t.options_.publishing;
  PERCALE_RETURN_IF_ERROR(
      t.publish_if(p.when == Publishing::When::kSteps ? t.steps_ % p.steps == 0 : p.when != Publishing::When::kByHand));
  if (!to_tell_.empty()) {
    const Record last = std::move(to_tell_.back());
    to_tell_.clear();
    go_ = tell(last);
  }
  return go_ && token_.cancelled() ? Status(Code::kCancelled, "training was cancelled") : Status();
}

ShardStream::Calls Trainer::Streaming::calls() {
  ShardStream::Calls out;
  out.take = [this](int64_t batch) { return take(batch); };
  out.forget = [this](int64_t batch) {
    const std::lock_guard lock(mutex_);
    open_.erase(batch);
  };
  if (!trainer_.applied_.empty()) {
    out.applied = [applied = trainer_.applied_](int64_t batch, int64_t shard) {
      return applied.contains({batch, shard});
    };
  }
  if (!whole_batches() || trainer_.mode_.count > 0) out.pull = [this](size_t loop) { return pull(loop); };
  out.compute = [this](const ShardStream::Task& task, const CancelToken& token, std::vector<Tensor>& sums) {
    return trainer_.watch_shard(task.replica, task.rows, [&] { return compute(task, token, sums); });
  };
  out.end_on_loss = !trainer_.idle_.empty();  // another takes the place
  out.commit = [this](const ShardStream::Commit& c) { return commit(c); };
  out.told = [this] { return told(); };
  out.is_loss = [this](size_t replica, const Status& status) {
    if (!trainer_.is_lost(replica, status)) return false;
    const std::lock_guard lock(mutex_);
    losses_.emplace_back(replica, status);
    return true;
  };
  return out;
}

Result<int64_t> Trainer::Streaming::take(int64_t batch) {
  Trainer& t = trainer_;
  PERCALE_ASSIGN_OR_RETURN(const auto tensors, source_->next());
  auto out = std::make_shared<OpenBatch>();
  const Function& f = *t.graph_.graph->find_function(kComputeFunction);
  PERCALE_ASSIGN_OR_RETURN(out->feeds, t.bind(f, t.graph_.inputs, names_, tensors, &out->rows));
  PERCALE_RETURN_IF_ERROR(t.plan_shards(out->feeds, out->rows));
  out->plans = t.shard_plans_;
  out->commit = t.commit_;
  if (!t.row_gradients_.empty() && whole_batches()) {
    out->by_rows = t.row_gradients_;
    PERCALE_ASSIGN_OR_RETURN(const auto counts, t.row_counts(*out->plans, out->rows));
    PERCALE_RETURN_IF_ERROR(out->by_rows.begin_batch(true, counts));
    PERCALE_ASSIGN_OR_RETURN(out->commit, t.plan_commit(out->by_rows));
  }
  const int64_t rows = out->rows;
  const std::lock_guard lock(mutex_);
  open_[batch] = std::move(out);
  return rows;
}

std::shared_ptr<Trainer::Streaming::OpenBatch> Trainer::Streaming::open(int64_t batch) {
  const std::lock_guard lock(mutex_);
  return open_.find(batch)->second;
}

Status Trainer::Streaming::pull(size_t loop) {
  Trainer& t = trainer_;
  Lane& lane = lanes_[loop];
  if (lane.state.empty()) {
    std::vector<Tensor> state = t.working_;  // what nothing changes is shared; slots are the commit's
    for (const size_t at : changing_) {
      const Tensor& own = t.working_[at];
      PERCALE_ASSIGN_OR_RETURN(state[at], Tensor::allocate(t.memory_, own.dtype(), own.shape()));
    }
    lane.state = std::move(state);
  }
  for (const size_t at : changing_) {
    const Tensor& own = t.working_[at];
    if (own.bytes() > 0) std::memcpy(lane.state[at].data(), own.data(), static_cast<size_t>(own.bytes()));
  }
  lane.state_version = t.state_version_;
  lane.versions = t.versions_;
  return {};
}

Status Trainer::Streaming::compute(const ShardStream::Task& task, const CancelToken& token, std::vector<Tensor>& out) {
  Trainer& t = trainer_;
  const auto batch = open(task.batch);
  Lane& lane = lanes_[task.loop];
  const bool live = lane.state.empty();  // a bound of 0: nobody commits meanwhile
  // Random ops see the place in the run, which is the same after an interruption.
  const int64_t step =
      whole_batches() ? run_first_step_ + task.batch - run_first_batch_ : t.position_.epoch * batches_ + task.batch;
  // Without a bound the shard is all of what is committed.
  const int64_t count = task.rows.end - task.rows.begin, all = whole_batches() ? batch->rows : count;
  const RowGradients* by_rows = &batch->by_rows;
  int64_t part = task.shard;
  if (!t.row_gradients_.empty() && !whole_batches()) {
    PERCALE_ASSIGN_OR_RETURN(auto counts, t.row_counts(*batch->plans, batch->rows));
    PERCALE_RETURN_IF_ERROR(lane.by_rows.begin_batch(true, {std::move(counts[static_cast<size_t>(task.shard)])}));
    PERCALE_ASSIGN_OR_RETURN(lane.commit, t.plan_commit(lane.by_rows));
    by_rows = &lane.by_rows;
    part = 0;
  }
  const ShardRun run{batch->feeds,
                     *batch->plans,
                     {0, all},
                     live ? t.working_ : lane.state,
                     live ? t.state_version_ : lane.state_version,
                     live ? t.versions_ : lane.versions,
                     step,
                     token,
                     *by_rows,
                     part};
  PERCALE_RETURN_IF_ERROR(t.compute_shard(task.replica, task.rows, run, out));
  if (!deltas_) return {};
  // Statistics would take back what others have added meanwhile: what the shard adds to those that it saw is handed on instead.
  const size_t statistics = t.graph_.statistics.size();
  const double fraction = static_cast<double>(count) / static_cast<double>(all);
  for (size_t i = 0; i < statistics; ++i) {
    add_scaled(out[out.size() - statistics + i], lane.state[changing_[changing_.size() - statistics + i]], -fraction);
  }
  return {};
}

Status Trainer::Streaming::commit(const ShardStream::Commit& c) {
  Trainer& t = trainer_;
  const std::vector<Tensor>& sums = *c.sums;
  const bool whole = c.shard < 0;
  const auto batch = open(c.batch);
  const double weight = scalar_value(sums[1]);
  if (!(weight > 0)) {
    return whole ? invalid_argument("step ", committed_ + 1, ": the weights of the batch add up to ", weight)
                 : invalid_argument("step ", committed_ + 1, ": the weights of shard ", c.shard, " of batch ", c.batch,
                                    " add up to ", weight, ", and in mode 'async' each shard is a step");
  }
  std::list<Record> note(1);  // nothing that follows the commit may fail
  Record& r = note.front();
  r.step = committed_ + 1;
  r.batch = c.batch;
  r.rows = batch->rows;
  r.loss = scalar_value(sums[0]) / weight;
  r.learning_rate = t.learning_rate(committed_, total_steps_);
  PERCALE_RETURN_IF_ERROR(t.check_loss(r.loss, r.step));
  add_totals(std::span(sums).first(t.graph_.totals), r.totals);
  if (!whole) {
    r.applied.emplace(c.batch, c.shard);
    const ShardRows range = shard_rows(batch->rows, t.options_.shards, c.shard);
    r.rows = range.end - range.begin;
  }
  const Lane& lane = lanes_[c.loop];
  const bool rows_of_lane = !whole && !t.row_gradients_.empty();
  const size_t statistics = t.graph_.statistics.size();
  for (size_t i = 0; deltas_ && i < statistics; ++i) {
    add_scaled(sums[sums.size() - statistics + i], t.working_[changing_[changing_.size() - statistics + i]], 1);
  }
  PERCALE_RETURN_IF_ERROR(t.commit(rows_of_lane ? *lane.commit : *batch->commit, sums, r.learning_rate, r.step,
                                   rows_of_lane ? lane.by_rows : batch->by_rows));
  ++committed_;
  t.unpublished_ = true;
  for (const int64_t staleness : c.staleness) t.facts_.accepted(staleness);
  r.seconds = seconds_before_ + static_cast<double>(now_ns() - started_ns_) * 1e-9;
  const std::lock_guard lock(mutex_);
  notes_.splice(notes_.end(), note);
  return {};
}

std::unique_lock<std::shared_mutex> Trainer::Streaming::hold() {
  std::unique_lock lock(stream_->variables());
  settle();
  return lock;
}

// Nothing in it may fail: a note is taken up as a whole.
void Trainer::Streaming::settle() {
  Trainer& t = trainer_;
  std::list<Record> notes;
  std::vector<std::pair<size_t, Status>> losses;
  {
    const std::lock_guard lock(mutex_);
    notes.swap(notes_);
    losses.swap(losses_);
  }
  for (Record& r : notes) {
    t.steps_ = r.step;
    t.seconds_ = r.seconds;
    rows_done_ += r.rows;
    r.rows_done = rows_done_;
    r.step_in_epoch = steps_before(t.position_.batch) + static_cast<int64_t>(t.applied_.size()) + 1;
    for (size_t i = 0; i < r.totals.size(); ++i) t.epoch_sums_[i] += r.totals[i];
    r.epoch_loss = t.epoch_sums_[0] / t.epoch_sums_[1];
    t.history_.rows.push_back({t.position_.epoch + 1, r.step, r.loss, r.learning_rate, r.seconds, {}});
    if (whole_batches()) {
      ++t.position_.batch;
      continue;
    }
    t.applied_.merge(r.applied);
    // The position moves on behind batches of which every shard was applied.
    while (t.position_.batch < batches_) {
      const auto end = t.applied_.lower_bound({t.position_.batch + 1, 0});
      const int64_t there = std::distance(t.applied_.begin(), end);
      if (there < std::min(t.options_.shards, rows_of(t.position_.batch))) break;
      t.applied_.erase(t.applied_.begin(), end);
      ++t.position_.batch;
    }
  }
  to_tell_.splice(to_tell_.end(), notes);
  for (const auto& [replica, status] : losses) t.note_loss(replica, status);
  t.report_losses();
}

// The last step of the epoch waits for its end.
Result<bool> Trainer::Streaming::told() {
  settle();
  const Publishing& p = trainer_.options_.publishing;
  const auto due = [&](const Record& r) { return r.step % p.steps == 0; };
  if (p.when == Publishing::When::kSteps && std::any_of(to_tell_.begin(), to_tell_.end(), due)) {
    PERCALE_RETURN_IF_ERROR(trainer_.publish());
  }
  while (go_ && !to_tell_.empty() && to_tell_.front().step_in_epoch < per_epoch_) {
    const Record r = std::move(to_tell_.front());
    to_tell_.pop_front();
    go_ = tell(r);
  }
  return go_;
}

bool Trainer::Streaming::tell(const Record& r) {
  Trainer& t = trainer_;
  if (!progress_) return true;
  const double elapsed = r.seconds - seconds_before_;
  const bool ended = r.step_in_epoch == per_epoch_;
  Progress p;
  p.epoch = t.position_.epoch + (ended ? 0 : 1);  // the epoch's end has moved it
  p.epochs = epochs_;
  p.step = r.step;
  p.steps = total_steps_;
  p.step_in_epoch = r.step_in_epoch;
  p.steps_in_epoch = per_epoch_;
  p.loss = r.loss;
  p.epoch_loss = r.epoch_loss;
  p.learning_rate = r.learning_rate;
  p.rows_per_second = elapsed > 0 ? static_cast<double>(r.rows_done) / elapsed : 0;
  p.seconds = r.seconds;
  p.eta_seconds = elapsed / static_cast<double>(r.step - first_step_) * static_cast<double>(total_steps_ - r.step);
  p.epoch_ended = ended;
  p.metric_names = &t.history_.metric_names;
  p.metrics = &t.history_.rows.back().metrics;  // empty but at an epoch's end
  return progress_(p);
}

}  // namespace percale

#include "core/train/loop/streaming_loop.h"

#include <algorithm>

#include "core/train/method/metrics.h"

namespace percale {

StreamingLoop::StreamingLoop(const FitParts& parts, const StreamParts& steps, FitRequest request)
    : TrainLoop(parts, std::move(request)), steps_(steps), batches_(request_.data->batches()) {}

int64_t StreamingLoop::rows_of(int64_t batch) const {
  const int64_t size = request_.data->options().batch_size;
  return std::min(size, request_.data->rows() - batch * size);
}

// Steps that the first `batch` batches of an epoch make.
int64_t StreamingLoop::steps_before(int64_t batch) const {
  if (shards_->whole_batches() || batch == 0) return batch;
  return (batch - 1) * shards_of(0) + shards_of(batch - 1);
}

// Steps of the epoch under way.
int64_t StreamingLoop::steps_done() const {
  return steps_before(parts_.log.position().batch) + static_cast<int64_t>(parts_.log.applied().size());
}

Status StreamingLoop::prepare() {
  PERCALE_RETURN_IF_ERROR(steps_.shards.prepare(rows_of(0)));
  shards_ = std::make_unique<StreamShards>(steps_, column_names(*request_.data));
  const int64_t bound = shards_->whole_batches() ? steps_.shards.mode().count : -1;
  const ShardStream::Options options{steps_.shards.shards(), bound, request_.data->on_callers_thread()};
  stream_ = std::make_unique<ShardStream>(std::vector<ValueType>(steps_.shards.sums().types()), options, steps_.memory,
                                          &steps_.facts);
  course_ = parts_.log.begin_fit(request_.epochs, steps_before(batches_), steps_done());
  return {};
}

Status StreamingLoop::publish_if(bool due) {
  if (!due || !parts_.publisher.ahead()) return {};
  const auto lock = hold();
  return parts_.publisher.publish(parts_.log.steps());
}

Status StreamingLoop::fit() {
  PERCALE_RETURN_IF_ERROR(prepare());
  while (goes_on()) {
    const Status status = parts_.log.position().batch >= batches_ ? end_epoch() : run_epoch();
    if (!status.ok()) return publish_before(status);
  }
  return go_ ? finish(parts_) : publish_unless_by_hand();
}

// The rest of the epoch, without its end.
Status StreamingLoop::run_epoch() {
  parts_.log.make_room(course_.steps_per_epoch - steps_done());  // taking up notes cannot fail
  if (source_ == nullptr) {
    PERCALE_ASSIGN_OR_RETURN(source_,
                             open_prefetcher(request_.data, parts_.log.position(), request_.epochs, parts_.threads));
  }
  first_batch_ = parts_.log.position().batch;
  first_step_ = committed_ = parts_.log.steps();
  running_ = true;
  const Status status = run_stream();
  running_ = false;
  shards_->drop_batches();
  settle();
  steps_.facts.drop_all_but(0);
  if (status.ok() && go_) return {};
  source_.reset();  // it is ahead of what was committed
  PERCALE_ASSIGN_OR_RETURN(const bool replaced, steps_.shards.replace_lost());
  if (status.code() != Code::kUnavailable) return status;
  if (replaced) return {};
  return steps_.shards.replicas() == 0 ? status.with_context("no device is left to compute the batch") : status;
}

Status StreamingLoop::run_stream() {
  const ComputePeriod period(steps_.facts, steps_.shards.devices(), parts_.threads);
  return stream_->run(first_batch_, batches_, steps_.shards.sums().replicas(), parts_.threads.parallel(),
                      parts_.threads.threads(), request_.cancel, calls());
}

// All of the epoch is committed; its last step is told when its numbers are there.
Status StreamingLoop::end_epoch() {
  PERCALE_RETURN_IF_ERROR(parts_.closer.close(request_.validation, request_.cancel));
  PERCALE_RETURN_IF_ERROR(publish_if(parts_.publishing.after_fit_step(parts_.log.steps(), true)));
  if (!to_tell_.empty()) {
    const Note last = std::move(to_tell_.back());
    to_tell_.clear();
    go_ = tell(last.record);
  }
  return go_ && request_.cancel.cancelled() ? Status(Code::kCancelled, "training was cancelled") : Status();
}

// The counter of random operations is the place in the run, which is the same after an
// interruption.
int64_t StreamingLoop::random_step(int64_t batch) const {
  return shards_->whole_batches() ? first_step_ + batch - first_batch_ : parts_.log.position().epoch * batches_ + batch;
}

ShardStream::Calls StreamingLoop::calls() {
  ShardStream::Calls out;
  out.take = [this](int64_t batch) -> Result<int64_t> {
    PERCALE_ASSIGN_OR_RETURN(const auto tensors, source_->next());
    return shards_->take(batch, tensors);
  };
  out.forget = [this](int64_t batch) { shards_->forget(batch); };
  if (const AppliedShards& applied = parts_.log.applied(); !applied.empty()) {
    out.applied = [applied](int64_t batch, int64_t shard) { return applied.contains({batch, shard}); };
  }
  if (shards_->copies()) {
    out.pull = [this](size_t loop) { return shards_->pull(loop); };
    out.look_up = [this](const ShardStream::Task& task) { return shards_->look_up(task); };
  }
  out.compute = [this](const ShardStream::Task& task, const CancelToken& token, std::vector<Tensor>& sums) {
    return steps_.computer.watch(task.replica, task.rows,
                                 [&] { return shards_->compute(task, random_step(task.batch), token, sums); });
  };
  out.end_on_loss = !steps_.shards.devices().spare().empty();  // a spare device takes the place
  out.commit = [this](const ShardStream::Commit& c) { return commit(c); };
  out.told = [this] { return told(); };
  out.is_loss = [this](size_t replica, const Status& status) {
    if (!steps_.shards.devices().is_lost(replica, status)) return false;
    const std::lock_guard lock(mutex_);
    losses_.emplace_back(replica, status);
    return true;
  };
  return out;
}

// Made before the commit, after which nothing may fail.
Result<std::list<StreamingLoop::Note>> StreamingLoop::note_of(const ShardStream::Commit& c, int64_t rows) const {
  const std::vector<Tensor>& sums = *c.sums;
  const double weight = scalar_value(sums[StepLayout::kWeight]);
  const int64_t step = committed_ + 1;
  if (!(weight > 0) && c.shard < 0) {
    return invalid_argument("step ", step, ": the weights of the batch add up to ", weight);
  }
  if (!(weight > 0)) {
    return invalid_argument("step ", step, ": the weights of shard ", c.shard, " of batch ", c.batch, " add up to ",
                            weight, ", and in mode 'async' each shard is a step");
  }
  std::list<Note> out(1);
  StepRecord& r = out.front().record;
  r.step = step;
  r.rows = rows;
  r.loss = scalar_value(sums[StepLayout::kLoss]) / weight;
  r.learning_rate = parts_.rate.at(committed_, course_.total_steps);
  add_totals(steps_.graph.layout.totals().of(sums), r.totals);
  if (c.shard >= 0) out.front().applied.emplace(c.batch, c.shard);
  return out;
}

Status StreamingLoop::commit(const ShardStream::Commit& c) {
  const StreamShards::Update update = shards_->update_of(c);
  PERCALE_ASSIGN_OR_RETURN(std::list<Note> note, note_of(c, update.rows));
  StepRecord& r = note.front().record;
  PERCALE_RETURN_IF_ERROR(steps_.loss.check(r.loss, r.step));
  shards_->complete_statistics(*c.sums);
  {
    const RunFacts::Span span(&steps_.facts, RunFacts::Work::kCommit);
    PERCALE_RETURN_IF_ERROR(parts_.store.commit(
        {update.plan.get(), *c.sums, *update.by_rows, r.learning_rate, r.step, steps_.facts.trace()}));
  }
  ++committed_;
  parts_.publisher.note_step();
  for (const int64_t staleness : c.staleness) steps_.facts.accepted(staleness);
  r.seconds = course_.seconds_now();
  const std::lock_guard lock(mutex_);
  notes_.splice(notes_.end(), note);
  return {};
}

std::unique_lock<std::shared_mutex> StreamingLoop::hold() {
  std::unique_lock lock(stream_->variables());
  settle();
  return lock;
}

// Nothing in it may fail: a note is taken up as a whole.
void StreamingLoop::settle() {
  std::list<Note> notes;
  std::vector<std::pair<size_t, Status>> losses;
  {
    const std::lock_guard lock(mutex_);
    notes.swap(notes_);
    losses.swap(losses_);
  }
  EpochLog& log = parts_.log;
  for (Note& note : notes) {
    note.record.step_in_epoch = steps_done() + 1;
    note.record.ends_epoch = note.record.step_in_epoch == course_.steps_per_epoch;
    log.add(note.record);
    if (shards_->whole_batches()) {
      log.advance(1);
    } else {
      log.apply(note.applied, batches_, [&](int64_t batch) { return shards_of(batch); });
    }
  }
  to_tell_.splice(to_tell_.end(), notes);
  for (const auto& [replica, status] : losses) steps_.shards.devices().note_loss(replica, status);
  steps_.shards.report_losses(log.steps() + 1);
}

// The last step of the epoch waits for its end.
Result<bool> StreamingLoop::told() {
  settle();
  if (std::ranges::any_of(to_tell_, [&](const Note& n) { return parts_.publishing.by_steps(n.record.step); })) {
    const auto lock = hold();
    PERCALE_RETURN_IF_ERROR(parts_.publisher.publish(parts_.log.steps()));
  }
  while (go_ && !to_tell_.empty() && to_tell_.front().record.step_in_epoch < course_.steps_per_epoch) {
    const Note note = std::move(to_tell_.front());
    to_tell_.pop_front();
    go_ = tell(note.record);
  }
  return go_;
}

bool StreamingLoop::tell(const StepRecord& record) {
  return !request_.progress || request_.progress(parts_.log.progress(record, course_));
}

}  // namespace percale

// Saving and restoring a trainer.
#include <algorithm>

#include "core/checkpoint/checkpoint_folder.h"
#include "core/file/file.h"
#include "core/train/loop/streaming_loop.h"
#include "core/train/trainer.h"

namespace percale {
namespace {

// One checkpoint, or the newest whole one of a folder.
Result<NewestCheckpoint> open_checkpoint(std::string path, const std::shared_ptr<MemoryPool>& pool) {
  while (path.size() > 1 && file_name(path).empty()) path.pop_back();
  if (!is_checkpoint(path, pool.get())) return read_newest_checkpoint(path, pool);
  NewestCheckpoint out;
  out.path = path;
  PERCALE_ASSIGN_OR_RETURN(out.checkpoint, read_checkpoint(path, pool));
  return out;
}

// The value of each variable, in their order.
Result<std::vector<const Tensor*>> find_values(const Checkpoint& c, const std::vector<Variable>& variables) {
  std::vector<const Tensor*> out;
  for (const Variable& v : variables) {
    const auto found = std::ranges::find_if(c.tensors, [&](const auto& t) { return t.first == v.name; });
    if (found == c.tensors.end()) return failed_precondition("it has no '", v.name, "'");
    const Tensor& value = found->second;
    if (value.dtype() != v.dtype || !(value.shape() == v.shape)) {
      return failed_precondition("'", v.name, "' is ", value.dtype(), " ", value.shape(), ", wanted ", v.dtype, " ",
                                 v.shape);
    }
    out.push_back(&value);
  }
  return out;
}

}  // namespace

// A checkpoint's state, read and checked before anything is changed.
struct Trainer::RestoredState {
  std::vector<const Tensor*> values, best;
  EpochLog::Saved log;
  Publisher::Draft draft;
};

std::string Trainer::fingerprint() const {
  return job_.engine->fingerprint() + (job_.options.bf16 ? " precision=bf16" : "");
}

JobParts Trainer::parts_of(const Dataset* data) const {
  return data == nullptr ? JobParts() : data_parts(*data, job_.options.has_parts());
}

// Precondition: the store has collected the state.
Result<Checkpoint> Trainer::collected_state() {
  const TrainerOptions& options = job_.options;
  Checkpoint c;
  c.seed = options.seed;
  c.shards = shards();
  c.fingerprint = fingerprint();
  for (const EpochObserver* o :
       {static_cast<EpochObserver*>(&epochs_->rate), static_cast<EpochObserver*>(&epochs_->early)}) {
    o->save(c.numbers);
  }
  const auto& variables = job_.graph.graph->variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    c.tensors.emplace_back(variables[i].name, parameters_.working->values()[i]);
  }
  epochs_->early.best().save(c);
  epochs_->log.save(c);
  if (options.keep_best > 0) c.score = epochs_->score.at(c.epoch, c.batch);
  PERCALE_RETURN_IF_ERROR(identity_.write(job_.model, options, shards(), parts_of(data_.train.get()), &c));
  return c;
}

Status Trainer::save(const std::string& folder) {
  // Before the first step nothing stands in the working set that was not loaded from outside.
  PERCALE_RETURN_IF_ERROR(epochs_->fed.check_complete("save"));
  const auto held = streaming_ == nullptr ? std::unique_lock<std::shared_mutex>() : streaming_->hold();
  PERCALE_RETURN_IF_ERROR(parameters_.publisher->take_up_table());
  const CollectedState collected(*parameters_.store);
  PERCALE_ASSIGN_OR_RETURN(const bool writes, collected.here());
  if (!writes) return {};
  PERCALE_ASSIGN_OR_RETURN(const Checkpoint c, collected_state());
  PERCALE_RETURN_IF_ERROR(write_checkpoint(folder, c));
  return keep_checkpoints(folder, c.run, job_.options.keep_last, job_.options.keep_best);
}

Status Trainer::restore(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_not_streaming("restore"));
  PERCALE_ASSIGN_OR_RETURN(const NewestCheckpoint restored, open_checkpoint(path, job_.engine->memory()));
  PERCALE_RETURN_IF_ERROR(take_up(restored));
  for (const std::string& why : restored.skipped) {
    job_.engine->log().log(LogLevel::kWarning, why, ": the training goes on from '", restored.path, "'");
  }
  return {};
}

Status Trainer::check_job(const Checkpoint& c, const std::string& path) {
  const std::string name = str_cat("checkpoint '", path, "'");
  const auto differs = [&](const auto&... parts) { return failed_precondition(name, ": ", parts...); };
  if (c.fingerprint != fingerprint() && !job_.options.any_fingerprint) {
    return differs("it was computed by '", c.fingerprint, "', this is '", fingerprint(),
                   "': other bits would follow. With the option any_fingerprint=on it is taken up all the same");
  }
  const JobParts data = parts_of(data_.train.get());
  PERCALE_RETURN_IF_ERROR(identity_.check(job_.model, job_.options, shards(), data, c).with_context(name));
  if (c.seed != job_.options.seed) return differs("its seed is ", c.seed, ", this one ", job_.options.seed);
  if (shards() != 0 && c.shards != 0 && c.shards != shards()) {
    return differs("it has ", c.shards, " shards, this one ", shards());
  }
  if (!c.sums.empty() && c.sums.size() != epochs_->totals.count()) return differs("it has other metrics");
  if (has_applied_shards(c) && job_.mode.kind != TrainMode::Kind::kAsync) {
    return differs("it holds batches that mode 'async' has applied in part; this one is '", job_.options.mode, "'");
  }
  return {};
}

Result<Trainer::RestoredState> Trainer::read_state(const Checkpoint& c, const std::string& path) {
  RestoredState out;
  auto values = find_values(c, job_.graph.graph->variables);
  if (!values.ok()) return values.status().with_context(str_cat("checkpoint '", path, "'"));
  out.values = *std::move(values);
  PERCALE_ASSIGN_OR_RETURN(out.log, epochs_->log.read(c, path));
  PERCALE_RETURN_IF_ERROR(epochs_->early.make_room(job_.memory));
  out.best = epochs_->early.best().find(c);
  PERCALE_ASSIGN_OR_RETURN(out.draft, parameters_.publisher->draft());
  PERCALE_RETURN_IF_ERROR(parameters_.store->make_slots());
  return out;
}

// Nothing in it fails.
void Trainer::adopt(RestoredState state, const Checkpoint& c) {
  for (size_t i = 0; i < state.values.size(); ++i) {
    copy_contents(*state.values[i], parameters_.working->values()[i]);
  }
  epochs_->early.best().adopt(state.best);
  epochs_->fed.forget();
  steps_->facts.drop_all_but(0);
  parameters_.store->note_assigned();
  epochs_->log.adopt(std::move(state.log), c);
  epochs_->rate.restore(c.numbers);
  epochs_->early.restore(c.numbers);
  epochs_->score.set(c.score, c.epoch);
  if (!steps_->shards.prepared()) steps_->shards.set_shards(c.shards);
}

// Nothing has changed when it fails.
Status Trainer::take_up_state(const Checkpoint& c, const std::string& path) {
  PERCALE_ASSIGN_OR_RETURN(RestoredState state, read_state(c, path));
  Publisher::Draft draft = std::move(state.draft);
  adopt(std::move(state), c);
  parameters_.publisher->publish(std::move(draft), steps());
  return {};
}

Status Trainer::take_up(const NewestCheckpoint& restored) {
  PERCALE_RETURN_IF_ERROR(check_job(restored.checkpoint, restored.path));
  PERCALE_RETURN_IF_ERROR(take_up_state(restored.checkpoint, restored.path));
  identity_.adopt(restored);
  return {};
}

}  // namespace percale

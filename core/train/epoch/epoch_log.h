// Where a run stands, and what happened in each of its steps. Both loops write it.
#ifndef PERCALE_CORE_TRAIN_EPOCH_EPOCH_LOG_H_
#define PERCALE_CORE_TRAIN_EPOCH_EPOCH_LOG_H_

#include <atomic>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/train/data/dataset.h"
#include "core/train/epoch/progress.h"
#include "core/train/report/history.h"

namespace percale {

// A completed step. add() fills in the last three fields.
struct StepRecord {
  int64_t step = 0, rows = 0;  // step from 1, over the whole run
  double loss = 0, learning_rate = 0, seconds = 0;
  std::vector<double> totals;  // the elements of all totals of the step
  int64_t step_in_epoch = 0;
  bool ends_epoch = false;
  int64_t epoch = 0;      // from 1
  int64_t rows_done = 0;  // of this fit
  double epoch_loss = 0;
};

// The extent of a fit.
struct FitCourse {
  int64_t epochs = 0;
  int64_t steps_per_epoch = 0, total_steps = 0;  // 0: unknown
  int64_t first_step = 0;                        // completed before the fit
  double seconds_before = 0;
  int64_t started_ns = 0;

  // The run's seconds now.
  double seconds_now() const;
};

// Shards that are part of the state, of batches that are not complete: (batch, shard).
using AppliedShards = std::set<std::pair<int64_t, int64_t>>;

// Thread-compatible.
class EpochLog {
 public:
  // `totals`: the number of elements of StepRecord::totals.
  EpochLog(std::vector<std::string> metric_names, size_t totals);

  int64_t steps() const { return steps_; }  // completed
  const DatasetPosition& position() const { return position_; }
  double seconds() const { return seconds_; }
  // Seconds since 1970 of second 0, as if the run had never paused.
  double started() const { return started_; }
  const History& history() const { return history_; }
  const std::vector<double>& epoch_totals() const { return totals_; }
  const AppliedShards& applied() const { return applied_; }
  size_t totals_count() const { return totals_count_; }

  // Adds completed steps to a counter, which outlives the log. Null: none.
  void count_in(std::atomic<int64_t>* counter) { counter_ = counter; }
  // The columns of the history from now on; those that it has stay, once there are steps.
  void set_metric_names(const std::vector<std::string>& training, bool validated);
  // Memory for a step whose batch the caller feeds, or for `steps` steps of a fit, so that adding
  // them cannot fail.
  void make_room_for_fed_step() { history_.make_room(); }
  void make_room(int64_t steps);

  // A fit begins. `steps_per_epoch` (0: unknown), and the steps of the epoch under way that are
  // done.
  FitCourse begin_fit(int64_t epochs, int64_t steps_per_epoch, int64_t steps_in_epoch);
  // Seconds of a call that are not those of a completed step.
  void add_seconds(double seconds) { seconds_ += seconds; }
  // Adds a step of a fit. Preconditions: room was made; the position is still that before the step.
  void add(StepRecord& record) noexcept;
  // Adds a step whose batch the caller fed: it counts for no epoch.
  void add_fed_step(int64_t step, double loss, double learning_rate);
  void advance(int64_t batches) { position_.batch += batches; }
  // Takes shards over from `shards`. The position moves past batches whose shards are all applied:
  // `shards_of(batch)` is their number. `batches`: of an epoch.
  template <class ShardsOf>
  void apply(AppliedShards& shards, int64_t batches, const ShardsOf& shards_of) {
    applied_.merge(shards);
    while (position_.batch < batches) {
      const auto end = applied_.lower_bound({position_.batch + 1, 0});
      if (std::distance(applied_.begin(), end) < shards_of(position_.batch)) break;
      applied_.erase(applied_.begin(), end);
      ++position_.batch;
    }
  }
  // The epoch has ended with these metrics, in the order of the history's columns.
  void end_epoch(std::vector<double> metrics) noexcept;

  Progress progress(const StepRecord& record, const FitCourse& course) const;

  void save(Checkpoint& out) const;
  // A checkpoint's state, before anything is changed. DATA_LOSS or INVALID_ARGUMENT if it is
  // damaged.
  struct Saved {
    History history;
    AppliedShards applied;
  };
  Result<Saved> read(const Checkpoint& saved, const std::string& path) const;
  void adopt(Saved saved, const Checkpoint& checkpoint);

 private:
  void complete(int64_t step) noexcept;

  int64_t steps_ = 0;
  std::atomic<int64_t>* counter_ = nullptr;
  DatasetPosition position_;
  std::vector<double> totals_;  // of the epoch under way; empty before its first step
  size_t totals_count_;
  AppliedShards applied_;
  double seconds_ = 0, started_;
  int64_t rows_done_ = 0;  // of the fit under way
  History history_;
};

// True if a checkpoint has applied shards of batches that are not complete.
bool has_applied_shards(const Checkpoint& saved);

// Seconds since 1970.
double wall_seconds();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_EPOCH_LOG_H_

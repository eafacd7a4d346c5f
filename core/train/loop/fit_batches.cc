#include "core/train/loop/fit_batches.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace percale {
namespace {

class WholeBatches final : public FitBatches {
 public:
  explicit WholeBatches(BatchSource source) : source_(std::move(source)) {}

  Status open(const DatasetPosition& position) override {
    position_ = position;
    PERCALE_ASSIGN_OR_RETURN(own_, own_rows());
    PERCALE_ASSIGN_OR_RETURN(rows_, open_prefetcher(own_, position, source_.epochs, source_.threads));
    return {};
  }

  bool survives_losses() const override { return true; }
  int64_t batches() const override { return source_.data->batches(); }

  Result<StepBatches> take(int64_t most) override {
    StepBatches out;
    for (; most > 0 && position_.batch < batches(); --most, ++position_.batch) {
      StepBatch& batch = out.batches.emplace_back();
      PERCALE_ASSIGN_OR_RETURN(batch.tensors, rows_->next());
      if (!source_.shards.in_group()) continue;
      const Dataset::BatchRows rows = own_->batch_rows(position_.batch);
      batch.rows = {rows.all, rows.first};
    }
    out.end_epoch = position_.batch >= batches();
    if (out.end_epoch) position_ = {position_.epoch + 1, 0};
    return out;
  }

 private:
  // The ranks share the shards of a batch, whose number the first batch decides.
  Result<std::shared_ptr<const Dataset>> own_rows() const {
    BatchShards& shards = source_.shards;
    if (!shards.in_group()) return source_.data;
    PERCALE_RETURN_IF_ERROR(shards.prepare(source_.data->batch_rows(0).all));
    PERCALE_ASSIGN_OR_RETURN(std::shared_ptr<const Dataset> own,
                             source_.data->part(shards.sums().own(), shards.shards()));
    return own;
  }

  const BatchSource source_;
  std::shared_ptr<const Dataset> own_;
  ProcessPtr<Prefetcher> rows_;
  DatasetPosition position_;
};

class PartBatches final : public FitBatches {
 public:
  explicit PartBatches(BatchSource source) : source_(std::move(source)) {}

  Status open(const DatasetPosition& position) override {
    position_ = position;
    if (is_open_) {
      next_.reset();
      return {};
    }
    PERCALE_ASSIGN_OR_RETURN(const std::vector<int64_t> all, source_.runner.share_batches(source_.data->batches()));
    batches_ = std::ranges::find(all, -1) == all.end() ? std::ranges::max(all) : -1;
    is_open_ = true;
    if (source_.data->batches() < 0) return {};
    const bool ended = position.batch >= source_.data->batches();
    const DatasetPosition next = ended ? DatasetPosition{position.epoch + 1, 0} : position;
    PERCALE_ASSIGN_OR_RETURN(rows_, open_prefetcher(source_.data, next, source_.epochs, source_.threads));
    return {};
  }

  bool survives_losses() const override { return false; }
  int64_t batches() const override { return batches_; }

  // One batch more tells whether the epoch goes on after the step.
  Result<StepBatches> take(int64_t most) override {
    StepBatches out;
    while (!own_.empty() && is_before(own_.front().at, position_)) own_.pop_front();
    for (; most > 0; --most) {
      if (!next_) {
        PERCALE_ASSIGN_OR_RETURN(next_, read());
      }
      if (next_->rows.all == 0) break;
      out.batches.push_back(*std::exchange(next_, std::nullopt));
      ++position_.batch;
    }
    if (!next_) {
      PERCALE_ASSIGN_OR_RETURN(next_, read());
    }
    out.end_epoch = next_->rows.all == 0;
    if (!out.end_epoch) return out;
    if (position_.batch == 0) return invalid_argument("the data has no rows in epoch ", position_.epoch + 1);
    next_.reset();
    position_ = {position_.epoch + 1, 0};
    return out;
  }

 private:
  // Rows of this rank that were read.
  struct OwnBatch {
    DatasetPosition at;
    Result<std::vector<Tensor>> tensors;
  };

  static bool is_before(const DatasetPosition& a, const DatasetPosition& b) {
    return a.epoch < b.epoch || (a.epoch == b.epoch && a.batch < b.batch);
  }

  // The next batch of all parts; without rows when all have ended.
  Result<StepBatch> read() {
    StepBatch out;
    const auto own = own_batch();
    if (own.ok()) out.tensors = *own;
    PERCALE_ASSIGN_OR_RETURN(out.rows, source_.runner.share_rows(own.status(), out.tensors));
    return out;
  }

  Result<std::vector<Tensor>> own_batch() {
    const auto found = std::ranges::find(own_, position_, &OwnBatch::at);
    if (found != own_.end()) return found->tensors;
    return own_.emplace_back(position_, read_own()).tensors;
  }

  Result<std::vector<Tensor>> read_own() {
    PERCALE_ASSIGN_OR_RETURN(const bool there, source_.data->has_batch(position_));
    if (!there) return source_.data->no_rows();
    return rows_ != nullptr ? rows_->next() : source_.data->batch(position_);
  }

  const BatchSource source_;
  ProcessPtr<Prefetcher> rows_;    // null: a stream
  DatasetPosition position_;       // of the next batch to be given
  std::optional<StepBatch> next_;  // read, and not given yet
  // The batches of the step under way and the next one, because the step may begin again.
  std::deque<OwnBatch> own_;
  bool is_open_ = false;
  int64_t batches_ = -1;
};

}  // namespace

Result<std::unique_ptr<FitBatches>> whole_batches(BatchSource source) {
  if (source.shards.in_group()) {
    if (source.data->is_part()) {
      return failed_precondition(
          "the data set is a replica's part; a group trains on the whole one, of which each rank reads its rows");
    }
    if (source.data->batches() < 0) {
      return failed_precondition(
          "the rows of the data set come in a stream; in a group that is a rank's part of the data: set "
          "'collective_data' to 'parts'");
    }
  }
  return std::unique_ptr<FitBatches>(std::make_unique<WholeBatches>(std::move(source)));
}

std::unique_ptr<FitBatches> part_batches(BatchSource source) {
  return std::make_unique<PartBatches>(std::move(source));
}

Result<ProcessPtr<Prefetcher>> open_prefetcher(std::shared_ptr<const Dataset> data, const DatasetPosition& position,
                                               int64_t epochs, ThreadPool& threads) {
  const size_t ahead = threads.may_start_threads() && !data->on_callers_thread() ? kBatchesAhead : 0;
  return Prefetcher::create(std::move(data), position, epochs, ahead, threads.parallel());
}

}  // namespace percale

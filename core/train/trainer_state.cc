// Saving and restoring a trainer.
#include <algorithm>
#include <cstring>

#include "core/checkpoint/checkpoint_folder.h"
#include "core/train/trainer.h"
#include "core/train/trainer_stream.h"

namespace percale {
namespace {

constexpr std::string_view kHistory = "percale/history", kHistoryNames = "percale/history/names",
                           kBest = "percale/best/", kBestWaits = "best.waits", kApplied = "percale/applied",
                           kRateByHand = "learning_rate.by_hand";

const Tensor* find_tensor(const Checkpoint& checkpoint, std::string_view name) {
  for (const auto& [key, tensor] : checkpoint.tensors) {
    if (key == name) return &tensor;
  }
  return nullptr;
}

// One checkpoint, or the newest whole one of a folder.
Result<NewestCheckpoint> open_checkpoint(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (!is_checkpoint(path)) return read_newest_checkpoint(path);
  NewestCheckpoint out;
  out.path = path;
  PERCALE_ASSIGN_OR_RETURN(out.checkpoint, read_checkpoint(path));
  return out;
}

// Names, each with a NUL behind it.
Tensor as_bytes(const std::vector<std::string>& names) {
  std::vector<uint8_t> out;
  for (const std::string& name : names) {
    out.insert(out.end(), name.begin(), name.end());
    out.push_back(0);
  }
  return Tensor::of(Shape{static_cast<int64_t>(out.size())}, std::span<const uint8_t>(out));
}
std::vector<std::string> from_bytes(const Tensor& bytes) {
  std::vector<std::string> out;
  if (bytes.dtype() != DType::kU8) return out;
  std::string name;
  for (const uint8_t c : bytes.span<uint8_t>()) {
    if (c != 0) {
      name += static_cast<char>(c);
    } else {
      out.push_back(std::exchange(name, {}));
    }
  }
  return out;
}

// Shards of batches from the position on.
Result<std::set<std::pair<int64_t, int64_t>>> read_applied(const Tensor& numbers, const Checkpoint& c) {
  const Shape& shape = numbers.shape();
  if (numbers.dtype() != DType::kI64 || shape.rank() != 2 || shape[1] != 2) {
    return data_loss("'", kApplied, "' is ", numbers.dtype(), " ", shape, ", wanted i64 [?, 2]");
  }
  std::set<std::pair<int64_t, int64_t>> out;
  const auto values = numbers.span<int64_t>();
  for (size_t i = 0; i < values.size(); i += 2) {
    if (values[i] < c.batch || values[i + 1] < 0 || values[i + 1] >= c.shards) {
      return data_loss("'", kApplied, "' has shard ", values[i + 1], " of batch ", values[i]);
    }
    out.emplace(values[i], values[i + 1]);
  }
  return out;
}

}  // namespace

std::string Trainer::fingerprint() const { return engine_->fingerprint() + (options_.bf16 ? " precision=bf16" : ""); }

Status Trainer::save(const std::string& folder) {
  // Before the first step nothing stands in the working set that was not loaded from outside.
  PERCALE_RETURN_IF_ERROR(check_between_steps("save"));
  const auto held = streaming_ == nullptr ? std::unique_lock<std::shared_mutex>() : streaming_->hold();
  PERCALE_RETURN_IF_ERROR(take_up_variables());
  PERCALE_RETURN_IF_ERROR(bring_home());
  Checkpoint c;
  c.step = steps_;
  c.seed = options_.seed;
  c.epoch = position_.epoch;
  c.batch = position_.batch;
  c.shards = options_.shards;
  c.seconds = seconds_;
  c.fingerprint = fingerprint();
  c.sums = epoch_sums_;
  plateau_.save("plateau", c.numbers);
  early_stopping_.save("early_stopping", c.numbers);
  if (rate_by_hand_ >= 0) c.numbers.emplace_back(kRateByHand, rate_by_hand_);
  // A number of the epoch that has just ended is a number of this state; in the middle of the next it is not.
  if (options_.keep_best > 0 && position_.batch == 0 && score_epoch_ == position_.epoch) c.score = score_;
  for (size_t i = 0; i < working_.size(); ++i) c.tensors.emplace_back(graph_.graph->variables[i].name, working_[i]);
  for (size_t i = 0; i < best_.size() && has_best_; ++i) {
    if (best_[i].defined()) c.tensors.emplace_back(str_cat(kBest, graph_.graph->variables[i].name), best_[i]);
  }
  if (has_best_) c.numbers.emplace_back(kBestWaits, best_waits_ ? 1 : 0);
  c.tensors.emplace_back(kHistory, history_.to_tensor());
  if (!history_.metric_names.empty()) c.tensors.emplace_back(kHistoryNames, as_bytes(history_.metric_names));
  if (!applied_.empty()) {
    std::vector<int64_t> numbers;
    for (const auto& [batch, shard] : applied_) numbers.insert(numbers.end(), {batch, shard});
    c.tensors.emplace_back(
        kApplied, Tensor::of(Shape{static_cast<int64_t>(applied_.size()), 2}, std::span<const int64_t>(numbers)));
  }
  PERCALE_RETURN_IF_ERROR(identity_.write(model_, options_, train_data_.get(), &c));
  PERCALE_RETURN_IF_ERROR(write_checkpoint(folder, c));
  return keep_checkpoints(folder, c.run, options_.keep_last, options_.keep_best);
}

Status Trainer::restore(const std::string& path) {
  PERCALE_RETURN_IF_ERROR(check_not_streaming("restore"));
  PERCALE_ASSIGN_OR_RETURN(const NewestCheckpoint restored, open_checkpoint(path));
  PERCALE_RETURN_IF_ERROR(take_up(restored));
  for (const std::string& why : restored.skipped) {
    engine_->log().log(LogLevel::kWarning, why, ": the training goes on from '", restored.path, "'");
  }
  return {};
}

Status Trainer::take_up(const NewestCheckpoint& restored) {
  const Checkpoint& c = restored.checkpoint;
  const std::string& path = restored.path;
  const auto differs = [&](const auto&... parts) { return failed_precondition("checkpoint '", path, "': ", parts...); };
  if (c.fingerprint != fingerprint() && !options_.any_fingerprint) {
    return differs("it was computed by '", c.fingerprint, "', this is '", fingerprint(),
                   "': other bits would follow. With the option any_fingerprint=on it is taken up all the same");
  }
  PERCALE_RETURN_IF_ERROR(
      identity_.check(model_, options_, train_data_.get(), c).with_context(str_cat("checkpoint '", path, "'")));
  if (c.seed != options_.seed) return differs("its seed is ", c.seed, ", this one ", options_.seed);
  if (options_.shards != 0 && c.shards != 0 && c.shards != options_.shards) {
    return differs("it has ", c.shards, " shards, this one ", options_.shards);
  }
  if (!c.sums.empty() && c.sums.size() != count_totals()) return differs("it has other metrics");
  std::vector<const Tensor*> values;
  for (const Variable& v : graph_.graph->variables) {
    const Tensor* value = find_tensor(c, v.name);
    if (value == nullptr) return differs("it has no '", v.name, "'");
    if (value->dtype() != v.dtype || !(value->shape() == v.shape)) {
      return differs("'", v.name, "' is ", value->dtype(), " ", value->shape(), ", wanted ", v.dtype, " ", v.shape);
    }
    values.push_back(value);
  }
  History history = history_;
  if (const Tensor* rows = find_tensor(c, kHistory)) {
    const Tensor* names = find_tensor(c, kHistoryNames);
    PERCALE_RETURN_IF_ERROR(
        history.from_tensor(*rows, names == nullptr ? std::vector<std::string>() : from_bytes(*names))
            .with_context(path));
  }
  std::set<std::pair<int64_t, int64_t>> applied;
  if (const Tensor* numbers = find_tensor(c, kApplied)) {
    if (mode_.kind != TrainMode::Kind::kAsync) {
      return differs("it holds batches that mode 'async' has applied in part; this one is '", options_.mode, "'");
    }
    PERCALE_ASSIGN_OR_RETURN(applied, read_applied(*numbers, c));
  }
  PERCALE_RETURN_IF_ERROR(make_room_for_best());
  std::vector<const Tensor*> best(best_.size(), nullptr);
  bool has_best = !best_.empty();
  for (size_t i = 0; i < best_.size(); ++i) {
    if (!best_[i].defined()) continue;
    best[i] = find_tensor(c, str_cat(kBest, graph_.graph->variables[i].name));
    has_best =
        has_best && best[i] != nullptr && best[i]->dtype() == best_[i].dtype() && best[i]->shape() == best_[i].shape();
  }
  PERCALE_ASSIGN_OR_RETURN(Publication publication, prepare_publication());
  // From here on nothing fails.
  for (size_t i = 0; i < values.size(); ++i) {
    if (working_[i].bytes() > 0) {
      std::memcpy(working_[i].data(), values[i]->data(), static_cast<size_t>(working_[i].bytes()));
    }
  }
  for (size_t i = 0; i < best.size() && has_best; ++i) {
    if (best[i] != nullptr && best[i]->bytes() > 0) {
      std::memcpy(best_[i].data(), best[i]->data(), static_cast<size_t>(best[i]->bytes()));
    }
  }
  has_best_ = has_best;
  best_waits_ = has_best && std::any_of(c.numbers.begin(), c.numbers.end(),
                                        [](const auto& n) { return n.first == kBestWaits && n.second != 0; });
  batches_added_ = rows_added_ = 0;
  facts_.drop_all_but(0);
  note_change();
  history_ = std::move(history);
  steps_ = c.step;
  position_ = {c.epoch, c.batch};
  applied_ = std::move(applied);
  epoch_sums_ = c.sums;
  seconds_ = c.seconds;
  started_ = wall_seconds() - seconds_;
  plateau_.load("plateau", c.numbers);
  early_stopping_.load("early_stopping", c.numbers);
  rate_by_hand_ = -1;
  for (const auto& [name, value] : c.numbers) {
    if (name == kRateByHand) rate_by_hand_ = value;
  }
  score_ = c.score;
  score_epoch_ = c.epoch;
  if (sums_ == nullptr) options_.shards = c.shards;
  identity_.adopt(restored);
  publish(std::move(publication));
  return {};
}

}  // namespace percale

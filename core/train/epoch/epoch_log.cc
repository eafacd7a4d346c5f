#include "core/train/epoch/epoch_log.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>

#include "core/engine/trace.h"
#include "core/train/shards/step_layout.h"

namespace percale {
namespace {

constexpr std::string_view kHistory = "percale/history", kHistoryNames = "percale/history/names",
                           kApplied = "percale/applied";

const Tensor* find_tensor(const Checkpoint& checkpoint, std::string_view name) {
  const auto found = std::ranges::find_if(checkpoint.tensors, [&](const auto& t) { return t.first == name; });
  return found == checkpoint.tensors.end() ? nullptr : &found->second;
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

Result<AppliedShards> read_applied(const Tensor& numbers, const Checkpoint& c) {
  const Shape& shape = numbers.shape();
  if (numbers.dtype() != DType::kI64 || shape.rank() != 2 || shape[1] != 2) {
    return data_loss("'", kApplied, "' is ", numbers.dtype(), " ", shape, ", wanted i64 [?, 2]");
  }
  AppliedShards out;
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

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double FitCourse::seconds_now() const { return seconds_before + static_cast<double>(now_ns() - started_ns) * 1e-9; }

EpochLog::EpochLog(std::vector<std::string> metric_names, size_t totals)
    : totals_count_(totals), started_(wall_seconds()) {
  history_.metric_names = std::move(metric_names);
}

void EpochLog::set_metric_names(const std::vector<std::string>& training, bool validated) {
  std::vector<std::string>& names = history_.metric_names;
  const auto has_validation = [&] { return std::ranges::find(names, "val_loss") != names.end(); };
  // Columns stay: an epoch without validation data has NaN in them.
  if (steps_ == 0 || !has_validation()) names = training;
  if (!validated || has_validation()) return;
  const std::vector<std::string> own = names;
  names.push_back("val_loss");
  for (const std::string& name : own) names.push_back("val_" + name);
}

void EpochLog::make_room(int64_t steps) {
  if (steps > 1) history_.rows.reserve(history_.rows.size() + static_cast<size_t>(steps));
  history_.make_room();  // grows by a factor
  if (totals_.empty()) totals_.assign(totals_count_, 0);
}

FitCourse EpochLog::begin_fit(int64_t epochs, int64_t steps_per_epoch, int64_t steps_in_epoch) {
  rows_done_ = 0;
  if (steps_per_epoch == 0) return {epochs, 0, 0, steps_, seconds_, now_ns()};
  const int64_t before = position_.epoch * steps_per_epoch + steps_in_epoch;
  return {epochs, steps_per_epoch, steps_ - before + epochs * steps_per_epoch, steps_, seconds_, now_ns()};
}

void EpochLog::complete(int64_t step) noexcept {
  steps_ = step;
  if (counter_ != nullptr) counter_->fetch_add(1, std::memory_order_relaxed);
}

void EpochLog::add(StepRecord& record) noexcept {
  complete(record.step);
  seconds_ = record.seconds;
  rows_done_ += record.rows;
  for (size_t i = 0; i < record.totals.size(); ++i) totals_[i] += record.totals[i];
  record.rows_done = rows_done_;
  record.epoch = position_.epoch + 1;
  record.epoch_loss = totals_[StepLayout::kLoss] / totals_[StepLayout::kWeight];
  history_.rows.push_back({record.epoch, record.step, record.loss, record.learning_rate, record.seconds, {}});
}

void EpochLog::add_fed_step(int64_t step, double loss, double learning_rate) {
  complete(step);
  history_.rows.push_back({position_.epoch + 1, step, loss, learning_rate, seconds_, {}});
}

void EpochLog::end_epoch(std::vector<double> metrics) noexcept {
  if (!history_.rows.empty()) history_.rows.back().metrics = std::move(metrics);
  totals_.clear();
  position_ = {position_.epoch + 1, 0};
}

Progress EpochLog::progress(const StepRecord& r, const FitCourse& course) const {
  const double elapsed = r.seconds - course.seconds_before;
  Progress p;
  p.epoch = r.epoch;
  p.epochs = course.epochs;
  p.step = r.step;
  p.steps = course.total_steps;
  p.step_in_epoch = r.step_in_epoch;
  p.steps_in_epoch = course.steps_per_epoch;
  p.loss = r.loss;
  p.learning_rate = r.learning_rate;
  p.epoch_loss = r.epoch_loss;
  p.rows_per_second = elapsed > 0 ? static_cast<double>(r.rows_done) / elapsed : 0;
  p.seconds = r.seconds;
  if (course.total_steps > 0) {
    const double per_step = elapsed / static_cast<double>(r.step - course.first_step);
    p.eta_seconds = per_step * static_cast<double>(course.total_steps - r.step);
  }
  p.epoch_ended = r.ends_epoch;
  p.metric_names = &history_.metric_names;
  p.metrics = &history_.rows.back().metrics;  // empty but at an epoch's end
  return p;
}

void EpochLog::save(Checkpoint& out) const {
  out.step = steps_;
  out.epoch = position_.epoch;
  out.batch = position_.batch;
  out.seconds = seconds_;
  out.sums = totals_;
  out.tensors.emplace_back(kHistory, history_.to_tensor());
  if (!history_.metric_names.empty()) out.tensors.emplace_back(kHistoryNames, as_bytes(history_.metric_names));
  if (applied_.empty()) return;
  std::vector<int64_t> numbers;
  for (const auto& [batch, shard] : applied_) numbers.insert(numbers.end(), {batch, shard});
  const Shape shape{static_cast<int64_t>(applied_.size()), 2};
  out.tensors.emplace_back(kApplied, Tensor::of(shape, std::span<const int64_t>(numbers)));
}

bool has_applied_shards(const Checkpoint& saved) { return find_tensor(saved, kApplied) != nullptr; }

Result<EpochLog::Saved> EpochLog::read(const Checkpoint& saved, const std::string& path) const {
  Saved out{history_, {}};
  if (const Tensor* rows = find_tensor(saved, kHistory)) {
    const Tensor* bytes = find_tensor(saved, kHistoryNames);
    const std::vector<std::string> names = bytes == nullptr ? std::vector<std::string>() : from_bytes(*bytes);
    PERCALE_RETURN_IF_ERROR(out.history.from_tensor(*rows, names).with_context(path));
  }
  if (const Tensor* numbers = find_tensor(saved, kApplied)) {
    PERCALE_ASSIGN_OR_RETURN(out.applied, read_applied(*numbers, saved));
  }
  return out;
}

void EpochLog::adopt(Saved saved, const Checkpoint& checkpoint) {
  history_ = std::move(saved.history);
  applied_ = std::move(saved.applied);
  steps_ = checkpoint.step;
  position_ = {checkpoint.epoch, checkpoint.batch};
  totals_ = checkpoint.sums;
  seconds_ = checkpoint.seconds;
  started_ = wall_seconds() - seconds_;
}

}  // namespace percale

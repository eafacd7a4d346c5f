#include "core/train/epoch/early_stopper.h"

namespace percale {
namespace {

constexpr std::string_view kMonitorPrefix = "early_stopping", kBringsBack = "best.waits";

}  // namespace

std::optional<EarlyStopper::Best> EarlyStopper::best_epoch() const {
  if (state_.best_epoch == 0) return {};
  return Best{state_.best_epoch, state_.best};
}

Status EarlyStopper::make_room(const std::shared_ptr<MemoryPool>& memory) {
  return options_.restore_best_weights ? best_.make_room(memory) : Status();
}

void EarlyStopper::epoch_ended(const EpochEnd& end) noexcept {
  if (!options_.on) return;
  if (state_.update(options_, end.epoch, end.value(options_.monitor.name))) best_.keep();
  brings_back_ = best_.kept();
}

void EarlyStopper::save(NamedNumbers& out) const {
  state_.save(kMonitorPrefix, out);
  if (best_.kept()) out.emplace_back(kBringsBack, brings_back_ ? 1 : 0);
}

void EarlyStopper::restore(const NamedNumbers& saved) {
  state_.load(kMonitorPrefix, saved);
  brings_back_ = false;
  for (const auto& [name, value] : saved) {
    if (name == kBringsBack && value != 0) brings_back_ = best_.kept();
  }
}

void CheckpointScore::epoch_ended(const EpochEnd& end) noexcept {
  const double value = end.value(monitor_.name);
  score_ = monitor_.larger_is_better ? -value : value;
  epochs_ = end.epoch + 1;
}

std::optional<double> CheckpointScore::at(int64_t epoch, int64_t batch) const {
  return batch == 0 && epochs_ == epoch ? score_ : std::nullopt;
}

void CheckpointScore::set(std::optional<double> score, int64_t epoch) {
  score_ = score;
  epochs_ = epoch;
}

}  // namespace percale

#include "core/train/epoch/learning_rate.h"

#include <cmath>

namespace percale {
namespace {

constexpr std::string_view kSetRate = "learning_rate.by_hand";

}  // namespace

Status LearningRate::set_base(double rate) {
  if (!(rate >= 0) || std::isinf(rate))
    return invalid_argument("the learning rate is ", rate, ", wanted a number from 0 on");
  if (!schedule_.has_base()) {
    return failed_precondition(
        "the schedule says the learning rate itself, by 'max_learning_rate'; train with another schedule");
  }
  set_rate_.store(rate);
  return {};
}

double LearningRate::base() const {
  const double rate = set_rate_.load();
  return rate >= 0 ? rate : optimizer_rate_;
}

double LearningRate::at(int64_t done, int64_t total) const {
  const double rate = schedule_.learning_rate(base(), done, total, functions_);
  return schedule_.waits_for() != nullptr ? rate * plateau_.factor : rate;
}

void LearningRate::epoch_ended(const EpochEnd& end) noexcept {
  const Plateau* const plateau = schedule_.waits_for();
  if (plateau != nullptr) plateau_.update(*plateau, base(), end.value(plateau->monitor.name));
}

void LearningRate::save(NamedNumbers& out) const {
  plateau_.save("plateau", out);
  const double rate = set_rate_.load();
  if (rate >= 0) out.emplace_back(kSetRate, rate);
}

void LearningRate::restore(const NamedNumbers& saved) {
  plateau_.load("plateau", saved);
  set_rate_ = -1;
  for (const auto& [name, value] : saved) {
    if (name == kSetRate) set_rate_ = value;
  }
}

}  // namespace percale

#include "core/train/epoch/batch_totals.h"

#include <algorithm>
#include <utility>

namespace percale {

BatchTotals::BatchTotals(Group& group, int64_t batches, size_t count)
    : group_(group), rank_(group.rank()), count_(count), batches_(batches), all_(group.size()) {
  for (int64_t i = 0; i < batches_; ++i) all_[rank_of(i)].resize(all_[rank_of(i)].size() + count_);
}

std::vector<double> BatchTotals::sum() const {
  std::vector<double> out(count_, 0);
  for (int64_t i = 0; i < batches_; ++i) {
    const double* numbers = all_[rank_of(i)].data() + static_cast<size_t>(i) / all_.size() * count_;
    for (size_t k = 0; k < count_; ++k) out[k] += numbers[k];
  }
  return out;
}

Status BatchTotals::fill_own(const Evaluate& evaluate) {
  Status status;
  auto to = all_[rank_].begin();
  for (auto i = static_cast<int64_t>(rank_); i < batches_ && status.ok(); i += static_cast<int64_t>(all_.size())) {
    const auto numbers = evaluate(i);
    status = numbers.status();
    if (numbers.ok()) to = std::ranges::copy(*numbers, to).out;
  }
  return status;
}

Status BatchTotals::fill_others(const Evaluate& evaluate) {
  for (int64_t i = 0; i < batches_; ++i) {
    if (rank_of(i) == rank_) continue;
    PERCALE_ASSIGN_OR_RETURN(const std::vector<double> numbers, evaluate(i));
    std::ranges::copy(numbers,
                      all_[rank_of(i)].begin() + static_cast<ptrdiff_t>(static_cast<size_t>(i) / all_.size() * count_));
  }
  return {};
}

}  // namespace percale

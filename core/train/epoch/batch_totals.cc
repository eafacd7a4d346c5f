#include "core/train/epoch/batch_totals.h"

#include <algorithm>
#include <cstring>

namespace percale {

// Batch i is that of rank i modulo the number of ranks.
BatchTotals::BatchTotals(Group* group, int64_t batches, size_t count)
    : group_(group),
      rank_(group == nullptr ? 0 : group->rank()),
      count_(count),
      totals_(group == nullptr ? 1 : group->size()),
      batches_(batches) {
  for (int64_t i = 0; i < batches; ++i) {
    std::vector<double>& numbers = totals_[static_cast<size_t>(i) % ranks()];
    numbers.resize(numbers.size() + count_);
  }
}

Status BatchTotals::fill(const std::function<Result<std::vector<double>>(int64_t batch)>& evaluate) {
  Status status;
  double* to = totals_[rank_].data();
  for (auto i = static_cast<int64_t>(rank_); i < batches_ && status.ok(); i += static_cast<int64_t>(ranks())) {
    const auto numbers = evaluate(i);
    status = numbers.status();
    if (status.ok()) to = std::copy_n(numbers->begin(), std::min(numbers->size(), count_), to);
  }
  return group_ == nullptr ? status : exchange(status);
}

Status BatchTotals::fill_alone(const std::function<Result<std::vector<double>>(int64_t batch)>& evaluate) {
  for (int64_t i = 0; i < batches_; ++i) {
    const auto batch = static_cast<size_t>(i);
    if (batch % ranks() == rank_) continue;
    PERCALE_ASSIGN_OR_RETURN(const std::vector<double> numbers, evaluate(i));
    std::copy_n(numbers.begin(), std::min(numbers.size(), count_),
                totals_[batch % ranks()].begin() + static_cast<ptrdiff_t>(batch / ranks() * count_));
  }
  return {};
}

// Each rank's message: its error, then its numbers.
Status BatchTotals::exchange(const Status& own) {
  std::vector<std::vector<uint8_t>> messages;
  std::vector<ByteSpan> recvs;
  for (const std::vector<double>& numbers : totals_) {
    auto& message = messages.emplace_back(kErrorBytes + numbers.size() * sizeof(double));
    recvs.push_back({message.data(), message.size()});
  }
  write_error(own, messages[rank_].data());
  std::memcpy(messages[rank_].data() + kErrorBytes, totals_[rank_].data(), totals_[rank_].size() * sizeof(double));
  std::vector<ByteSpan> sends(ranks(), recvs[rank_]);
  PERCALE_RETURN_IF_ERROR(group_->exchange("the evaluation", std::move(sends), std::move(recvs)));
  PERCALE_RETURN_IF_ERROR(own);
  for (size_t r = 0; r < ranks(); ++r) {
    PERCALE_RETURN_IF_ERROR(read_error(messages[r].data()).with_context(str_cat("rank ", r)));
    std::memcpy(totals_[r].data(), messages[r].data() + kErrorBytes, totals_[r].size() * sizeof(double));
  }
  return {};
}

std::vector<double> BatchTotals::sum() const {
  std::vector<double> out(count_, 0);
  for (int64_t i = 0; i < batches_; ++i) {
    const auto batch = static_cast<size_t>(i);
    const double* const numbers = totals_[batch % ranks()].data() + batch / ranks() * count_;
    for (size_t k = 0; k < count_; ++k) out[k] += numbers[k];
  }
  return out;
}

}  // namespace percale

#include "core/train/epoch/batch_totals.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace percale {

BatchTotals::BatchTotals(Group* group, int64_t batches, size_t count)
    : group_(group),
      rank_(group == nullptr ? 0 : group->rank()),
      ranks_(group == nullptr ? 1 : group->size()),
      count_(count),
      batches_(batches),
      sum_(count, 0) {}

void BatchTotals::add(const double* numbers) {
  for (size_t k = 0; k < count_; ++k) sum_[k] += numbers[k];
}

void BatchTotals::add_all(const std::vector<std::vector<double>>& all) {
  for (int64_t i = 0; i < batches_; ++i) add(all[rank_of(i)].data() + static_cast<size_t>(i) / ranks_ * count_);
}

Status BatchTotals::fill(const Evaluate& evaluate) {
  Status status;
  for (auto i = static_cast<int64_t>(rank_); i < batches_ && status.ok(); i += static_cast<int64_t>(ranks_)) {
    const auto numbers = evaluate(i);
    status = numbers.status();
    if (!status.ok()) break;
    if (group_ == nullptr) {
      add(numbers->data());
    } else {
      own_.insert(own_.end(), numbers->begin(), numbers->end());
    }
  }
  if (group_ == nullptr) return status;
  std::vector<std::vector<double>> all(ranks_);
  PERCALE_RETURN_IF_ERROR(exchange(status, all));
  add_all(all);
  return {};
}

Status BatchTotals::fill_alone(const Evaluate& evaluate) {
  std::vector<std::vector<double>> all(ranks_);
  all[rank_] = own_;
  for (int64_t i = 0; i < batches_; ++i) {
    if (rank_of(i) == rank_) continue;
    PERCALE_ASSIGN_OR_RETURN(const std::vector<double> numbers, evaluate(i));
    all[rank_of(i)].insert(all[rank_of(i)].end(), numbers.begin(), numbers.end());
  }
  add_all(all);
  return {};
}

// Each rank's message: its error, then its numbers.
Status BatchTotals::exchange(const Status& own, std::vector<std::vector<double>>& all) {
  for (int64_t i = 0; i < batches_; ++i) all[rank_of(i)].resize(all[rank_of(i)].size() + count_);
  std::ranges::copy(own_, all[rank_].begin());
  std::vector<std::vector<uint8_t>> messages;
  std::vector<ByteSpan> recvs;
  for (const std::vector<double>& numbers : all) {
    auto& message = messages.emplace_back(kErrorBytes + numbers.size() * sizeof(double));
    recvs.push_back({message.data(), message.size()});
  }
  write_error(own, messages[rank_].data());
  std::memcpy(messages[rank_].data() + kErrorBytes, all[rank_].data(), all[rank_].size() * sizeof(double));
  std::vector<ByteSpan> sends(ranks_, recvs[rank_]);
  PERCALE_RETURN_IF_ERROR(group_->exchange("the evaluation", std::move(sends), std::move(recvs)));
  PERCALE_RETURN_IF_ERROR(own);
  for (size_t r = 0; r < ranks_; ++r) {
    PERCALE_RETURN_IF_ERROR(read_error(messages[r].data()).with_context(str_cat("rank ", r)));
    std::memcpy(all[r].data(), messages[r].data() + kErrorBytes, all[r].size() * sizeof(double));
  }
  return {};
}

}  // namespace percale

#include "core/train/parameters/group/shared_tables.h"

#include <cstring>
#include <utility>

namespace percale {
namespace {

// Copies the rows with these numbers from or to `whole`; -1: none.
template <class Copy>
void for_each_row(const Tensor& whole, const Tensor& numbers, const Copy& copy) {
  const auto row_bytes = static_cast<size_t>(whole.bytes() / whole.shape()[0]);
  auto* const rows = static_cast<char*>(whole.data());
  const auto all = numbers.span<int64_t>();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] < 0 || all[i] >= whole.shape()[0]) continue;
    copy(rows + static_cast<size_t>(all[i]) * row_bytes, i * row_bytes, row_bytes);
  }
}

}  // namespace

SharedTables::SharedTables(Group& group, WorkingSet& working, std::vector<Table> tables,
                           std::shared_ptr<MemoryPool> memory)
    : group_(group), working_(working), tables_(std::move(tables)), memory_(std::move(memory)) {}

Result<SharedTables::Rows> SharedTables::gather(const Tensor& whole, const Tensor& numbers) const {
  Rows out{whole, numbers, {}};
  Shape shape = whole.shape();
  shape[0] = numbers.num_elements();
  PERCALE_ASSIGN_OR_RETURN(out.values, Tensor::allocate(memory_, whole.dtype(), shape));
  std::memset(out.values.data(), 0, static_cast<size_t>(out.values.bytes()));  // it is sent
  auto* const to = static_cast<char*>(out.values.data());
  for_each_row(whole, numbers, [&](const char* row, size_t at, size_t bytes) { std::memcpy(to + at, row, bytes); });
  return out;
}

void SharedTables::scatter(const Rows& rows) noexcept {
  const auto* const from = static_cast<const char*>(rows.values.data());
  for_each_row(rows.whole, rows.numbers,
               [&](char* row, size_t at, size_t bytes) { std::memcpy(row, from + at, bytes); });
}

Status SharedTables::keep(const RowGradients& step, size_t segment, const std::vector<Tensor>& slots) {
  std::vector<size_t> own;
  for (size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].segment == segment) own.push_back(i);
  }
  for (size_t k = 0; k < own.size(); ++k) {
    const Tensor& numbers = step.rows(own[k]);
    PERCALE_ASSIGN_OR_RETURN(kept_.emplace_back(), gather(working_.values()[tables_[own[k]].variable], numbers));
    const size_t each = slots.size() / own.size();
    for (size_t j = 0; j < each; ++j) {
      PERCALE_ASSIGN_OR_RETURN(kept_.emplace_back(), gather(slots[k * each + j], numbers));
    }
  }
  return {};
}

std::vector<Tensor> SharedTables::values() const {
  std::vector<Tensor> out;
  for (const Table& table : tables_) out.push_back(working_.values()[table.variable]);
  return out;
}

void SharedTables::undo() noexcept {
  for (const Rows& rows : kept_) scatter(rows);
  kept_.clear();
}

Status SharedTables::exchange(const RowGradients& step) {
  received_.clear();
  for (size_t i = 0; i < tables_.size(); ++i) {
    const Tensor& whole = working_.values()[tables_[i].variable];
    const size_t sender = group_.rank_of(group_.holders().first(tables_[i].segment));
    const bool sends_it = sender == group_.rank();
    Rows rows;
    if (sends_it) {
      PERCALE_ASSIGN_OR_RETURN(rows, gather(whole, step.rows(i)));
    } else {
      Shape shape = whole.shape();
      shape[0] = step.rows(i).num_elements();
      rows.whole = whole;
      PERCALE_ASSIGN_OR_RETURN(rows.numbers, Tensor::allocate(memory_, DType::kI64, Shape{shape[0]}));
      PERCALE_ASSIGN_OR_RETURN(rows.values, Tensor::allocate(memory_, whole.dtype(), shape));
    }
    for (const Tensor* part : {&rows.numbers, &rows.values}) {
      std::vector<ByteSpan> sends(group_.size()), recvs(group_.size());
      if (sends_it) sends.assign(group_.size(), memory_of(*part));
      recvs[sender] = memory_of(*part);
      PERCALE_RETURN_IF_ERROR(group_.exchange("rows", std::move(sends), std::move(recvs)));
    }
    if (!sends_it) received_.push_back(std::move(rows));
  }
  return {};
}

void SharedTables::adopt() noexcept {
  for (const Rows& rows : received_) scatter(rows);
  received_.clear();
  kept_.clear();
}

}  // namespace percale

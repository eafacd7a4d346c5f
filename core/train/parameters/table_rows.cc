#include "core/train/parameters/table_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <span>

namespace percale {
namespace {

constexpr int64_t kLeastRows = 16;

struct Rows {
  std::span<const int64_t> numbers;
  const char* values = nullptr;
  int64_t row_bytes = 0;
};

Rows rows_of(const Tensor& numbers, const Tensor& values) {
  return {numbers.span<int64_t>(), static_cast<const char*>(values.data()), values.bytes() / values.shape()[0]};
}

bool lies_in(int64_t row, const PsCommit::TableRows& part) { return row >= part.begin && row < part.end; }

void copy_own(const Rows& from, const PsCommit::TableRows& part, const Tensor& numbers, const Tensor& values) {
  const auto to = numbers.mutable_span<int64_t>();
  char* const bytes = static_cast<char*>(values.data());
  const auto row_bytes = static_cast<size_t>(from.row_bytes);
  size_t count = 0;
  for (size_t i = 0; i < from.numbers.size(); ++i) {
    if (!lies_in(from.numbers[i], part)) continue;
    to[count] = from.numbers[i] - part.begin;
    std::memcpy(bytes + count * row_bytes, from.values + i * row_bytes, row_bytes);
    ++count;
  }
  std::fill(to.begin() + static_cast<ptrdiff_t>(count), to.end(), -1);
  std::memset(bytes + count * row_bytes, 0, (to.size() - count) * row_bytes);
}

}  // namespace

Status cut_table_rows(const PsCommit& parts, const std::vector<Tensor>& all, const std::shared_ptr<MemoryPool>& memory,
                      std::vector<Tensor>& inputs) {
  const auto numbers_of = [&](const PsCommit::TableRows& part) -> const Tensor& {
    return all[parts.inputs[part.rows].of];
  };
  std::map<size_t, int64_t> most;  // rows of a part, by the table's input
  for (const PsCommit::TableRows& part : parts.tables) {
    const auto numbers = numbers_of(part).span<int64_t>();
    int64_t& count = most[parts.inputs[part.rows].of];
    count = std::max<int64_t>(
        {count, kLeastRows, std::ranges::count_if(numbers, [&](int64_t row) { return lies_in(row, part); })});
  }
  for (const PsCommit::TableRows& part : parts.tables) {
    const Tensor& values = all[parts.inputs[part.values].of];
    const auto count = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(most[parts.inputs[part.rows].of])));
    Shape shape = values.shape();
    shape[0] = count;
    PERCALE_ASSIGN_OR_RETURN(inputs[part.rows], Tensor::allocate(memory, DType::kI64, Shape{count}));
    PERCALE_ASSIGN_OR_RETURN(inputs[part.values], Tensor::allocate(memory, values.dtype(), shape));
    copy_own(rows_of(numbers_of(part), values), part, inputs[part.rows], inputs[part.values]);
  }
  return {};
}

void write_rows(const Tensor& rows, const Tensor& values, const Tensor& table) noexcept {
  const Rows from = rows_of(rows, values);
  char* const to = static_cast<char*>(table.data());
  const auto row_bytes = static_cast<size_t>(from.row_bytes);
  for (size_t i = 0; i < from.numbers.size(); ++i) {
    if (from.numbers[i] < 0) continue;
    std::memcpy(to + static_cast<size_t>(from.numbers[i]) * row_bytes, from.values + i * row_bytes, row_bytes);
  }
}

}  // namespace percale

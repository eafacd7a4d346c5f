#include "core/train/step/row_lookups.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "core/train/parameters/train_runs.h"

namespace percale {
namespace {

// Replaces row numbers by those of the table, and those that mean no row by -1.
Status normalize(const TableLookups::Lookup& lookup, const Variable& table, std::span<int64_t> numbers) {
  const int64_t rows = table.shape[0];
  for (int64_t& number : numbers) {
    if (lookup.padding >= 0 && number == lookup.padding) {
      number = -1;
      continue;
    }
    const int64_t given = number;
    if (lookup.wraps && number < 0) number += rows;
    if (number >= 0 && number < rows) continue;
    return out_of_range("table '", table.name, "' of ", rows, " rows: index ", given, " is out of range");
  }
  return {};
}

template <class T>
void write_positions(std::span<const int64_t> numbers, std::span<const int64_t> rows, std::span<T> positions) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto at = std::ranges::lower_bound(rows, numbers[i]) - rows.begin();
    positions[i] = static_cast<T>(numbers[i] < 0 ? TableLookups::kNoRow : at + 1);
  }
}

}  // namespace

RowLookups::RowLookups(std::shared_ptr<Session> session, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
                       DeviceGroup host_group)
    : session_(std::move(session)), memory_(std::move(memory)), graph_(graph), host_group_(std::move(host_group)) {}

Result<std::shared_ptr<const Plan>> RowLookups::plan(const std::vector<ValueType>& feeds) const {
  std::vector<std::string> inputs;
  std::vector<ValueType> types;
  for (const size_t i : graph_.lookups.inputs) {
    inputs.push_back(graph_.inputs[i]);
    types.push_back(feeds[i]);
  }
  return session_->prepare(next_values_spec(kLookUpFunction, std::move(inputs), graph_.lookups.outputs, host_group_),
                           types);
}

Shape RowLookups::rows_shape(const Table& table, int64_t looked_up) const {
  Shape out = graph_.graph->variables[table.variable].shape;
  out[0] = std::min(looked_up, out[0]) + 1;
  return out;
}

Status RowLookups::append_types(std::vector<ValueType>& feeds) const {
  if (empty()) return {};
  PERCALE_ASSIGN_OR_RETURN(const auto planned, plan(feeds));
  const std::vector<ValueType> numbers = Session::fetch_types(*planned);
  size_t next = 0;
  for (const Table& table : graph_.lookups.tables) {
    const Variable& variable = graph_.graph->variables[table.variable];
    const size_t rows = feeds.size();
    feeds.push_back({variable.dtype, {}});
    int64_t looked_up = 0;
    for (const TableLookups::Lookup& lookup : table.lookups) {
      const ValueType& type = numbers[next++];
      if (type.dtype != DType::kI64 || !type.shape.is_static()) {
        return unimplemented("how many rows of '", variable.name,
                             "' a step looks up is known only when it has run; train with 'sparse' false");
      }
      looked_up += type.shape.num_elements();
      feeds.push_back({lookup.dtype, type.shape});
    }
    feeds[rows].shape = rows_shape(table, looked_up);
  }
  return {};
}

Result<std::vector<Tensor>> RowLookups::look_up(const std::vector<Tensor>& feeds,
                                                const std::vector<Tensor>& variables) const {
  std::vector<Tensor> out, inputs, numbers(graph_.lookups.outputs.size());
  if (empty()) return out;
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
  for (const size_t i : graph_.lookups.inputs) inputs.push_back(feeds[i]);
  PERCALE_ASSIGN_OR_RETURN(const auto planned, plan(types));
  PERCALE_RETURN_IF_ERROR(
      session_->run(*planned, inputs, numbers, commit_options(RunValues::of_caller(variables), false, nullptr)));
  size_t next = 0;
  for (const Table& table : graph_.lookups.tables) {
    PERCALE_RETURN_IF_ERROR(copy_rows(table, &numbers[next], variables[table.variable], out));
    next += table.lookups.size();
  }
  return out;
}

// Appends the rows, then the positions of each lookup.
Status RowLookups::copy_rows(const Table& table, const Tensor* numbers, const Tensor& from,
                             std::vector<Tensor>& out) const {
  std::vector<int64_t> rows;
  for (size_t i = 0; i < table.lookups.size(); ++i) {
    const auto own = numbers[i].mutable_span<int64_t>();
    PERCALE_RETURN_IF_ERROR(normalize(table.lookups[i], graph_.graph->variables[table.variable], own));
    rows.insert(rows.end(), own.begin(), own.end());
  }
  PERCALE_ASSIGN_OR_RETURN(const Tensor copied, Tensor::allocate(memory_, from.dtype(),
                                                                 rows_shape(table, static_cast<int64_t>(rows.size()))));
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (!rows.empty() && rows[0] < 0) rows.erase(rows.begin());
  const auto row_bytes = static_cast<size_t>(from.bytes() / from.shape()[0]);
  char* const to = static_cast<char*>(copied.data());
  const char* const bytes = static_cast<const char*>(from.data());
  std::memset(to, 0, row_bytes);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(to + (i + 1) * row_bytes, bytes + static_cast<size_t>(rows[i]) * row_bytes, row_bytes);
  }
  const size_t used = (rows.size() + 1) * row_bytes;
  std::memset(to + used, 0, static_cast<size_t>(copied.bytes()) - used);
  out.push_back(copied);
  for (size_t i = 0; i < table.lookups.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(const Tensor positions,
                             Tensor::allocate(memory_, table.lookups[i].dtype, numbers[i].shape()));
    if (positions.dtype() == DType::kI64) {
      write_positions<int64_t>(numbers[i].span<int64_t>(), rows, positions.mutable_span<int64_t>());
    } else {
      write_positions<int32_t>(numbers[i].span<int64_t>(), rows, positions.mutable_span<int32_t>());
    }
    out.push_back(positions);
  }
  return {};
}

}  // namespace percale

#include "core/train/step/row_lookups.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "core/train/parameters/train_runs.h"

namespace percale {
namespace {

// Returns rows of the table; -1 for numbers that mean no row.
Result<std::vector<int64_t>> rows_of_table(const TableLookups::Lookup& lookup, const Variable& table,
                                           std::span<const int64_t> numbers) {
  const int64_t rows = table.shape[0];
  std::vector<int64_t> out;
  out.reserve(numbers.size());
  for (const int64_t number : numbers) {
    const bool is_padding = lookup.padding >= 0 && number == lookup.padding;
    const int64_t row = is_padding ? -1 : lookup.wraps && number < 0 ? number + rows : number;
    if (!is_padding && (row < 0 || row >= rows)) {
      return out_of_range("table '", table.name, "' of ", rows, " rows: index ", number, " is out of range");
    }
    out.push_back(row);
  }
  return out;
}

// The positions of looked-up rows among those of the shard, which are sorted and follow kNoRow.
template <class T>
void write_positions(std::span<const int64_t> looked_up, std::span<const int64_t> rows, std::span<T> positions) {
  for (size_t i = 0; i < looked_up.size(); ++i) {
    const auto at = std::ranges::lower_bound(rows, looked_up[i]) - rows.begin();
    positions[i] = static_cast<T>(looked_up[i] < 0 ? TableLookups::kNoRow : at + 1);
  }
}

// Writes a row of zeros, then these rows of `from`, then zeros.
void write_rows_of(const Tensor& from, std::span<const int64_t> rows, const Tensor& to) {
  const auto row_bytes = static_cast<size_t>(from.bytes() / from.shape()[0]);
  const char* const table = static_cast<const char*>(from.data());
  char* at = static_cast<char*>(to.data());
  std::memset(at, 0, row_bytes);
  at += row_bytes;
  for (const int64_t row : rows) {
    std::memcpy(at, table + static_cast<size_t>(row) * row_bytes, row_bytes);
    at += row_bytes;
  }
  std::memset(at, 0, static_cast<size_t>(to.bytes()) - (rows.size() + 1) * row_bytes);
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
  std::vector<std::vector<int64_t>> looked_up;
  std::vector<int64_t> rows;
  for (const TableLookups::Lookup& lookup : table.lookups) {
    const auto own = numbers[looked_up.size()].span<int64_t>();
    PERCALE_ASSIGN_OR_RETURN(looked_up.emplace_back(),
                             rows_of_table(lookup, graph_.graph->variables[table.variable], own));
    rows.insert(rows.end(), looked_up.back().begin(), looked_up.back().end());
  }
  const Shape shape = rows_shape(table, static_cast<int64_t>(rows.size()));
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (!rows.empty() && rows[0] < 0) rows.erase(rows.begin());
  PERCALE_ASSIGN_OR_RETURN(const Tensor copied, Tensor::allocate(memory_, from.dtype(), shape));
  write_rows_of(from, rows, copied);
  out.push_back(copied);
  for (size_t i = 0; i < looked_up.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(const Tensor positions,
                             Tensor::allocate(memory_, table.lookups[i].dtype, numbers[i].shape()));
    if (positions.dtype() == DType::kI64) {
      write_positions<int64_t>(looked_up[i], rows, positions.mutable_span<int64_t>());
    } else {
      write_positions<int32_t>(looked_up[i], rows, positions.mutable_span<int32_t>());
    }
    out.push_back(positions);
  }
  return {};
}

}  // namespace percale

// Turns a family's table of rows into the schemas of the ops that are built.
#ifndef PERCALE_CORE_REGISTRY_OP_TABLE_H_
#define PERCALE_CORE_REGISTRY_OP_TABLE_H_

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/registry/built_ops.h"
#include "core/registry/op_schema.h"

namespace percale {

// The numbers of the rows whose ops are built, or of the others.
template <const auto& kRows, bool kBuilt>
inline constexpr auto kRowNumbers = [] {
  constexpr auto kChosen = [](const OpRow& row) { return is_built(row.name) == kBuilt; };
  std::array<size_t, static_cast<size_t>(std::count_if(std::begin(kRows), std::end(kRows), kChosen))> out{};
  size_t next = 0;
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kChosen(kRows[i])) out[next++] = i;
  }
  return out;
}();

template <const auto& kRows>
inline constexpr auto kBuiltRows = []<size_t... kRow>(std::index_sequence<kRow...>) {
  return std::array<OpRow, sizeof...(kRow)>{kRows[kRowNumbers<kRows, true>[kRow]]...};
}
(std::make_index_sequence<kRowNumbers<kRows, true>.size()>());

// The names of the ops that are not built.
template <const auto& kRows>
inline constexpr auto kAbsentOps = []<size_t... kRow>(std::index_sequence<kRow...>) {
  return std::array<std::string_view, sizeof...(kRow)>{kRows[kRowNumbers<kRows, false>[kRow]].name...};
}
(std::make_index_sequence<kRowNumbers<kRows, false>.size()>());

// The schemas of the rows.
template <const auto& kRows>
inline constexpr auto kOpTable = []<size_t... kRow>(std::index_sequence<kRow...>) {
  return std::array<OpSchema, sizeof...(kRow)>{OpSchema(
      kRows[kRow], JoinedLists<kRows, &OpRow::inputs>::of(kRow), JoinedLists<kRows, &OpRow::attributes>::of(kRow),
      JoinedLists<kRows, &OpRow::outputs>::of(kRow), JoinedLists<kRows, &OpRow::in_place>::of(kRow))...};
}
(std::make_index_sequence<std::size(kRows)>());

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_OP_TABLE_H_

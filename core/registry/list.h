// Lists in constexpr tables. A row of a table has room for the longest list, so it is large; only
// the compiler sees it. JoinedLists puts the lists of all rows behind each other without gaps, and
// what the library contains refers to those.
#ifndef PERCALE_CORE_REGISTRY_LIST_H_
#define PERCALE_CORE_REGISTRY_LIST_H_

#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>

namespace percale {

// A list of at most N items that can be part of a constexpr table.
template <class T, size_t N>
struct List {
  std::array<T, N> items{};
  size_t count = 0;

  constexpr List() = default;
  template <class... U>
  requires(sizeof...(U) > 0 && sizeof...(U) <= N) constexpr List(U... values)
      : items{T(values)...}, count(sizeof...(U)) {}
  constexpr size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr const T& operator[](size_t i) const { return items[i]; }
  constexpr const T* begin() const { return items.data(); }
  constexpr const T* end() const { return items.data() + count; }
  constexpr std::span<const T> view() const { return {items.data(), count}; }
};

// Stands for a List in what the library contains.
template <class T, size_t>
using View = std::span<const T>;

// The lists `kList` of all rows, one after the other.
template <const auto& kRows, auto kList>
struct JoinedLists {
  using T = std::remove_cvref_t<decltype(*(std::begin(kRows)->*kList).begin())>;
  static constexpr size_t kSize = [] {
    size_t size = 0;
    for (const auto& row : kRows) size += (row.*kList).size();
    return size;
  }();
  static constexpr std::array<T, kSize> kItems = [] {
    std::array<T, kSize> out{};
    size_t next = 0;
    for (const auto& row : kRows) {
      for (const T& item : row.*kList) out[next++] = item;
    }
    return out;
  }();
  // The list of row number `i`.
  static constexpr std::span<const T> of(size_t i) {
    size_t first = 0;
    for (size_t k = 0; k < i; ++k) first += (kRows[k].*kList).size();
    return std::span<const T>(kItems).subspan(first, (kRows[i].*kList).size());
  }
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_LIST_H_

#include "core/base/similar_name.h"

#include <algorithm>
#include <numeric>

#include "core/base/status.h"

namespace percale {
namespace {

// In bytes. A longer name is not a typing error.
constexpr size_t kLongest = 256;
constexpr size_t kMostListed = 40;

bool same(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return lower(a) == lower(b);
}

// Returns the optimal string alignment distance: the letters to replace, insert, remove, or swap
// with a neighbour.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_before, before(b.size() + 1), row(b.size() + 1);
  std::iota(before.begin(), before.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1), row[j - 1] + 1, before[j] + 1});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = std::move(before);
    before = row;
  }
  return before[b.size()];
}

std::string list_of_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += str_cat(out.empty() ? "" : ", ", name);
  return out;
}

}  // namespace

std::string similar_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kLongest) return {};
  std::string best;
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 2 * kLongest) continue;
    const size_t distance = edit_distance(name, candidate);
    // A distance of the whole name would match anything.
    if (distance < best_distance && distance < name.size()) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best.empty() || name.size() < 3) return best;
  for (const std::string& candidate : candidates) {
    const bool begins = candidate.size() > name.size() && std::equal(name.begin(), name.end(), candidate.begin(), same);
    if (begins && (best.empty() || candidate.size() < best.size())) best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  if (const std::string similar = similar_name(name, candidates); !similar.empty()) {
    return str_cat(", did you mean '", similar, "'?");
  }
  if (candidates.empty() || candidates.size() > kMostListed) return {};
  return str_cat("; there are ", list_of_names(candidates));
}

std::string did_you_mean_key(std::string_view key, const std::vector<std::string>& keys) {
  if (keys.empty()) return {};
  const std::string similar = similar_name(key, keys);
  if (similar.empty()) return str_cat("; there are ", list_of_names(keys));
  return str_cat(", did you mean '", similar, "'? There are ", list_of_names(keys));
}

}  // namespace percale

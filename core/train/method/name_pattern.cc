#include "core/train/method/name_pattern.h"

#include <algorithm>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"

namespace percale {

// Greedy matching with one backtracking position. Only the last star needs to be retried: if the
// rest cannot match after it, a longer match of an earlier star does not help.
bool matches_pattern(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return matches_pattern(p, name); });
}

Status check_pattern(std::string_view what, const std::string& pattern, const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& v : variables) {
    if (v.slot) continue;
    if (matches_pattern(pattern, v.name)) return {};
    names.push_back(v.name);
  }
  return invalid_argument("'", what, "': no variable matches '", pattern, "'", did_you_mean(pattern, names));
}

}  // namespace percale

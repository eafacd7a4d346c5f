#include "core/engine/cluster/node_list.h"

#include <algorithm>
#include <utility>

#include "core/engine/cluster/cluster.h"
#include "core/engine/cluster/parse_int.h"

namespace percale {
namespace {

Status wrong_list(std::string_view list, std::string_view why) { return invalid_argument("'", list, "': ", why); }

// Removes the text before the next comma, and the comma, from `rest`.
std::string_view next_item(std::string_view* rest) {
  const size_t comma = std::min(rest->find(','), rest->size());
  const std::string_view item = rest->substr(0, comma);
  rest->remove_prefix(std::min(comma + 1, rest->size()));
  return item;
}

// Appends the nodes of "[1-2,07]": `prefix`, a number and `suffix`.
Status append_numbered(std::string_view list, std::string_view prefix, std::string_view ranges, std::string_view suffix,
                       std::vector<std::string>* out) {
  while (!ranges.empty()) {
    const std::string_view range = next_item(&ranges);
    const size_t dash = range.find('-');
    const std::string_view first_text = range.substr(0, dash);
    const auto first = parse_int(first_text);
    const auto last = dash == std::string_view::npos ? first : parse_int(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last - *first >= kMaxTasks) {
      return wrong_list(list, "a range is no range");
    }
    for (int64_t i = *first; i <= *last; ++i) {
      std::string number = str_cat(i);
      // "[01-10]": as many digits as the first has.
      if (number.size() < first_text.size()) number.insert(0, first_text.size() - number.size(), '0');
      out->push_back(str_cat(prefix, number, suffix));
      if (out->size() > static_cast<size_t>(kMaxTasks)) return wrong_list(list, "too many nodes");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> expand_node_list(std::string_view list) {
  const bool blank = std::any_of(list.begin(), list.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  if (blank) return wrong_list(list, "a space");
  std::vector<std::string> out;
  size_t at = 0;
  while (at < list.size()) {
    const size_t end = std::min(list.find_first_of(",[", at), list.size());
    const std::string_view prefix = list.substr(at, end - at);
    if (end == list.size() || list[end] == ',') {
      if (prefix.empty()) return wrong_list(list, "an entry is empty");
      out.emplace_back(prefix);
      at = end + 1;
      continue;
    }
    const size_t close = list.find(']', end);
    if (close == std::string_view::npos) return wrong_list(list, "'[' is not closed");
    const std::string_view ranges = list.substr(end + 1, close - end - 1);
    at = std::min(list.find(',', close), list.size());
    const std::string_view suffix = list.substr(close + 1, at - close - 1);
    ++at;
    if (suffix.find('[') != std::string_view::npos) return wrong_list(list, "two ranges in one name");
    PERCALE_RETURN_IF_ERROR(append_numbered(list, prefix, ranges, suffix, &out));
  }
  if (out.empty()) return wrong_list(list, "no node");
  return out;
}

Result<std::vector<int64_t>> expand_task_counts(std::string_view list, size_t nodes) {
  std::vector<int64_t> out;
  std::string_view rest = list;
  while (!rest.empty() && out.size() < nodes) {
    std::string_view item = next_item(&rest);
    int64_t repeat = 1;
    if (const size_t times = item.find("(x"); times != std::string_view::npos && item.ends_with(')')) {
      repeat = parse_int(item.substr(times + 2, item.size() - times - 3)).value_or(0);
      item = item.substr(0, times);
    }
    const auto count = parse_int(item);
    if (!count || *count < 1 || *count > kMaxTasks || repeat < 1 || repeat > kMaxTasks) {
      return wrong_list(list, "wanted numbers of tasks, such as 2(x3),1");
    }
    out.insert(out.end(), static_cast<size_t>(repeat), *count);
  }
  if (out.empty()) return wrong_list(list, "no number of tasks");
  out.resize(nodes, out.back());
  return out;
}

}  // namespace percale

#include "core/graph/device_hint.h"

#include <charconv>

#include "core/base/status.h"

namespace percale {

constexpr std::string_view kGroup = "group:", kHost = "/host", kColocate = "colocate:";

std::string group_hint(int32_t place, bool host) { return str_cat(kGroup, place, host ? kHost : std::string_view()); }

std::optional<GroupHint> parse_group_hint(std::string_view hint) {
  if (!hint.starts_with(kGroup)) return std::nullopt;
  hint.remove_prefix(kGroup.size());
  GroupHint out;
  out.host = hint.ends_with(kHost);
  if (out.host) hint.remove_suffix(kHost.size());
  const auto [end, error] = std::from_chars(hint.data(), hint.data() + hint.size(), out.place);
  if (error != std::errc() || end != hint.data() + hint.size() || out.place < 0) return std::nullopt;
  return out;
}

std::optional<std::string_view> parse_colocation_hint(std::string_view hint) {
  if (!hint.starts_with(kColocate)) return std::nullopt;
  return hint.substr(kColocate.size());
}

bool names_device(std::string_view hint) { return !hint.empty() && !parse_group_hint(hint); }

}  // namespace percale

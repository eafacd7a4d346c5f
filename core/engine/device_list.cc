#include "core/engine/device_list.h"

#include <charconv>
#include <set>

namespace percale {
namespace {

constexpr std::string_view kForms = "; devices are written as 'cpu:0', 'cuda:0/1', 'cpu=4x1', 'all' or 'none'";

// The number that is the whole of `text`: digits alone, within [0, kMaxDevices].
bool to_number(std::string_view text, int32_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && text[0] != '-' && error == std::errc() && end == text.data() + text.size() &&
         out <= kMaxDevices;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "cpu=4x1", "cpu=4"
Status parse_group(std::string_view item, size_t equals, std::vector<DeviceRequest>& out) {
  const std::string_view sizes = item.substr(equals + 1);
  const size_t cross = sizes.find('x');
  int32_t count = 0, width = 0;
  if (!to_number(sizes.substr(0, cross), count) || count == 0 ||
      (cross != std::string_view::npos && (!to_number(sizes.substr(cross + 1), width) || width == 0))) {
    return invalid_argument("devices '", item, "': wanted KIND=COUNT or KIND=COUNTxTHREADS, numbers from 1 to ",
                            kMaxDevices);
  }
  const std::string kind(item.substr(0, equals));
  for (int32_t i = 0; i < count; ++i) out.push_back({str_cat(kind, ":", i), kind, i, width});
  return {};
}

// "cpu:0", "cuda:0/1"
Status parse_name(std::string_view item, std::vector<DeviceRequest>& out) {
  const size_t colon = item.find(':');
  if (colon == std::string_view::npos || colon == 0) return invalid_argument("devices '", item, "': no index", kForms);
  const std::string_view numbers = item.substr(colon + 1);
  const size_t slash = numbers.find('/');
  int32_t index = 0, logical = 0;
  if (!to_number(numbers.substr(0, slash), index) ||
      (slash != std::string_view::npos && !to_number(numbers.substr(slash + 1), logical))) {
    return invalid_argument("devices '", item, "': the index is no number from 0 to ", kMaxDevices, kForms);
  }
  const std::string kind(item.substr(0, colon));
  const std::string tail = slash == std::string_view::npos ? std::string() : str_cat("/", logical);
  out.push_back({str_cat(kind, ":", index, tail), kind, index, 0});
  return {};
}

}  // namespace

Result<std::vector<DeviceRequest>> parse_devices(std::string_view text) {
  std::vector<DeviceRequest> out;
  if (trimmed(text).empty() || trimmed(text) == "none") return out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view item = trimmed(text.substr(begin, comma - begin));
    begin = comma + 1;
    const size_t equals = item.find('=');
    if (item.empty()) return invalid_argument("devices '", text, "': an item is empty", kForms);
    if (item == "all" || item == "none") {
      return invalid_argument("devices '", text, "': '", item, "' stands alone", kForms);
    }
    PERCALE_RETURN_IF_ERROR(equals != std::string_view::npos && equals > 0 ? parse_group(item, equals, out)
                                                                           : parse_name(item, out));
    if (out.size() > static_cast<size_t>(kMaxDevices)) {
      return invalid_argument("devices '", text, "': more than ", kMaxDevices, " devices");
    }
  }
  std::set<std::string_view> seen;
  for (const DeviceRequest& request : out) {
    if (!seen.insert(request.name).second) {
      return invalid_argument("devices '", text, "': ", request.name, " stands twice");
    }
  }
  return out;
}

}  // namespace percale

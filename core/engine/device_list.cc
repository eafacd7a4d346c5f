#include "core/engine/device_list.h"

#include <charconv>
#include <limits>
#include <set>

namespace percale {
namespace {

constexpr std::string_view kForms =
    "; devices are written as 'cpu:0', 'cuda:0/1', 'cpu=4x1', 'remote:HOST:PORT/cpu:0', "
    "'/job:worker/task:1/device:cpu:0', 'all' or 'none'";

constexpr std::string_view kRemote = "remote:", kJob = "/job:", kTask = "/task:", kDevice = "/device:";

// The number that is the whole of `text`: digits alone, within [0, max].
template <class Int>
bool to_number(std::string_view text, Int& out, int64_t max = kMaxDevices) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && text[0] != '-' && error == std::errc() && end == text.data() + text.size() && out <= max;
}

// "cpu:0" as the kind and the index.
bool to_kind_and_index(std::string_view text, DeviceRequest& out) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !to_number(text.substr(colon + 1), out.index)) return false;
  out.kind = text.substr(0, colon);
  return true;
}

// "remote:HOST:PORT", "remote:unix:/run/worker/cpu:0". The last part of a path is a device if it
// looks like one.
Status parse_remote(std::string_view item, std::vector<DeviceRequest>& out) {
  DeviceRequest request{.name = std::string(item)};
  std::string_view address = item.substr(kRemote.size());
  const size_t slash = address.rfind('/');
  if (slash != std::string_view::npos && to_kind_and_index(address.substr(slash + 1), request)) {
    address = address.substr(0, slash);
  }
  if (address.find(':') == std::string_view::npos) {
    return invalid_argument("devices '", item, "': wanted remote:HOST:PORT or remote:unix:PATH, and /KIND:INDEX for ",
                            "one device of that process");
  }
  request.address = address;
  out.push_back(std::move(request));
  return {};
}

// "/job:worker", "/job:worker/task:1", "/job:worker/task:1/device:cpu:0"
Status parse_task(std::string_view item, std::vector<DeviceRequest>& out) {
  DeviceRequest request{.name = std::string(item)};
  const size_t task = item.find(kTask);
  request.job = item.substr(kJob.size(), std::min(task, item.size()) - kJob.size());
  bool good = !request.job.empty() && request.job.find('/') == std::string::npos;
  if (task != std::string_view::npos) {
    const std::string_view rest = item.substr(task + kTask.size());
    const size_t device = rest.find(kDevice);
    good = good && to_number(rest.substr(0, device), request.task, std::numeric_limits<int32_t>::max()) &&
           (device == std::string_view::npos || to_kind_and_index(rest.substr(device + kDevice.size()), request));
  }
  if (!good) {
    return invalid_argument("devices '", item, "': wanted /job:NAME, /job:NAME/task:NUMBER or ",
                            "/job:NAME/task:NUMBER/device:KIND:INDEX");
  }
  out.push_back(std::move(request));
  return {};
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
  for (int32_t i = 0; i < count; ++i)
    out.push_back({.name = str_cat(kind, ":", i), .kind = kind, .index = i, .width = width});
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
  out.push_back({.name = str_cat(kind, ":", index, tail), .kind = kind, .index = index});
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
    PERCALE_RETURN_IF_ERROR(item.starts_with(kRemote)                        ? parse_remote(item, out)
                            : item.starts_with(kJob)                         ? parse_task(item, out)
                            : equals != std::string_view::npos && equals > 0 ? parse_group(item, equals, out)
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

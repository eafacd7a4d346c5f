#include "core/train/shards/device_choice.h"

#include <algorithm>
#include <charconv>

namespace percale {
namespace {

std::string names_of(const Engine& engine) {
  std::string out;
  for (const auto& device : engine.devices()) out += str_cat(out.empty() ? "" : ", ", device->name());
  return out.empty() ? "none" : out;
}

}  // namespace

std::string_view kernel_kind(const Device& device) {
  const char* const borrowed = device.api().borrow_kernels;
  return borrowed != nullptr ? std::string_view(borrowed) : std::string_view(device.kind());
}

Result<std::vector<std::string>> choose_devices(const Engine& engine, std::string_view list) {
  std::vector<std::string> out;
  const auto take = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  bool all = true;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    const std::string_view item = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (item.empty()) continue;
    if (item == "all") {
      all = true;
      out.clear();
      break;
    }
    all = false;
    const size_t equals = item.find('=');
    if (item.starts_with("/job:") && engine.find_device(item) == nullptr) {
      const size_t before = out.size();
      for (const auto& device : engine.devices()) {
        if (device->name().starts_with(str_cat(item, "/"))) take(device->name());
      }
      if (out.size() > before) continue;
    }
    if (equals == std::string_view::npos) {
      if (engine.find_device(std::string(item)) == nullptr) {
        return failed_precondition("'devices' asks for '", item, "', which this engine lacks: it has ",
                                   names_of(engine));
      }
      take(std::string(item));
      continue;
    }
    const std::string_view kind = item.substr(0, equals), number = item.substr(equals + 1);
    int64_t wanted = 0, found = 0;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), wanted);
    if (error != std::errc() || wanted < 1 || (rest != number.data() + number.size() && *rest != 'x')) {
      return invalid_argument("'devices' has '", item, "', wanted KIND=NUMBER, or KIND=NUMBERxTHREADS");
    }
    for (const auto& device : engine.devices()) {
      if (device->kind() != kind || found == wanted) continue;
      take(device->name());
      ++found;
    }
    if (found < wanted) {
      return failed_precondition("'devices' asks for '", item, "', this engine has ", names_of(engine));
    }
  }
  for (const auto& device : engine.devices()) {
    if (all && !device->is_home() && !is_parameter_server(*device)) take(device->name());
  }
  return out.size() == engine.devices().size() ? std::vector<std::string>() : out;
}

bool is_parameter_server(const Device& device) { return device.name().starts_with("/job:ps/"); }

}  // namespace percale

// Entry point of the plug-in: receives the host table and returns the plug-in's tables.
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "tests/sim/plugin.h"

namespace percale_sim {
namespace {

// One instance per copy of the library that opens the plug-in, identified by its host table.
struct Instances {
  std::mutex mutex;
  Plugin* first = nullptr;
};
Instances& instances() {
  static Instances only;
  return only;
}

// Parses "device=1,lose_launch=500": numbers by name. Unknown names are ignored.
void read_environment(Plugin& plugin) {
  const char* text = std::getenv("PERCALE_SIM");
  if (text == nullptr) return;
  percale_sim_faults faults{};
  int32_t device = -1;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string item(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view key = std::string_view(item).substr(0, equals);
    const double value = std::strtod(item.c_str() + equals + 1, nullptr);
    const auto whole = static_cast<uint64_t>(value > 0 ? value : 0);
    if (key == "device") device = static_cast<int32_t>(value);
    if (key == "lose_launch") faults.lose_at_launch = whole;
    if (key == "lose_copy") faults.lose_at_copy = whole;
    if (key == "lose_allocation") faults.lose_at_allocation = whole;
    if (key == "launch_us") faults.launch_ns = whole * 1000;
    if (key == "copy_us") faults.copy_ns = whole * 1000;
    if (key == "slow") faults.slow = value;
  }
  percale_sim_set_faults(&plugin.api, device, &faults);
}

Plugin* make_instance(const percale_host_api* host) {
  auto* plugin = new (std::nothrow) Plugin;
  if (plugin == nullptr) return nullptr;
  plugin->host = host;
  fill_devices(*plugin);
  plugin->devices[0] = &plugin->kernel_api;
  plugin->devices[1] = &plugin->partition_api;
  plugin->api.struct_size = sizeof plugin->api;
  plugin->api.name = "sim";
  plugin->api.version = "0.1.0";
  plugin->api.devices = plugin->devices;
  plugin->api.device_count = 2;
  read_environment(*plugin);
  return plugin;
}

Unit* find_unit(const percale_plugin_api* api, int32_t index) {
  auto* plugin = const_cast<Plugin*>(reinterpret_cast<const Plugin*>(api));
  return index < 0 || index >= 2 * PERCALE_SIM_DEVICES ? nullptr : &plugin->units[static_cast<size_t>(index)];
}

}  // namespace

percale_status* to_status(const Plugin& plugin, const Error& error) {
  return error.code == 0 ? nullptr : plugin.host->status->create(error.code, error.text, std::strlen(error.text));
}

void Unit::set(const percale_sim_faults& faults) {
  const std::lock_guard lock(mutex_);
  faults_ = faults;
  counts_ = {};
}
percale_sim_faults Unit::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}
percale_sim_counts Unit::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}
void Unit::reset_counts() {
  const std::lock_guard lock(mutex_);
  counts_ = {};
}
bool Unit::count_launch() {
  const std::lock_guard lock(mutex_);
  return ++counts_.launches == faults_.lose_at_launch;
}
bool Unit::count_copy(bool from_host, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ++(from_host ? counts_.copies_from_host : counts_.copies_to_host);
  (from_host ? counts_.bytes_from_host : counts_.bytes_to_host) += bytes;
  return counts_.copies_from_host + counts_.copies_to_host == faults_.lose_at_copy;
}
bool Unit::count_allocation() {
  const std::lock_guard lock(mutex_);
  return ++counts_.allocations == faults_.lose_at_allocation;
}

}  // namespace percale_sim

using namespace percale_sim;

percale_status* percale_sim_plugin_init(const percale_host_api* host, uint32_t host_abi, const char*,
                                        const percale_plugin_api** out_plugin) {
  constexpr std::string_view kTooOld = "the library is older than the plug-in 'sim'", kNoMemory = "no memory";
  *out_plugin = nullptr;
  if (host_abi < PERCALE_PLUGIN_ABI || host->struct_size < sizeof *host) {
    return host->status->create(PERCALE_UNIMPLEMENTED, kTooOld.data(), kTooOld.size());
  }
  const std::lock_guard lock(instances().mutex);
  Plugin* plugin = instances().first;
  while (plugin != nullptr && plugin->host != host) plugin = plugin->next;
  if (plugin == nullptr && (plugin = make_instance(host)) != nullptr) {
    plugin->next = instances().first;
    instances().first = plugin;
  }
  if (plugin == nullptr) return host->status->create(PERCALE_RESOURCE_EXHAUSTED, kNoMemory.data(), kNoMemory.size());
  *out_plugin = &plugin->api;
  return nullptr;
}

void percale_sim_set_faults(const percale_plugin_api* plugin, int32_t index, const percale_sim_faults* faults) {
  for (int32_t i = 0; i < 2 * PERCALE_SIM_DEVICES; ++i) {
    if (index == i || index < 0) find_unit(plugin, i)->set(*faults);
  }
}

void percale_sim_get_counts(const percale_plugin_api* plugin, int32_t index, percale_sim_counts* out_counts) {
  const Unit* unit = find_unit(plugin, index);
  *out_counts = unit == nullptr ? percale_sim_counts{} : unit->counts();
}

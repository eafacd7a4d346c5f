// Entry point of the plug-in: receives the host table and returns the plug-in's tables.
#include <cstdlib>
#include <string_view>

#include "tests/sim/plugin.h"

namespace percale_sim {
namespace {

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
  percale_sim_set_faults(plugin.api(), device, &faults);
}

// Each device table names its plug-in.
Unit* find_unit(const percale_plugin_api* api, int32_t index) {
  auto* plugin = static_cast<Plugin*>(api->devices[0]->self);
  return index < 0 || index >= 2 * PERCALE_SIM_DEVICES ? nullptr : &plugin->units[static_cast<size_t>(index)];
}

}  // namespace

Plugin::Plugin(const percale_host_api& host) : percale::plugin::Plugin(host, kName, "0.1.0") {
  add(kernel_devices(*this));
  add(partition_devices(*this));
  read_environment(*this);
}

void raise(const Error& error) {
  if (error.code != 0) throw percale::plugin::Failure(error.code, error.text);
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
void Unit::count_sum(bool beside) {
  const std::lock_guard lock(mutex_);
  ++counts_.sums;
  counts_.sums_beside += beside ? 1 : 0;
}

}  // namespace percale_sim

using percale_sim::find_unit;
using percale_sim::Unit;

percale_status* percale_sim_plugin_init(const percale_host_api* host, uint32_t host_abi, const char*,
                                        const percale_plugin_api** out_plugin) {
  return percale::plugin::init<percale_sim::Plugin>(host, host_abi, out_plugin);
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

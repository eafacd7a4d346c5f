// Declarations shared by the files of the sim device.
#ifndef PERCALE_TESTS_SIM_PLUGIN_H_
#define PERCALE_TESTS_SIM_PLUGIN_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "tests/sim/sim.h"

namespace percale_sim {

// An error of a device: its code (0: none) and its message.
struct Error {
  int32_t code = 0;
  const char* text = "";
};

// The faults and counters of one device number, shared by all engines that open it. Thread-safe.
class Unit {
 public:
  void set(const percale_sim_faults& faults);
  percale_sim_faults faults() const;
  percale_sim_counts counts() const;
  void reset_counts();
  // Count one more. Return true if the device is to be lost at this one.
  bool count_launch();
  bool count_copy(bool from_host, uint64_t bytes);
  bool count_allocation();

 private:
  mutable std::mutex mutex_;
  percale_sim_faults faults_{};
  percale_sim_counts counts_{};
};

// The state of the plug-in for one copy of the library that has opened it. Lives as long as the
// process.
struct Plugin {
  percale_plugin_api api{};  // must be first: its address is also that of the Plugin
  // Devices that run single kernels, and devices that run whole partitions. The two kinds are
  // numbered separately.
  percale_device_api kernel_api{}, partition_api{};
  const percale_device_api* devices[2] = {};
  const percale_host_api* host = nullptr;
  std::array<Unit, 2 * PERCALE_SIM_DEVICES> units;
  Plugin* next = nullptr;
};

// Makes a status of the error through the host; null if there is no error.
percale_status* to_status(const Plugin& plugin, const Error& error);

// Fills the device tables (sim_device.cc).
void fill_devices(Plugin& plugin);

}  // namespace percale_sim

#endif  // PERCALE_TESTS_SIM_PLUGIN_H_

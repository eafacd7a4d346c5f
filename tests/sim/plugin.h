// What the files of the sim device share.
#ifndef PERCALE_TESTS_SIM_PLUGIN_H_
#define PERCALE_TESTS_SIM_PLUGIN_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "tests/sim/sim.h"

namespace percale_sim {

// An error of a device: its code, 0 for none, and what it says.
struct Error {
  int32_t code = 0;
  const char* text = "";
};

// What one device number is told and asked, in all engines that open it. Thread-safe.
class Unit {
 public:
  void set(const percale_sim_faults& faults);
  percale_sim_faults faults() const;
  percale_sim_counts counts() const;
  void reset_counts();
  // Counts one more; true when that is the one at which the device is lost.
  bool count_launch();
  bool count_copy(bool from_host, uint64_t bytes);
  bool count_allocation();

 private:
  mutable std::mutex mutex_;
  percale_sim_faults faults_{};
  percale_sim_counts counts_{};
};

// Everything the plug-in knows for one copy of the library that has opened it. Lives as long as the process.
struct Plugin {
  percale_plugin_api api{};  // first: the address handed up is the address of the whole
  // Devices that run kernels, and devices that take whole partitions, with numbers of their own.
  percale_device_api kernel_api{}, partition_api{};
  const percale_device_api* devices[2] = {};
  const percale_host_api* host = nullptr;
  std::array<Unit, 2 * PERCALE_SIM_DEVICES> units;
  Plugin* next = nullptr;
};

// A status with this error, made by the host; null for none.
percale_status* to_status(const Plugin& plugin, const Error& error);

// Fills the tables of sim_device.cc.
void fill_devices(Plugin& plugin);

}  // namespace percale_sim

#endif  // PERCALE_TESTS_SIM_PLUGIN_H_

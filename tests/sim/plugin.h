// Declarations shared by the files of the sim device.
#ifndef PERCALE_TESTS_SIM_PLUGIN_H_
#define PERCALE_TESTS_SIM_PLUGIN_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "bindings/cpp/percale_plugin.hpp"
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
  void count_sum(bool beside);

 private:
  mutable std::mutex mutex_;
  percale_sim_faults faults_{};
  percale_sim_counts counts_{};
};

// The plug-in for one copy of the library that has opened it. Lives as long as the process.
struct Plugin : percale::plugin::Plugin {
  static constexpr const char* kName = "sim";
  explicit Plugin(const percale_host_api& host);

  // Devices that run single kernels, then devices that run whole partitions.
  std::array<Unit, 2 * PERCALE_SIM_DEVICES> units;
};

// Throws an error as a Failure of the plug-in. Does nothing if there is none.
void raise(const Error& error);

// The two tables of devices (sim_device.cc).
percale_device_api kernel_devices(Plugin& plugin);
percale_device_api partition_devices(Plugin& plugin);

}  // namespace percale_sim

#endif  // PERCALE_TESTS_SIM_PLUGIN_H_

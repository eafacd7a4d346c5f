// Engines with the sim device, for doctest cases. Faults belong to the plug-in, so only one test
// case at a time may set them.
#ifndef PERCALE_TESTS_SUPPORT_SIM_ENGINE_H_
#define PERCALE_TESTS_SUPPORT_SIM_ENGINE_H_

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "tests/sim/sim.h"
#include "tests/support/engine.h"

namespace percale {

// Sets the faults of one sim device, or of all (-1).
inline void set_faults(int32_t device, const percale_sim_faults& faults) {
  percale_sim_set_faults(sim_plugin(), device, &faults);
}

// Makes an engine of these devices, without faults.
inline std::shared_ptr<Engine> sim_engine(int32_t threads, const std::string& devices) {
  set_faults(-1, {});
  EngineOptions options;
  options.threads = threads;
  options.devices = devices;
  auto engine = make_test_engine(options, {sim_plugin()});
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  return *engine;
}

}  // namespace percale

#endif  // PERCALE_TESTS_SUPPORT_SIM_ENGINE_H_

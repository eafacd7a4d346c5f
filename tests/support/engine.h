// Engines for tests: composed as the C API does it, but without the C API.
#ifndef PERCALE_TESTS_SUPPORT_ENGINE_H_
#define PERCALE_TESTS_SUPPORT_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"

namespace percale {

// The registry of all ops, with kernels for the instruction set that the option names, limited to
// what the machine has.
struct TestOps {
  std::shared_ptr<Registry> registry;
  std::string isa;
};
Result<TestOps> make_test_ops(const EngineOptions& options = {});

// Makes an engine with all ops, the CPU as a device kind, and the devices and kernels of the
// plug-ins.
Result<std::shared_ptr<Engine>> make_test_engine(const EngineOptions& options = {},
                                                 const std::vector<const percale_plugin_api*>& plugins = {});

// Returns the null device, linked into the test, for make_test_engine(). Null if it cannot be made.
const percale_plugin_api* null_plugin();

// Returns the sim device in the same way. See tests/sim/sim.h.
const percale_plugin_api* sim_plugin();

// Opens a plug-in as the library does. It is never closed.
Result<const percale_plugin_api*> open_plugin(const std::string& path);

}  // namespace percale

#endif  // PERCALE_TESTS_SUPPORT_ENGINE_H_

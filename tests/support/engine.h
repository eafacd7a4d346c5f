// Engines for tests: what the C API composes, without the C API.
#ifndef PERCALE_TESTS_SUPPORT_ENGINE_H_
#define PERCALE_TESTS_SUPPORT_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"

namespace percale {

// The registry of all ops with the kernels for the instruction set that the option names, at most what the machine has.
struct TestOps {
  std::shared_ptr<Registry> registry;
  std::string isa;
};
Result<TestOps> make_test_ops(const EngineOptions& options = {});

// An engine with all ops, the CPU as a kind of device, and the devices and kernels of the plug-ins.
Result<std::shared_ptr<Engine>> make_test_engine(const EngineOptions& options = {},
                                                 const std::vector<const percale_plugin_api*>& plugins = {});

// The null device, linked into the test; for make_test_engine(). Null when it cannot be made.
const percale_plugin_api* null_plugin();

// The sim device, linked into the test; the same. See tests/sim/sim.h.
const percale_plugin_api* sim_plugin();

// Opens a plug-in as the library does. Never closed.
Result<const percale_plugin_api*> open_plugin(const std::string& path);

}  // namespace percale

#endif  // PERCALE_TESTS_SUPPORT_ENGINE_H_

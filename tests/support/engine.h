// Engines for tests: what the C API composes, without the C API.
#ifndef PERCALE_TESTS_SUPPORT_ENGINE_H_
#define PERCALE_TESTS_SUPPORT_ENGINE_H_

#include <memory>

#include "core/run/engine.h"

namespace percale {

// The instruction set that the option names, at most what the machine has, and the registry of all ops with the kernels
// for it.
struct TestOps {
  std::shared_ptr<Registry> registry;
  std::string isa;
};
Result<TestOps> make_test_ops(const EngineOptions& options = {});

// An engine with all ops and the CPU as a kind of device.
Result<std::shared_ptr<Engine>> make_test_engine(const EngineOptions& options = {});

}  // namespace percale

#endif  // PERCALE_TESTS_SUPPORT_ENGINE_H_

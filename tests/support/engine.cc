#include "tests/support/engine.h"

#include "devices/cpu/cpu_device.h"
#include "devices/cpu/simd/simd.h"
#include "ops/all_ops.h"

namespace percale {

Result<TestOps> make_test_ops(const EngineOptions& options) {
  const auto cap = simd::parse_isa_cap(options.isa);
  if (!cap) return invalid_argument("isa: '", options.isa, "'");
  const simd::Isa isa = simd::capped(simd::detect_isa(), *cap);
  auto registry = std::make_shared<Registry>();
  PERCALE_RETURN_IF_ERROR(register_all_ops(*registry, simd::simd_table(isa)));
  return TestOps{registry, simd::isa_name(isa)};
}

Result<std::shared_ptr<Engine>> make_test_engine(const EngineOptions& options) {
  PERCALE_ASSIGN_OR_RETURN(TestOps ops, make_test_ops(options));
  Engine::Parts parts;
  parts.registry = ops.registry;
  parts.isa = ops.isa;
  parts.memory = Engine::make_pool(options);
  const auto cpu = CpuDevices::create(parts.memory);
  parts.device_apis.push_back(&cpu->api());
  parts.owners.push_back(cpu);
  return Engine::create(options, std::move(parts));
}

}  // namespace percale

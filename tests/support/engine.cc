#include "tests/support/engine.h"

#include "c_api/host/host_api.h"
#include "core/system/library.h"
#include "devices/cpu/cpu_device.h"
#include "devices/null/null_device.h"
#include "ops/all_ops.h"
#include "tests/sim/sim.h"

namespace percale {

Result<TestOps> make_test_ops(const EngineOptions& options) {
  auto registry = std::make_shared<Registry>();
  PERCALE_RETURN_IF_ERROR(register_all_ops(*registry, options.isa, options.numerics));
  return TestOps{registry, registry->isa()};
}

Result<std::shared_ptr<Engine>> make_test_engine(const EngineOptions& options,
                                                 const std::vector<const percale_plugin_api*>& plugins) {
  PERCALE_ASSIGN_OR_RETURN(TestOps ops, make_test_ops(options));
  Engine::Parts parts;
  parts.isa = ops.isa;
  parts.memory = Engine::make_pool(options);
  const auto cpu = CpuDevices::create(parts.memory);
  parts.device_apis.push_back(&cpu->api());
  parts.owners.push_back(cpu);
  for (const percale_plugin_api* plugin : plugins) {
    if (plugin == nullptr) return internal_error("a plug-in could not be made");
    parts.device_apis.insert(parts.device_apis.end(), plugin->devices, plugin->devices + plugin->device_count);
    for (size_t i = 0; i < plugin->device_count; ++i) {
      const percale_device_api& device = *plugin->devices[i];
      if (device.borrow_kernels != nullptr) ops.registry->lend_kernels(device.borrow_kernels, device.kind);
    }
    // The first kernel of a plug-in's list is tried first.
    for (size_t i = plugin->kernel_count; i-- > 0;) {
      PERCALE_RETURN_IF_ERROR(ops.registry->add_kernel(plugin->kernels[i]->device_kind, *plugin->kernels[i], true));
    }
  }
  parts.registry = ops.registry;
  return Engine::create(options, std::move(parts));
}

const percale_plugin_api* null_plugin() {
  const percale_plugin_api* plugin = nullptr;
  return from_c(percale_null_plugin_init(&c_api::host_api(), PERCALE_PLUGIN_ABI, "", &plugin)).ok() ? plugin : nullptr;
}

const percale_plugin_api* sim_plugin() {
  const percale_plugin_api* plugin = nullptr;
  return from_c(percale_sim_plugin_init(&c_api::host_api(), PERCALE_PLUGIN_ABI, "", &plugin)).ok() ? plugin : nullptr;
}

Result<const percale_plugin_api*> open_plugin(const std::string& path) {
  std::string reason;
  void* library = os::open_library(path, &reason);
  if (library == nullptr) return not_found(reason);
  const auto init = reinterpret_cast<percale_plugin_init_fn>(os::find_symbol(library, "percale_plugin_init"));
  if (init == nullptr) return not_found(path, " exports no percale_plugin_init");
  const percale_plugin_api* plugin = nullptr;
  PERCALE_RETURN_IF_ERROR(from_c(init(&c_api::host_api(), PERCALE_PLUGIN_ABI, path.c_str(), &plugin)));
  return plugin;
}

}  // namespace percale

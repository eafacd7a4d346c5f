// The only symbol that the loaded plug-in exports. Programs that link the device do not need it.
#include "tests/sim/sim.h"

extern "C" __attribute__((visibility("default"))) percale_status* percale_plugin_init(
    const percale_host_api* host, uint32_t host_abi, const char* path, const percale_plugin_api** out_plugin) {
  return percale_sim_plugin_init(host, host_abi, path, out_plugin);
}

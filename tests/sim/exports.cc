// The one symbol that the loaded plug-in exports; a program that links the device does without it.
#include "tests/sim/sim.h"

extern "C" __attribute__((visibility("default"))) percale_status* percale_plugin_init(
    const percale_host_api* host, uint32_t host_abi, const char* path, const percale_plugin_api** out_plugin) {
  return percale_sim_plugin_init(host, host_abi, path, out_plugin);
}

/* The only symbol that the loaded plug-in exports. Programs that link the device do not need it. */
#include "devices/null/null_device.h"

__attribute__((visibility("default"))) percale_status* percale_plugin_init(const percale_host_api* host,
                                                                           uint32_t host_abi, const char* path,
                                                                           const percale_plugin_api** out_plugin) {
  return percale_null_plugin_init(host, host_abi, path, out_plugin);
}

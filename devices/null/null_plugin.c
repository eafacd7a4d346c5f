/* The entry point: takes the host table and returns the tables of the plug-in. */
#include <stdlib.h>
#include <string.h>

#include "devices/null/null_device.h"
#include "devices/null/plugin.h"

/* One instance for each copy of the library that opens the plug-in, identified by its host table.
 * Two versions of the library may live in one process, and a plug-in is never unloaded. */
static null_plugin* instances;
static pthread_mutex_t instances_mutex = PTHREAD_MUTEX_INITIALIZER;

percale_status* null_error(const null_plugin* plugin, int32_t code, const char* text) {
  return plugin->host->status->create(code, text, strlen(text));
}

static null_plugin* make_instance(const percale_host_api* host) {
  null_plugin* plugin = calloc(1, sizeof *plugin);
  if (plugin == NULL) return NULL;
  if (pthread_mutex_init(&plugin->mutex, NULL) != 0) {
    free(plugin);
    return NULL;
  }
  plugin->host = host;
  null_fill_device(plugin);
  null_fill_kernels(plugin);
  plugin->devices[0] = &plugin->device_api;
  plugin->api.struct_size = sizeof plugin->api;
  plugin->api.name = "null";
  plugin->api.version = "0.1.0";
  plugin->api.devices = plugin->devices;
  plugin->api.device_count = 1;
  plugin->api.kernels = plugin->kernel_list;
  plugin->api.kernel_count = NULL_KERNEL_COUNT;
  return plugin;
}

percale_status* percale_null_plugin_init(const percale_host_api* host, uint32_t host_abi, const char* path,
                                         const percale_plugin_api** out_plugin) {
  static const char too_old[] = "the library is older than the plug-in 'null'",
                    no_memory[] = "no memory for the plug-in";
  null_plugin* plugin;
  (void)path; /* The plug-in reads no files. */
  *out_plugin = NULL;
  if (host_abi < PERCALE_PLUGIN_ABI || host->struct_size < sizeof *host) {
    return host->status->create(PERCALE_UNIMPLEMENTED, too_old, sizeof too_old - 1);
  }
  pthread_mutex_lock(&instances_mutex);
  for (plugin = instances; plugin != NULL && plugin->host != host;) plugin = plugin->next;
  if (plugin == NULL && (plugin = make_instance(host)) != NULL) {
    plugin->next = instances;
    instances = plugin;
  }
  pthread_mutex_unlock(&instances_mutex);
  if (plugin == NULL) return host->status->create(PERCALE_RESOURCE_EXHAUSTED, no_memory, sizeof no_memory - 1);
  *out_plugin = &plugin->api;
  return NULL;
}

uint64_t percale_null_kernel_runs(const percale_plugin_api* api) {
  null_plugin* plugin = (null_plugin*)(uintptr_t)api;
  uint64_t runs;
  pthread_mutex_lock(&plugin->mutex);
  runs = plugin->kernel_runs;
  pthread_mutex_unlock(&plugin->mutex);
  return runs;
}

/** Declarations shared by the files of the null device. */
#ifndef PERCALE_DEVICES_NULL_PLUGIN_H_
#define PERCALE_DEVICES_NULL_PLUGIN_H_

#include <pthread.h>
#include <stdint.h>

#include "c_api/include/percale_plugin.h"

#define NULL_KERNEL_COUNT 4

/** The state of the plug-in for one copy of the library. Lives as long as the process. */
typedef struct null_plugin {
  percale_plugin_api api; /* first, so that its address is also that of the struct */
  percale_device_api device_api;
  const percale_device_api* devices[1];
  percale_kernel kernels[NULL_KERNEL_COUNT];
  const percale_kernel* kernel_list[NULL_KERNEL_COUNT];
  const percale_host_api* host;
  pthread_mutex_t mutex; /* guards the members below */
  uint64_t kernel_runs;
  struct null_plugin* next;
} null_plugin;

/** Returns an error with this text, created by the host. */
percale_status* null_error(const null_plugin* plugin, int32_t code, const char* text);

/** Fills the tables of null_device.c and null_kernels.c. */
void null_fill_device(null_plugin* plugin);
void null_fill_kernels(null_plugin* plugin);

#endif /* PERCALE_DEVICES_NULL_PLUGIN_H_ */

/** Functions of the null device beyond its table, for tests that link it instead of loading it. */
#ifndef PERCALE_DEVICES_NULL_NULL_DEVICE_H_
#define PERCALE_DEVICES_NULL_NULL_DEVICE_H_

#include "c_api/include/percale_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The plug-in's init function, under a name of its own so that programs can link it. */
percale_status* percale_null_plugin_init(const percale_host_api* host, uint32_t host_abi, const char* path,
                                         const percale_plugin_api** out_plugin);

/** The calls made to one device since it was opened. */
typedef struct percale_null_counts {
  uint64_t allocations, frees;
  uint64_t copies_from_host, bytes_from_host;
  uint64_t copies_to_host, bytes_to_host;
} percale_null_counts;

/** Copies the counts of `device`, which was returned by open() of the device table. */
void percale_null_get_counts(void* device, percale_null_counts* out_counts);

/** Returns the number of kernel runs since init on all devices. `plugin` was returned by init. */
uint64_t percale_null_kernel_runs(const percale_plugin_api* plugin);

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_DEVICES_NULL_NULL_DEVICE_H_ */

/** Functions of the sim device beyond its table, for tests that link it instead of loading it. */
#ifndef PERCALE_TESTS_SIM_SIM_H_
#define PERCALE_TESTS_SIM_SIM_H_

#include "c_api/include/percale_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The plug-in's init function under a name of its own. */
percale_status* percale_sim_plugin_init(const percale_host_api* host, uint32_t host_abi, const char* path,
                                        const percale_plugin_api** out_plugin);

/** Faults and delays. All 0: none. */
typedef struct percale_sim_faults {
  /** The device is lost at the n-th launch, copy or allocation, counted from 1; 0: never. */
  uint64_t lose_at_launch, lose_at_copy, lose_at_allocation;
  /** Additional nanoseconds for each launch and for each copy on a stream. */
  uint64_t launch_ns, copy_ns;
  /** Factor on the time of a launch; values up to 1 have no effect. */
  double slow;
} percale_sim_faults;

/** Calls of a device since it was opened or its faults were set. */
typedef struct percale_sim_counts {
  uint64_t launches, copies_from_host, copies_to_host, allocations;
  /** Bytes of the copies. */
  uint64_t bytes_from_host, bytes_to_host;
  /** Sums across devices, and those that began while a stream of the device had work. */
  uint64_t sums, sums_beside;
} percale_sim_counts;

#define PERCALE_SIM_DEVICES 8
/** Index of the device "sim_partition:i" in the functions below. Its launches are partitions. */
#define PERCALE_SIM_PARTITION(i) (PERCALE_SIM_DEVICES + (i))

/** Set the faults of, and read the counters of, device `index` in all engines (-1: every device),
 * now and whenever it is opened. Setting resets the counters. `plugin` is the result of init. */
void percale_sim_set_faults(const percale_plugin_api* plugin, int32_t index, const percale_sim_faults* faults);
void percale_sim_get_counts(const percale_plugin_api* plugin, int32_t index, percale_sim_counts* out_counts);

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_TESTS_SIM_SIM_H_ */

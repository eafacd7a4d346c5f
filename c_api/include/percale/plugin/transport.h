/**
 * @file percale/plugin/transport.h
 * Transports: how the processes of a cluster reach each other.
 */
#ifndef PERCALE_PLUGIN_TRANSPORT_H_
#define PERCALE_PLUGIN_TRANSPORT_H_

#include "../collective.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_transport Transports
 * A transport connects the processes that train one job together. percale_trainer_join_cluster()
 * uses the first one that a plug-in brings.
 *
 * @code
 * static percale_transport transport;
 * transport.struct_size = sizeof transport;
 * transport.name = "mine";
 * transport.join = join;
 * @endcode
 * @{
 */

/** The place of a process in a group. Borrowed for the call. \since 0.1 */
typedef struct percale_group_place {
  uint32_t struct_size;
  int32_t rank; /**< of this process, from 0; rank 0 leads */
  int32_t size; /**< number of processes */
  /** "host:port" or "unix:path" by rank; "": not known. That of rank 0 is known. */
  const char* const* addresses;
  /** Version and numerics fingerprint of this library: a group whose ranks differ must be
   * refused. */
  const char* build;
  /** Folder of certificates; NULL: none, so that addresses beyond this machine must be refused. */
  const char* certificates;
  /** Nanoseconds until the group must be complete; < 0: no limit. */
  int64_t timeout_ns;
} percale_group_place;

/** A transport. Functions may be called by several threads at once. \since 0.1 */
typedef struct percale_transport {
  uint32_t struct_size;
  /** Name of the transport: "grpc". */
  const char* name;
  /** Passed to the functions below. */
  void* user;
  /** Joins a group, and returns when all of its processes have. Fills `*out_collective`, whose
   * `user` the library gives to `*out_destroy` when it needs the group no more: the process then
   * leaves it. */
  percale_status* (*join)(void* user, const percale_group_place* place, percale_collective* out_collective,
                          percale_destroy* out_destroy);
} percale_transport;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_TRANSPORT_H_ */

/**
 * @file percale/plugin/transport.h
 * Transports: how the processes of a cluster reach each other.
 */
#ifndef PERCALE_PLUGIN_TRANSPORT_H_
#define PERCALE_PLUGIN_TRANSPORT_H_

#include "../collective.h"
#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_transport Transports
 * A transport reaches other processes: it connects those that train one job together, and opens
 * the devices of those that serve them. An engine uses the first one that a plug-in brings.
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

/** A process that serves devices. Borrowed for the call. \since 0.1 */
typedef struct percale_peer {
  uint32_t struct_size;
  const char* address; /**< "host:port" or "unix:path" */
  /** Version and numerics fingerprint of this library: a process that has others must be
   * refused. */
  const char* build;
  /** Folder of certificates; NULL: none, so that addresses beyond this machine must be refused. */
  const char* certificates;
  /** Nanoseconds until the process must have answered; < 0: no limit. */
  int64_t timeout_ns;
} percale_peer;

/** A device that is served to other processes. \since 0.1 */
typedef struct percale_served_device {
  uint32_t struct_size;
  const char* name; /**< the name by which others ask for it: "cpu:0" */
  /** Its table, with `compile` and without `launch`. Its streams are not used: all calls have the
   * stream NULL, and several threads may make them at once. */
  const percale_device_api* api;
  void* device; /**< what `open` would give */
  /** The options that it was opened with. A client that asks for equal bits or for full products of
   * f32 is refused if the device was not opened for them. NULL: no client is. */
  const percale_device_options* options;
  /** Calls `found(to, is_output, bytes)` with the size of each input of an executable, then of each
   * output, in the order of "main". Thread-safe. Before `execute`, the server checks by them that
   * all operands lie in memory of the client; `execute` itself need not. */
  void (*list_operands)(void* executable, void (*found)(void* to, int32_t is_output, uint64_t bytes), void* to);
} percale_served_device;

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
  /** Calls `found(to, name)` with the name of each device that the process serves: "cpu:0". Needed
   * with `open_device`. */
  percale_status* (*list_devices)(void* user, const percale_peer* peer, void (*found)(void* to, const char* name),
                                  void* to);
  /** Opens a device of the process by that name. `*out_api` is the table of the device, which lives
   * as long as the process; its `probe` and `open` are not called. Optional. */
  percale_status* (*open_device)(void* user, const percale_peer* peer, const char* name,
                                 const percale_device_options* options, const percale_device_api** out_api,
                                 void** out_device);
  /** Serves devices at the address of `own`, until `stop_serving`. The array ends with the call,
   * the devices live until `stop_serving` returns. `*out_port` is the port, which the system has
   * chosen if the address has port 0; 0 for a Unix socket. Optional. */
  percale_status* (*serve)(void* user, const percale_peer* own, const percale_served_device* devices, size_t count,
                           void** out_server, int32_t* out_port);
  /** Waits until clients have come and all have gone, as percale_server_wait(). Needed with
   * `serve`. */
  percale_status* (*wait_for_clients)(void* user, void* server, int64_t timeout_ns);
  /** Ends the connections of all clients, frees what they have allocated, and returns when no call
   * of a device is under way. Needed with `serve`. */
  void (*stop_serving)(void* user, void* server);
} percale_transport;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_TRANSPORT_H_ */

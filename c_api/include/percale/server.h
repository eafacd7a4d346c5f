/**
 * @file percale/server.h
 * Servers: the devices of this process, for others.
 */
#ifndef PERCALE_SERVER_H_
#define PERCALE_SERVER_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup server Servers
 * A server lets other processes use the devices of an engine: they name them in the option
 * "devices" of theirs, as "remote:HOST:PORT/cpu:0".
 *
 * @code
 * percale_server* server = NULL;
 * status = percale_server_create(engine, "127.0.0.1:2222", NULL, &server);
 * if (status == NULL) status = percale_server_wait(server, PERCALE_FOREVER);
 * percale_server_release(server);
 * @endcode
 * @{
 */

/** Serves all devices of the engine at "host:port" or "unix:path". Port 0 means any free one.
 * `certificates` is the folder as for percale_cluster_set_certificates(); NULL or "": none, and
 * then only addresses of this machine are allowed. What the clients hold counts towards the
 * engine's memory limit. UNIMPLEMENTED: no plug-in connects processes. UNAVAILABLE: the address is
 * taken. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_server_create(percale_engine* engine, const char* address,
                                                                    const char* certificates,
                                                                    percale_server** out_server);

/** Returns the port at which clients reach the server; 0 for a Unix socket and for NULL.
 * \since 0.1 */
PERCALE_API int32_t percale_server_port(const percale_server* server);

/** Waits until clients have come and all of them have gone. DEADLINE_EXCEEDED: that is not so after
 * `timeout_ns` nanoseconds. UNAVAILABLE: the last one has not closed its devices; its process or
 * the connection was lost. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_server_wait(percale_server* server, int64_t timeout_ns);

/** Ends the connections of all clients, whose devices are lost then, and releases the server. Not
 * while another thread waits. NULL is allowed. \since 0.1 */
PERCALE_API void percale_server_release(percale_server* server);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_SERVER_H_ */

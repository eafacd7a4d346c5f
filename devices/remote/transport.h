/* The transport of percale_remote_grpc.so, which links gRPC. libpercale_remote.so opens it when a
 * function of the transport is first used: an engine without a cluster loads none of it. */
#ifndef PERCALE_DEVICES_REMOTE_TRANSPORT_H_
#define PERCALE_DEVICES_REMOTE_TRANSPORT_H_

#include <percale_plugin.h>

/* The table for one copy of the library, whose functions are `host`. It lives as long as the
 * process. */
extern "C" __attribute__((visibility("default"))) percale_status* percale_remote_transport(
    const percale_host_api* host, const percale_transport** out_transport);

#endif  // PERCALE_DEVICES_REMOTE_TRANSPORT_H_

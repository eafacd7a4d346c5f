/* The function by which libpercale_remote.so joins a group. It lies in a library of its own, which
 * links gRPC and is opened when the first group is joined: an engine without a group loads none of
 * it. */
#ifndef PERCALE_DEVICES_REMOTE_JOIN_H_
#define PERCALE_DEVICES_REMOTE_JOIN_H_

#include <percale_plugin.h>

/* percale_transport::join, with the functions of the library in place of `user`. */
extern "C" __attribute__((visibility("default"))) percale_status* percale_remote_join(
    const percale_host_api* host, const percale_group_place* place, percale_collective* out_collective,
    percale_destroy* out_destroy);

#endif  // PERCALE_DEVICES_REMOTE_JOIN_H_

// A group of processes as the table of a collective.
#ifndef PERCALE_DEVICES_REMOTE_JOIN_H_
#define PERCALE_DEVICES_REMOTE_JOIN_H_

#include <percale_plugin.h>

namespace percale::remote {

// See percale_transport::join. Throws Failure.
void join_group(const percale_host_api& host, const percale_group_place& place, percale_collective* out_collective,
                percale_destroy* out_destroy);

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_JOIN_H_

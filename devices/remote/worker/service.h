// Serves the devices of an engine until a signal ends it.
#ifndef PERCALE_DEVICES_REMOTE_WORKER_SERVICE_H_
#define PERCALE_DEVICES_REMOTE_WORKER_SERVICE_H_

#include "devices/remote/worker/arguments.h"

namespace percale::worker {

// Returns the exit code. Throws UsageError for wrong options, std::exception for other errors.
int serve(const Arguments& arguments);

}  // namespace percale::worker

#endif  // PERCALE_DEVICES_REMOTE_WORKER_SERVICE_H_

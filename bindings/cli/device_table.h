// Prints the work of the devices in a training, for people and for programs.
#ifndef PERCALE_BINDINGS_CLI_DEVICE_TABLE_H_
#define PERCALE_BINDINGS_CLI_DEVICE_TABLE_H_

#include <string>

#include "json.h"

namespace percale_cli {

// Prints a line per device and one for all to stderr. `run` is the member "run" of
// percale_trainer_describe(). Prints nothing if no shard was computed.
void print_devices(const Json& run);
// Returns the JSON of `run` without the devices.
std::string run_json(const Json& run);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_DEVICE_TABLE_H_

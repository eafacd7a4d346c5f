// What the devices of a training did: for people, and for programs.
#ifndef PERCALE_BINDINGS_CLI_DEVICE_TABLE_H_
#define PERCALE_BINDINGS_CLI_DEVICE_TABLE_H_

#include <string>

#include "json.h"

namespace percale_cli {

// Of "run" in percale_trainer_describe(): a line per device and one for all, on stderr; nothing when no shard was computed.
void print_devices(const Json& run);
// All of it but the devices.
std::string run_json(const Json& run);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_DEVICE_TABLE_H_

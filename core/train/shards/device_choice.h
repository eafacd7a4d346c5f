// Finds the devices of an engine that a SPEC or an option names.
#ifndef PERCALE_CORE_TRAIN_SHARDS_DEVICE_CHOICE_H_
#define PERCALE_CORE_TRAIN_SHARDS_DEVICE_CHOICE_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/engine/engine.h"

namespace percale {

// Returns names of devices of the engine; empty: all of them. `list`: "cpu:0,sim:1"; "cpu=2" or
// "cpu=2x1", the first two of a kind; "/job:worker" or "/job:worker/task:0", those of these tasks;
// "all" or "", all that compute: not the home of variables, and not parameter servers.
// FAILED_PRECONDITION names what the engine lacks, and what it has.
Result<std::vector<std::string>> choose_devices(const Engine& engine, std::string_view list);

// True for a device of a task whose job is "ps".
bool is_parameter_server(const Device& device);

// Returns the kind of device whose kernels it runs. Devices of equal kinds give equal bits.
std::string_view kernel_kind(const Device& device);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_DEVICE_CHOICE_H_

// Which devices of an engine compute shards, as a SPEC or an option names them.
#ifndef PERCALE_CORE_TRAIN_SHARDS_DEVICE_CHOICE_H_
#define PERCALE_CORE_TRAIN_SHARDS_DEVICE_CHOICE_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/engine/engine.h"

namespace percale {

// Names of devices of the engine; empty: all of them. `list`: "cpu:0,sim:1"; "cpu=2" or "cpu=2x1", the first two of a kind; "all" or
// "", all. FAILED_PRECONDITION names what the engine lacks, and what it has.
Result<std::vector<std::string>> choose_devices(const Engine& engine, std::string_view list);

// The kind of device whose kernels it runs: equal ones give equal bits.
std::string_view kernel_kind(const Device& device);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_DEVICE_CHOICE_H_

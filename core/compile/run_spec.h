// The description of a run: the function, its feeds, fetches and targets.
#ifndef PERCALE_CORE_COMPILE_RUN_SPEC_H_
#define PERCALE_CORE_COMPILE_RUN_SPEC_H_

#include <string>
#include <utility>
#include <vector>

#include "core/compile/run_binding.h"
#include "core/graph/graph.h"

namespace percale {

// Feeds and fetches name values of the function, targets name nodes that must run.
struct RunSpec {
  std::string function = std::string(kMainFunction);
  std::vector<std::string> feeds = {}, fetches = {}, targets = {};
  // Inputs of the function that are replaced by reading a variable: (input, variable).
  std::vector<std::pair<std::string, std::string>> reads = {};
  // Says how runs see variables, and which feeds and fetches stay on devices.
  RunBinding binding = {};
  // Indices of devices of the engine. The first runs everything it can, except for nodes that ask
  // for another device by its place in this list (core/graph/device_hint.h). Empty: placement
  // chooses.
  std::vector<int32_t> group = {};
  // Per feed, or empty: the index of the device that has the value already; -1: the host has it.
  std::vector<int32_t> feed_homes = {};

  int32_t feed_home(size_t feed) const { return feed < feed_homes.size() ? feed_homes[feed] : -1; }
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_RUN_SPEC_H_

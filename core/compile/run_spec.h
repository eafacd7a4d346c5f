// The description of a run: the function, its feeds, fetches and targets.
#ifndef PERCALE_CORE_COMPILE_RUN_SPEC_H_
#define PERCALE_CORE_COMPILE_RUN_SPEC_H_

#include <string>
#include <utility>
#include <vector>

#include "core/engine/device_store.h"
#include "core/graph/graph.h"

namespace percale {

// What to run: any values of a function may be fed and fetched, by name; targets are names of nodes.
struct RunSpec {
  std::string function = std::string(kMainFunction);
  std::vector<std::string> feeds = {}, fetches = {}, targets = {};
  // Inputs of the function in whose place variables are read: (input, variable).
  std::vector<std::pair<std::string, std::string>> reads = {};
  // The caller alone uses the variables that it passes in RunOptions::state, and assignments write into them.
  bool exclusive_state = false;
  // The variables are others in nearly every run: nothing is precomputed from them. So it is where they are exclusive.
  bool changing_state = false;
  bool prepares_slices = false;  // but for slices of variables: several runs see each version
  // Indices of devices of the engine: the first runs all that it can, but for nodes that ask for another one by its place
  // (core/graph/device_hint.h). Empty: placement chooses.
  std::vector<int32_t> group = {};
  // Per fetch, or empty: the key under which the device that computes it keeps it for later runs. A
  // variable: its next value, with the version of RunOptions::next_versions. The device may need
  // memory for both values. A resident value: with RunOptions::next_resident_version.
  std::vector<StoreKey> resident_fetches = {};
  // Per feed, or empty: the resident value that it is. The tensor of such a feed may be undefined if
  // its device has the value.
  std::vector<StoreKey> resident_feeds = {};
  bool keep_on_device = false;  // fetches that a device keeps are not copied to the host: their outputs stay undefined
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_RUN_SPEC_H_

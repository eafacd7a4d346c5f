// The description of a run: the function, its feeds, fetches and targets.
#ifndef PERCALE_CORE_COMPILE_RUN_SPEC_H_
#define PERCALE_CORE_COMPILE_RUN_SPEC_H_

#include <string>
#include <utility>
#include <vector>

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
  // Per fetch, or empty: the variable, by its place in the graph, whose next value it is; -1: none. A device with memory of its own that
  // computes it keeps it, for runs that see RunOptions::next_versions as theirs. It may need room for both values. From
  // DeviceVariables::kFirstGiven on: a value of the caller's own, which the device keeps as RunOptions::given_version.
  std::vector<int32_t> next_of = {};
  // Per feed, or empty: the value of the caller's own that it is; -1: none. What is fed need not be defined where its device has it.
  std::vector<int32_t> given_of = {};
  bool only_next = false;  // fetches that a device keeps are not handed out: their outputs stay undefined
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_RUN_SPEC_H_

// Makes the RunSpecs and RunOptions of training. No other file of core/train fills them.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_TRAIN_RUNS_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_TRAIN_RUNS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/session.h"
#include "core/train/parallel/replica_devices.h"
#include "core/train/rewrite/minimize.h"

namespace percale {

// Values of variables in the order of the graph's, and what tells their contents apart. Borrowed.
struct StateView {
  const std::vector<Tensor>* values = nullptr;
  int64_t version = -1;                            // of all values; -1: none
  const std::vector<int64_t>* versions = nullptr;  // per variable; null: none
};

// The forward pass of the model on state that many batches share.
RunSpec evaluation_spec(const TrainGraph& graph, std::vector<std::string> outputs, DeviceGroup group);
// A shard that hands out `outputs` to the host.
RunSpec shard_spec(const TrainGraph& graph, std::string_view function, std::vector<std::string> outputs,
                   DeviceGroup group);
// The commit, which assigns variables in the memory of the working set.
RunSpec commit_spec(const TrainGraph& graph, DeviceGroup group);
// A commit on parts of variables that assigns in the host's memory: the nodes `targets`.
RunSpec parts_spec(std::vector<std::string> inputs, std::vector<std::string> targets, DeviceGroup group);

// A run whose outputs are next values of variables, which stay on the device that computes them.
struct ResidentOutputs {
  std::vector<std::string> names;
  // Per name the variable that it becomes, by its place in the graph; or a number that
  // Session::new_given() or DeviceVariables::kFirstGiven gives; -1: handed out to the host.
  std::vector<int32_t> variables;
  bool also_on_host = false;  // the host gets them, too
};
// The values that the commit assigns, as far as its nodes compute them.
ResidentOutputs next_value_outputs(const Graph& graph);
RunSpec resident_spec(std::string_view function, std::vector<std::string> inputs, ResidentOutputs outputs,
                      DeviceGroup group);
// The same for a commit on inputs that lie on the device; `resident_inputs` as in
// RunSpec::given_of.
RunSpec resident_commit_spec(std::vector<std::string> inputs, std::vector<int32_t> resident_inputs,
                             ResidentOutputs outputs, DeviceGroup group);

// What a shard's run depends on besides its inputs and the state.
struct ShardPlace {
  int64_t seed = 0, step = 0, first_row = 0;  // of random operations
  int64_t shard = 0;
  ShardMeeting* barrier = nullptr;  // shared with the other shards of the batch; null: none
};
RunOptions shard_options(const StateView& state, const ShardPlace& place, const CancelToken* cancel, Trace* trace);
RunOptions evaluation_options(const StateView& state, int64_t seed, int64_t step, const CancelToken* cancel,
                              Trace* trace);
// `alone`: no shard computes meanwhile.
RunOptions commit_options(const StateView& state, bool alone, Trace* trace);

// The versions of values that stay on devices.
struct ResidentVersions {
  const std::vector<int64_t>* next = nullptr;  // of the variables that the run computes
  // Of resident values that are no variables: those that the run reads, and those that it makes.
  int64_t own_read = -1, own_made = -1;
};
RunOptions with_resident(RunOptions options, const ResidentVersions& versions);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_TRAIN_RUNS_H_

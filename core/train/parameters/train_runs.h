// Makes the RunSpecs and RunOptions of training. No other file of core/train fills them.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_TRAIN_RUNS_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_TRAIN_RUNS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/session.h"
#include "core/train/parallel/replica_devices.h"
#include "core/train/rewrite/train_graph.h"

namespace percale {

// The forward pass of the model on variables that many batches share.
RunSpec evaluation_spec(const TrainGraph& graph, std::vector<std::string> outputs, DeviceGroup group);
// A shard that hands out `outputs` to the host.
RunSpec shard_spec(const TrainGraph& graph, std::string_view function, std::vector<std::string> outputs,
                   DeviceGroup group);
// The commit, which assigns variables in the memory of the working set.
RunSpec commit_spec(const TrainGraph& graph, DeviceGroup group);
// A commit on parts of variables that assigns in the host's memory: the nodes `targets`.
RunSpec parts_spec(std::vector<std::string> inputs, std::vector<std::string> targets, DeviceGroup group);

// A function of a commit on parts of variables that assigns nothing and gives `outputs`, such as
// the values that the commit would assign.
RunSpec next_values_spec(std::string_view function, std::vector<std::string> inputs, std::vector<std::string> outputs,
                         DeviceGroup group);

// Outputs that stay on the device that computes them.
struct ResidentOutputs {
  std::vector<std::string> names;
  std::vector<StoreKey> keys;  // per name; undefined: handed out to the host
  bool also_on_host = false;   // the host gets all of them, but for those in place
  // Per name, or empty. True: the present value is changed in place.
  std::vector<bool> in_place = {};
};
// The values that the commit assigns, as far as its nodes compute them.
ResidentOutputs next_value_outputs(const Graph& graph);
RunSpec resident_spec(std::string_view function, std::vector<std::string> inputs, ResidentOutputs outputs,
                      DeviceGroup group);
// The commit on inputs that lie on the device: those whose key is defined.
RunSpec resident_commit_spec(std::vector<std::string> inputs, std::vector<StoreKey> resident_inputs,
                             ResidentOutputs outputs, DeviceGroup group);

// The place of a shard in its step.
struct ShardPlace {
  int64_t seed = 0, step = 0, first_row = 0;  // of random operations
  int64_t shard = 0;
  ShardBarrier* barrier = nullptr;  // shared with the other shards of the batch; null: none
  FetchWatcher* watcher = nullptr;  // null: none
};
RunOptions shard_options(const RunValues& values, const ShardPlace& place, const CancelToken* cancel, Trace* trace);
RunOptions evaluation_options(const RunValues& values, int64_t seed, int64_t step, const CancelToken* cancel,
                              Trace* trace);
// `alone`: no shard computes meanwhile.
RunOptions commit_options(const RunValues& values, bool alone, Trace* trace);
// The same values; the run computes these versions of variables, which stay on the device.
RunValues with_next(const RunValues& values, const std::vector<int64_t>& next);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_TRAIN_RUNS_H_

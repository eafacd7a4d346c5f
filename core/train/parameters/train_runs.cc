#include "core/train/parameters/train_runs.h"

#include <utility>

namespace percale {

RunSpec evaluation_spec(const TrainGraph& graph, std::vector<std::string> outputs, DeviceGroup group) {
  RunSpec spec;
  spec.feeds = graph.inputs;
  spec.fetches = std::move(outputs);
  spec.prepares_slices = !graph.split.empty();
  spec.group = std::move(group);
  return spec;
}

RunSpec shard_spec(const TrainGraph& graph, std::string_view function, std::vector<std::string> outputs,
                   DeviceGroup group) {
  RunSpec spec = evaluation_spec(graph, std::move(outputs), std::move(group));
  spec.function = function;
  spec.feeds = graph.shard_inputs();
  spec.changing_state = true;
  return spec;
}

RunSpec commit_spec(const TrainGraph& graph, DeviceGroup group) {
  RunSpec spec;
  spec.function = kCommitFunction;
  spec.feeds = graph.commit_inputs;
  spec.targets = graph.commit_targets;
  spec.exclusive_state = true;
  spec.group = std::move(group);
  return spec;
}

RunSpec parts_spec(std::vector<std::string> inputs, std::vector<std::string> targets, DeviceGroup group) {
  RunSpec spec;
  spec.function = kCommitFunction;
  spec.feeds = std::move(inputs);
  spec.targets = std::move(targets);
  spec.exclusive_state = true;
  spec.changing_state = true;
  spec.group = std::move(group);
  return spec;
}

ResidentOutputs next_value_outputs(const Graph& graph) {
  ResidentOutputs out;
  for (const NextValue& next : next_values(graph)) {
    if (!next.computed) continue;
    out.names.push_back(graph.find_function(kCommitFunction)->value(next.value).name);
    out.variables.push_back(next.variable);
  }
  return out;
}

RunSpec resident_spec(std::string_view function, std::vector<std::string> inputs, ResidentOutputs outputs,
                      DeviceGroup group) {
  RunSpec spec;
  spec.function = function;
  spec.feeds = std::move(inputs);
  spec.fetches = std::move(outputs.names);
  spec.changing_state = true;
  spec.group = std::move(group);
  spec.next_of = std::move(outputs.variables);
  spec.only_next = !outputs.also_on_host;
  return spec;
}

RunSpec resident_commit_spec(std::vector<std::string> inputs, std::vector<int32_t> resident_inputs,
                             ResidentOutputs outputs, DeviceGroup group) {
  RunSpec spec = resident_spec(kCommitFunction, std::move(inputs), std::move(outputs), std::move(group));
  spec.given_of = std::move(resident_inputs);
  return spec;
}

RunOptions evaluation_options(const StateView& state, int64_t seed, int64_t step, const CancelToken* cancel,
                              Trace* trace) {
  RunOptions options;
  options.cancel = cancel;
  options.trace = trace;
  options.seed = seed;
  options.step = step;
  options.state = state.values;
  options.state_version = state.version;
  options.state_versions = state.versions;
  return options;
}

RunOptions shard_options(const StateView& state, const ShardPlace& place, const CancelToken* cancel, Trace* trace) {
  RunOptions options = evaluation_options(state, place.seed, place.step, cancel, trace);
  options.first_row = place.first_row;
  options.meeting = place.barrier;
  options.shard = place.shard;
  return options;
}

RunOptions commit_options(const StateView& state, bool alone, Trace* trace) {
  RunOptions options;
  options.trace = trace;
  options.state = state.values;
  options.state_version = state.version;
  options.state_versions = state.versions;
  options.alone = alone;
  return options;
}

RunOptions with_resident(RunOptions options, const ResidentVersions& versions) {
  options.next_versions = versions.next;
  options.given_version = versions.own_read;
  options.next_given_version = versions.own_made;
  return options;
}

}  // namespace percale

#include "core/train/parameters/train_runs.h"

#include <utility>

#include "core/train/parameters/whole_step.h"

namespace percale {

RunSpec evaluation_spec(const TrainGraph& graph, std::vector<std::string> outputs, DeviceGroup group) {
  RunSpec spec;
  spec.feeds = graph.inputs;
  spec.fetches = std::move(outputs);
  spec.binding = RunBinding::shared();
  spec.group = std::move(group);
  return spec;
}

RunSpec shard_spec(const TrainGraph& graph, std::string_view function, std::vector<std::string> outputs,
                   DeviceGroup group) {
  RunSpec spec;
  spec.function = function;
  spec.feeds = graph.shard_inputs();
  spec.fetches = std::move(outputs);
  spec.binding = graph.split.empty() ? RunBinding::changing() : RunBinding::changing_with_slices();
  spec.group = std::move(group);
  return spec;
}

RunSpec commit_spec(const TrainGraph& graph, DeviceGroup group) {
  return parts_spec(graph.commit_inputs, graph.commit_targets, std::move(group));
}

RunSpec parts_spec(std::vector<std::string> inputs, std::vector<std::string> targets, DeviceGroup group) {
  RunSpec spec;
  spec.function = kCommitFunction;
  spec.feeds = std::move(inputs);
  spec.targets = std::move(targets);
  spec.binding = RunBinding::exclusive();
  spec.group = std::move(group);
  return spec;
}

RunSpec next_values_spec(std::string_view function, std::vector<std::string> inputs, std::vector<std::string> outputs,
                         DeviceGroup group) {
  RunSpec spec;
  spec.function = function;
  spec.feeds = std::move(inputs);
  spec.fetches = std::move(outputs);
  spec.binding = RunBinding::changing();
  spec.group = std::move(group);
  return spec;
}

ResidentOutputs next_value_outputs(const Graph& graph) {
  ResidentOutputs out;
  for (const NextValue& next : next_values(graph)) {
    if (!next.computed) continue;
    out.names.push_back(graph.find_function(kCommitFunction)->value(next.value).name);
    out.keys.push_back(StoreKey::variable(next.variable));
  }
  return out;
}

RunSpec resident_spec(std::string_view function, std::vector<std::string> inputs, ResidentOutputs outputs,
                      DeviceGroup group) {
  RunSpec spec;
  spec.function = function;
  spec.feeds = std::move(inputs);
  spec.fetches = std::move(outputs.names);
  spec.binding = RunBinding::changing({.fetches = std::move(outputs.keys),
                                       .keep_on_device = !outputs.also_on_host,
                                       .in_place = std::move(outputs.in_place)});
  spec.group = std::move(group);
  return spec;
}

RunSpec resident_commit_spec(std::vector<std::string> inputs, std::vector<StoreKey> resident_inputs,
                             ResidentOutputs outputs, DeviceGroup group) {
  RunSpec spec;
  spec.function = kCommitFunction;
  spec.feeds = std::move(inputs);
  spec.fetches = std::move(outputs.names);
  spec.binding = RunBinding::changing({.feeds = std::move(resident_inputs),
                                       .fetches = std::move(outputs.keys),
                                       .keep_on_device = !outputs.also_on_host});
  spec.group = std::move(group);
  return spec;
}

RunOptions evaluation_options(const RunValues& values, int64_t seed, int64_t step, const CancelToken* cancel,
                              Trace* trace) {
  RunOptions options;
  options.cancel = cancel;
  options.trace = trace;
  options.seed = seed;
  options.step = step;
  options.values = values;
  return options;
}

RunOptions shard_options(const RunValues& values, const ShardPlace& place, const CancelToken* cancel, Trace* trace) {
  RunOptions options = evaluation_options(values, place.seed, place.step, cancel, trace);
  options.first_row = place.first_row;
  options.barrier = place.barrier;
  options.shard = place.shard;
  options.watcher = place.watcher;
  return options;
}

RunOptions commit_options(const RunValues& values, bool alone, Trace* trace) {
  RunOptions options;
  options.trace = trace;
  options.values = values;
  options.alone = alone;
  return options;
}

RunValues with_next(const RunValues& values, const std::vector<int64_t>& next) {
  ValueVersions versions = values.versions();
  versions.next = &next;
  return RunValues::of_caller(*values.variables(), versions);
}

}  // namespace percale

#include "core/train/trainer_parts.h"

#include <utility>

#include "core/train/group/segments.h"
#include "core/train/parameters/group/group_store.h"
#include "core/train/parameters/mirrored_store.h"
#include "core/train/parameters/partitioned_store.h"

namespace percale {
namespace {

using Where = ParameterSpec::Where;

// Precondition: the job has a group.
SegmentRules segment_rules(const TrainJob& job) {
  return {job.graph.by_rows, job.options.optimizer, job.group->size(), job.options.collective_bucket};
}

Result<std::unique_ptr<ParameterStore>> make_store(const TrainJob& job, const ReplicaDevices& devices,
                                                   WorkingSet& working, std::optional<ResidentPlan> resident) {
  const Where where = job.options.parameters.where;
  if (job.group != nullptr) {
    const SegmentCommit::Source source{job.engine, job.memory, &job.graph, job.options.optimizer, devices.host_group()};
    return GroupStore::create(source, segment_rules(job), *job.group, working);
  }
  auto host = std::make_unique<HostStore>(job.session, working, job.graph.layout, !job.mode.streams());
  if (resident) {
    return std::unique_ptr<ParameterStore>(
        std::make_unique<ResidentStore>(*std::move(resident), job.session, job.graph, std::move(host), working));
  }
  if (where == Where::kMirrored) {
    if (job.options.parallel.group_size() > 1) {
      return unimplemented(
          "'parameters': mirrored with stages or splits, of which each device computes a part of the model");
    }
    return std::unique_ptr<ParameterStore>(
        std::make_unique<MirroredStore>(job.session, job.graph, devices, std::move(host), working));
  }
  if (where != Where::kPs) return std::unique_ptr<ParameterStore>(std::move(host));
  PartitionedStore::Source source{
      job.engine,          job.memory,          &job.graph, job.options.optimizer, job.options.parameters,
      job.options.devices, devices.host_group()};
  return PartitionedStore::create(std::move(source), std::move(host), working);
}

std::optional<SumExchange> make_exchange(const TrainJob& job) {
  if (job.group == nullptr) return std::nullopt;
  const SegmentRules rules = segment_rules(job);
  const std::vector<Variable>& parameters = job.graph.parameters;
  return SumExchange(*job.group, job.graph.layout, gradient_parts(parameters, rules),
                     table_segments(cut_segments(parameters, rules), rules.by_rows), job.options.has_parts(),
                     job.memory);
}

}  // namespace

Result<TrainedParameters> TrainedParameters::create(const TrainJob& job, const ReplicaDevices& devices,
                                                    std::shared_ptr<Variables> table,
                                                    std::optional<ResidentPlan> resident) {
  TrainedParameters out;
  PERCALE_ASSIGN_OR_RETURN(const auto first, first_values(*job.graph.graph, *table));
  PERCALE_ASSIGN_OR_RETURN(out.working,
                           WorkingSet::create(job.graph, first, job.options.optimizer.ema > 0, job.memory));
  PERCALE_ASSIGN_OR_RETURN(out.store, make_store(job, devices, *out.working, std::move(resident)));
  out.publisher =
      std::make_unique<Publisher>(std::move(table), *job.graph.graph, *out.working, *out.store, job.engine->memory());
  return out;
}

StepParts::StepParts(const TrainJob& job, const TrainedParameters& parameters, ReplicaDevices& devices,
                     int64_t shard_count)
    : planner(job.session, job.graph, devices, *parameters.store, job.memory,
              {job.options.recompute, job.options.parallel.device_memory}),
      shards(job.engine, job.memory, job.graph, devices, *parameters.store, facts,
             {shard_count, job.options.accumulation, job.mode, job.options.mode, job.group.get(),
              job.options.has_parts()}),
      computer(job.session, job.memory, job.graph, devices, *parameters.store, facts, job.options.seed),
      loss(job.engine->log(), job.options.terminate_on_nan),
      exchange(make_exchange(job)),
      runner(job.engine, job.memory, job.graph, *parameters.working, *parameters.store, planner, shards, computer,
             facts, loss, exchange ? &*exchange : nullptr) {}

EpochParts::EpochParts(const TrainJob& job, const TrainedParameters& parameters, StepParts& steps)
    : totals(job.model.objective, *job.graph.graph->find_function(kComputeFunction), job.engine->options().numerics),
      log(totals.metric_names(), totals.count()),
      rate(job.options.schedule, job.options.optimizer.learning_rate, job.engine->options().numerics),
      early(job.options.early_stopping, BestWeights(*parameters.working, job.graph.graph->variables)),
      score(job.options.keep_monitor),
      evaluator(job.session, job.memory, job.graph, totals, *parameters.working, *parameters.store, steps.planner,
                steps.facts, job.options.seed, job.group.get(), job.options.has_parts()),
      closer(log, evaluator, totals, *parameters.store, {&rate, &early, &score}),
      fed({job.engine, log, rate, *parameters.publisher, *parameters.store, steps.runner, steps.shards, steps.facts,
           job.options.publishing, !job.graph.shard_fraction.empty()}) {
  log.count_in(&job.engine->users().training_steps());
}

Result<Collaborators> Collaborators::create(const TrainJob& job, ReplicaDevices& devices,
                                            std::shared_ptr<Variables> table, std::optional<ResidentPlan> resident,
                                            int64_t shards) {
  Collaborators out;
  PERCALE_ASSIGN_OR_RETURN(out.parameters,
                           TrainedParameters::create(job, devices, std::move(table), std::move(resident)));
  out.steps = std::make_unique<StepParts>(job, out.parameters, devices, shards);
  out.epochs = std::make_unique<EpochParts>(job, out.parameters, *out.steps);
  return out;
}

}  // namespace percale

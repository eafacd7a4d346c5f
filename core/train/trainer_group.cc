// A trainer as a member of a group of ranks.
#include "core/state/variables.h"
#include "core/train/trainer.h"

namespace percale {
namespace {

// FAILED_PRECONDITION names the option of a job that a group cannot train.
Status check_for_group(const TrainJob& job) {
  const auto refuse = [](std::string_view option, std::string_view found, std::string_view wanted) {
    return failed_precondition("join: '", option, "' is ", found, ", wanted ", wanted, " in a group");
  };
  const TrainerOptions& o = job.options;
  if (job.mode.kind != TrainMode::Kind::kSync) return refuse("mode", o.mode, "sync");
  if (o.parameters.where != ParameterSpec::Where::kHost) {
    return refuse("parameters", parameters_name(o.parameters.where), "host");
  }
  return {};
}

int64_t timeout_ns(const TrainerOptions& options) {
  return options.collective_timeout == 0 ? -1 : static_cast<int64_t>(options.collective_timeout * 1e9);
}

}  // namespace

std::vector<GroupFact> Trainer::group_facts(const Group& group) {
  std::vector<GroupFact> out = {{"the generation", str_cat(group.generation())}, {"the fingerprint", fingerprint()}};
  for (auto& part : identity_.job(job_.model, job_.options, shards())) out.push_back(std::move(part));
  out.emplace_back("collective_bucket", str_cat(job_.options.collective_bucket));
  out.emplace_back("collective_data", job_.options.collective_data);
  out.emplace_back("the step", str_cat(steps()));
  out.emplace_back("the variables", digest_of(job_.graph.graph->variables, parameters_.working->values()));
  return out;
}

// The state goes over to new collaborators. Nothing has changed when it fails.
Status Trainer::join(std::shared_ptr<Collective> collective) {
  PERCALE_RETURN_IF_ERROR(check_not_streaming("join"));
  PERCALE_RETURN_IF_ERROR(epochs_->fed.check_complete("join"));
  PERCALE_RETURN_IF_ERROR(check_for_group(job_));
  if (job_.group != nullptr) return failed_precondition("join: the trainer is in a group already");
  PERCALE_RETURN_IF_ERROR(parameters_.publisher->take_up_table());
  PERCALE_ASSIGN_OR_RETURN(std::shared_ptr<Group> group, Group::create(std::move(collective), timeout_ns(job_.options),
                                                                       job_.options.collective_redundancy));
  PERCALE_RETURN_IF_ERROR(group->agree(group_facts(*group)));
  PERCALE_ASSIGN_OR_RETURN(const auto candidates, devices_->candidates());
  PERCALE_RETURN_IF_ERROR(group->count_devices(static_cast<int64_t>(candidates.size())));
  PERCALE_ASSIGN_OR_RETURN(const Checkpoint state, collected_state());
  job_.group = std::move(group);
  const Status status = move_to_group(state);
  if (!status.ok()) job_.group = nullptr;
  return status;
}

// Precondition: the job has its group.
Status Trainer::move_to_group(const Checkpoint& state) {
  PERCALE_ASSIGN_OR_RETURN(Collaborators other,
                           Collaborators::create(job_, *devices_, variables(), std::nullopt, shards()));
  other.steps->facts.set_trace(steps_->facts.trace());
  other.epochs->log.set_metric_names(other.epochs->totals.metric_names(), data_.validation != nullptr);
  swap(other);
  const Status status = take_up_state(state, "join");
  if (!status.ok()) swap(other);
  return status;
}

void Trainer::swap(Collaborators& other) noexcept {
  std::swap(parameters_, other.parameters);
  steps_.swap(other.steps);
  epochs_.swap(other.epochs);
}

Status Trainer::agree_on_fit(const Dataset* data, int64_t epochs, const Status& own) {
  if (job_.group == nullptr) return own;
  std::vector<GroupFact> facts = parts_of(data);
  facts.emplace_back("epochs", str_cat(epochs));
  facts.emplace_back("the step", str_cat(steps()));
  return parameters_.store->pass([&] { return job_.group->agree(facts, own); }).status();
}

}  // namespace percale

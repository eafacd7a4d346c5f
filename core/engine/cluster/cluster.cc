#include "core/engine/cluster/cluster.h"

#include <algorithm>

#include "core/engine/cluster/parse_int.h"

namespace percale {
namespace {

Status check_address(std::string_view address) {
  const size_t colon = address.rfind(':');
  const int64_t port = colon == std::string_view::npos ? 0 : parse_int(address.substr(colon + 1)).value_or(0);
  const bool blank =
      std::any_of(address.begin(), address.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  const bool is_socket = address.starts_with("unix:") && address.size() > 5;
  if (blank || (!is_socket && (colon == 0 || port < 1 || port > 65535))) {
    return invalid_argument("'", address, "' is no address, wanted host:port or unix:PATH");
  }
  return {};
}

// The jobs whose tasks train, in the order of ranks.
constexpr std::string_view kTrainingJobs[] = {"chief", "master", "worker"};

}  // namespace

Status Cluster::add_task(std::string_view job, int64_t task, std::string_view address) {
  if (job.empty()) return invalid_argument("a job needs a name");
  if (task < 0 || task >= kMaxTasks)
    return out_of_range("task ", task, " of job '", job, "', wanted 0 to ", kMaxTasks - 1);
  if (!address.empty()) PERCALE_RETURN_IF_ERROR(check_address(address));
  auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& j) { return j.name == job; });
  if (found == jobs_.end()) {
    if (jobs_.size() == kMaxJobs) return resource_exhausted("a cluster has at most ", uint64_t{kMaxJobs}, " jobs");
    found = jobs_.insert(found, Job{std::string(job), {}});
  }
  if (!found->tasks.emplace(task, address).second) {
    return Status(Code::kAlreadyExists, str_cat("task ", task, " of job '", job, "' is there"));
  }
  return {};
}

Status Cluster::set_role(std::string_view job, int64_t task) {
  if (job.empty()) return invalid_argument("a role needs the name of a job");
  if (task < 0 || task >= kMaxTasks)
    return out_of_range("task ", task, " of job '", job, "', wanted 0 to ", kMaxTasks - 1);
  own_job_ = job;
  own_task_ = task;
  return {};
}

const Cluster::Job* Cluster::find_job(std::string_view name) const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& j) { return j.name == name; });
  return found == jobs_.end() ? nullptr : &*found;
}

std::vector<Cluster::TrainingTask> Cluster::training_tasks() const {
  std::vector<TrainingTask> out;
  for (const std::string_view name : kTrainingJobs) {
    const Job* job = find_job(name);
    if (job == nullptr) continue;
    for (const auto& [task, address] : job->tasks) out.push_back({&job->name, task, &address});
  }
  return out;
}

int64_t Cluster::size() const { return static_cast<int64_t>(training_tasks().size()); }

int64_t Cluster::rank() const {
  const std::vector<TrainingTask> tasks = training_tasks();
  const auto own = std::find_if(tasks.begin(), tasks.end(), [&](const TrainingTask& task) {
    return *task.job == own_job_ && task.task == own_task_;
  });
  return own == tasks.end() ? -1 : own - tasks.begin();
}

const std::string& Cluster::address_of_rank(int64_t rank) const {
  return *training_tasks()[static_cast<size_t>(rank)].address;
}

}  // namespace percale

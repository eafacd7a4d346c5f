/// The description of a cluster.
#ifndef PERCALE_CPP_CLUSTER_HPP_
#define PERCALE_CPP_CLUSTER_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "percale/result.hpp"

namespace percale {

/// Describes a cluster: its jobs, tasks and addresses, and the role of this process.
/// Thread-compatible.
class Cluster : public Handle<percale_cluster, percale_cluster_release> {
 public:
  using Handle::Handle;
  /// Creates an empty cluster.
  static Result<Cluster> create() { return made(percale_cluster_create); }
  /// Creates a cluster from the JSON of TF_CONFIG.
  static Result<Cluster> from_json(std::string_view json) {
    return made([&](percale_cluster** out) { return percale_cluster_from_json(json.data(), json.size(), out); });
  }
  /// Creates a cluster from the variables that a launcher has set: TF_CONFIG, or those of torchrun,
  /// Kubeflow, ps-lite, MPI, Slurm or Kubernetes, in this order. NOT_FOUND if none is set.
  static Result<Cluster> from_environment() { return made(percale_cluster_from_environment); }

  /// Adds a task of a job, counted from 0, with its address, "host:port" or
  /// "unix:path".
  Status add_task(Text job, int64_t task, Text address) {
    return Status(percale_cluster_add_task(get(), job.c_str(), task, address.c_str()));
  }
  /// Sets the job and task of this process.
  Status set_role(Text job, int64_t task) { return Status(percale_cluster_set_role(get(), job.c_str(), task)); }
  /// The names of the jobs, in the order in which they were added.
  std::vector<std::string> jobs() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < percale_cluster_job_count(get()); ++i) {
      out.emplace_back(detail::view(percale_cluster_get_job(get(), i)));
    }
    return out;
  }
  /// The highest task number of a job plus one; 0 for an unknown job.
  int64_t task_count(Text job) const { return percale_cluster_task_count(get(), job.c_str()); }
  /// Returns the address as it was added. It is "" if the source does not give it, and empty if
  /// there is no such task.
  std::optional<std::string> address(Text job, int64_t task) const {
    const char* out = percale_cluster_get_address(get(), job.c_str(), task);
    return out == nullptr ? std::nullopt : std::optional<std::string>(out);
  }
  /// Returns the job and task of this process. The job is "" if no role is set.
  std::pair<std::string, int64_t> role() const {
    int64_t task = 0;
    std::string job(detail::view(percale_cluster_get_role(get(), &task)));
    return {std::move(job), task};
  }
  /// Returns the number of this process among those that train together: the chief, then the
  /// workers in order. -1 for a process that does not train, such as "ps" or "evaluator".
  int64_t rank() const { return percale_cluster_get_rank(get(), nullptr); }
  /// Returns the number of processes that train together.
  int64_t size() const {
    int64_t out = 0;
    percale_cluster_get_rank(get(), &out);
    return out;
  }
  /// Sets the folder of certificates by which the processes recognise each other: ca.pem, node.pem
  /// and node.key, as `percale-worker --make-certificates` makes them. "" means none: then only
  /// processes of one machine may form a group.
  Status set_certificates(Text folder) { return Status(percale_cluster_set_certificates(get(), folder.c_str())); }

 private:
  template <class Function>
  static Result<Cluster> made(Function&& function) {
    return detail::made<Cluster, percale_cluster>(function);
  }
};

}  // namespace percale

#endif  // PERCALE_CPP_CLUSTER_HPP_

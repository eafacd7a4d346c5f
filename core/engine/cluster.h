// The jobs and tasks of a cluster, and the task that this process runs.
#ifndef PERCALE_CORE_ENGINE_CLUSTER_H_
#define PERCALE_CORE_ENGINE_CLUSTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace percale {

inline constexpr int64_t kMaxTasks = 65536;  // of a job
inline constexpr size_t kMaxJobs = 1024;

// A plain value. Thread-compatible.
class Cluster {
 public:
  struct Job {
    std::string name;
    std::map<int64_t, std::string> tasks;  // "host:port" by number; empty: not known
    // The highest number plus one.
    int64_t task_count() const { return tasks.empty() ? 0 : tasks.rbegin()->first + 1; }
  };

  // Reads TF_CONFIG:
  //   {"cluster": {"worker": ["host:port", ...], "ps": {"0": "host:port"}},
  //    "task": {"type": "worker", "index": 0}}
  // Other keys are ignored, as TensorFlow does.
  static Result<Cluster> from_json(std::string_view json);
  // Reads environment variables through `get`, which returns null for one that is not set. The
  // first of these that exists counts: TF_CONFIG; Slurm (SLURM_PROCID, SLURM_NTASKS,
  // SLURM_STEP_NODELIST, SLURM_TASKS_PER_NODE); torchrun (RANK, WORLD_SIZE); Open MPI
  // (OMPI_COMM_WORLD_RANK and _SIZE). The last three describe one job "worker"; its port is
  // MASTER_PORT, or 8888. NOT_FOUND if none exists. INVALID_ARGUMENT names the variable that is
  // wrong.
  static Result<Cluster> from_environment(const char* (*get)(const char* name));

  // `address`: "host:port" or empty. ALREADY_EXISTS if the task exists.
  Status add_task(std::string_view job, int64_t task, std::string_view address);
  Status set_role(std::string_view job, int64_t task);

  const std::vector<Job>& jobs() const { return jobs_; }
  const Job* find_job(std::string_view name) const;
  const std::string& own_job() const { return own_job_; }  // "": not known
  int64_t own_task() const { return own_task_; }

 private:
  std::vector<Job> jobs_;
  std::string own_job_;
  int64_t own_task_ = 0;
};

// The hosts of a Slurm node list: "n[1-2,07],login" means n1, n2, n07, login.
Result<std::vector<std::string>> expand_node_list(std::string_view list);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_CLUSTER_H_

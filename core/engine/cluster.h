// The description of a cluster: jobs, their tasks with addresses, and which of them this process is.
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
    std::map<int64_t, std::string> tasks;  // "host:port" by number, empty where the source does not tell it
    // One more than the highest number.
    int64_t task_count() const { return tasks.empty() ? 0 : tasks.rbegin()->first + 1; }
  };

  // TF_CONFIG: {"cluster": {"worker": ["host:port", ...], "ps": {"0": "host:port"}}, "task": {"type": "worker", "index": 0}}.
  // Other keys are left alone, as TensorFlow does.
  static Result<Cluster> from_json(std::string_view json);
  // What the environment says, asked through `get` (null: not set), the first of these that is there: TF_CONFIG; Slurm
  // (SLURM_PROCID, SLURM_NTASKS, SLURM_STEP_NODELIST, SLURM_TASKS_PER_NODE); RANK and WORLD_SIZE as torchrun sets them; Open MPI
  // (OMPI_COMM_WORLD_RANK and _SIZE). The last three make one job "worker"; the port is MASTER_PORT, else 8888. NOT_FOUND without
  // any of them; INVALID_ARGUMENT names the variable that makes no sense.
  static Result<Cluster> from_environment(const char* (*get)(const char* name));

  // `address`: "host:port" or empty. ALREADY_EXISTS for a task that is there.
  Status add_task(std::string_view job, int64_t task, std::string_view address);
  Status set_role(std::string_view job, int64_t task);

  const std::vector<Job>& jobs() const { return jobs_; }
  const Job* find_job(std::string_view name) const;
  const std::string& own_job() const { return own_job_; }  // "": not told
  int64_t own_task() const { return own_task_; }

 private:
  std::vector<Job> jobs_;
  std::string own_job_;
  int64_t own_task_ = 0;
};

// The hosts of a Slurm node list: "n[1-2,07],login" is n1, n2, n07, login.
Result<std::vector<std::string>> expand_node_list(std::string_view list);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_CLUSTER_H_

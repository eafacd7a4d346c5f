// The jobs and tasks of a cluster, and the task that this process runs.
#ifndef PERCALE_CORE_ENGINE_CLUSTER_CLUSTER_H_
#define PERCALE_CORE_ENGINE_CLUSTER_CLUSTER_H_

#include <cstdint>
#include <functional>
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
    std::map<int64_t, std::string> tasks;  // "host:port" or "unix:path" by number; empty: not known
    // The highest number plus one.
    int64_t task_count() const { return tasks.empty() ? 0 : tasks.rbegin()->first + 1; }
  };
  // A task that trains. Borrowed from the cluster until it is changed.
  struct TrainingTask {
    const std::string* job;
    int64_t task;
    const std::string* address;
  };
  // Returns the value of an environment variable, or null if it is not set.
  using GetVariable = std::function<const char*(const char* name)>;

  // Reads TF_CONFIG:
  //   {"cluster": {"worker": ["host:port", ...], "ps": {"0": "host:port"}},
  //    "task": {"type": "worker", "index": 0}}
  // Other keys are ignored, as TensorFlow does.
  static Result<Cluster> from_json(std::string_view json);
  // Reads the variables of the launcher that started this process. The first of these that is set
  // tells the launcher: TF_CONFIG, RANK, PET_NNODES, PET_NODE_RANK, DMLC_ROLE,
  // OMPI_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX.
  // docs/reference/clusters.md has the further variables of each. NOT_FOUND if none is set.
  // INVALID_ARGUMENT names the variable that is wrong or missing.
  static Result<Cluster> from_environment(const GetVariable& get);

  // `address`: "host:port", "unix:path" or empty. ALREADY_EXISTS if the task exists.
  Status add_task(std::string_view job, int64_t task, std::string_view address);
  Status set_role(std::string_view job, int64_t task);

  const std::vector<Job>& jobs() const { return jobs_; }
  const Job* find_job(std::string_view name) const;
  const std::string& own_job() const { return own_job_; }  // "": not known
  int64_t own_task() const { return own_task_; }

  // Returns the tasks that train together, in the order of their ranks in the group: those of the
  // job "chief" (or "master", TensorFlow's older name), then those of "worker", each job by number.
  // Numbers that a job leaves out get no rank. Rank 0 is the chief: without a job "chief", that is
  // worker 0. Tasks of other jobs, such as "ps" and "evaluator", do not train.
  std::vector<TrainingTask> training_tasks() const;
  // The three functions below take linear time: a loop over all ranks uses training_tasks().
  int64_t size() const;  // the number of tasks that train
  // The rank of this process; -1 if its task does not train or was not added.
  int64_t rank() const;
  // Precondition: 0 <= rank < size().
  const std::string& address_of_rank(int64_t rank) const;

 private:
  std::vector<Job> jobs_;
  std::string own_job_;
  int64_t own_task_ = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_CLUSTER_CLUSTER_H_

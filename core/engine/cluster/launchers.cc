#include "core/engine/cluster/launchers.h"

#include <string>
#include <string_view>

#include "core/engine/cluster/parse_int.h"

namespace percale {
namespace {

using Read = Result<Cluster> (*)(const Environment& environment, const RankVariables& names);

struct Launcher {
  std::string_view name;
  const char* mark;  // set by this launcher
  Read read;
  RankVariables names = {};
};

Result<Cluster> read_tf_config(const Environment& environment, const RankVariables&) {
  return Cluster::from_json(environment.find("TF_CONFIG"));
}

Result<Cluster> of_size(const Environment& environment, const RankVariables& names, int64_t size) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, environment.integer(names.rank, 0, size - 1));
  PERCALE_ASSIGN_OR_RETURN(const int64_t port, environment.port(names.port, names.default_port));
  std::string first;
  if (environment.find(names.host) != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(const std::string host, environment.host(names.host));
    first = str_cat(host, ":", port);
  }
  Cluster out;
  for (int64_t i = 0; i < size; ++i) {
    PERCALE_RETURN_IF_ERROR(out.add_task("worker", i, i == 0 ? first : std::string()));
  }
  PERCALE_RETURN_IF_ERROR(out.set_role("worker", rank));
  return out;
}

Result<Cluster> read_ranks(const Environment& environment, const RankVariables& names) {
  const char* size_name = environment.first_set({names.size, names.other_size});
  if (size_name == nullptr && names.other_size != nullptr) {
    return invalid_argument("neither ", names.size, " nor ", names.other_size, " is set, wanted the number of tasks");
  }
  if (size_name == nullptr) size_name = names.size;
  PERCALE_ASSIGN_OR_RETURN(const int64_t size, environment.integer(size_name, 1, kMaxTasks));
  return of_size(environment, names, size);
}

// The options of torchrun. A node is a task, because Percale uses all devices of a node in one
// process.
Result<Cluster> read_torchrun_options(const Environment& environment, const RankVariables& names) {
  const std::string processes = environment.get_or("PET_NPROC_PER_NODE", "1");
  if (processes != "1" && processes != "auto" && processes != "cpu") {
    return invalid_argument("PET_NPROC_PER_NODE is '", processes, "', wanted 1, auto or cpu: a node runs one process");
  }
  // "2:4" are a minimum and a maximum.
  const std::string nodes = environment.get_or(names.size, "");
  const size_t colon = nodes.find(':');
  if (colon == std::string::npos) return read_ranks(environment, names);
  const auto least = parse_int(std::string_view(nodes).substr(0, colon));
  const auto most = parse_int(std::string_view(nodes).substr(colon + 1));
  if (!least || least != most || *least < 1 || *least > kMaxTasks) {
    return invalid_argument(names.size, " is '", nodes, "', wanted one number from 1 to ", kMaxTasks,
                            ": the number of nodes is fixed during a run");
  }
  return of_size(environment, names, *least);
}

// True if srun itself started this process, and no mpiexec within the allocation. srun names the
// job of MPI "JOB.STEP" or "slurm.pmix.JOB.STEP".
bool is_task_of_srun(const Environment& environment, const RankVariables& names) {
  const auto same = [&](const char* a, const char* b) {
    const char *left = environment.find(a), *right = environment.find(b);
    return left != nullptr && right != nullptr && std::string_view(left) == right;
  };
  const char* size = environment.first_set({names.size, names.other_size});
  if (!same(names.rank, "SLURM_PROCID") || (size != nullptr && !same(size, "SLURM_NTASKS"))) return false;
  const char* job = environment.find(names.srun_job);
  const char* slurm_job = environment.find("SLURM_JOB_ID");
  const char* step = environment.find("SLURM_STEP_ID");
  return job != nullptr && slurm_job != nullptr && step != nullptr &&
         std::string_view(job).ends_with(str_cat(slurm_job, ".", step));
}

// srun sets the variables of PMI or PMIx beside its own. Its own tell more: the addresses of all
// tasks.
Result<Cluster> read_pmi(const Environment& environment, const RankVariables& names) {
  return is_task_of_srun(environment, names) ? read_slurm(environment, names) : read_ranks(environment, names);
}

constexpr RankVariables kTorchrunOptions = {.rank = "PET_NODE_RANK",
                                            .size = "PET_NNODES",
                                            .host = "PET_MASTER_ADDR",
                                            .port = "PET_MASTER_PORT",
                                            .default_port = 29500};

constexpr RankVariables kPmi = {.rank = "PMI_RANK", .size = "PMI_SIZE", .srun_job = "PMI_JOBID"};

// PMIx has no variable for the number of tasks.
constexpr RankVariables kPmix = {
    .rank = "PMIX_RANK", .size = "OMPI_COMM_WORLD_SIZE", .other_size = "PERCALE_TASKS", .srun_job = "PMIX_NAMESPACE"};

constexpr Launcher kLaunchers[] = {
    {"TensorFlow", "TF_CONFIG", &read_tf_config},
    {"torchrun", "RANK", &read_ranks, {.rank = "RANK", .size = "WORLD_SIZE"}},
    {"torchrun", "PET_NNODES", &read_torchrun_options, kTorchrunOptions},
    {"torchrun", "PET_NODE_RANK", &read_torchrun_options, kTorchrunOptions},
    {"ps-lite", "DMLC_ROLE", &read_ps_lite},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", &read_ranks, {.rank = "OMPI_COMM_WORLD_RANK", .size = "OMPI_COMM_WORLD_SIZE"}},
    {"PMI", "PMI_RANK", &read_pmi, kPmi},
    {"PMIx", "PMIX_RANK", &read_pmi, kPmix},
    {"Slurm", "SLURM_PROCID", &read_slurm},
    {"Kubernetes", "JOB_COMPLETION_INDEX", &read_ranks, {.rank = "JOB_COMPLETION_INDEX", .size = "PERCALE_TASKS"}},
};

}  // namespace

Result<Cluster> Cluster::from_environment(const GetVariable& get) {
  const Environment environment(get);
  std::string marks;
  for (const Launcher& launcher : kLaunchers) {
    if (environment.find(launcher.mark) != nullptr) {
      auto out = launcher.read(environment, launcher.names);
      if (out.ok()) return out;
      return out.status().with_context(str_cat("environment of ", launcher.name, " (", launcher.mark, " is set)"));
    }
    marks += str_cat(marks.empty() ? "" : ", ", launcher.mark);
  }
  return not_found("the environment describes no cluster: none of ", marks, " is set");
}

}  // namespace percale

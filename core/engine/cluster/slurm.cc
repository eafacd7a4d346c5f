#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/cluster/launchers.h"
#include "core/engine/cluster/node_list.h"

namespace percale {
namespace {

Result<std::vector<std::string>> hosts_of(const Environment& environment) {
  const char* name = environment.first_set({"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  if (name == nullptr) return invalid_argument("SLURM_STEP_NODELIST is not set, wanted a list of nodes");
  auto out = expand_node_list(environment.find(name));
  return out.ok() ? out : Result<std::vector<std::string>>(out.status().with_context(name));
}

// Tasks are spread evenly where Slurm does not tell.
Result<std::vector<int64_t>> tasks_of_nodes(const Environment& environment, int64_t tasks, int64_t nodes) {
  const char* name = environment.first_set({"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
  if (name == nullptr) return std::vector<int64_t>(static_cast<size_t>(nodes), (tasks + nodes - 1) / nodes);
  auto out = expand_task_counts(environment.find(name), static_cast<size_t>(nodes));
  return out.ok() ? out : Result<std::vector<int64_t>>(out.status().with_context(name));
}

// True if consecutive tasks are on different nodes, false if they fill one node after the other.
Result<bool> is_cyclic(const Environment& environment, int64_t most_tasks) {
  const std::string distribution = environment.get_or("SLURM_DISTRIBUTION", "block");
  if (most_tasks > 1 && (distribution.starts_with("plane") || distribution.starts_with("arbitrary"))) {
    return invalid_argument("SLURM_DISTRIBUTION is '", distribution, "', wanted block or cyclic");
  }
  return distribution.starts_with("cyclic");
}

}  // namespace

Result<Cluster> read_slurm(const Environment& environment, const RankVariables&) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t size, environment.integer("SLURM_NTASKS", 1, kMaxTasks));
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, environment.integer("SLURM_PROCID", 0, size - 1));
  PERCALE_ASSIGN_OR_RETURN(const int64_t port, environment.port("MASTER_PORT", RankVariables().default_port));
  PERCALE_ASSIGN_OR_RETURN(const auto hosts, hosts_of(environment));
  PERCALE_ASSIGN_OR_RETURN(const auto counts, tasks_of_nodes(environment, size, static_cast<int64_t>(hosts.size())));
  const int64_t most = std::min(*std::max_element(counts.begin(), counts.end()), size);
  if (port + most - 1 > 65535) {
    return invalid_argument("MASTER_PORT is '", port, "', wanted at most ", 65536 - most, " for the ", most,
                            " tasks of a node");
  }
  PERCALE_ASSIGN_OR_RETURN(const bool cyclic, is_cyclic(environment, most));
  Cluster out;
  int64_t task = 0;
  const auto nodes = static_cast<int64_t>(hosts.size());
  for (int64_t place = 0; place < nodes * most && task < size; ++place) {
    const auto node = static_cast<size_t>(cyclic ? place % nodes : place / most);
    const int64_t i = cyclic ? place / nodes : place % most;  // of the tasks of the node
    if (i >= counts[node]) continue;
    PERCALE_RETURN_IF_ERROR(out.add_task("worker", task++, str_cat(hosts[node], ":", port + i)));
  }
  if (task < size) return invalid_argument("SLURM_NTASKS is '", size, "', but its nodes hold ", task, " tasks");
  PERCALE_RETURN_IF_ERROR(out.set_role("worker", rank));
  return out;
}

}  // namespace percale

// The launchers whose environment variables describe a cluster. The table in launchers.cc has them
// in the order in which they are tried; the first whose variable is set counts.
//
// A launcher that runs inside another one comes first, because its processes inherit the variables
// of the outer launcher. So RANK and MPI come before Slurm: mpiexec starts its daemons by srun, and
// SLURM_PROCID is then the number of the daemon.
#ifndef PERCALE_CORE_ENGINE_CLUSTER_LAUNCHERS_H_
#define PERCALE_CORE_ENGINE_CLUSTER_LAUNCHERS_H_

#include <cstdint>

#include "core/engine/cluster/cluster.h"
#include "core/engine/cluster/environment.h"

namespace percale {

// The variables of a launcher that gives a process its number, the number of tasks, and at most the
// address of task 0. They describe one job "worker".
struct RankVariables {
  const char* rank = nullptr;
  const char* size = nullptr;
  const char* other_size = nullptr;  // used where `size` is not set
  const char* srun_job = nullptr;    // the name of MPI's job, which tells a task of srun
  const char* host = "MASTER_ADDR";
  const char* port = "MASTER_PORT";
  int64_t default_port = 8888;
};

// Slurm's tasks: one job "worker", with all addresses. The first task of a node has the port
// MASTER_PORT, or 8888, and each further task of the node the next one.
Result<Cluster> read_slurm(const Environment& environment, const RankVariables&);

// The roles of ps-lite, which MXNet and BytePS use: the scheduler is the job "chief", servers are
// "ps" and workers are "worker". Only the scheduler's address is known.
Result<Cluster> read_ps_lite(const Environment& environment, const RankVariables&);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_CLUSTER_LAUNCHERS_H_

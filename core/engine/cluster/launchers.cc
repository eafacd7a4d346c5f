#include "core/engine/cluster/launchers.h"

#include <string>
#include <string_view>

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

Result<Cluster> read_ranks(const Environment& environment, const RankVariables& names) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t size, environment.integer(names.size, 1, kMaxTasks));
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

constexpr Launcher kLaunchers[] = {
    {"TensorFlow", "TF_CONFIG", &read_tf_config},
    {"Slurm", "SLURM_PROCID", &read_slurm},
    {"torchrun", "RANK", &read_ranks, {.rank = "RANK", .size = "WORLD_SIZE"}},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", &read_ranks, {.rank = "OMPI_COMM_WORLD_RANK", .size = "OMPI_COMM_WORLD_SIZE"}},
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

#include "training/process_group.h"

#include <string>

#include "api.h"
#include "training/mpi.h"

namespace percale_cli {
namespace {

// The chief and the workers of a cluster, connected by a plug-in.
class ClusterGroup final : public ProcessGroup {
 public:
  ClusterGroup(Cluster cluster, int64_t seconds) : cluster_(std::move(cluster)), seconds_(seconds) {
    rank_ = static_cast<int>(percale_cluster_get_rank(cluster_.get(), &size_));
  }

  int rank() const override { return rank_; }
  int64_t size() const { return size_; }
  void join(percale_trainer* trainer) override {
    check(percale_trainer_join_cluster(trainer, cluster_.get(), 1'000'000'000 * seconds_));
  }

 private:
  const Cluster cluster_;
  const int64_t seconds_;
  int rank_ = 0;
  int64_t size_ = 1;
};

// One process alone is no group, whatever the launcher says.
std::unique_ptr<ProcessGroup> group_of(Cluster cluster, int64_t seconds) {
  auto group = std::make_unique<ClusterGroup>(std::move(cluster), seconds);
  if (group->size() == 1 && group->rank() == 0) return nullptr;
  return group;
}

}  // namespace

std::unique_ptr<ProcessGroup> open_group(const Args& args, std::optional<NamedCluster> cluster) {
  if (args.has("--collective")) {
    const std::string kind = args.get("--collective");
    if (kind != "mpi") throw UsageError{"--collective is '" + kind + "', wanted mpi"};
    return std::make_unique<MpiGroup>();
  }
  return cluster ? group_of(std::move(cluster->cluster), join_seconds(args)) : nullptr;
}

std::unique_ptr<ProcessGroup> open_launched_group() {
  percale_cluster* made = nullptr;
  percale_status* status = percale_cluster_from_environment(&made);
  if (status != nullptr && percale_status_code(status) == PERCALE_NOT_FOUND) {
    percale_status_release(status);
    return nullptr;
  }
  check(status, "strategy multi_worker_mirrored");
  return group_of(Cluster(made), kJoinSeconds);
}

}  // namespace percale_cli

#include "training/process_group.h"

#include <cstdlib>
#include <string>

#include "api.h"
#include "training/mpi.h"

namespace percale_cli {
namespace {

constexpr int64_t kJoinSeconds = 60;

using Cluster = std::unique_ptr<percale_cluster, Releaser<&percale_cluster_release>>;

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

Cluster cluster_of_environment() {
  percale_cluster* made = nullptr;
  check(percale_cluster_from_environment(&made), "--cluster env");
  return Cluster(made);
}

Cluster cluster_of_file(const std::string& path) {
  const std::string json = read_file(path);
  percale_cluster* made = nullptr;
  check(percale_cluster_from_json(json.data(), json.size(), &made), path);
  Cluster cluster(made);
  if (const char* folder = std::getenv("PERCALE_CERTIFICATES")) {
    check(percale_cluster_set_certificates(made, folder));
  }
  return cluster;
}

// JOB:N
void set_role(percale_cluster* cluster, const std::string& task) {
  const size_t colon = task.find(':');
  char* end = nullptr;
  const long long number = colon == std::string::npos ? -1 : std::strtoll(task.c_str() + colon + 1, &end, 10);
  if (number < 0 || colon == 0 || end == task.c_str() + colon + 1 || *end != '\0') {
    throw UsageError{"--task is '" + task + "', wanted JOB:N, such as worker:0"};
  }
  check_setting(percale_cluster_set_role(cluster, task.substr(0, colon).c_str(), number), "--task");
}

// One process alone is no group, whatever the launcher says.
std::unique_ptr<ProcessGroup> group_of(Cluster cluster, int64_t seconds) {
  auto group = std::make_unique<ClusterGroup>(std::move(cluster), seconds);
  if (group->size() == 1 && group->rank() == 0) return nullptr;
  return group;
}

std::unique_ptr<ProcessGroup> open_cluster(const Args& args) {
  const std::string source = args.has("--cluster") ? args.get("--cluster") : "env";
  Cluster cluster = source == "env" ? cluster_of_environment() : cluster_of_file(source);
  if (args.has("--task")) set_role(cluster.get(), args.get("--task"));
  return group_of(std::move(cluster), args.integer("--join-timeout", kJoinSeconds, 1));
}

}  // namespace

std::unique_ptr<ProcessGroup> open_group(const Args& args) {
  const bool has_cluster = args.has("--cluster") || std::getenv("TF_CONFIG") != nullptr;
  for (const char* flag : {"--task", "--join-timeout"}) {
    if (args.has(flag) && !has_cluster) throw UsageError{std::string(flag) + " requires --cluster"};
  }
  if (args.has("--collective")) {
    const std::string kind = args.get("--collective");
    if (kind != "mpi") throw UsageError{"--collective is '" + kind + "', wanted mpi"};
    if (args.has("--cluster")) throw UsageError{"--collective and --cluster exclude each other"};
    return std::make_unique<MpiGroup>();
  }
  return has_cluster ? open_cluster(args) : nullptr;
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

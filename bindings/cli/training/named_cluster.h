// The cluster that a command line or its environment names.
#ifndef PERCALE_BINDINGS_CLI_TRAINING_NAMED_CLUSTER_H_
#define PERCALE_BINDINGS_CLI_TRAINING_NAMED_CLUSTER_H_

#include <memory>
#include <optional>
#include <string>

#include "api.h"

namespace percale_cli {

using Cluster = std::unique_ptr<percale_cluster, Releaser<&percale_cluster_release>>;

struct NamedCluster {
  Cluster cluster;
  std::string option;  // the value of the engine's option "cluster"

  // The job of this process, such as "worker", and its task.
  std::string job() const { return percale_cluster_get_role(cluster.get(), nullptr); }
  int64_t task() const;
  // Where this process serves, "host:port". Its address may be that of a proxy, so that with
  // certificates it is that of all networks of the machine. Throws Failure if the cluster has none.
  std::string own_address() const;
};

// Time to wait for the other processes, if --join-timeout does not tell.
inline constexpr int64_t kJoinSeconds = 60;
int64_t join_seconds(const Args& args);

// The cluster of --cluster and --task, or of TF_CONFIG; nullopt if there is none, or if a
// --collective takes its place.
std::optional<NamedCluster> named_cluster(const Args& args);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_TRAINING_NAMED_CLUSTER_H_

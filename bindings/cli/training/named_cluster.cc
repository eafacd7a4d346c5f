#include "training/named_cluster.h"

#include <cstdlib>
#include <utility>

namespace percale_cli {
namespace {

NamedCluster cluster_of_environment() {
  percale_cluster* made = nullptr;
  check(percale_cluster_from_environment(&made), "--cluster env");
  return {Cluster(made), "environment"};
}

NamedCluster cluster_of_file(const std::string& path) {
  const std::string json = read_file(path);
  percale_cluster* made = nullptr;
  check(percale_cluster_from_json(json.data(), json.size(), &made), path);
  Cluster cluster(made);
  check(percale_cluster_set_certificates(made, certificates_folder().c_str()));
  return {std::move(cluster), json};
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

}  // namespace

int64_t NamedCluster::task() const {
  int64_t out = 0;
  percale_cluster_get_role(cluster.get(), &out);
  return out;
}

std::string NamedCluster::own_address() const {
  const char* address = percale_cluster_get_address(cluster.get(), job().c_str(), task());
  if (address != nullptr && *address != '\0') {
    const std::string own = address;
    return certificates_folder().empty() || own.starts_with("unix:") ? own : "0.0.0.0" + own.substr(own.rfind(':'));
  }
  throw Failure{"the cluster has no address for task " + std::to_string(task()) + " of job '" + job() + "'",
                PERCALE_NOT_FOUND};
}

int64_t join_seconds(const Args& args) { return args.integer("--join-timeout", kJoinSeconds, 1); }

std::optional<NamedCluster> named_cluster(const Args& args) {
  const bool has_cluster = args.has("--cluster") || std::getenv("TF_CONFIG") != nullptr;
  for (const char* flag : {"--task", "--join-timeout"}) {
    if (args.has(flag) && !has_cluster) throw UsageError{std::string(flag) + " requires --cluster"};
  }
  if (args.has("--collective") && args.has("--cluster")) {
    throw UsageError{"--collective and --cluster exclude each other"};
  }
  if (!has_cluster || args.has("--collective")) return std::nullopt;
  const std::string source = args.has("--cluster") ? args.get("--cluster") : "env";
  NamedCluster out = source == "env" ? cluster_of_environment() : cluster_of_file(source);
  if (args.has("--task")) set_role(out.cluster.get(), args.get("--task"));
  return out;
}

}  // namespace percale_cli

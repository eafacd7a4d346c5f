#include "c_api/run/cluster.h"

#include <cstdlib>

#include "c_api/api.h"

using namespace percale;
using namespace percale::c_api;

namespace {

percale_status* make(const char* function, percale_cluster** out_cluster, Result<Cluster> (*from)(std::string_view),
                     std::string_view text) {
  return guarded(function, {NEEDS(out_cluster)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(Cluster cluster, from(text));
    *out_cluster = new percale_cluster{std::move(cluster), {}};
    return {};
  });
}

}  // namespace

namespace percale::c_api {

Result<Cluster> cluster_of_environment() {
  return Cluster::from_environment([](const char* name) -> const char* { return std::getenv(name); });
}

std::string certificates_of_environment() {
  const char* folder = std::getenv("PERCALE_CERTIFICATES");
  return folder == nullptr ? "" : folder;
}

}  // namespace percale::c_api

percale_status* percale_cluster_create(percale_cluster** out_cluster) {
  clear(out_cluster);
  return make(__func__, out_cluster, [](std::string_view) { return Result<Cluster>(Cluster{}); }, {});
}

percale_status* percale_cluster_from_json(const char* json, size_t size, percale_cluster** out_cluster) {
  clear(out_cluster);
  return guarded(__func__, {NEEDS(json), NEEDS(out_cluster)}, [&, function = __func__]() -> Status {
    return from_c(make(function, out_cluster, &Cluster::from_json, text_of(json, size)));
  });
}

percale_status* percale_cluster_from_environment(percale_cluster** out_cluster) {
  clear(out_cluster);
  return guarded(__func__, {NEEDS(out_cluster)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(Cluster cluster, cluster_of_environment());
    *out_cluster = new percale_cluster{std::move(cluster), certificates_of_environment()};
    return {};
  });
}

percale_status* percale_cluster_add_task(percale_cluster* cluster, const char* job, int64_t task, const char* address) {
  return guarded(__func__, {NEEDS(cluster), NEEDS(job), NEEDS(address)},
                 [&] { return cluster->cluster.add_task(job, task, address); });
}

percale_status* percale_cluster_set_role(percale_cluster* cluster, const char* job, int64_t task) {
  return guarded(__func__, {NEEDS(cluster), NEEDS(job)}, [&] { return cluster->cluster.set_role(job, task); });
}

size_t percale_cluster_job_count(const percale_cluster* cluster) {
  return cluster == nullptr ? 0 : cluster->cluster.jobs().size();
}

const char* percale_cluster_get_job(const percale_cluster* cluster, size_t index) {
  if (cluster == nullptr || index >= cluster->cluster.jobs().size()) return nullptr;
  return cluster->cluster.jobs()[index].name.c_str();
}

int64_t percale_cluster_task_count(const percale_cluster* cluster, const char* job) {
  const Cluster::Job* found = cluster == nullptr ? nullptr : cluster->cluster.find_job(text_or_empty(job));
  return found == nullptr ? 0 : found->task_count();
}

const char* percale_cluster_get_address(const percale_cluster* cluster, const char* job, int64_t task) {
  const Cluster::Job* found = cluster == nullptr ? nullptr : cluster->cluster.find_job(text_or_empty(job));
  if (found == nullptr) return nullptr;
  const auto entry = found->tasks.find(task);
  return entry == found->tasks.end() ? nullptr : entry->second.c_str();
}

const char* percale_cluster_get_role(const percale_cluster* cluster, int64_t* out_task) {
  if (out_task != nullptr) *out_task = cluster == nullptr ? 0 : cluster->cluster.own_task();
  return cluster == nullptr ? "" : cluster->cluster.own_job().c_str();
}

int64_t percale_cluster_get_rank(const percale_cluster* cluster, int64_t* out_size) {
  clear(out_size);
  if (cluster == nullptr) return -1;
  if (out_size != nullptr) *out_size = cluster->cluster.size();
  return cluster->cluster.rank();
}

percale_status* percale_cluster_set_certificates(percale_cluster* cluster, const char* folder) {
  return guarded(__func__, {NEEDS(cluster), NEEDS(folder)}, [&]() -> Status {
    cluster->certificates = folder;
    return {};
  });
}

void percale_cluster_release(percale_cluster* cluster) { delete cluster; }

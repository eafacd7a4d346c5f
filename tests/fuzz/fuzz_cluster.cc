// Fuzzes descriptions of clusters, the JSON of TF_CONFIG: any text gives an error or a cluster.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  percale_cluster* cluster = nullptr;
  percale::fuzz::answered(percale_cluster_from_json(reinterpret_cast<const char*>(data), size, &cluster));
  for (size_t i = 0; cluster != nullptr && i < percale_cluster_job_count(cluster); ++i) {
    const char* const job = percale_cluster_get_job(cluster, i);
    const int64_t tasks = percale_cluster_task_count(cluster, job);
    for (int64_t task = 0; task < tasks && task < 100; ++task) percale_cluster_get_address(cluster, job, task);
  }
  percale_cluster_release(cluster);
  percale::fuzz::check_statuses();
  return 0;
}

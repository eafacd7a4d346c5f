// The struct behind percale_cluster, and what the launcher's environment tells.
#ifndef PERCALE_C_API_RUN_CLUSTER_H_
#define PERCALE_C_API_RUN_CLUSTER_H_

#include <string>

#include "core/engine/cluster/cluster.h"

struct percale_cluster {
  percale::Cluster cluster;
  std::string certificates;  // a folder; "": none
};

namespace percale::c_api {

// As percale_cluster_from_environment().
Result<Cluster> cluster_of_environment();
// The folder that PERCALE_CERTIFICATES names; "": none.
std::string certificates_of_environment();

}  // namespace percale::c_api

#endif  // PERCALE_C_API_RUN_CLUSTER_H_

// The struct behind percale_cluster.
#ifndef PERCALE_C_API_RUN_CLUSTER_H_
#define PERCALE_C_API_RUN_CLUSTER_H_

#include <string>

#include "core/engine/cluster/cluster.h"

struct percale_cluster {
  percale::Cluster cluster;
  std::string certificates;  // a folder; "": none
};

#endif  // PERCALE_C_API_RUN_CLUSTER_H_

// The compact lists in Slurm's variables.
#ifndef PERCALE_CORE_ENGINE_CLUSTER_NODE_LIST_H_
#define PERCALE_CORE_ENGINE_CLUSTER_NODE_LIST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace percale {

// The hosts of a node list: "n[1-2,07],login" means n1, n2, n07, login. INVALID_ARGUMENT quotes the
// list.
Result<std::vector<std::string>> expand_node_list(std::string_view list);

// The number of tasks of each node: "2(x3),1" means 2, 2, 2, 1. Nodes at the end that the list
// leaves out have as many tasks as the one before them. INVALID_ARGUMENT quotes the list.
Result<std::vector<int64_t>> expand_task_counts(std::string_view list, size_t nodes);

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_CLUSTER_NODE_LIST_H_

// Upgrades graphs from files that name older versions of ops.
#ifndef PERCALE_CORE_GRAPH_IO_UPGRADE_GRAPH_H_
#define PERCALE_CORE_GRAPH_IO_UPGRADE_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// An op as named in a file.
struct OpOfVersion {
  std::string op;  // "Softmax", "percale:ApplyAdam"
  int32_t version = 0;
};

// Replaces the nodes without a schema by their meaning in current ops. `op_of_node` has, per
// function and node, the index into `ops`; it is read only if the schema is null. Everything else
// is unchanged, including all names; functions without such nodes are not touched.
// The graph need not be valid. INVALID_ARGUMENT if it cannot become valid; the result must still
// pass the validator. RESOURCE_EXHAUSTED if nodes carry functions so often that the work would not
// be linear in the size of the graph.
Result<std::shared_ptr<Graph>> upgrade_graph(const Graph& graph, const std::vector<OpOfVersion>& ops,
                                             const std::vector<std::vector<uint32_t>>& op_of_node);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_UPGRADE_GRAPH_H_

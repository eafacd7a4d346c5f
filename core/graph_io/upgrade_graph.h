// Graphs of files that name older versions of ops, made into graphs of today.
#ifndef PERCALE_CORE_GRAPH_IO_UPGRADE_GRAPH_H_
#define PERCALE_CORE_GRAPH_IO_UPGRADE_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// An op as a file names it.
struct OpOfVersion {
  std::string op;  // "Softmax", "percale:ApplyAdam"
  int32_t version = 0;
};

// Puts what they mean today in the place of the nodes without a schema: `op_of_node` says for each node of each function which of
// `ops` it is (read only where the schema is null). Everything else stays, all names included; functions without such nodes
// are not touched. The graph need not be valid: INVALID_ARGUMENT for one that cannot be, and what comes out still has to pass the
// validator. RESOURCE_EXHAUSTED where nodes carry functions so often that work would not be linear in the graph's size.
Result<std::shared_ptr<Graph>> upgrade_graph(const Graph& graph, const std::vector<OpOfVersion>& ops,
                                             const std::vector<std::vector<uint32_t>>& op_of_node);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_UPGRADE_GRAPH_H_

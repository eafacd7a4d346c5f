// Declarations of the queues of a graph, collected from the nodes that use them.
#ifndef PERCALE_CORE_GRAPH_QUEUES_H_
#define PERCALE_CORE_GRAPH_QUEUES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// The element type of a queue. A dim of -1 or an unknown rank accepts any.
struct QueueType {
  int64_t capacity = 0;               // in elements; 0: not declared
  std::vector<ValueType> components;  // per component of an element; empty: not declared
};

// Merges `other`, another declaration of the same queue, into `into`. INVALID_ARGUMENT if they
// contradict each other.
Status merge_queue_types(std::string_view queue, QueueType& into, const QueueType& other);

// Returns the output types that the attributes of a QueueDequeue node declare. INVALID_ARGUMENT if
// the attributes contradict each other.
Result<std::vector<ValueType>> declared_components(const Attributes& attributes);

// Returns the queues that the nodes of all functions name, with their merged declarations.
// INVALID_ARGUMENT names a node that contradicts an earlier one.
Result<std::map<std::string, QueueType, std::less<>>> queues_of(const Graph& graph);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_QUEUES_H_

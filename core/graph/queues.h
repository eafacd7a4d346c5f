// What a graph says of the queues that it names: read from the nodes that use them.
#ifndef PERCALE_CORE_GRAPH_QUEUES_H_
#define PERCALE_CORE_GRAPH_QUEUES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// What a queue holds. A dim of -1 and an unknown rank stand for any.
struct QueueType {
  int64_t capacity = 0;               // elements; 0: nobody has said
  std::vector<ValueType> components;  // of each element; empty: nobody has said
};

// Adds to `into` what `other` says of the same queue. INVALID_ARGUMENT when they contradict each other.
Status merge_queue_types(std::string_view queue, QueueType& into, const QueueType& other);

// What a node of QueueDequeue declares of its outputs. INVALID_ARGUMENT when its attributes contradict each other.
Result<std::vector<ValueType>> declared_components(const Attributes& attributes);

// The queues that the nodes of all functions name, each with what they say of it together. INVALID_ARGUMENT names a node that
// contradicts an earlier one.
Result<std::map<std::string, QueueType, std::less<>>> queues_of(const Graph& graph);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_QUEUES_H_

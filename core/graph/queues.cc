#include "core/graph/queues.h"

namespace percale {
namespace {

QueueType type_of(const Function& f, const Node& node, const std::vector<ValueType>& declared) {
  QueueType out;
  if (node.op->find_attribute("capacity") == nullptr) return out;
  out.capacity = with_defaults(*node.op, node.attributes).get_int("capacity");
  out.components = declared;
  for (ValueId id : node.inputs) out.components.push_back(f.type(id));
  return out;
}

}  // namespace

Status merge_queue_types(std::string_view queue, QueueType& into, const QueueType& other) {
  if (into.capacity != 0 && other.capacity != 0 && into.capacity != other.capacity) {
    return invalid_argument("queue '", queue, "' has capacity ", into.capacity, ", but is used with capacity ",
                            other.capacity);
  }
  if (other.capacity != 0) into.capacity = other.capacity;
  if (other.components.empty()) return {};
  if (into.components.empty()) {
    into.components = other.components;
    return {};
  }
  if (into.components.size() != other.components.size()) {
    return invalid_argument("queue '", queue, "' holds elements of ", uint64_t{into.components.size()},
                            " tensors, but is used with ", uint64_t{other.components.size()});
  }
  for (size_t i = 0; i < into.components.size(); ++i) {
    ValueType& mine = into.components[i];
    const ValueType& theirs = other.components[i];
    if (mine.dtype != theirs.dtype || !compatible(mine.shape, theirs.shape)) {
      return invalid_argument("queue '", queue, "': component ", uint64_t{i}, " is ", mine.dtype, " ", mine.shape,
                              ", but is used as ", theirs.dtype, " ", theirs.shape);
    }
    mine.shape = merge(mine.shape, theirs.shape);
  }
  return {};
}

Result<std::vector<ValueType>> declared_components(const Attributes& attributes) {
  const auto &dtypes = attributes.get_ints("dtypes"), &ranks = attributes.get_ints("ranks"),
             &dims = attributes.get_ints("dims");
  if (dtypes.empty()) return invalid_argument("attribute 'dtypes' is empty");
  if (ranks.size() != dtypes.size()) {
    return invalid_argument("attribute 'dtypes' has ", uint64_t{dtypes.size()}, " entries, 'ranks' has ",
                            uint64_t{ranks.size()});
  }
  std::vector<ValueType> out;
  size_t next = 0;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (dtypes[i] < INT32_MIN || dtypes[i] > INT32_MAX || !is_valid_dtype(static_cast<int32_t>(dtypes[i]))) {
      return invalid_argument("attribute 'dtypes': ", dtypes[i], " is not a dtype");
    }
    ValueType type{static_cast<DType>(dtypes[i]), Shape::unranked()};
    if (ranks[i] >= 0) {
      const auto rank = static_cast<uint64_t>(ranks[i]);
      if (rank > dims.size() - next) {
        return invalid_argument("attribute 'dims' has ", uint64_t{dims.size()},
                                " entries, fewer than 'ranks' requires");
      }
      PERCALE_ASSIGN_OR_RETURN(type.shape, Shape::make({dims.data() + next, static_cast<size_t>(rank)}));
      next += static_cast<size_t>(rank);
    }
    out.push_back(std::move(type));
  }
  if (next != dims.size()) {
    return invalid_argument("attribute 'dims' has ", uint64_t{dims.size()}, " entries, but 'ranks' requires ",
                            uint64_t{next});
  }
  return out;
}

Result<std::map<std::string, QueueType, std::less<>>> queues_of(const Graph& graph) {
  std::map<std::string, QueueType, std::less<>> out;
  for (const Function& f : graph.functions) {
    for (const Node& node : f.nodes) {
      if (!node.op->has(kWaits) || node.op->find_attribute("queue") == nullptr) continue;
      std::vector<ValueType> declared;
      if (node.op->find_attribute("dtypes") != nullptr) {
        PERCALE_ASSIGN_OR_RETURN(declared, declared_components(node.attributes));
      }
      const std::string_view name = node.attributes.get_string("queue");
      const Status status = merge_queue_types(name, out[std::string(name)], type_of(f, node, declared));
      if (!status.ok()) return status.with_context(str_cat(op_name(*node.op), " '", node.name, "'"));
    }
  }
  return out;
}

}  // namespace percale

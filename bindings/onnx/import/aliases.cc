#include "bindings/onnx/import/aliases.h"

#include <cstring>
#include <unordered_set>

namespace percale_onnx {

Status find_aliases(const GraphProto& graph, Aliases* out) {
  std::unordered_set<std::string_view> initializers;
  ONNX_TRY(add_initializer_names(graph, &initializers));
  for (std::string_view bytes : graph.nodes) {
    NodeOutline node;
    ONNX_TRY(parse(bytes, &node));
    const bool copies = node.domain.empty() && node.op == "Identity" && node.inputs.size() == 1 &&
                        node.outputs.size() == 1 && !node.outputs[0].empty() && initializers.contains(node.inputs[0]);
    if (copies) (*out)[node.inputs[0]].push_back(node.outputs[0]);
  }
  return {};
}

bool is_uniform(const void* data, size_t bytes, size_t item) {
  const auto* at = static_cast<const char*>(data);
  return bytes >= item && std::memcmp(at, at + item, bytes - item) == 0;
}

}  // namespace percale_onnx

// Determines the opset that a node needs, from ONNX's history of its ops.
#ifndef PERCALE_BINDINGS_ONNX_EXPORT_OPSET_RULES_H_
#define PERCALE_BINDINGS_ONNX_EXPORT_OPSET_RULES_H_

#include <percale_plugin.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace percale_onnx {

// The oldest opset of exported models, which every tool reads, and the newest, which runtimes know.
inline constexpr int32_t kOldestWrittenOpset = 13, kNewestWrittenOpset = 27;

// A node of ONNX's own domain, in the form of the newest opset. to_opset() converts it to an older
// one.
struct OnnxNode {
  std::string_view op;
  // The types of the operands; PERCALE_DTYPE_INVALID for an absent one. Inputs that only sub-graphs
  // of the node use are left out.
  std::vector<percale_graph_value_info> inputs, outputs;
  std::vector<percale_attribute> attributes;
};

// Returns the oldest opset, from kOldestWrittenOpset on, that can express the node. to_opset()
// converts the node to the form of that opset, or of any newer one.
int32_t oldest_opset(const OnnxNode& node);

// Converts a node from the newest form to that of `opset`: drops trailing inputs, and drops, adds
// or changes attributes. Precondition: opset >= oldest_opset(*node).
void to_opset(OnnxNode* node, int32_t opset);

// Returns the version of the model format that was released with an opset.
int64_t ir_version(int32_t opset);

// Returns the oldest opset whose tensors may have this element type.
int32_t opset_of(percale_dtype dtype);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_EXPORT_OPSET_RULES_H_

// The opset that a node needs, by ONNX's history of its ops.
#ifndef PERCALE_BINDINGS_ONNX_EXPORT_OPSET_RULES_H_
#define PERCALE_BINDINGS_ONNX_EXPORT_OPSET_RULES_H_

#include <percale_plugin.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace percale_onnx {

// Models are written in opsets from kOldestWrittenOpset, which every tool reads, to
// kNewestWrittenOpset, which runtimes know.
inline constexpr int32_t kOldestWrittenOpset = 13, kNewestWrittenOpset = 27;

// A node of ONNX's own domain, in the form of today's opset or, after to_opset(), of an older one.
struct OnnxNode {
  std::string_view op;
  // Types of operands; PERCALE_DTYPE_INVALID where one is absent. Inputs that only the graphs of
  // the node capture are not among them.
  std::vector<percale_graph_value_info> inputs, outputs;
  std::vector<percale_attribute> attributes;
};

// The oldest opset, from kOldestWrittenOpset on, in which the node can be written with the meaning
// that it has today: to_opset() puts it into the form of that opset, or of any newer one.
int32_t oldest_opset(const OnnxNode& node);

// Puts a node of today into the form of `opset`: drops inputs from the end, and drops, adds or
// changes attributes. Precondition: opset >= oldest_opset(*node).
void to_opset(OnnxNode* node, int32_t opset);

// The version of the model format that came with an opset.
int64_t ir_version(int32_t opset);

// The opset whose tensors may have these elements.
int32_t opset_of(percale_dtype dtype);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_EXPORT_OPSET_RULES_H_

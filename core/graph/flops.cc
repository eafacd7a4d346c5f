#include "core/graph/flops.h"

#include <algorithm>
#include <string>

namespace percale {
namespace {

double elements(const Function& f, ValueId id) {
  if (id == kNoValue || !f.type(id).shape.known_rank()) return 0;
  double out = 1;
  for (int64_t dim : f.type(id).shape.dims()) out *= dim < 0 ? 1 : static_cast<double>(dim);
  return out;
}

double outputs_of(const Function& f, const Node& node) {
  double out = 0;
  for (ValueId id : node.outputs) out += elements(f, id);
  return out;
}

// Returns a dim of a value, counted from the end; `from_end` 1 is the last. Unknown counts as 1.
double dim(const Function& f, ValueId id, size_t from_end) {
  const Shape& shape = f.type(id).shape;
  if (!shape.known_rank() || shape.rank() < from_end) return 1;
  return static_cast<double>(std::max<int64_t>(1, shape[shape.rank() - from_end]));
}

}  // namespace

double product_flops(const Function& f, const Node& node) {
  const std::string op = op_name(*node.op);
  const double outputs = outputs_of(f, node);
  // Each element of `images` takes a multiplication and an addition per weight of one filter.
  const auto convolution = [&](double images, ValueId filters) -> double {
    if (filters == kNoValue) return 0;
    const Shape& shape = f.type(filters).shape;
    if (!shape.known_rank() || shape.rank() == 0 || shape[0] <= 0) return 0;
    return 2 * images * elements(f, filters) / static_cast<double>(shape[0]);
  };
  if (op == "MatMul" || op == "Gemm" || op == "percale:BatchMatMul") {
    return 2 * outputs * dim(f, node.inputs[0], node.attributes.get_int("transA") != 0 ? 2 : 1);
  }
  if (op == "Conv") return convolution(outputs, node.inputs[1]);
  if (op == "ConvTranspose" || op == "percale:ConvGradInput") {
    return convolution(elements(f, node.inputs[0]), node.inputs[1]);
  }
  // Every query is multiplied with every key, once per element of Q and once per element of V.
  const auto attention = [&](ValueId keys, double of_q, double of_v) {
    return 2 * dim(f, keys, node.attributes.get_int("k_by_row") != 0 ? 3 : 2) * (of_q + of_v);
  };
  if (op == "percale:FusedAttention") {
    return attention(node.inputs[1], elements(f, node.inputs[0]), elements(f, node.outputs[0]));
  }
  // Scores again, dQ and dK have the size of Q; dP and dV have the size of V.
  if (op == "percale:FusedAttentionGrad") {
    return attention(node.inputs[2], 3 * elements(f, node.inputs[1]), 2 * elements(f, node.inputs[0]));
  }
  if (op == "percale:ConvGradWeight") return convolution(elements(f, node.inputs[1]), node.outputs[0]);
  return 0;
}

double node_flops(const Graph& graph, const Function& f, const Node& node) {
  const std::string op = op_name(*node.op);
  if (op != "percale:Fused") return node.op->has(kElementwise) ? outputs_of(f, node) : product_flops(f, node);
  double out = 0;
  for (const auto& [name, value] : node.attributes) {
    const FunctionRef* ref = value.get_if<FunctionRef>();
    const Function* body = ref == nullptr ? nullptr : graph.find_function(ref->name);
    // A fused body has no fused nodes; skipping them bounds the recursion.
    for (size_t i = 0; body != nullptr && i < body->nodes.size(); ++i) {
      if (op_name(*body->nodes[i].op) != op) out += node_flops(graph, *body, body->nodes[i]);
    }
  }
  return out;
}

}  // namespace percale

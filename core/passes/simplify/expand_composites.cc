#include <algorithm>
#include <deque>
#include <unordered_map>

#include "core/graph/emit/composite.h"
#include "core/passes/simplify/inline.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

// A body may contain composite ops itself.
constexpr size_t kMaxNesting = 8;

bool all_static(const Function& f, const Node& node) {
  for (ValueId id : node.inputs) {
    if (id != kNoValue && !f.type(id).shape.is_static()) return false;
  }
  return true;
}

// True if every input that is a shape, axes or sizes is known.
bool sizes_known(const Function& f, const Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const bool sizes = node.inputs[i] != kNoValue && node.op->input(i).bounds == Bounds::kShape;
    if (sizes && f.constant(node.inputs[i]) == nullptr) return false;
  }
  return true;
}

}  // namespace

size_t waiting_composites(const Function& f) {
  return static_cast<size_t>(std::count_if(f.nodes.begin(), f.nodes.end(), [&](const Node& node) {
    return node.op->body != nullptr && !(all_static(f, node) && sizes_known(f, node));
  }));
}

Status expand_composites(const Graph& graph, Function& f, PassContext& context) {
  for (size_t round = 0; round < kMaxNesting; ++round) {
    std::deque<Function> bodies;
    std::unordered_map<std::string, const Function*> body_of_node;
    for (const Node& node : f.nodes) {
      // A kernel can be asked only when the shapes are known. Until then the node stays as it is.
      if (node.op->body == nullptr || !all_static(f, node)) continue;
      if (context.claims && context.claims(f, node)) continue;
      std::vector<ValueType> types;
      std::vector<const Tensor*> known;
      for (ValueId id : node.inputs) {
        types.push_back(id == kNoValue ? ValueType{} : f.type(id));
        known.push_back(id == kNoValue ? nullptr : f.constant(id));
      }
      auto body = body_of(*graph.registry, *node.op, node.name, types, known, node.attributes, node.outputs.size());
      if (body.status().code() == Code::kUnimplemented) continue;  // placement reports the error
      PERCALE_RETURN_IF_ERROR(body.status());
      body_of_node[node.name] = &bodies.emplace_back(std::move(body).value());
    }
    if (bodies.empty()) {
      context.waiting = waiting_composites(f);
      return {};
    }
    inline_bodies(
        graph, f,
        [&](const Node& node) -> Callee {
          const auto found = body_of_node.find(node.name);
          if (found == body_of_node.end()) return {};
          return {found->second, 0, str_cat(node.name, "/")};
        },
        SIZE_MAX);
  }
  return internal_error("composite ops are nested deeper than ", static_cast<uint64_t>(kMaxNesting), " bodies");
}

}  // namespace percale

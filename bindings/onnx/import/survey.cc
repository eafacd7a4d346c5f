#include "bindings/onnx/import/survey.h"

#include <algorithm>
#include <iterator>
#include <queue>

namespace percale_onnx {
namespace {

Status too_deep() { return bad("graphs and functions are nested deeper than ", kMaxDepth); }

// Inputs that determine shapes or set up an op, even if they are floats.
struct Slot {
  std::string_view op;
  size_t input;
};
constexpr Slot kSettled[] = {
    {"Resize", 1},
    {"Resize", 2},
    {"Upsample", 1},
    {"Clip", 1},
    {"Clip", 2},
    {"Pad", 2},
    {"Dropout", 1},
    {"OneHot", 2},
    {"Range", 0},
    {"Range", 1},
    {"Range", 2},
    {"Pow", 1},
    {"QuantizeLinear", 1},
    {"DequantizeLinear", 1},
    {"NonMaxSuppression", 3},
    {"NonMaxSuppression", 4},
    {"QLinearConv", 1},
    {"QLinearConv", 4},
    {"QLinearConv", 6},
    {"QLinearMatMul", 1},
    {"QLinearMatMul", 4},
    {"QLinearMatMul", 6},
};
// Ops for which an operand with one element is a scalar. Other ops take slopes and weights.
constexpr std::string_view kArithmetic[] = {"Add", "Sub", "Mul", "Div", "Pow", "Min", "Max"};
constexpr Slot kStatistics[] = {{"BatchNormalization", 3}, {"BatchNormalization", 4}};

class Surveyor {
 public:
  Surveyor(const Functions& functions, const std::function<bool(const std::string&, int32_t)>& knows, Survey* out)
      : functions_(functions), knows_(knows), out_(out) {}

  Status walk(const std::vector<std::string_view>& nodes, const Opsets& opsets, int depth) {
    if (depth > kMaxDepth) return too_deep();
    for (std::string_view bytes : nodes) {
      NodeOutline node;
      ONNX_TRY(parse(bytes, &node));
      ++out_->nodes;
      note_slots(node);
      for (std::string_view graph_bytes : node.graphs) {
        GraphProto graph;
        ONNX_TRY(parse(graph_bytes, &graph));
        ONNX_TRY(walk(graph.nodes, opsets, depth + 1));
      }
      if (const FunctionProto* function = find_function(functions_, node.domain, node.op)) {
        if (!seen_.insert(function).second) continue;
        ONNX_TRY(walk(function->nodes, function->opsets, depth + 1));
        continue;
      }
      int32_t version = 0;
      ONNX_TRY(opset_of(opsets, node.domain, &version));
      std::string op = op_name(node.domain, node.op);
      if (!knows_(op, version)) ++missing_[std::move(op)];
    }
    return {};
  }

  Status verdict() const {
    if (missing_.empty()) return {};
    std::string list;
    for (const auto& [op, count] : missing_) {
      if (list.size() > 4096) {
        list += ", ...";
        break;
      }
      std::string shown = quoted(op);
      list += text(list.empty() ? "" : ", ", shown.substr(1, shown.size() - 2), " (", count, ")");
    }
    return unsupported("ops that Percale does not have (number of nodes in parentheses): ", list);
  }

 private:
  void note_slots(const NodeOutline& node) {
    const bool arithmetic = node.domain.empty() &&
                            std::find(std::begin(kArithmetic), std::end(kArithmetic), node.op) != std::end(kArithmetic);
    if (!arithmetic) out_->beyond_arithmetic.insert(node.inputs.begin(), node.inputs.end());
    if (!node.domain.empty()) return;
    for (const Slot& slot : kSettled) {
      if (slot.op == node.op && slot.input < node.inputs.size()) out_->settled.insert(node.inputs[slot.input]);
    }
    for (const Slot& slot : kStatistics) {
      if (slot.op == node.op && slot.input < node.inputs.size()) out_->statistics.insert(node.inputs[slot.input]);
    }
  }

  const Functions& functions_;
  const std::function<bool(const std::string&, int32_t)>& knows_;
  Survey* out_;
  std::map<std::string, int64_t> missing_;
  std::unordered_set<const FunctionProto*> seen_;
};

// Appends the names that a node uses: its inputs and the free names of its sub-graphs.
Status add_uses(const NodeOutline& node, int depth, std::vector<std::string_view>* out) {
  for (std::string_view name : node.inputs) {
    if (!name.empty()) out->push_back(name);
  }
  for (std::string_view graph : node.graphs) ONNX_TRY(free_names(graph, depth + 1, out));
  return {};
}

}  // namespace

const FunctionProto* find_function(const Functions& functions, std::string_view domain, std::string_view op) {
  if (functions.empty()) return nullptr;
  const auto found = functions.find(text(domain, ":", op));
  return found == functions.end() ? nullptr : found->second;
}

std::string op_name(std::string_view domain, std::string_view op) {
  return domain.empty() ? std::string(op) : text(domain, ":", op);
}

Status opset_of(const Opsets& opsets, std::string_view domain, int32_t* out) {
  const auto found = opsets.find(domain);
  if (found == opsets.end()) return bad("the model does not import an opset for the domain ", quoted(domain));
  *out = static_cast<int32_t>(found->second);
  return {};
}

Status survey(const ModelProto& model, const Functions& functions,
              const std::function<bool(const std::string&, int32_t)>& knows, Survey* out) {
  GraphProto graph;
  ONNX_TRY(parse(model.graph, &graph));
  Surveyor surveyor(functions, knows, out);
  ONNX_TRY(surveyor.walk(graph.nodes, model.opsets, 1));
  return surveyor.verdict();
}

Status free_names(std::string_view graph_bytes, int depth, std::vector<std::string_view>* out) {
  if (depth > kMaxDepth) return too_deep();
  GraphProto graph;
  ONNX_TRY(parse(graph_bytes, &graph));
  Names defined, seen;
  for (std::string_view bytes : graph.inputs) {
    std::string_view name;
    ONNX_TRY(parse_name(bytes, kValueInfoName, &name));
    defined.insert(name);
  }
  ONNX_TRY(add_initializer_names(graph, &defined));
  std::vector<std::string_view> uses;
  for (std::string_view bytes : graph.nodes) {
    NodeOutline node;
    ONNX_TRY(parse(bytes, &node));
    ONNX_TRY(add_uses(node, depth, &uses));
    defined.insert(node.outputs.begin(), node.outputs.end());
  }
  for (std::string_view bytes : graph.outputs) {
    std::string_view name;
    ONNX_TRY(parse_name(bytes, kValueInfoName, &name));
    uses.push_back(name);
  }
  for (std::string_view name : uses) {
    if (!defined.contains(name) && seen.insert(name).second) out->push_back(name);
  }
  return {};
}

Status sort_nodes(std::vector<std::string_view>* nodes, int depth) {
  const size_t count = nodes->size();
  std::unordered_map<std::string_view, size_t> maker;  // the node that computes a value
  std::vector<std::vector<std::string_view>> uses(count);
  for (size_t i = 0; i < count; ++i) {
    NodeOutline node;
    ONNX_TRY(parse((*nodes)[i], &node));
    ONNX_TRY(add_uses(node, depth, &uses[i]));
    for (std::string_view name : node.outputs) {
      if (!name.empty() && !maker.emplace(name, i).second) return bad("two nodes produce the value ", quoted(name));
    }
  }
  std::vector<std::vector<size_t>> users(count);
  std::vector<size_t> waits(count, 0);
  bool sorted = true;
  for (size_t i = 0; i < count; ++i) {
    for (std::string_view name : uses[i]) {
      const auto found = maker.find(name);
      if (found == maker.end()) continue;
      sorted = sorted && found->second < i;
      users[found->second].push_back(i);
      ++waits[i];
    }
  }
  if (sorted) return {};
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i) {
    if (waits[i] == 0) ready.push(i);
  }
  std::vector<std::string_view> out;
  while (!ready.empty()) {
    const size_t i = ready.top();
    ready.pop();
    out.push_back((*nodes)[i]);
    for (size_t user : users[i]) {
      if (--waits[user] == 0) ready.push(user);
    }
  }
  if (out.size() < count) {
    const auto stuck =
        static_cast<size_t>(std::find_if(waits.begin(), waits.end(), [](size_t n) { return n > 0; }) - waits.begin());
    NodeOutline node;
    ONNX_TRY(parse((*nodes)[stuck], &node));
    return bad("node ", uint64_t{stuck}, " (", quoted(node.op), ") depends on its own output: the nodes form a cycle");
  }
  *nodes = std::move(out);
  return {};
}

}  // namespace percale_onnx

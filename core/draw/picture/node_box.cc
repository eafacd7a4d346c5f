#include "core/draw/picture/node_box.h"

#include "core/draw/picture/picture_builder.h"
#include "core/graph_io/describe.h"
#include "core/text/json.h"

namespace percale {
namespace {

constexpr int64_t kShownElements = 4;
constexpr size_t kMaxTitleOps = 3;

template <class T>
std::string elements_text(const Tensor& tensor) {
  JsonWriter json;
  if (tensor.shape().rank() > 0) json.begin_array();
  for (const T element : tensor.span<T>()) json.value(element);
  if (tensor.shape().rank() > 0) json.end_array();
  return json.text();
}

std::string constant_text(const Tensor& tensor) {
  if (tensor.num_elements() <= kShownElements && tensor.shape().rank() <= 1) {
    switch (tensor.dtype()) {
      case DType::kF32: return elements_text<float>(tensor);
      case DType::kF64: return elements_text<double>(tensor);
      case DType::kI32: return elements_text<int32_t>(tensor);
      case DType::kI64: return elements_text<int64_t>(tensor);
      default: break;
    }
  }
  return type_text({tensor.dtype(), tensor.shape()});
}

std::string attribute_text(const AttrValue& value) {
  if (const auto* text = value.get_if<std::string>()) return *text;
  JsonWriter json;
  write_attribute(json, value);
  return json.text();
}

void add_value_facts(Box& box, const Function& f, const std::vector<ValueId>& ids, std::string_view what) {
  for (const ValueId id : ids) {
    if (id == kNoValue) continue;
    box.facts.emplace_back(what, str_cat(f.value(id).name, "  ", type_text(f.type(id))));
  }
}

// Returns the ops of a function. Functions with equal ops are treated as alike, because their names
// may differ.
std::string ops_of(const Graph& graph, const FunctionRef& ref) {
  std::string text;
  const Function* f = graph.find_function(ref.name);
  for (size_t i = 0; f != nullptr && i < f->nodes.size(); ++i) text += op_name(*f->nodes[i].op) + ' ';
  return text;
}

// Returns "Fused Conv Relu" for a fused node, else the op.
std::string title_of(const Graph& graph, const Node& node) {
  const std::string op = op_name(*node.op);
  const AttrValue* body = node.op->is(Role::kFused) ? node.attributes.find("body") : nullptr;
  const FunctionRef* ref = body == nullptr ? nullptr : body->get_if<FunctionRef>();
  const Function* function = ref == nullptr ? nullptr : graph.find_function(ref->name);
  if (function == nullptr) return op;
  std::string title(node.op->name);
  for (size_t i = 0; i < function->nodes.size(); ++i) {
    if (i == kMaxTitleOps) return title + " \xE2\x80\xA6";
    title += str_cat(" ", function->nodes[i].op->name);
  }
  return title;
}

// Returns equal texts for nodes with equal op, attributes and types. Names of variables and ids of
// random nodes are left out, because they differ in every node.
std::string likeness_of(const Graph& graph, const Function& f, const Node& node) {
  std::string text = str_cat(op_name(*node.op), '\n');
  for (const auto& [name, value] : node.attributes) {
    if (name == "variable" || name == "id") continue;
    const auto* function = value.get_if<FunctionRef>();
    text += str_cat(name, '=', function != nullptr ? ops_of(graph, *function) : attribute_text(value), '\n');
  }
  for (const ValueId id : node.inputs) text += id == kNoValue ? "-" : type_text(f.type(id)) + '\n';
  text += ">\n";
  for (const ValueId id : node.outputs) text += id == kNoValue ? "-" : type_text(f.type(id)) + '\n';
  return text;
}

}  // namespace

bool is_variable_read(const Node& node) { return node.op->is(Role::kReadVariable); }

Chip constant_chip(const Value& value, const Tensor& constant) {
  return {ChipKind::kConstant, value.name, constant_text(constant), ""};
}

void add_attributes(Box& box, const Attributes& attributes) {
  for (const auto& [name, value] : attributes) {
    const auto* called = value.get_if<FunctionRef>();
    if (called == nullptr) {
      box.facts.emplace_back(name, attribute_text(value));
    } else {
      box.chips.push_back({ChipKind::kFunction, called->name, "", name});
    }
  }
}

Box node_box(const Graph& graph, const Function& function, const Node& node) {
  Box box;
  box.name = node.name;
  box.title = title_of(graph, node);
  box.likeness = likeness_of(graph, function, node);
  box.tint = node.op->has(kView) ? Tint::kView : node.op->has(kElementwise) ? Tint::kElementwise : Tint::kPlain;
  box.facts.emplace_back("op", op_name(*node.op));
  if (!node.op->doc.empty()) box.facts.emplace_back("computes", node.op->doc);
  add_value_facts(box, function, node.inputs, "input");
  add_value_facts(box, function, node.outputs, "output");
  add_attributes(box, node.attributes);
  if (!node.device.empty()) box.facts.emplace_back("device hint", node.device);
  const AttrValue* variable = node.op->has(kStateful) ? node.attributes.find("variable") : nullptr;
  if (variable != nullptr && !is_variable_read(node)) {
    box.chips.push_back({ChipKind::kAssigned, attribute_text(*variable), "", ""});
  }
  return box;
}

}  // namespace percale

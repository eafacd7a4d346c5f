// The part of the importer that builds nodes, with their attributes and outputs.
#include <algorithm>

#include "bindings/onnx/import/importer.h"
#include "bindings/onnx/proto/tensor.h"

namespace percale_onnx {

const AttributeProto* find_attribute(const NodeProto& node, std::string_view name) {
  const auto found = std::find_if(node.attributes.begin(), node.attributes.end(),
                                  [&](const AttributeProto& a) { return a.name == name; });
  return found == node.attributes.end() ? nullptr : &*found;
}

std::string Importer::place_of(const NodeProto& node) {
  std::string_view name = node.name;
  for (size_t i = 0; name.empty() && i < node.outputs.size(); ++i) name = node.outputs[i];
  return text(op_name(node.domain, node.op), " ", quoted(name));
}

Status Importer::add_node(std::string_view bytes, Scope& scope) {
  if (--nodes_left_ < 0) {
    return Status(PERCALE_RESOURCE_EXHAUSTED, "functions of the model that call each other expand to too many nodes");
  }
  NodeProto node;
  ONNX_TRY(parse(bytes, &node));
  // Within a function, an attribute may refer to an attribute of the call, which may be absent.
  std::erase_if(node.attributes, [&](AttributeProto& a) {
    if (a.reference.empty()) return false;
    if (scope.given == nullptr) return true;
    const auto found = scope.given->find(a.reference);
    if (found == scope.given->end()) return true;
    const std::string_view name = a.name;
    a = *found->second;
    a.name = name;
    return false;
  });
  if (const FunctionProto* function = find_function(functions_, node.domain, node.op)) {
    return call_function(*function, node, scope).within(place_of(node));
  }
  if (scope.depth == 1 && node.outputs.size() == 1 && separate_.contains(node.outputs[0])) return {};
  if (node.domain.empty() && node.op == "Constant") return add_constant_node(node, scope).within(place_of(node));
  return emit_node(node, scope);
}

Status Importer::begin_emit(const NodeProto& node, const Scope& scope) {
  std::string op, name;
  int32_t version = 0;
  ONNX_TRY(opset_of(*scope.opsets, node.domain, &version));
  ONNX_TRY(c_text(op_name(node.domain, node.op), &op));
  std::string_view wanted = node.name;
  for (size_t i = 0; wanted.empty() && i < node.outputs.size(); ++i) wanted = node.outputs[i];
  ONNX_TRY(c_text(wanted.empty() ? node.op : wanted, &name));
  return host_.take(host_->builder->node(builder_, op.c_str(), version, (scope.prefix + name).c_str()));
}

Status Importer::emit_node(const NodeProto& node, Scope& scope) {
  const std::string place = place_of(node);
  std::vector<percale_value> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    ONNX_TRY(lookup(node.inputs[i], scope, &inputs.emplace_back()).within(text(place, ": input ", uint64_t{i})));
  }
  const bool loop = node.domain.empty() && node.op == "Loop";
  // The carried and captured values of a loop follow its trip count and its condition, even if
  // these two are absent.
  if (loop && inputs.size() < 2) inputs.resize(2, PERCALE_NO_VALUE);
  std::vector<std::string> functions;  // of each attribute; "" for one that is not a graph
  ONNX_TRY(import_graphs(node, scope, &functions, &inputs).within(place));
  ONNX_TRY(begin_emit(node, scope).within(place));
  for (percale_value input : inputs) ONNX_TRY(host_.take(host_->builder->add_input(builder_, input)));
  for (size_t i = 0; i < node.attributes.size(); ++i) {
    ONNX_TRY(set_attribute(node.attributes[i], functions[i])
                 .within(text(place, ": attribute ", quoted(node.attributes[i].name))));
  }
  if (loop) {
    const auto carried = static_cast<int64_t>(node.inputs.size() > 2 ? node.inputs.size() - 2 : 0);
    ONNX_TRY(host_.take(host_->builder->set_int(builder_, "num_carried", carried)));
  }
  if (node.domain.empty() && node.op == "Scan") {
    const AttributeProto* scanned = find_attribute(node, "num_scan_inputs");
    const auto all = static_cast<int64_t>(node.inputs.size());
    const int64_t carried = all - (scanned == nullptr ? 0 : std::clamp<int64_t>(scanned->i, 0, all));
    ONNX_TRY(host_.take(host_->builder->set_int(builder_, "num_carried", carried)));
  }
  size_t count = node.outputs.size();
  while (count > 0 && node.outputs[count - 1].empty()) --count;
  std::vector<percale_value> values(count, PERCALE_NO_VALUE);
  ONNX_TRY(host_.take(host_->builder->finish_node(builder_, count, values.data())));
  return bind_outputs(node, values, scope).within(place);
}

Status Importer::bind_outputs(const NodeProto& node, const std::vector<percale_value>& values, Scope& scope) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!node.outputs[i].empty()) ONNX_TRY(bind(node.outputs[i], {values[i], nullptr}, true, scope));
  }
  return {};
}

Status Importer::set_attribute(const AttributeProto& a, const std::string& function) {
  std::string name, value;
  ONNX_TRY(c_text(a.name, &name));
  switch (a.type) {
    case AttributeType::kFloat: return host_.take(host_->builder->set_float(builder_, name.c_str(), a.f));
    case AttributeType::kInt: return host_.take(host_->builder->set_int(builder_, name.c_str(), a.i));
    case AttributeType::kString:
      ONNX_TRY(c_text(a.s, &value));
      return host_.take(host_->builder->set_string(builder_, name.c_str(), value.c_str()));
    case AttributeType::kTensor: {
      TensorProto proto;
      ONNX_TRY(parse(a.tensor, &proto));
      TensorPtr tensor;
      ONNX_TRY(load_tensor(host_, host_->builder->engine(builder_), proto, folder_, &tensor));
      return host_.take(host_->builder->set_tensor(builder_, name.c_str(), tensor.get()));
    }
    case AttributeType::kGraph:
      return host_.take(host_->builder->set_function(builder_, name.c_str(), function.c_str()));
    case AttributeType::kFloats:
      return host_.take(host_->builder->set_floats(builder_, name.c_str(), a.floats.data(), a.floats.size()));
    case AttributeType::kInts:
      return host_.take(host_->builder->set_ints(builder_, name.c_str(), a.ints.data(), a.ints.size()));
    case AttributeType::kStrings: {
      std::vector<std::string> texts(a.strings.size());
      std::vector<const char*> pointers;
      for (size_t i = 0; i < texts.size(); ++i) {
        ONNX_TRY(c_text(a.strings[i], &texts[i]));
        pointers.push_back(texts[i].c_str());
      }
      return host_.take(host_->builder->set_strings(builder_, name.c_str(), pointers.data(), pointers.size()));
    }
    default: return unsupported("attributes of this type are not supported: ", static_cast<int32_t>(a.type));
  }
}

Status Importer::add_constant_node(const NodeProto& node, Scope& scope) {
  if (node.outputs.size() != 1 || node.outputs[0].empty()) return bad("Constant must have exactly one output");
  TensorPtr tensor;
  percale_engine* engine = host_->builder->engine(builder_);
  const auto make = [&](percale_dtype dtype, bool scalar, size_t count) {
    const auto dim = static_cast<int64_t>(count);
    return host_.make_tensor(engine, dtype, &dim, scalar ? 0 : 1, &tensor);
  };
  const auto put_floats = [&](bool scalar, const double* values, size_t count) -> Status {
    ONNX_TRY(make(PERCALE_DTYPE_F32, scalar, count));
    std::transform(values, values + count, static_cast<float*>(host_->tensor->get_data(tensor.get())),
                   [](double v) { return static_cast<float>(v); });
    return {};
  };
  const auto put_ints = [&](bool scalar, const int64_t* values, size_t count) -> Status {
    ONNX_TRY(make(PERCALE_DTYPE_I64, scalar, count));
    std::copy(values, values + count, static_cast<int64_t*>(host_->tensor->get_data(tensor.get())));
    return {};
  };
  if (const AttributeProto* value = find_attribute(node, "value");
      value != nullptr && value->type == AttributeType::kTensor) {
    TensorProto proto;
    ONNX_TRY(parse(value->tensor, &proto));
    ONNX_TRY(load_tensor(host_, engine, proto, folder_, &tensor));
  } else if (const AttributeProto* f = find_attribute(node, "value_float")) {
    ONNX_TRY(put_floats(true, &f->f, 1));
  } else if (const AttributeProto* fs = find_attribute(node, "value_floats")) {
    ONNX_TRY(put_floats(false, fs->floats.data(), fs->floats.size()));
  } else if (const AttributeProto* i = find_attribute(node, "value_int")) {
    ONNX_TRY(put_ints(true, &i->i, 1));
  } else if (const AttributeProto* is = find_attribute(node, "value_ints")) {
    ONNX_TRY(put_ints(false, is->ints.data(), is->ints.size()));
  } else if (!node.attributes.empty()) {
    return unsupported("Constant with this attribute is not supported: ", quoted(node.attributes[0].name));
  } else {
    return bad("Constant has no value");
  }
  Value value;
  ONNX_TRY(constant(std::move(tensor), scope.prefix + std::string(node.outputs[0]), &value));
  return bind(node.outputs[0], std::move(value), true, scope);
}

}  // namespace percale_onnx

#include "core/graph/builder.h"

#include <algorithm>

#include "core/graph/effects.h"
#include "core/graph/infer.h"
#include "core/graph/validate.h"
#include "core/tensor/half.h"

namespace percale {
namespace {

Result<const OpSchema*> find_schema(const Registry& registry, std::string_view op) {
  const size_t colon = op.find(':');
  if (colon == std::string_view::npos) return registry.require_op("", op);
  return registry.require_op(op.substr(0, colon), op.substr(colon + 1));
}

}  // namespace

FunctionBuilder::FunctionBuilder(Builder& owner, size_t index) : owner_(owner), index_(index) {
  for (const Value& v : function().values) names_.insert(v.name);
  const Function& f = function();
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    names_.insert(f.nodes[i].name);
    order_effects(static_cast<NodeId>(i));
  }
}

const Function& FunctionBuilder::function() const { return owner_.graph_.functions[index_]; }
Function& FunctionBuilder::mutable_function() { return owner_.graph_.functions[index_]; }

std::string FunctionBuilder::free_name(std::string_view wanted) {
  std::string name(wanted);
  if (!reserved_.contains(name) && names_.insert(name).second) return name;
  int64_t& next = next_suffix_[name];
  for (;;) {
    std::string numbered = str_cat(wanted, "_", ++next);
    if (!reserved_.contains(numbered) && names_.insert(numbered).second) return numbered;
  }
}

void FunctionBuilder::reserve_name(std::string_view name) {
  if (!name.empty() && !names_.contains(std::string(name))) reserved_.emplace(name);
}

Result<ValueId> FunctionBuilder::add_input(std::string_view name, DType dtype, const Shape& shape) {
  if (!is_valid_dtype(static_cast<int32_t>(dtype))) {
    return invalid_argument("input '", name, "': ", static_cast<int32_t>(dtype), " is not a dtype");
  }
  if (!name.empty() && !names_.insert(std::string(name)).second) {
    return Status(Code::kAlreadyExists, str_cat("input '", name, "': the name is taken"));
  }
  reserved_.erase(std::string(name));
  Function& f = mutable_function();
  const auto id = static_cast<ValueId>(f.values.size());
  f.values.push_back({name.empty() ? free_name("input") : std::string(name),
                      {dtype, shape},
                      ValueKind::kInput,
                      static_cast<int32_t>(f.inputs.size()),
                      0});
  f.inputs.push_back(id);
  return id;
}

Result<ValueId> FunctionBuilder::add_constant(Tensor tensor, std::string_view name) {
  if (!tensor.defined()) return invalid_argument("constant '", name, "' has no tensor");
  Function& f = mutable_function();
  const auto id = static_cast<ValueId>(f.values.size());
  f.values.push_back({free_name(name.empty() ? str_cat(prefix_, "constant") : str_cat(prefix_, name)),
                      {tensor.dtype(), tensor.shape()},
                      ValueKind::kConstant,
                      static_cast<int32_t>(f.constants.size()),
                      0});
  f.constants.push_back(std::move(tensor));
  return id;
}

Result<NodeId> FunctionBuilder::add_node(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes,
                                         size_t num_outputs, std::string_view name) {
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, find_schema(owner_.registry(), op));
  return add_node(*schema, inputs, std::move(attributes), num_outputs, name);
}

Result<NodeId> FunctionBuilder::add_node(const OpSchema& schema, const std::vector<ValueId>& inputs,
                                         Attributes attributes, size_t num_outputs, std::string_view name) {
  Node node;
  node.op = &schema;
  node.inputs = inputs;
  while (!node.inputs.empty() && node.inputs.back() == kNoValue) node.inputs.pop_back();
  const auto num_values = static_cast<ValueId>(function().values.size());
  for (ValueId id : node.inputs) {
    if (id < kNoValue || id >= num_values) {
      return invalid_argument(schema.name, " '", name, "': input ", id, " is not a value of function '",
                              function().name, "'");
    }
  }
  if (schema.has(kRandom) && !attributes.contains("id")) attributes.set("id", owner_.graph_.next_random_id++);
  node.attributes = std::move(attributes);
  node.device = device_;
  const std::string wanted = str_cat(prefix_, name.empty() ? schema.name : name);
  node.name = wanted;
  node.outputs.resize(num_outputs);
  const DeclaredFunctionTypes functions(owner_.graph_);
  PERCALE_ASSIGN_OR_RETURN(auto types, infer_node(function(), node, &functions));

  node.name = free_name(wanted);
  node.outputs.clear();
  Function& f = mutable_function();
  const auto id = static_cast<NodeId>(f.nodes.size());
  f.nodes.push_back(std::move(node));
  for (size_t i = 0; i < num_outputs; ++i) add_output(id, i, types[i]);
  order_effects(id);
  return id;
}

void FunctionBuilder::refine_shape(ValueId id, const Shape& shape) {
  Shape& known = mutable_function().value(id).type.shape;
  known = merge(known, shape);
}

ValueId FunctionBuilder::add_output(NodeId id, size_t output, const ValueType& type) {
  Function& f = mutable_function();
  Node& node = f.node(id);
  const auto value = static_cast<ValueId>(f.values.size());
  std::string name = output == 0 ? node.name : free_name(str_cat(node.name, ":", static_cast<uint64_t>(output)));
  f.values.push_back({std::move(name), type, ValueKind::kNode, id, static_cast<int32_t>(output)});
  node.outputs.push_back(value);
  return value;
}

Result<std::vector<ValueId>> FunctionBuilder::extend_node(NodeId id, Attributes attributes, size_t more) {
  Function& f = mutable_function();
  Node changed = f.node(id);
  const size_t before = changed.outputs.size();
  changed.attributes = std::move(attributes);
  changed.outputs.resize(before + more, kNoValue);
  const DeclaredFunctionTypes functions(owner_.graph_);
  PERCALE_ASSIGN_OR_RETURN(const auto types, infer_node(f, changed, &functions));
  for (size_t i = 0; i < before; ++i) {
    if (changed.outputs[i] == kNoValue) continue;
    const ValueType& type = f.type(changed.outputs[i]);
    if (type.dtype != types[i].dtype || !compatible(type.shape, types[i].shape)) {
      return invalid_argument(op_name(*changed.op), " '", changed.name, "': output ", static_cast<uint64_t>(i), " is ",
                              type.dtype, " ", type.shape, " and would become ", types[i].dtype, " ", types[i].shape);
    }
  }
  f.node(id).attributes = std::move(changed.attributes);
  std::vector<ValueId> out;
  for (size_t i = before; i < before + more; ++i) out.push_back(add_output(id, i, types[i]));
  return out;
}

// A read of a variable is ordered after its last write; a write, after the previous write and all
// reads since then. An effect that names no variable (Print, Assert, a control op with effects
// inside) is ordered against every other effect.
void FunctionBuilder::order_effects(NodeId id) {
  Function& f = mutable_function();
  const OpSchema& schema = *f.node(id).op;
  const Attributes& attributes = f.node(id).attributes;
  if (!schema.has(kStateful)) {
    if (!carries_functions(attributes)) return;
    const NodeEffects inside = effects_of(owner_.graph_, f.node(id));
    if (!inside.reads && !inside.writes) return;
  }
  std::vector<NodeId> before = f.node(id).control;
  const std::string variable(attributes.get_string("variable"));
  const bool reads_only = schema.is(Role::kReadVariable);
  const auto after_writes = [&](const Effects& e) {
    if (e.last_write >= 0 && e.last_write != id) before.push_back(e.last_write);
  };
  const auto after_all = [&](const Effects& e) {
    after_writes(e);
    before.insert(before.end(), e.reads.begin(), e.reads.end());
  };
  if (variable.empty()) {
    for (auto& [name, e] : effects_) {
      after_all(e);
      e = {id, {}};
    }
    effects_[""] = {id, {}};
  } else {
    after_writes(effects_[""]);
    Effects& e = effects_[variable];
    if (reads_only) {
      after_writes(e);
      e.reads.push_back(id);
    } else {
      after_all(e);
      e = {id, {}};
    }
    effects_[""].reads.push_back(id);
  }
  std::sort(before.begin(), before.end());
  before.erase(std::unique(before.begin(), before.end()), before.end());
  f.node(id).control = std::move(before);
}

Status FunctionBuilder::add_control(NodeId before, NodeId after) {
  Function& f = mutable_function();
  if (before < 0 || before >= after || after >= static_cast<NodeId>(f.nodes.size())) {
    return invalid_argument("control edge from node ", before, " to node ", after, ": wanted two nodes in this order");
  }
  auto& control = f.node(after).control;
  const auto at = std::lower_bound(control.begin(), control.end(), before);
  if (at == control.end() || *at != before) control.insert(at, before);
  return {};
}

Status FunctionBuilder::set_outputs(std::vector<ValueId> outputs) {
  for (ValueId id : outputs) {
    if (id < 0 || id >= static_cast<ValueId>(function().values.size())) {
      return invalid_argument("output ", id, " is not a value of function '", function().name, "'");
    }
  }
  mutable_function().outputs = std::move(outputs);
  return {};
}

Status FunctionBuilder::rename(ValueId id, std::string_view name) {
  if (id < 0 || id >= static_cast<ValueId>(function().values.size())) {
    return invalid_argument(id, " is not a value of function '", function().name, "'");
  }
  Value& value = mutable_function().value(id);
  if (value.name == name) return {};
  // A node and its first output share a name, so either may take it from the other.
  const bool own = value.kind == ValueKind::kNode && function().node(value.def).name == name;
  if (name.empty() || (!own && !names_.insert(std::string(name)).second)) {
    return Status(Code::kAlreadyExists,
                  str_cat("'", name, "' cannot be the name of '", value.name, "': the name is already used"));
  }
  reserved_.erase(std::string(name));
  value.name = name;
  return {};
}

Builder::Builder(std::shared_ptr<const Registry> registry) {
  graph_.registry = std::move(registry);
  graph_.functions.emplace_back().name = kMainFunction;
  functions_.emplace_back(*this, 0);
}

Builder::Builder(const Graph& graph) : graph_(graph) {
  for (const Variable& v : graph_.variables) variable_names_.insert(v.name);
  for (size_t i = 0; i < graph_.functions.size(); ++i) functions_.emplace_back(*this, i);
}

Result<FunctionBuilder*> Builder::add_function(std::string_view name) {
  if (name.empty()) return invalid_argument("a function needs a name");
  if (graph_.find_function(name) != nullptr) {
    return Status(Code::kAlreadyExists, str_cat("function '", name, "' already exists"));
  }
  graph_.functions.emplace_back().name = name;
  return &functions_.emplace_back(*this, graph_.functions.size() - 1);
}

std::string Builder::free_function_name(std::string_view name) const {
  std::string out(name);
  for (int64_t i = 1; graph_.find_function(out) != nullptr; ++i) out = str_cat(name, "_", i);
  return out;
}

FunctionBuilder* Builder::find_function(std::string_view name) {
  for (FunctionBuilder& f : functions_) {
    if (f.function().name == name) return &f;
  }
  return nullptr;
}

FunctionBuilder& Builder::init() {
  if (FunctionBuilder* found = find_function(kInitFunction)) return *found;
  graph_.functions.emplace_back().name = kInitFunction;
  return functions_.emplace_back(*this, graph_.functions.size() - 1);
}

Status Builder::add_variable(Variable variable) {
  if (variable.name.empty()) return invalid_argument("a variable needs a name");
  if (variable_names_.contains(variable.name)) {
    return Status(Code::kAlreadyExists, str_cat("variable '", variable.name, "' already exists"));
  }
  const auto bytes = byte_size(variable.dtype, variable.shape);
  if (!bytes.ok()) return bytes.status().with_context(str_cat("variable '", variable.name, "'"));
  if (variable.initial.defined() &&
      (variable.initial.dtype() != variable.dtype || !(variable.initial.shape() == variable.shape))) {
    return invalid_argument("variable '", variable.name, "': the initial value is ", variable.initial.dtype(), " ",
                            variable.initial.shape(), ", wanted ", variable.dtype, " ", variable.shape);
  }
  variable_names_.insert(variable.name);
  graph_.variables.push_back(std::move(variable));
  return {};
}

void Builder::set_metadata(std::string_view key, std::string_view value) { graph_.metadata[std::string(key)] = value; }

Result<std::shared_ptr<const Graph>> Builder::finish() {
  PERCALE_RETURN_IF_ERROR(validate(graph_));
  auto out = std::make_shared<const Graph>(std::move(graph_));
  graph_ = Graph{};
  variable_names_.clear();
  graph_.registry = out->registry;
  graph_.functions.emplace_back().name = kMainFunction;
  functions_.clear();
  functions_.emplace_back(*this, 0);
  return out;
}

std::vector<ValueId> Emitter::emit_many(std::string_view op, const std::vector<ValueId>& inputs, size_t num_outputs,
                                        Attributes attributes, std::string_view name) {
  if (status_.ok()) {
    const auto node = builder_.add_node(op, inputs, std::move(attributes), num_outputs, name);
    if (node.ok()) return builder_.function().node(*node).outputs;
    status_ = node.status();
  }
  return std::vector<ValueId>(num_outputs, kNoValue);
}

ValueId Emitter::emit(std::string_view op, const std::vector<ValueId>& inputs, Attributes attributes,
                      std::string_view name) {
  return emit_many(op, inputs, 1, std::move(attributes), name)[0];
}

ValueId Emitter::constant(Tensor tensor, std::string_view name) {
  if (!status_.ok()) return kNoValue;
  const auto id = builder_.add_constant(std::move(tensor), name);
  if (id.ok()) return *id;
  status_ = id.status();
  return kNoValue;
}

ValueId Emitter::scalar(DType dtype, double value) { return constant(scalar_tensor(dtype, value)); }

ValueId Emitter::ints(const std::vector<int64_t>& values) {
  return constant(Tensor::vector(std::span<const int64_t>(values)));
}

void Emitter::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

ValueType Emitter::type(ValueId id) const {
  return id == kNoValue ? ValueType{DType::kInvalid, Shape::unranked()} : builder_.type(id);
}

Tensor scalar_tensor(DType dtype, double value) {
  switch (dtype) {
    case DType::kF64: return Tensor::scalar(value);
    case DType::kI8: return Tensor::scalar(static_cast<int8_t>(value));
    case DType::kI16: return Tensor::scalar(static_cast<int16_t>(value));
    case DType::kI32: return Tensor::scalar(static_cast<int32_t>(value));
    case DType::kI64: return Tensor::scalar(static_cast<int64_t>(value));
    case DType::kU8: return Tensor::scalar(static_cast<uint8_t>(value));
    case DType::kU16: return Tensor::scalar(static_cast<uint16_t>(value));
    case DType::kU32: return Tensor::scalar(static_cast<uint32_t>(value));
    case DType::kU64: return Tensor::scalar(static_cast<uint64_t>(value));
    case DType::kBool: return Tensor::scalar(value != 0);
    case DType::kBF16: return Tensor::scalar(to_bf16(static_cast<float>(value)));
    case DType::kF16: return Tensor::scalar(to_f16(round_to_odd(value)));
    default: return Tensor::scalar(static_cast<float>(value));
  }
}

}  // namespace percale

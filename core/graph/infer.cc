#include "core/graph/infer.h"

#include <algorithm>
#include <array>

#include "core/base/similar_name.h"

namespace percale {
namespace {

std::string type_list(DTypeSet set) {
  std::string out;
  for (int32_t i = 1; i < kNumDTypes; ++i) {
    if (!set.contains(static_cast<DType>(i))) continue;
    if (!out.empty()) out += ", ";
    out += dtype_name(static_cast<DType>(i));
  }
  return out;
}

Status check_range(const AttrSpec& spec, double value) {
  if (value >= spec.min && value <= spec.max) return {};
  return invalid_argument("attribute '", spec.name, "' is ", value, ", wanted ", spec.min, " to ", spec.max);
}

Status check_attribute(const AttrSpec& spec, const AttrValue& value) {
  if (value.kind() != spec.kind) {
    return invalid_argument("attribute '", spec.name, "' is of kind ", attr_kind_name(value.kind()), ", wanted ",
                            attr_kind_name(spec.kind));
  }
  if (const auto* i = value.get_if<int64_t>()) return check_range(spec, static_cast<double>(*i));
  if (const auto* f = value.get_if<double>()) return check_range(spec, *f);
  if (const auto* ints = value.get_if<std::vector<int64_t>>()) {
    for (int64_t i : *ints) PERCALE_RETURN_IF_ERROR(check_range(spec, static_cast<double>(i)));
  }
  return {};
}

Status check_attributes(const OpSchema& schema, const Attributes& attributes) {
  for (const auto& [name, value] : attributes) {
    const AttrSpec* spec = schema.find_attribute(name);
    if (spec == nullptr) {
      std::vector<std::string> names;
      for (const AttrSpec& s : schema.attributes) names.emplace_back(s.name);
      return invalid_argument("no attribute '", name, "'", did_you_mean(name, names));
    }
    PERCALE_RETURN_IF_ERROR(check_attribute(*spec, value));
  }
  for (const AttrSpec& spec : schema.attributes) {
    if (spec.required && !attributes.contains(spec.name)) {
      return invalid_argument("attribute '", spec.name, "' (", attr_kind_name(spec.kind), ") is required");
    }
  }
  return {};
}

Status check_arity(const OpSchema& schema, std::span<const ValueType> inputs, size_t num_outputs) {
  if (inputs.size() > schema.inputs.size() && !schema.variadic()) {
    return invalid_argument("takes at most ", static_cast<uint64_t>(schema.inputs.size()), " inputs, got ",
                            static_cast<uint64_t>(inputs.size()));
  }
  for (size_t i = 0; i < std::max(schema.inputs.size(), inputs.size()); ++i) {
    const InputSpec& spec = schema.input(i);
    const bool present = i < inputs.size() && inputs[i].dtype != DType::kInvalid;
    const bool may_lack = spec.presence == Presence::kOptional || spec.presence == Presence::kVariadicOrNone;
    if (!present && !may_lack) return invalid_argument("input '", spec.name, "' is required");
    if (present && !spec.types.contains(inputs[i].dtype)) {
      return invalid_argument("input '", spec.name, "' is ", inputs[i].dtype, ", wanted ", type_list(spec.types));
    }
  }
  const bool many =
      !schema.outputs.empty() && schema.outputs[schema.outputs.size() - 1].presence >= Presence::kVariadic;
  if (num_outputs > schema.outputs.size() && !many) {
    return invalid_argument("has at most ", static_cast<uint64_t>(schema.outputs.size()), " outputs, asked for ",
                            static_cast<uint64_t>(num_outputs));
  }
  for (size_t i = num_outputs; i < schema.outputs.size(); ++i) {
    const Presence presence = schema.outputs[i].presence;
    if (presence == Presence::kRequired || presence == Presence::kVariadic) {
      return invalid_argument("output '", schema.outputs[i].name, "' is required");
    }
  }
  return {};
}

Status check_groups(const OpSchema& schema, std::span<const ValueType> inputs) {
  std::array<size_t, 128> first{};  // per group letter: 1 + index of its first input
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto group = static_cast<unsigned char>(schema.input(i).group);
    if (group == 0 || group >= first.size() || inputs[i].dtype == DType::kInvalid) continue;
    if (first[group] == 0) {
      first[group] = i + 1;
    } else if (const size_t j = first[group] - 1; inputs[j].dtype != inputs[i].dtype) {
      return invalid_argument("inputs '", schema.input(j).name, "' and '", schema.input(i).name,
                              "' must have one dtype, got ", inputs[j].dtype, " and ", inputs[i].dtype);
    }
  }
  return {};
}

}  // namespace

Status check_node(const OpSchema& schema, std::string_view name, std::span<const ValueType> inputs, size_t num_outputs,
                  const Attributes& attributes) {
  Status status = check_attributes(schema, attributes);
  if (status.ok()) status = check_arity(schema, inputs, num_outputs);
  if (status.ok()) status = check_groups(schema, inputs);
  return status.with_context(str_cat(schema.name, " '", name, "'"));
}

Result<std::vector<ValueType>> infer_node(const OpSchema& schema, std::string_view name, std::vector<ValueType> inputs,
                                          std::vector<const Tensor*> values, size_t num_outputs,
                                          const Attributes& attributes, const FunctionTypes* functions,
                                          std::vector<Tensor> partly_known) {
  PERCALE_RETURN_IF_ERROR(check_node(schema, name, inputs, num_outputs, attributes));
  const Attributes full = with_defaults(schema, attributes);
  ShapeContext context{
      schema, name, full, std::move(inputs), std::move(values), {}, functions, std::move(partly_known)};
  context.outputs.resize(num_outputs);
  PERCALE_RETURN_IF_ERROR(schema.shape(context));
  for (size_t i = 0; i < num_outputs; ++i) {
    const ValueType& type = context.outputs[i];
    if (type.dtype == DType::kInvalid) {
      return internal_error(schema.name, " '", name, "': the shape function left output '", schema.output(i).name,
                            "' undefined");
    }
    if (type.shape.is_static()) {
      const auto bytes = byte_size(type.dtype, type.shape);
      if (!bytes.ok()) return context.error(bytes.status());
    }
  }
  return std::move(context.outputs);
}

Result<std::vector<ValueType>> infer_node(const Function& function, const Node& node, const FunctionTypes* functions) {
  std::vector<ValueType> inputs;
  std::vector<const Tensor*> values;
  for (ValueId id : node.inputs) {
    inputs.push_back(id == kNoValue ? ValueType{} : function.type(id));
    values.push_back(function.constant(id));
  }
  return infer_node(*node.op, node.name, std::move(inputs), std::move(values), node.outputs.size(), node.attributes,
                    functions);
}

const Function* DeclaredFunctionTypes::find(std::string_view name) const {
  if (index_.empty()) {
    for (const Function& f : graph_.functions) index_.emplace(f.name, &f);
  }
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : found->second;
}

Result<std::vector<ValueType>> DeclaredFunctionTypes::output_types(std::string_view name,
                                                                   const std::vector<ValueType>& inputs) const {
  const Function* found = find(name);
  if (found == nullptr) return not_found("no function '", name, "' in the graph");
  work_left_ -= static_cast<int64_t>(found->inputs.size() + found->outputs.size()) + 1;
  if (work_left_ < 0)
    return resource_exhausted("calls of functions expand to more inputs and outputs than the graph has");
  if (inputs.size() != found->inputs.size()) {
    return invalid_argument("function '", name, "' takes ", static_cast<uint64_t>(found->inputs.size()),
                            " inputs, got ", static_cast<uint64_t>(inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& declared = found->value(found->inputs[i]);
    if (declared.type.dtype != inputs[i].dtype || !compatible(declared.type.shape, inputs[i].shape)) {
      return invalid_argument("function '", name, "' input '", declared.name, "' is ", declared.type.dtype, " ",
                              declared.type.shape, ", got ", inputs[i].dtype, " ", inputs[i].shape);
    }
  }
  std::vector<ValueType> out;
  for (ValueId id : found->outputs) out.push_back(found->type(id));
  return out;
}

bool DeclaredFunctionTypes::keeps_true(std::string_view name, size_t output, size_t input) const {
  // Real bodies need one or two steps; a longer chain is not evident.
  constexpr int kMaxSteps = 64;
  const Function* f = find(name);
  if (f == nullptr || output >= f->outputs.size() || input >= f->inputs.size()) return false;
  ValueId id = f->outputs[output];
  for (int step = 0; f->value(id).kind == ValueKind::kNode; ++step) {
    const Node& node = f->node(f->value(id).def);
    // The function may not have been checked against its schemas yet, so the input may be absent.
    if (step == kMaxSteps || !node.op->is(Role::kIdentity) || node.inputs.empty() || node.inputs[0] == kNoValue)
      return false;
    id = node.inputs[0];
  }
  if (id == f->inputs[input]) return true;
  const Tensor* constant = f->constant(id);
  return constant != nullptr && constant->dtype() == DType::kBool && constant->num_elements() == 1 &&
         constant->span<bool>()[0];
}

}  // namespace percale

#include "c_api/plugin/plugin_op.h"

#include "core/base/c_status.h"
#include "core/graph/emit/gradient.h"
#include "core/registry/shape_context.h"

namespace percale::c_api {
namespace {

Status shape_of_plugin(ShapeContext& context) {
  const auto& op = *static_cast<const percale_op*>(context.schema.user);
  const Status status = from_c(op.shape(op.user, &context));
  if (!status.ok()) return context.error(status);
  for (const ValueType& output : context.outputs) {
    if (output.dtype == DType::kInvalid) return context.error("the plug-in's shape function leaves an output unset");
  }
  return {};
}

Status gradient_of_plugin(GradContext& context) {
  const auto& op = *static_cast<const percale_op*>(context.node().op->user);
  PERCALE_RETURN_IF_ERROR(from_c(op.gradient(op.user, &context)));
  return context.status();
}

// Sets of the bits 1 << dtype.
DTypeSet dtype_set(uint32_t bits) {
  DTypeSet out;
  for (int32_t i = 1; i < kNumDTypes; ++i) {
    if ((bits >> i & 1) != 0) out = out | DTypeSet::of(static_cast<DType>(i));
  }
  return out;
}

template <class T, size_t N>
void append(List<T, N>& list, T item) {
  list.items[list.count++] = item;
}

Status check_op(const char* domain, const percale_op& op) {
  if (op.struct_size < sizeof(percale_op) || op.name == nullptr || op.doc == nullptr || op.shape == nullptr) {
    return invalid_argument("an op lacks its size, name, doc or shape function");
  }
  const std::string_view of = domain == nullptr ? "" : domain;
  if (of.empty()) return invalid_argument("op ", op.name, ": the plug-in has no domain");
  if (of == "ai.onnx" || of == "percale" || of.find(':') != std::string_view::npos) {
    return invalid_argument("op ", op.name, ": the domain '", of, "' cannot be a plug-in's");
  }
  if (op.input_count > kMaxInputs || op.output_count > kMaxOutputs || op.attribute_count > kMaxAttributes) {
    return invalid_argument("op ", op.name, " has too many inputs, outputs or attributes");
  }
  return {};
}

bool can_have_kind(percale_attribute_kind kind) {
  return kind >= PERCALE_ATTRIBUTE_FLOAT && kind <= PERCALE_ATTRIBUTE_STRINGS && kind != PERCALE_ATTRIBUTE_FUNCTION;
}

Status add_values(const percale_op& op, OpRow& row) {
  for (size_t i = 0; i < op.input_count; ++i) {
    const percale_op_value& value = op.inputs[i];
    if (value.name == nullptr) return invalid_argument("op ", op.name, ": an input has no name");
    append(row.inputs, InputSpec{value.name, value.type_group, dtype_set(value.dtypes),
                                 value.optional != 0 ? Presence::kOptional : Presence::kRequired, Bounds::kNone});
  }
  for (size_t i = 0; i < op.output_count; ++i) {
    const percale_op_value& value = op.outputs[i];
    if (value.name == nullptr) return invalid_argument("op ", op.name, ": an output has no name");
    append(row.outputs, OutputSpec{value.name, value.type_group, dtype_set(value.dtypes), Presence::kRequired});
  }
  return {};
}

Status add_attributes(const percale_op& op, OpRow& row) {
  for (size_t i = 0; i < op.attribute_count; ++i) {
    const percale_op_attribute& attribute = op.attributes[i];
    if (attribute.name == nullptr || !can_have_kind(attribute.kind)) {
      return invalid_argument("op ", op.name, ": an attribute has no name or no known kind");
    }
    append(row.attributes,
           AttrSpec{.name = attribute.name,
                    .kind = static_cast<AttrKind>(attribute.kind),
                    .required = attribute.required != 0,
                    .has_default = attribute.has_default != 0 && attribute.kind <= PERCALE_ATTRIBUTE_STRING,
                    .int_default = attribute.int_default,
                    .float_default = attribute.float_default,
                    .string_default = attribute.string_default == nullptr ? "" : attribute.string_default});
  }
  return {};
}

}  // namespace

Result<OpRow> make_op_row(const char* domain, const percale_op& op) {
  PERCALE_RETURN_IF_ERROR(check_op(domain, op));
  OpRow row{.domain = domain,
            .name = op.name,
            .since = op.since,
            .doc = op.doc,
            .shape = &shape_of_plugin,
            .grad = op.gradient == nullptr ? GradFn(grad::none) : GradFn(&gradient_of_plugin),
            .user = &op};
  PERCALE_RETURN_IF_ERROR(add_values(op, row));
  PERCALE_RETURN_IF_ERROR(add_attributes(op, row));
  return row;
}

}  // namespace percale::c_api

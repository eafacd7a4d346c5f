#include "core/graph/emit/composite.h"

namespace percale {

Result<std::vector<ValueId>> emit_body(FunctionBuilder& builder, const OpSchema& schema, std::string_view name,
                                       const std::vector<ValueId>& inputs, const Attributes& attributes,
                                       size_t num_outputs) {
  BodyContext context(builder, inputs, with_defaults(schema, attributes), num_outputs);
  Status status = schema.body(context);
  if (status.ok()) status = context.status();
  for (size_t i = 0; status.ok() && i < num_outputs; ++i) {
    if (context.outputs()[i] == kNoValue)
      status = internal_error("output ", static_cast<uint64_t>(i), " was not set by the body");
  }
  if (!status.ok()) return status.with_context(str_cat("body of ", op_name(schema), " '", name, "'"));
  return context.outputs();
}

Result<Function> body_of(const Registry& registry, const OpSchema& schema, std::string_view name,
                         const std::vector<ValueType>& inputs, const std::vector<const Tensor*>& known,
                         const Attributes& attributes, size_t num_outputs) {
  // Borrowed for this call.
  Builder builder(std::shared_ptr<const Registry>(std::shared_ptr<void>(), &registry));
  FunctionBuilder& f = builder.main();
  std::vector<ValueId> ids;
  for (const ValueType& type : inputs) {
    const bool absent = type.dtype == DType::kInvalid;
    PERCALE_ASSIGN_OR_RETURN(const ValueId id,
                             absent ? f.add_input("", DType::kBool, Shape{}) : f.add_input("", type.dtype, type.shape));
    ids.push_back(absent ? kNoValue : id);
    const size_t i = ids.size() - 1;
    if (absent || i >= known.size() || known[i] == nullptr || schema.input(i).bounds != Bounds::kShape) continue;
    PERCALE_ASSIGN_OR_RETURN(ids[i], f.add_constant(*known[i]));
  }
  PERCALE_ASSIGN_OR_RETURN(auto outputs, emit_body(f, schema, name, ids, attributes, num_outputs));
  PERCALE_RETURN_IF_ERROR(f.set_outputs(std::move(outputs)));
  return f.function();
}

}  // namespace percale

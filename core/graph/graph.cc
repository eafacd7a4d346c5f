#include "core/graph/graph.h"

namespace percale {

const Tensor* Function::constant(ValueId id) const {
  if (id == kNoValue) return nullptr;
  const Value& v = value(id);
  return v.kind == ValueKind::kConstant ? &constants[static_cast<size_t>(v.def)] : nullptr;
}

ValueId Function::find_value(std::string_view wanted) const {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].name == wanted) return static_cast<ValueId>(i);
  }
  return kNoValue;
}

const Function* Graph::find_function(std::string_view wanted) const {
  for (const Function& f : functions) {
    if (f.name == wanted) return &f;
  }
  return nullptr;
}

Function* Graph::find_function(std::string_view wanted) {
  return const_cast<Function*>(std::as_const(*this).find_function(wanted));
}

const Variable* Graph::find_variable(std::string_view wanted) const {
  for (const Variable& v : variables) {
    if (v.name == wanted) return &v;
  }
  return nullptr;
}

std::string op_name(const OpSchema& schema) {
  return schema.domain.empty() ? std::string(schema.name) : str_cat(schema.domain, ":", schema.name);
}

Attributes with_defaults(const OpSchema& schema, const Attributes& attributes) {
  Attributes out = attributes;
  for (const AttrSpec& spec : schema.attributes) {
    if (!spec.has_default || out.contains(spec.name)) continue;
    switch (spec.kind) {
      case AttrKind::kInt: out.set(spec.name, spec.int_default); break;
      case AttrKind::kFloat: out.set(spec.name, spec.float_default); break;
      default: out.set(spec.name, std::string(spec.string_default)); break;
    }
  }
  return out;
}

}  // namespace percale

// Reads and writes of variables. The executor performs them itself, so they have no kernels.
#include "core/graph/emit/gradient.h"
#include "ops/support/families.h"

namespace percale {
namespace {

Status read_variable_shape(ShapeContext& c);
Status assign_shape(ShapeContext& c);

constexpr AttrSpec kVariable = attr_required("variable", AttrKind::kString);

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "ReadVariable",
     .doc = "The value of a variable as this run sees it.",
     .attributes = {kVariable, attr_required("dtype", AttrKind::kInt),
                    AttrSpec{.name = "shape",
                             .kind = AttrKind::kInts,
                             .required = true,
                             .min = 0,
                             .max = static_cast<double>(kMaxDim)}},
     .outputs = {out("value", dtypes::kAny)},
     .flags = kStateful | kRuntime,
     .shape = &read_variable_shape,
     .grad = grad::zero,
     .traits = {.role = Role::kReadVariable}},
    {.domain = "percale",
     .name = "Assign",
     .doc = "Assigns a new value to a variable.",
     .inputs = {in("value", 'T', dtypes::kAny)},
     .attributes = {kVariable},
     .flags = kStateful | kRuntime,
     .shape = &assign_shape,
     .grad = grad::none,
     .traits = {.role = Role::kAssign}},
    {.domain = "percale",
     .name = "AssignAdd",
     .doc = "Adds the input to the value of a variable.",
     .inputs = {in("value", 'T', dtypes::kNumeric)},
     .attributes = {kVariable},
     .flags = kStateful | kRuntime,
     .shape = &assign_shape,
     .grad = grad::none,
     .traits = {.role = Role::kAssignAdd}},
};

Status read_variable_shape(ShapeContext& c) {
  const int64_t dtype = c.attributes.get_int("dtype");
  if (dtype < 0 || dtype >= kNumDTypes || !dtypes::kAny.contains(static_cast<DType>(dtype))) {
    return c.error("attribute 'dtype' is ", dtype, ", which is not an element type of variables");
  }
  const auto shape = Shape::make(c.attributes.get_ints("shape"));
  if (!shape.ok()) return c.error(shape.status());
  c.set_output(0, static_cast<DType>(dtype), *shape);
  return {};
}

// The validator checks the value against the variable.
Status assign_shape(ShapeContext&) { return {}; }

}  // namespace

Status register_state(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale

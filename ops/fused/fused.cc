// Fused: a group of nodes offered to kernels as one. A device pass creates it after gradients and
// placement.
#include "core/registry/shape_context.h"
#include "ops/fused/fused_kernels.h"
#include "ops/support/families.h"

namespace percale {
namespace {

constexpr InputSpec kInputs{"inputs", 0, dtypes::kAny, Presence::kVariadicOrNone};
constexpr OutputSpec kOutputs{"outputs", 0, dtypes::kAny, Presence::kVariadic};

Status fused_shape(ShapeContext& c) {
  if (c.functions == nullptr) return c.error("needs the graph that contains its body");
  const auto types = c.functions->output_types(c.attributes.find("body")->get_if<FunctionRef>()->name, c.inputs);
  if (!types.ok()) return c.error(types.status());
  if (types->size() != c.outputs.size()) {
    return c.error("its body has ", static_cast<uint64_t>(types->size()), " outputs, asked for ",
                   static_cast<uint64_t>(c.outputs.size()));
  }
  for (size_t i = 0; i < types->size(); ++i) c.set_output(i, (*types)[i].dtype, (*types)[i].shape);
  return {};
}

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "Fused",
     .doc = "Calls its body, a function of plain ops, on the inputs. anchor names the op of the node that is not "
            "elementwise, if there is one.",
     .inputs = {kInputs},
     .attributes = {attr_required("body", AttrKind::kFunction), attr_string("anchor", "")},
     .outputs = {kOutputs},
     .shape = fused_shape,
     .grad = grad::none,
     .traits = {.role = Role::kFused}},
};

}  // namespace

Status register_fused(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return simd != nullptr ? register_fused_simd(registry, *simd) : Status();
}

}  // namespace percale

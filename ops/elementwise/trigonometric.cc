// Trigonometric and hyperbolic functions and their inverses. Sin, Cos and Tanh are with the other
// elementwise ops.
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// ---- Gradients

ValueId one(GradContext& g) { return scalar_like(g, g.input(0), 1); }
ValueId squared(GradContext& g) { return mul(g, g.input(0), g.input(0)); }
Status set_product(GradContext& g, ValueId slope) {
  g.set(0, mul(g, g.grad(0), slope));
  return g.status();
}
Status set_quotient(GradContext& g, ValueId divisor) {
  g.set(0, div(g, g.grad(0), divisor));
  return g.status();
}

Status grad_tan(GradContext& g) { return set_product(g, add(g, one(g), mul(g, g.output(0), g.output(0)))); }
Status grad_asin(GradContext& g) { return set_quotient(g, g.emit("Sqrt", {sub(g, one(g), squared(g))})); }
Status grad_acos(GradContext& g) { return set_quotient(g, neg(g, g.emit("Sqrt", {sub(g, one(g), squared(g))}))); }
Status grad_atan(GradContext& g) { return set_quotient(g, add(g, one(g), squared(g))); }
Status grad_sinh(GradContext& g) { return set_product(g, g.emit("Cosh", {g.input(0)})); }
Status grad_cosh(GradContext& g) { return set_product(g, g.emit("Sinh", {g.input(0)})); }
Status grad_asinh(GradContext& g) { return set_quotient(g, g.emit("Sqrt", {add(g, squared(g), one(g))})); }
Status grad_acosh(GradContext& g) { return set_quotient(g, g.emit("Sqrt", {sub(g, squared(g), one(g))})); }
Status grad_atanh(GradContext& g) { return set_quotient(g, sub(g, one(g), squared(g))); }

// ---- Schemas

constexpr OpRow unary(std::string_view name, std::string_view doc, GradFn grad) {
  return {.name = name,
          .since = 22,
          .doc = doc,
          .inputs = {in("input", 'T', dtypes::kFloat)},
          .outputs = {out("output", 'T')},
          .flags = kPure | kElementwise,
          .in_place = {InPlace{0, 0}},
          .shape = shape_same,
          .grad = grad};
}

constexpr OpRow kSchemas[] = {
    unary("Acos", "The inverse cosine of the input, in radians in [0, pi]; NaN outside [-1, 1].", grad_acos),
    unary("Acosh", "The inverse hyperbolic cosine of the input, at least 0; NaN below 1.", grad_acosh),
    unary("Asin", "The inverse sine of the input, in radians in [-pi/2, pi/2]; NaN outside [-1, 1].", grad_asin),
    unary("Asinh", "The inverse hyperbolic sine of the input.", grad_asinh),
    unary("Atan", "The inverse tangent of the input, in radians in [-pi/2, pi/2].", grad_atan),
    unary("Atanh", "The inverse hyperbolic tangent of the input; NaN outside [-1, 1].", grad_atanh),
    unary("Cosh", "The hyperbolic cosine of the input.", grad_cosh),
    unary("Sinh", "The hyperbolic sine of the input.", grad_sinh),
    unary("Tan", "The tangent of the input in radians.", grad_tan),
};

// ---- Kernels

template <auto kFunction>
[[gnu::always_inline]] inline Kernel kernel(KernelName name) {
  return unary_kernel<ElementaryOp<kFunction>, kFloatList>(name);
}

}  // namespace

Status register_trigonometric(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry, {
                                       kernel<&maths::Functions::acos>("portable.Acos"),
                                       kernel<&maths::Functions::acosh>("portable.Acosh"),
                                       kernel<&maths::Functions::asin>("portable.Asin"),
                                       kernel<&maths::Functions::asinh>("portable.Asinh"),
                                       kernel<&maths::Functions::atan>("portable.Atan"),
                                       kernel<&maths::Functions::atanh>("portable.Atanh"),
                                       kernel<&maths::Functions::cosh>("portable.Cosh"),
                                       kernel<&maths::Functions::sinh>("portable.Sinh"),
                                       kernel<&maths::Functions::tan>("portable.Tan"),
                                   });
}

}  // namespace percale

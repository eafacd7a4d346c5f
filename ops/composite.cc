// Composite ops: activations that others express. Their bodies fuse like any chain of elementwise ops; f16 and bf16 are
// computed in f32.
#include <cmath>
#include <numbers>

#include "core/graph/composite.h"
#include "ops/families.h"
#include "ops/grad_util.h"
#include "ops/shape_util.h"

namespace percale {
namespace {

// Wraps a formula of x in conversions to and from the type that is computed in.
template <ValueId (*kFormula)(BodyContext&, ValueId)>
Status widened(BodyContext& c) {
  const DType dtype = c.dtype(c.input(0));
  const bool half = dtype == DType::kF16 || dtype == DType::kBF16;
  const ValueId y = kFormula(c, half ? cast(c, c.input(0), DType::kF32) : c.input(0));
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

ValueId number(BodyContext& c, ValueId like, std::string_view attribute) {
  return scalar_like(c, like, c.attributes().get_float(attribute));
}
ValueId positive(BodyContext& c, ValueId x) { return c.emit("Greater", {x, scalar_like(c, x, 0)}); }
// exp(x) - 1 of the negative part: what lies above 0 is not chosen, and must not overflow on the way back.
ValueId negative_exp(BodyContext& c, ValueId x) {
  const ValueId low = c.emit("Min", {x, scalar_like(c, x, 0)});
  return sub(c, c.emit("Exp", {low}), scalar_like(c, x, 1));
}

ValueId gelu(BodyContext& c, ValueId x) {
  const ValueId half = mul(c, scalar_like(c, x, 0.5), x);
  ValueId bend = kNoValue;
  if (c.attributes().get_string("approximate") == "tanh") {
    const ValueId cube = mul(c, mul(c, x, x), x);
    const ValueId inner = add(c, x, mul(c, scalar_like(c, x, 0.044715), cube));
    bend = c.emit("Tanh", {mul(c, scalar_like(c, x, std::sqrt(2 * std::numbers::inv_pi)), inner)});
  } else {
    bend = c.emit("Erf", {mul(c, x, scalar_like(c, x, 1 / std::numbers::sqrt2))});
  }
  return mul(c, half, add(c, scalar_like(c, x, 1), bend));
}
ValueId swish(BodyContext& c, ValueId x) {
  return mul(c, x, c.emit("Sigmoid", {mul(c, number(c, x, "alpha"), x)}));
}
// max(x, 0) + log(1 + exp(-|x|)) neither overflows nor loses small values.
ValueId softplus(BodyContext& c, ValueId x) {
  const ValueId tail = c.emit("Exp", {neg(c, c.emit("Abs", {x}))});
  const ValueId log = c.emit("Log", {add(c, scalar_like(c, x, 1), tail)});
  return add(c, c.emit("Relu", {x}), log);
}
ValueId mish(BodyContext& c, ValueId x) { return mul(c, x, c.emit("Tanh", {c.emit("Softplus", {x})})); }
ValueId softsign(BodyContext& c, ValueId x) {
  return div(c, x, add(c, scalar_like(c, x, 1), c.emit("Abs", {x})));
}
ValueId elu(BodyContext& c, ValueId x) {
  return where(c, positive(c, x), x, mul(c, number(c, x, "alpha"), negative_exp(c, x)));
}
ValueId selu(BodyContext& c, ValueId x) {
  const ValueId low = mul(c, number(c, x, "alpha"), negative_exp(c, x));
  return mul(c, number(c, x, "gamma"), where(c, positive(c, x), x, low));
}
ValueId celu(BodyContext& c, ValueId x) {
  const ValueId alpha = number(c, x, "alpha");
  return where(c, positive(c, x), x, mul(c, alpha, negative_exp(c, div(c, x, alpha))));
}
ValueId thresholded_relu(BodyContext& c, ValueId x) {
  return where(c, c.emit("Greater", {x, number(c, x, "alpha")}), x, scalar_like(c, x, 0));
}

constexpr OpSchema activation(std::string_view name, int32_t since, std::string_view doc, BodyFn body,
                              List<AttrSpec, kMaxAttributes> attributes = {}) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("X", 'T', dtypes::kFloat)},
          .attributes = attributes,
          .outputs = {out("Y", 'T')},
          .shape = shape_same,
          .grad = grad::body,
          .body = body};
}

constexpr OpSchema kSchemas[] = {
    activation("Celu", 12, "x above 0, else alpha (exp(x / alpha) - 1).", widened<celu>, {attr_float("alpha", 1)}),
    activation("Elu", 6, "x above 0, else alpha (exp(x) - 1).", widened<elu>, {attr_float("alpha", 1)}),
    activation("Gelu", 20,
               "x / 2 (1 + erf(x / sqrt(2))); approximate 'tanh': x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) "
               "(Hendrycks and Gimpel 2016).",
               widened<gelu>, {attr_string("approximate", "none")}),
    activation("Mish", 18, "x tanh(log(1 + exp(x))) (Misra 2019).", widened<mish>),
    activation("Selu", 6, "gamma x above 0, else gamma alpha (exp(x) - 1) (Klambauer et al. 2017).", widened<selu>,
               {attr_float("alpha", 1.67326319217681884765625), attr_float("gamma", 1.05070102214813232421875)}),
    activation("Softplus", 1, "log(1 + exp(x)).", widened<softplus>),
    activation("Softsign", 1, "x / (1 + |x|).", widened<softsign>),
    activation("Swish", 24, "x sigmoid(alpha x) (Ramachandran et al. 2017).", widened<swish>, {attr_float("alpha", 1)}),
    activation("ThresholdedRelu", 10, "x above alpha, else 0.", widened<thresholded_relu>, {attr_float("alpha", 1)}),
};

}  // namespace

Status register_composite(Registry& registry, const simd::SimdTable*) { return registry.add_ops(kSchemas); }

}  // namespace percale

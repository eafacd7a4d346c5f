// Batch and layer normalisation: schemas, shapes and gradients.
#include "core/graph/emit/gradient.h"
#include "ops/norm/norm_portable.h"
#include "ops/support/families.h"
#include "ops/support/simd_kernels.h"

namespace percale {
namespace {

Status batch_norm_shape(ShapeContext& c);
Status batch_norm_grad_shape(ShapeContext& c);
Status layer_norm_shape(ShapeContext& c);
Status layer_norm_grad_shape(ShapeContext& c);
Status batch_norm_grad(GradContext& g);
Status layer_norm_grad(GradContext& g);

constexpr OpRow kSchemas[] = {
    {.name = "BatchNormalization",
     .since = 15,
     .doc = "Y = (X - mean) / sqrt(var + epsilon) * scale + B per channel of X [N,C,...]. In training mode, mean and "
            "(biased) variance are those of the batch, and running_x = input_x * momentum + batch_x * (1 - momentum).",
     .inputs = {in("X", 'T', dtypes::kFloat), in("scale", 'S', dtypes::kFloat), in("B", 'S', dtypes::kFloat),
                in("input_mean", 'U', dtypes::kFloat), in("input_var", 'U', dtypes::kFloat)},
     .attributes = {attr_float("epsilon", 1e-5, 0), attr_float("momentum", 0.9), attr_int("training_mode", 0, 0, 1)},
     .outputs = {out("Y", 'T'), out_opt("running_mean", 'U'), out_opt("running_var", 'U')},
     .flags = kPure | kBatchCoupled,
     .shape = &batch_norm_shape,
     .grad = &batch_norm_grad,
     .traits = {.role = Role::kBatchNormalization,
                .bf16 = {Bf16Rule::Kind::kFollows, 1, 1},
                .fusion = {.kind = FusionRule::Kind::kBegins, .only_training = true}}},
    {.domain = "percale",
     .name = "BatchNormalizationGrad",
     .doc =
         "Gradients of BatchNormalization with respect to X, scale and B. In training mode the statistics of the batch "
         "are recomputed from X and the gradient flows through them; otherwise they are the inputs mean and var.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in("X", 'T', dtypes::kFloat), in("scale", 'S', dtypes::kFloat),
                in_opt("mean", 'U', dtypes::kFloat), in_opt("var", 'U', dtypes::kFloat)},
     .attributes = {attr_float("epsilon", 1e-5, 0), attr_int("training_mode", 0, 0, 1)},
     .outputs = {out("dX", 'T'), out("dscale", 'S'), out("dB", 'S')},
     .flags = kPure | kBatchCoupled,
     .shape = &batch_norm_grad_shape,
     .grad = grad::none,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows, 2, 1}, .fusion = {FusionRule::Kind::kEnds, 0, "percale:ReluGrad"}}},
    {.name = "LayerNormalization",
     .since = 17,
     .doc = "Y = (X - mean) / sqrt(var + epsilon) * Scale + B, with mean and biased variance over the dims from 'axis' "
            "on. Mean and InvStdDev are f32, or f64 for f64 inputs.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("Scale", 'T', dtypes::kFloat), in_opt("B", 'T', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1), attr_float("epsilon", 1e-5, 0), attr_int("stash_type", 1)},
     .outputs = {out("Y", 'T'), OutputSpec{"Mean", 0, dtypes::kFloat, Presence::kOptional},
                 OutputSpec{"InvStdDev", 0, dtypes::kFloat, Presence::kOptional}},
     .shape = &layer_norm_shape,
     .grad = &layer_norm_grad,
     .traits = {.fusion = {FusionRule::Kind::kBegins}}},
    {.domain = "percale",
     .name = "LayerNormalizationGrad",
     .doc = "Gradients of LayerNormalization with respect to X, Scale and B. The statistics are recomputed from X.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in("X", 'T', dtypes::kFloat), in("Scale", 'T', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1), attr_float("epsilon", 1e-5, 0)},
     .outputs = {out("dX", 'T'), out("dScale", 'T'), out("dB", 'T')},
     .shape = &layer_norm_grad_shape,
     .grad = grad::none,
     .traits = {.fusion = {FusionRule::Kind::kEnds, 0, "Cast"}}},
};

// Checks that each of the inputs [from, to) is a vector with one element per channel of X (input
// `x`).
Status check_channels(ShapeContext& c, size_t x, size_t from, size_t to) {
  const Shape& images = c.shape(x);
  if (images.known_rank() && images.rank() < 2) return c.error("X has shape ", images, ", wanted [N,C,...]");
  const int64_t channels = images.known_rank() ? images[1] : kUnknownDim;
  for (size_t i = from; i < to; ++i) {
    if (!c.has_input(i) || compatible(c.shape(i), Shape{channels})) continue;
    return c.error("input '", c.schema.input(i).name, "' has shape ", c.shape(i), ", wanted ", Shape{channels});
  }
  return {};
}

Status batch_norm_shape(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_channels(c, 0, 1, 5));
  const bool training = c.attributes.get_int("training_mode") != 0;
  if (!training && c.outputs.size() > 1)
    return c.error("running_mean and running_var are outputs in training mode only");
  c.set_output(0, c.dtype(0), c.shape(0));
  c.set_output(1, c.dtype(3), c.shape(3));
  c.set_output(2, c.dtype(4), c.shape(4));
  return {};
}

Status batch_norm_grad_shape(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_channels(c, 1, 2, 5));
  if (c.attributes.get_int("training_mode") == 0 && (!c.has_input(3) || !c.has_input(4))) {
    return c.error("mean and var are required outside training mode");
  }
  if (!compatible(c.shape(0), c.shape(1))) return c.error("dY ", c.shape(0), " and X ", c.shape(1), " differ in shape");
  c.set_output(0, c.dtype(1), merge(c.shape(0), c.shape(1)));
  c.set_output(1, c.dtype(2), c.shape(2));
  c.set_output(2, c.dtype(2), c.shape(2));
  return {};
}

// Checks Scale and, if present, B of LayerNormalization. ONNX allows any shape that broadcasts to
// X; this engine requires the normalised dims.
Status check_scale(ShapeContext& c, const Shape& x, size_t axis, size_t from, size_t to) {
  const Shape want(x.dims().subspan(axis));
  for (size_t i = from; i < to; ++i) {
    if (!c.has_input(i) || compatible(c.shape(i), want)) continue;
    return c.error("input '", c.schema.input(i).name, "' has shape ", c.shape(i), ", wanted the normalised dims ",
                   want);
  }
  return {};
}

Status layer_norm_shape(ShapeContext& c) {
  const Shape& x = c.shape(0);
  Shape statistics = x;
  if (x.known_rank()) {
    const auto axis = normalize_axis(c.attributes.get_int("axis", -1), x.rank());
    if (!axis.ok()) return c.error(axis.status());
    PERCALE_RETURN_IF_ERROR(check_scale(c, x, *axis, 1, 3));
    for (size_t i = *axis; i < x.rank(); ++i) statistics[i] = 1;
  }
  const int64_t stash = c.attributes.get_int("stash_type", 1);
  if (stash != 1 && stash != 16) return c.error("attribute 'stash_type' is ", stash, ", wanted 1 (f32) or 16 (bf16)");
  const DType type = c.dtype(0) == DType::kF64 ? DType::kF64 : static_cast<DType>(stash);
  c.set_output(0, c.dtype(0), x);
  c.set_output(1, type, statistics);
  c.set_output(2, type, statistics);
  return {};
}

Status layer_norm_grad_shape(ShapeContext& c) {
  const Shape& x = c.shape(1);
  if (x.known_rank()) {
    const auto axis = normalize_axis(c.attributes.get_int("axis", -1), x.rank());
    if (!axis.ok()) return c.error(axis.status());
    PERCALE_RETURN_IF_ERROR(check_scale(c, x, *axis, 2, 3));
  }
  if (!compatible(c.shape(0), x)) return c.error("dY ", c.shape(0), " and X ", x, " differ in shape");
  c.set_output(0, c.dtype(1), merge(c.shape(0), x));
  c.set_output(1, c.dtype(2), c.shape(2));
  c.set_output(2, c.dtype(2), c.shape(2));
  return {};
}

ValueId cast_to(GradContext& g, ValueId value, DType to) {
  return g.dtype(value) == to ? value : g.emit("Cast", {value}, {{"to", to}});
}

// Outside training mode, with r = 1 / sqrt(var + epsilon): dmean = -scale * r * dB, dvar = -scale *
// r^2 * dscale / 2. In training mode the running statistics depend on input_x * momentum.
Status batch_norm_grad(GradContext& g) {
  const bool training = g.attributes().get_int("training_mode") != 0;
  const double epsilon = g.attributes().get_float("epsilon", 1e-5);
  const double momentum = g.attributes().get_float("momentum", 0.9);
  if (training && (g.grad(1) != kNoValue || g.grad(2) != kNoValue) && g.wants(0)) {
    return unimplemented("BatchNormalization '", g.node().name,
                         "': the gradient of X through the running statistics is not supported");
  }
  ValueId dscale = kNoValue, db = kNoValue;
  if (g.grad(0) != kNoValue) {
    std::vector<ValueId> inputs = {g.grad(0), g.input(0), g.input(1)};
    if (!training) inputs.insert(inputs.end(), {g.input(3), g.input(4)});
    const auto grads =
        g.emit_many("percale:BatchNormalizationGrad", inputs, 3, {{"epsilon", epsilon}, {"training_mode", training}});
    for (size_t i = 0; i < 3; ++i) {
      if (g.wants(i)) g.set(i, grads[i]);
    }
    dscale = grads[1], db = grads[2];
  }
  if (training) {
    for (size_t i = 3; i < 5; ++i) {
      if (!g.wants(i) || g.grad(i - 2) == kNoValue) continue;
      g.set(i, g.emit("Mul", {g.grad(i - 2), g.scalar(g.dtype(g.grad(i - 2)), momentum)}));
    }
    return g.status();
  }
  if (g.grad(0) == kNoValue || (!g.wants(3) && !g.wants(4))) return g.status();
  const DType type = g.dtype(g.input(3));
  const ValueId variance = g.emit("Add", {g.input(4), g.scalar(type, epsilon)});
  const ValueId scale = cast_to(g, g.input(1), type);
  if (g.wants(3)) {
    const ValueId ratio = g.emit("Div", {scale, g.emit("Sqrt", {variance})});
    g.set(3, g.emit("Neg", {g.emit("Mul", {ratio, cast_to(g, db, type)})}));
  }
  if (g.wants(4)) {
    const ValueId ratio = g.emit("Div", {scale, variance});
    const ValueId half = g.emit("Mul", {cast_to(g, dscale, type), g.scalar(type, -0.5)});
    g.set(4, g.emit("Mul", {ratio, half}));
  }
  return g.status();
}

Status layer_norm_grad(GradContext& g) {
  if (g.grad(1) != kNoValue || g.grad(2) != kNoValue) {
    return unimplemented("LayerNormalization '", g.node().name,
                         "': the gradients of Mean and InvStdDev are not supported");
  }
  if (g.grad(0) == kNoValue) return {};
  const auto grads = g.emit_many(
      "percale:LayerNormalizationGrad", {g.grad(0), g.input(0), g.input(1)}, 3,
      {{"axis", g.attributes().get_int("axis", -1)}, {"epsilon", g.attributes().get_float("epsilon", 1e-5)}});
  for (size_t i = 0; i < 3; ++i) {
    if (g.wants(i)) g.set(i, grads[i]);
  }
  return g.status();
}

}  // namespace

Status register_norm(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) {
    PERCALE_RETURN_IF_ERROR(register_layer_norm_simd(registry, *simd));
    PERCALE_RETURN_IF_ERROR(register_batch_norm_simd(registry, *simd));
  }
  return register_norm_portable(registry);
}

}  // namespace percale

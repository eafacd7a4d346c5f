// Composite ops, which are expressed by other ops: activations, whose bodies fuse like any chain of
// elementwise ops, and the normalization and rotary embedding of transformers. f16 and bf16 are
// computed in f32.
#include "core/graph/emit/composite.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "ops/elementwise/elementwise_chain.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/simd_kernels.h"

namespace percale {
namespace {

// Wraps a formula of x in casts to and from the compute type.
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
// Returns exp(min(x, 0)) - 1. Positive x is clamped, because exp of it could overflow in the
// gradient even though Where does not select it.
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
ValueId swish(BodyContext& c, ValueId x) { return mul(c, x, c.emit("Sigmoid", {mul(c, number(c, x, "alpha"), x)})); }
// max(x, 0) + log(1 + exp(-|x|)) neither overflows nor loses small values.
ValueId softplus(BodyContext& c, ValueId x) {
  const ValueId tail = c.emit("Exp", {neg(c, c.emit("Abs", {x}))});
  const ValueId log = c.emit("Log", {add(c, scalar_like(c, x, 1), tail)});
  return add(c, c.emit("Relu", {x}), log);
}
ValueId mish(BodyContext& c, ValueId x) { return mul(c, x, c.emit("Tanh", {c.emit("Softplus", {x})})); }
ValueId softsign(BodyContext& c, ValueId x) { return div(c, x, add(c, scalar_like(c, x, 1), c.emit("Abs", {x}))); }
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

// ---- RMSNormalization

Status shape_rms_norm(ShapeContext& c) {
  const Shape& x = c.shape(0);
  if (x.known_rank()) {
    const auto axis = normalize_axis(c.attributes.get_int("axis"), x.rank());
    if (!axis.ok()) return c.error(axis.status());
  }
  const int64_t stash = c.attributes.get_int("stash_type");
  if (stash != 1 && stash != 16) return c.error("attribute 'stash_type' is ", stash, ", wanted 1 (f32) or 16 (bf16)");
  const auto both = broadcast(x, c.shape(1));
  if (!both.ok()) return c.error(both.status());
  if (!compatible(*both, x)) return c.error("scale ", c.shape(1), " does not broadcast to X ", x);
  c.set_output(0, c.dtype(1), x);
  return {};
}

Status rms_norm(BodyContext& c) {
  const Shape& shape = c.shape(c.input(0));
  int64_t axis = c.attributes().get_int("axis"), end = 0;
  if (axis >= 0) {
    if (!shape.known_rank())
      return invalid_argument("axis ", axis,
                              " of X, whose rank is unknown, must be counted from the end (be negative)");
    end = static_cast<int64_t>(shape.rank());
  }
  std::vector<int64_t> axes;
  for (; axis < end; ++axis) axes.push_back(axis);
  const DType stash = static_cast<DType>(c.attributes().get_int("stash_type"));
  const ValueId x = cast(c, c.input(0), c.dtype(c.input(0)) == DType::kF64 ? DType::kF64 : stash);
  const ValueId mean = c.emit("ReduceMean", {mul(c, x, x), c.ints(axes)}, {{"keepdims", 1}});
  const ValueId root = c.emit("Sqrt", {add(c, mean, number(c, x, "epsilon"))});
  c.set(0, mul(c, cast(c, div(c, x, root), c.dtype(c.input(1))), c.input(1)));
  return c.status();
}

// ---- RotaryEmbedding

// Returns the size of a head of X, or kUnknownDim.
Result<int64_t> rotary_head_size(const ShapeContext& c) {
  const Shape& x = c.shape(0);
  const int64_t heads = c.attributes.get_int("num_heads");
  if (!x.known_rank()) return kUnknownDim;
  if (x.rank() == 4) {
    if (heads > 0 && x[1] >= 0 && x[1] != heads) return c.error("num_heads is ", heads, ", but X is ", x);
    return x.back();
  }
  if (x.rank() != 3) return c.error("wanted X of rank 3 or 4, got ", x);
  if (heads == 0) return c.error("X of rank 3 requires the attribute 'num_heads'");
  if (x.back() >= 0 && x.back() % heads != 0)
    return c.error("num_heads = ", heads, " does not divide the last dim of X ", x);
  return x.back() >= 0 ? x.back() / heads : kUnknownDim;
}

Status shape_rotary(ShapeContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t head, rotary_head_size(c));
  int64_t rotated = c.attributes.get_int("rotary_embedding_dim");
  if (rotated == 0) rotated = head;
  if (rotated >= 0 && rotated % 2 != 0) return c.error("the number of rotated elements must be even, got ", rotated);
  if (head >= 0 && rotated > head) return c.error("rotary_embedding_dim = ", rotated, " exceeds the head size ", head);
  const bool gathered = c.has_input(3);
  for (size_t i = 1; i <= 2; ++i) {
    const Shape& cache = c.shape(i);
    if (!cache.known_rank()) continue;
    const uint64_t rank = gathered ? 2 : 3;
    if (cache.rank() != rank) return c.error("wanted ", c.schema.input(i).name, " of rank ", rank, ", got ", cache);
    if (cache.back() < 0 || rotated < 0 || cache.back() * 2 == rotated) continue;
    return c.error(c.schema.input(i).name, " ", cache, " does not hold half of the ", rotated, " elements to rotate");
  }
  if (gathered && c.shape(3).known_rank() && c.shape(3).rank() != 2) {
    return c.error("wanted position_ids of rank 2, got ", c.shape(3));
  }
  c.set_output(0, c.dtype(0), c.shape(0));
  return {};
}

ValueId last_dims(BodyContext& c, ValueId x, int64_t from, int64_t to, int64_t step = 1) {
  return c.emit("Slice", {x, c.ints({from}), c.ints({to}), c.ints({-1}), c.ints({step})});
}

// Pairs (a, b) become (a cos - b sin, a sin + b cos) (Su et al. 2021). The elements of a pair are
// adjacent (interleaved) or half a head apart. x is [batch, heads, sequence, size] or, with rank 3,
// [batch, sequence, heads * size].
Status rotary(BodyContext& c) {
  const Shape& shape = c.shape(c.input(0));
  if (!shape.known_rank()) return invalid_argument("the rank of X must be known");
  const bool flat = shape.rank() == 3, interleaved = c.attributes().get_int("interleaved") != 0;
  const int64_t heads = c.attributes().get_int("num_heads"), rotated = c.attributes().get_int("rotary_embedding_dim");
  const DType dtype = c.dtype(c.input(0));
  const DType wide = dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  const bool known = shape.is_static();
  const ValueId given = cast(c, c.input(0), wide);
  ValueId x = given;
  if (flat) {
    x = c.emit("Reshape",
               {x, known ? c.ints({shape[0], shape[1], heads, shape[2] / heads}) : c.ints({0, 0, heads, -1})},
               {{"allowzero", known ? 1 : 0}});
  }
  const auto cache = [&](size_t i) {
    ValueId v = c.input(i);
    if (c.input(3) != kNoValue) v = c.emit("Gather", {v, c.input(3)});
    return c.emit("Unsqueeze", {cast(c, v, wide), c.ints({flat ? 2 : 1})});
  };
  const ValueId cosine = cache(1), sine = cache(2);
  const ValueId part = rotated == 0 ? x : last_dims(c, x, 0, rotated);
  std::vector<ValueId> pair;
  if (interleaved) {
    pair = {last_dims(c, part, 0, INT64_MAX, 2), last_dims(c, part, 1, INT64_MAX, 2)};
  } else {
    pair = c.emit_many("Split", {part}, 2, {{"axis", -1}, {"num_outputs", 2}});
  }
  ValueId a = sub(c, mul(c, pair[0], cosine), mul(c, pair[1], sine));
  ValueId b = add(c, mul(c, pair[0], sine), mul(c, pair[1], cosine));
  if (interleaved) {
    a = c.emit("Unsqueeze", {a, c.ints({-1})});
    b = c.emit("Unsqueeze", {b, c.ints({-1})});
  }
  ValueId y = c.emit("Concat", {a, b}, {{"axis", -1}});
  if (interleaved) y = c.emit("Reshape", {y, c.emit("Shape", {part})}, {{"allowzero", 1}});
  if (rotated != 0) y = c.emit("Concat", {y, last_dims(c, x, rotated, INT64_MAX)}, {{"axis", -1}});
  if (flat) y = c.emit("Reshape", {y, c.emit("Shape", {given})}, {{"allowzero", 1}});
  c.set(0, cast(c, y, dtype));
  return c.status();
}

constexpr OpRow activation(std::string_view name, int32_t since, std::string_view doc, BodyFn body,
                           List<AttrSpec, kMaxAttributes> attributes = {}) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("X", 'T', dtypes::kFloat)},
          .attributes = attributes,
          .outputs = {out("Y", 'T')},
          .flags = kPure | kElementwise,
          .shape = shape_same,
          .grad = grad::body,
          .body = body};
}

constexpr OpRow kSchemas[] = {
    activation("Celu", 12, "x where x > 0, otherwise alpha (exp(x / alpha) - 1).", widened<celu>,
               {attr_float("alpha", 1)}),
    activation("Elu", 6, "x where x > 0, otherwise alpha (exp(x) - 1).", widened<elu>, {attr_float("alpha", 1)}),
    activation("Gelu", 20,
               "x / 2 (1 + erf(x / sqrt(2))); with approximate 'tanh': x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 "
               "x^3))) (Hendrycks and Gimpel 2016).",
               widened<gelu>, {attr_string("approximate", "none")}),
    activation("Mish", 18, "x tanh(log(1 + exp(x))) (Misra 2019).", widened<mish>),
    {.name = "RMSNormalization",
     .since = 23,
     .doc = "X / sqrt(mean(X^2) + epsilon) * scale, with the mean over the dims from 'axis' on. It is computed in "
            "stash_type (1: f32, 16: bf16), or in f64 for f64 inputs.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("scale", 'V', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1), attr_float("epsilon", 1e-5, 0), attr_int("stash_type", 1)},
     .outputs = {out("Y", 'V')},
     .shape = shape_rms_norm,
     .grad = grad::body,
     .body = rms_norm,
     .traits = {.fusion = {FusionRule::Kind::kBegins}}},
    {.name = "RotaryEmbedding",
     .since = 23,
     .doc = "Rotates pairs of elements of each head by the angles whose cosines and sines the caches hold, looked up "
            "by position_ids if given (Su et al. 2021). Only the first rotary_embedding_dim elements of each head are "
            "rotated (0: all).",
     .inputs = {in("X", 'T', dtypes::kFloat), in("cos_cache", 'T', dtypes::kFloat),
                in("sin_cache", 'T', dtypes::kFloat),
                InputSpec{"position_ids", 0, dtypes::kI64Only, Presence::kOptional, Bounds::kChecked}},
     .attributes = {attr_int("interleaved", 0, 0, 1), attr_int("num_heads", 0, 0, static_cast<double>(kMaxDim)),
                    attr_int("rotary_embedding_dim", 0, 0, static_cast<double>(kMaxDim))},
     .outputs = {out("Y", 'T')},
     .shape = shape_rotary,
     .grad = grad::body,
     .body = rotary},
    activation("Selu", 6, "gamma x where x > 0, otherwise gamma alpha (exp(x) - 1) (Klambauer et al. 2017).",
               widened<selu>,
               {attr_float("alpha", 1.67326319217681884765625), attr_float("gamma", 1.05070102214813232421875)}),
    activation("Softplus", 1, "log(1 + exp(x)).", widened<softplus>),
    activation("Softsign", 1, "x / (1 + |x|).", widened<softsign>),
    activation("Swish", 24, "x sigmoid(alpha x) (Ramachandran et al. 2017).", widened<swish>, {attr_float("alpha", 1)}),
    activation("ThresholdedRelu", 10, "x where x > alpha, otherwise 0.", widened<thresholded_relu>,
               {attr_float("alpha", 1)}),
};

}  // namespace

Status register_composite(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd == nullptr) return {};
  PERCALE_RETURN_IF_ERROR(register_rms_norm_simd(registry, *simd));
  return add_cpu_kernels(registry, {chain_kernel("simd.Gelu", *simd), chain_kernel("simd.Swish", *simd)});
}

}  // namespace percale

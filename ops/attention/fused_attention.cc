// FusedAttention and its gradient: scaled dot-product attention as found by the passes
// recognize_attention and recognize_attention_grad, with a layout per operand. ONNX's Attention
// differs for a query without keys and has no mixed layouts.
#include "core/graph/emit/composite.h"
#include "core/registry/flops_context.h"
#include "ops/attention/attention_kernels.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// Returns [batch, heads, sequence, size] for a shape that is [batch, sequence, heads, size] if
// `by_row`.
Shape by_head(const Shape& given, bool by_row) {
  if (!given.known_rank() || !by_row) return given;
  return Shape{given[0], given[2], given[1], given[3]};
}

Status same(const ShapeContext& c, const char* what, int64_t& a, int64_t b) {
  if (a >= 0 && b >= 0 && a != b) return c.error(what, " differ: ", a, " and ", b);
  if (a < 0) a = b;
  return {};
}

// The checked shapes of Q, K and V, which are the inputs from `first` on, and of the scores.
struct Operands {
  Shape q, k, v, scores;
};
Result<Operands> operands_of(const ShapeContext& c, size_t first, size_t mask) {
  const Shape unknown{kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  Shape heads[3];
  constexpr std::string_view kByRow[] = {"q_by_row", "k_by_row", "v_by_row"};
  for (size_t i = 0; i < 3; ++i) {
    const Shape& given = c.shape(first + i);
    if (given.known_rank() && given.rank() != 4) {
      return c.error("wanted ", c.schema.input(first + i).name, " of rank 4, got ", given);
    }
    heads[i] = given.known_rank() ? by_head(given, c.attributes.get_int(kByRow[i]) != 0) : unknown;
  }
  auto& [q, k, v] = heads;
  PERCALE_RETURN_IF_ERROR(same(c, "the batch sizes of Q and K", q[0], k[0]));
  PERCALE_RETURN_IF_ERROR(same(c, "the batch sizes of Q and V", q[0], v[0]));
  PERCALE_RETURN_IF_ERROR(same(c, "the head counts of K and V", k[1], v[1]));
  if (q[1] >= 0 && k[1] >= 0 && (k[1] == 0 ? q[1] != 0 : q[1] % k[1] != 0)) {
    return c.error(q[1], " heads of Q are not a multiple of the ", k[1], " heads of K");
  }
  PERCALE_RETURN_IF_ERROR(same(c, "the head sizes of Q and K", q[3], k[3]));
  PERCALE_RETURN_IF_ERROR(same(c, "the sequence lengths of K and V", k[2], v[2]));
  const Shape scores{q[0], q[1], q[2], k[2]};
  if (c.has_input(mask)) {
    const auto both = broadcast(scores, c.shape(mask));
    if (!both.ok() || !compatible(*both, scores)) {
      return c.error("mask ", c.shape(mask), " does not broadcast to the scores ", scores);
    }
  }
  return Operands{q, k, v, scores};
}

DType wide(DType dtype) { return dtype == DType::kF64 ? dtype : DType::kF32; }

Status shape_fused_attention(ShapeContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const Operands o, operands_of(c, 0, 3));
  const Shape& q = o.q;
  c.set_output(0, c.dtype(0), by_head(Shape{q[0], q[1], q[2], o.v[3]}, c.attributes.get_int("y_by_row") != 0));
  c.set_output(1, wide(c.dtype(0)), Shape{q[0], q[1], q[2]});
  return {};
}

Status shape_fused_attention_grad(ShapeContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const Operands o, operands_of(c, 1, 6));
  const Shape &q = o.q, &k = o.k;
  if (q[1] >= 0 && k[1] >= 0 && q[1] != k[1])
    return c.error(q[1], " heads of Q and ", k[1], " of K: the gradient requires as many heads of Q as of K");
  const Shape y{q[0], q[1], q[2], o.v[3]};
  for (const auto& [input, by_row] : {std::pair{size_t{0}, "dy_by_row"}, {size_t{4}, "y_by_row"}}) {
    const Shape want = by_head(y, c.attributes.get_int(by_row) != 0);
    if (!compatible(c.shape(input), want)) {
      return c.error("wanted ", c.schema.input(input).name, " of shape ", want, ", got ", c.shape(input));
    }
  }
  const Shape rows{q[0], q[1], q[2]};
  if (!compatible(c.shape(5), rows)) return c.error("wanted statistics of shape ", rows, ", got ", c.shape(5));
  for (size_t i = 0; i < 3; ++i) c.set_output(i, c.dtype(1), c.shape(i + 1));
  return {};
}

// Repeats each head of x as often as heads of `like` share it.
ValueId repeated(BodyContext& c, ValueId x, ValueId like) {
  const Shape &s = c.shape(x), &l = c.shape(like);
  if (s.known_rank() && l.known_rank() && s[1] >= 0 && s[1] == l[1]) return x;
  const auto dim = [&](ValueId of, int64_t d) { return c.emit("Shape", {of}, {{"start", d}, {"end", d + 1}}); };
  // Avoids a division by 0 if x has no heads.
  const ValueId each = c.emit("Div", {dim(like, 1), c.emit("Max", {dim(x, 1), c.ints({1})})});
  const ValueId wide =
      c.emit("Expand", {c.emit("Unsqueeze", {x, c.ints({2})}),
                        c.emit("Concat", {dim(x, 0), dim(x, 1), each, dim(x, 2), dim(x, 3)}, {{"axis", 0}})});
  const ValueId shape = c.emit("Concat", {dim(x, 0), dim(like, 1), dim(x, 2), dim(x, 3)}, {{"axis", 0}});
  return c.emit("Reshape", {wide, shape}, {{"allowzero", 1}});
}

// Converts between [batch, heads, sequence, size] and the layout that the attribute names. The
// function is its own inverse.
ValueId turned(BodyContext& c, ValueId x, const char* by_row) {
  if (c.attributes().get_int(by_row) == 0) return x;
  return c.emit("Transpose", {x}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
}

ValueId product(BodyContext& c, ValueId a, ValueId b, Attributes attributes = {}) {
  return c.emit("percale:BatchMatMul", {a, b}, std::move(attributes));
}

ValueId scores_of(BodyContext& c, ValueId q, ValueId k, ValueId mask) {
  const ValueId all = product(c, q, k, {{"transB", 1}});
  const ValueId scores = mul(c, all, scalar_like(c, all, c.attributes().get_float("scale", 1)));
  return mask == kNoValue ? scores : add(c, c.emit("CastLike", {scores, mask}), mask);
}

Status fused_attention(BodyContext& c) {
  const ValueId q = turned(c, c.input(0), "q_by_row"), mask = c.input(3);
  const ValueId k = repeated(c, turned(c, c.input(1), "k_by_row"), q),
                v = repeated(c, turned(c, c.input(2), "v_by_row"), q);
  const ValueId scores = scores_of(c, q, k, mask);
  ValueId p = c.emit("Softmax", {scores}, {{"axis", -1}});
  if (mask != kNoValue) p = c.emit("CastLike", {p, v});
  if (c.attributes().get_int("nan_is_zero") != 0) p = where(c, c.emit("IsNaN", {p}), scalar_like(c, p, 0), p);
  c.set(0, turned(c, product(c, p, v), "y_by_row"));
  if (c.outputs().size() > 1) {
    const ValueId sums =
        c.emit("ReduceLogSumExp", {cast(c, scores, wide(c.dtype(scores))), c.ints({-1})}, {{"keepdims", 0}});
    c.set(1, cast(c, sums, wide(c.dtype(q))));
  }
  return c.status();
}

// With P = exp(scores - statistics): dV = P^T dY, dS = P * (dY V^T - row sums of dY * Y), dQ =
// scale dS K, dK = scale dS^T Q (Dao et al. 2022, FlashAttention, appendix B.2).
Status fused_attention_grad(BodyContext& c) {
  const DType narrow = c.dtype(c.input(1)), computed = wide(narrow);
  const auto operand = [&](size_t i, const char* by_row) { return cast(c, turned(c, c.input(i), by_row), computed); };
  const ValueId dy = operand(0, "dy_by_row"), q = operand(1, "q_by_row"), k = operand(2, "k_by_row"),
                v = operand(3, "v_by_row"), y = operand(4, "y_by_row");
  const ValueId last = c.ints({-1}), scores = cast(c, scores_of(c, q, k, c.input(6)), computed);
  const ValueId p = c.emit("Exp", {sub(c, scores, c.emit("Unsqueeze", {c.input(5), last}))});
  const ValueId rows = c.emit("ReduceSum", {mul(c, dy, y), last}, {{"keepdims", 1}});
  const ValueId ds = mul(c, mul(c, p, sub(c, product(c, dy, v, {{"transB", 1}}), rows)),
                         c.scalar(computed, c.attributes().get_float("scale", 1)));
  const auto give = [&](size_t output, ValueId x, const char* by_row) {
    c.set(output, turned(c, cast(c, x, narrow), by_row));
  };
  give(0, product(c, ds, k), "q_by_row");
  give(1, product(c, ds, q, {{"transA", 1}}), "k_by_row");
  give(2, product(c, p, dy, {{"transA", 1}}), "v_by_row");
  return c.status();
}

// Every query is multiplied with every key, once per element of `of_q` and once per element of
// `of_v`.
double attention_products(const FlopsContext& c, const Shape& keys, double of_q, double of_v) {
  return 2 * FlopsContext::dim(keys, c.attributes.get_int("k_by_row") != 0 ? 3 : 2) * (of_q + of_v);
}
double attention_flops(const FlopsContext& c) {
  return attention_products(c, c.input(1), FlopsContext::elements(c.input(0)), FlopsContext::elements(c.output(0)));
}
// Scores again, dQ and dK have the size of Q; dP and dV have the size of V.
double attention_grad_flops(const FlopsContext& c) {
  return attention_products(c, c.input(2), 3 * FlopsContext::elements(c.input(1)),
                            2 * FlopsContext::elements(c.input(0)));
}

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "FusedAttention",
     .doc = "softmax(scale Q K^T + mask) V per head (Vaswani et al. 2017). Each of Q, K, V and Y is [batch, heads, "
            "sequence, size] or, by row, [batch, sequence, heads, size]. Heads of Q may share heads of K and V. With "
            "nan_is_zero, a NaN probability, as of a query without any key, becomes 0. The softmax runs in the dtype "
            "of the mask. The statistics are, per query, the logarithm of the sum of exp of its scores, in f32, or in "
            "f64 for f64 operands.",
     .inputs = {in("Q", 'T', dtypes::kFloat), in("K", 'T', dtypes::kFloat), in("V", 'T', dtypes::kFloat),
                in_opt("mask", 'M', dtypes::kFloat)},
     .attributes = {attr_int("k_by_row", 0, 0, 1), attr_int("nan_is_zero", 0, 0, 1), attr_int("q_by_row", 0, 0, 1),
                    attr_float("scale", 1), attr_int("v_by_row", 0, 0, 1), attr_int("y_by_row", 0, 0, 1)},
     .outputs = {out("Y", 'T'), OutputSpec{"statistics", 0, dtypes::kFloat, Presence::kOptional}},
     .shape = shape_fused_attention,
     .grad = grad::body,
     .body = fused_attention,
     .traits = {.bf16 = {Bf16Rule::Kind::kProduct, 3, 1}, .flops = &attention_flops}},
    {.domain = "percale",
     .name = "FusedAttentionGrad",
     .doc = "Gradients of FusedAttention with respect to Q, K and V, computed from the gradient of Y, from Y and from "
            "the statistics (Dao et al. 2022). They have the layouts of Q, K and V. Shared heads and nan_is_zero are "
            "not supported.",
     .inputs = {in("dY", 'T', dtypes::kFloat), in("Q", 'T', dtypes::kFloat), in("K", 'T', dtypes::kFloat),
                in("V", 'T', dtypes::kFloat), in("Y", 'T', dtypes::kFloat), in("statistics", 'S', dtypes::kFloat),
                in_opt("mask", 'M', dtypes::kFloat)},
     .attributes = {attr_int("dy_by_row", 0, 0, 1), attr_int("k_by_row", 0, 0, 1), attr_int("q_by_row", 0, 0, 1),
                    attr_float("scale", 1), attr_int("v_by_row", 0, 0, 1), attr_int("y_by_row", 0, 0, 1)},
     .outputs = {out("dQ", 'T'), out("dK", 'T'), out("dV", 'T')},
     .shape = shape_fused_attention_grad,
     .grad = grad::none,
     .body = fused_attention_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kProduct, 5, 3}, .flops = &attention_grad_flops}},
};

}  // namespace

Status register_fused_attention(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return simd != nullptr ? register_attention_simd(registry, *simd) : Status();
}

}  // namespace percale

// FusedAttention: scaled dot-product attention as the pass recognize_attention finds it, between the layouts that products leave.
// Attention of ONNX is something else for a query without a key, and has no mixed layouts.
#include "core/graph/composite.h"
#include "ops/attention_kernels.h"
#include "ops/families.h"
#include "ops/grad_util.h"
#include "ops/shape_util.h"

namespace percale {
namespace {

// [batch, heads, sequence, size], of [batch, sequence, heads, size] where it stands by row.
Shape by_head(const Shape& given, bool by_row) {
  if (!given.known_rank() || !by_row) return given;
  return Shape{given[0], given[2], given[1], given[3]};
}

Status same(const ShapeContext& c, const char* what, int64_t& a, int64_t b) {
  if (a >= 0 && b >= 0 && a != b) return c.error(what, " differ: ", a, " and ", b);
  if (a < 0) a = b;
  return {};
}

Status shape_fused_attention(ShapeContext& c) {
  const Shape unknown{kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  Shape heads[3];
  constexpr std::string_view kByRow[] = {"q_by_row", "k_by_row", "v_by_row"};
  for (size_t i = 0; i < 3; ++i) {
    const Shape& given = c.shape(i);
    if (given.known_rank() && given.rank() != 4) {
      return c.error("wanted ", c.schema.input(i).name, " of rank 4, got ", given);
    }
    heads[i] = given.known_rank() ? by_head(given, c.attributes.get_int(kByRow[i]) != 0) : unknown;
  }
  auto& [q, k, v] = heads;
  PERCALE_RETURN_IF_ERROR(same(c, "the batches of Q and K", q[0], k[0]));
  PERCALE_RETURN_IF_ERROR(same(c, "the batches of Q and V", q[0], v[0]));
  PERCALE_RETURN_IF_ERROR(same(c, "the heads of K and V", k[1], v[1]));
  if (q[1] >= 0 && k[1] >= 0 && (k[1] == 0 ? q[1] != 0 : q[1] % k[1] != 0)) {
    return c.error(q[1], " heads of Q do not divide into ", k[1], " of K");
  }
  PERCALE_RETURN_IF_ERROR(same(c, "the head sizes of Q and K", q[3], k[3]));
  PERCALE_RETURN_IF_ERROR(same(c, "the sequences of K and V", k[2], v[2]));
  const Shape scores{q[0], q[1], q[2], k[2]};
  if (c.has_input(3)) {
    const auto both = broadcast(scores, c.shape(3));
    if (!both.ok() || !compatible(*both, scores)) {
      return c.error("mask ", c.shape(3), " does not broadcast to the scores ", scores);
    }
  }
  c.set_output(0, c.dtype(0), by_head(Shape{q[0], q[1], q[2], v[3]}, c.attributes.get_int("y_by_row") != 0));
  return {};
}

// Each head as often as heads of `like` share it.
ValueId repeated(BodyContext& c, ValueId x, ValueId like) {
  const Shape &s = c.shape(x), &l = c.shape(like);
  if (s.known_rank() && l.known_rank() && s[1] >= 0 && s[1] == l[1]) return x;
  const auto dim = [&](ValueId of, int64_t d) { return c.emit("Shape", {of}, {{"start", d}, {"end", d + 1}}); };
  // No heads at all are no heads each.
  const ValueId each = c.emit("Div", {dim(like, 1), c.emit("Max", {dim(x, 1), c.ints({1})})});
  const ValueId wide =
      c.emit("Expand", {c.emit("Unsqueeze", {x, c.ints({2})}),
                        c.emit("Concat", {dim(x, 0), dim(x, 1), each, dim(x, 2), dim(x, 3)}, {{"axis", 0}})});
  const ValueId shape = c.emit("Concat", {dim(x, 0), dim(like, 1), dim(x, 2), dim(x, 3)}, {{"axis", 0}});
  return c.emit("Reshape", {wide, shape}, {{"allowzero", 1}});
}

Status fused_attention(BodyContext& c) {
  const auto turned = [&](ValueId x, const char* attribute) {
    if (c.attributes().get_int(attribute) == 0) return x;
    return c.emit("Transpose", {x}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  };
  const ValueId q = turned(c.input(0), "q_by_row");
  const ValueId k = repeated(c, turned(c.input(1), "k_by_row"), q), v = repeated(c, turned(c.input(2), "v_by_row"), q);
  const ValueId product = c.emit("percale:BatchMatMul", {q, k}, {{"transB", 1}});
  ValueId scores = mul(c, product, scalar_like(c, product, c.attributes().get_float("scale", 1)));
  const ValueId mask = c.input(3);
  if (mask != kNoValue) scores = add(c, c.emit("CastLike", {scores, mask}), mask);
  ValueId p = c.emit("Softmax", {scores}, {{"axis", -1}});
  if (mask != kNoValue) p = c.emit("CastLike", {p, v});
  if (c.attributes().get_int("nan_is_zero") != 0) p = where(c, c.emit("IsNaN", {p}), scalar_like(c, p, 0), p);
  c.set(0, turned(c.emit("percale:BatchMatMul", {p, v}), "y_by_row"));
  return c.status();
}

constexpr OpSchema kSchemas[] = {
    {.domain = "percale",
     .name = "FusedAttention",
     .doc = "softmax(scale Q K^T + mask) V per head (Vaswani et al. 2017). Each of Q, K, V and Y is [batch, heads, "
            "sequence, size] "
            "or, by row, [batch, sequence, heads, size]. Heads of Q may share those of K and V. With nan_is_zero a "
            "probability that is NaN, as without any "
            "key, is 0. The softmax runs in the type of the mask.",
     .inputs = {in("Q", 'T', dtypes::kFloat), in("K", 'T', dtypes::kFloat), in("V", 'T', dtypes::kFloat),
                in_opt("mask", 'M', dtypes::kFloat)},
     .attributes = {attr_int("k_by_row", 0, 0, 1), attr_int("nan_is_zero", 0, 0, 1), attr_int("q_by_row", 0, 0, 1),
                    attr_float("scale", 1), attr_int("v_by_row", 0, 0, 1), attr_int("y_by_row", 0, 0, 1)},
     .outputs = {out("Y", 'T')},
     .shape = shape_fused_attention,
     .grad = grad::body,
     .body = fused_attention},
};

}  // namespace

Status register_fused_attention(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops(kSchemas));
  return simd != nullptr ? register_attention_simd(registry, *simd) : Status();
}

}  // namespace percale

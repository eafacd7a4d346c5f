// Bernoulli and Multinomial: draws from given distributions, made from uniform numbers.
#include <bit>

#include "ops/support/body_util.h"
#include "ops/support/families.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

constexpr AttrSpec kId = attr_int("id", 0, 0);
constexpr AttrSpec kSeed = attr_float("seed", 0);

Status shape_bernoulli(ShapeContext& context) {
  const int64_t dtype = context.attributes.get_int("dtype", static_cast<int64_t>(context.dtype(0)));
  if (dtype <= 0 || dtype >= kNumDTypes || !dtypes::kAny.contains(static_cast<DType>(dtype))) {
    return context.error("attribute 'dtype' is ", dtype, ", which is not a number type or bool");
  }
  context.set_output(0, static_cast<DType>(dtype), context.shape(0));
  return {};
}
// A uniform number in [0, 1) is below p with probability p.
Status bernoulli(BodyContext& c) {
  const DType given = c.dtype(c.input(0));
  const auto dtype = static_cast<DType>(c.attributes().get_int("dtype", static_cast<int64_t>(given)));
  const ValueId p = cast(c, c.input(0), compute_type(given));
  const ValueId u = c.emit("RandomUniformLike", {p},
                           {{"id", c.attributes().get_int("id")}, {"seed", c.attributes().get_float("seed")}});
  const ValueId hit = c.emit("Less", {u, p});
  c.set(0, hit == kNoValue ? hit : cast(c, hit, dtype));
  return c.status();
}

Status shape_multinomial(ShapeContext& context) {
  const Shape& x = context.shape(0);
  if (x.known_rank() && x.rank() != 2) return context.error("wanted an input [batch, classes], got ", x);
  if (x.known_rank() && x[1] == 0) return context.error("the input ", x, " must have at least one class");
  const int64_t dtype = context.attributes.get_int("dtype");
  if (dtype != static_cast<int64_t>(DType::kI32) && dtype != static_cast<int64_t>(DType::kI64)) {
    return context.error("attribute 'dtype' is ", dtype, ", wanted i32 or i64");
  }
  const int64_t batch = x.known_rank() ? x[0] : kUnknownDim;
  context.set_output(0, static_cast<DType>(dtype), Shape{batch, context.attributes.get_int("sample_size")});
  return {};
}
// Adds a Gumbel-distributed number to each log-probability. The greatest sum is that of class k
// with the probability of k (Gumbel 1954).
Status multinomial(BodyContext& c) {
  const ValueId logits = cast(c, c.input(0), compute_type(c.dtype(c.input(0))));
  const ValueId rows = c.emit("Unsqueeze", {logits, c.ints({1})});
  const ValueId dims =
      c.emit("Concat", {dim_of(c, logits, 0), c.ints({c.attributes().get_int("sample_size")}), dim_of(c, logits, 1)},
             {{"axis", 0}});
  const ValueId u = c.emit("percale:RandomUniform", {dims},
                           {{"dtype", c.dtype(logits)},
                            {"id", c.attributes().get_int("id")},
                            {"seed", std::bit_cast<int64_t>(c.attributes().get_float("seed"))}});
  const ValueId noise = neg(c, c.emit("Log", {neg(c, c.emit("Log", {u}))}));
  const ValueId best = c.emit("ArgMax", {add(c, rows, noise)}, {{"axis", 2}, {"keepdims", 0}});
  c.set(0, best == kNoValue ? best : cast(c, best, static_cast<DType>(c.attributes().get_int("dtype"))));
  return c.status();
}

constexpr OpRow kSchemas[] = {
    {.name = "Bernoulli",
     .since = 22,
     .doc =
         "1 with the probability that the input holds, otherwise 0, in the dtype of the input unless dtype is given.",
     .inputs = {in("input", 0, dtypes::kFloat)},
     .attributes = {attr_optional("dtype", AttrKind::kInt), kId, kSeed},
     .outputs = {out("output", dtypes::kAny)},
     .flags = kRandom | kReadsRow,
     .shape = shape_bernoulli,
     .grad = grad::zero,
     .body = bernoulli},
    {.name = "Multinomial",
     .since = 22,
     .doc = "Draws sample_size classes for each row of [batch, classes], which holds unnormalised log-probabilities.",
     .inputs = {in("input", 0, dtypes::kFloat)},
     .attributes = {attr_int("dtype", 6), kId,
                    AttrSpec{.name = "sample_size",
                             .kind = AttrKind::kInt,
                             .has_default = true,
                             .int_default = 1,
                             .min = 1,
                             .max = static_cast<double>(kMaxDim)},
                    kSeed},
     .outputs = {out("output", dtypes::kIndex)},
     .flags = kRandom | kReadsRow,
     .shape = shape_multinomial,
     .grad = grad::zero,
     .body = multinomial},
};

}  // namespace

Status register_random_draw(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale

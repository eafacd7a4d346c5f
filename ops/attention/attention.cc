// Attention: scaled dot-product attention with masks, windows, grouped heads and a key/value cache.
// It is a composite, and its gradient is that of its body.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/graph/emit/composite.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

enum Input : size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kNonpad };

// ---- Shapes

// The dims of Q, K or V as [batch, heads, sequence, size].
struct Heads {
  int64_t batch = kUnknownDim, heads = kUnknownDim, sequence = kUnknownDim, size = kUnknownDim;
};

Result<Heads> heads_of(const ShapeContext& c, size_t input, const char* attribute) {
  Heads h;
  const Shape& x = c.shape(input);
  const std::string_view name = c.schema.input(input).name;
  const int64_t heads = c.attributes.get_int(attribute);
  if (!x.known_rank()) return h;
  if (x.rank() == 4) {
    if (heads > 0 && x[1] >= 0 && x[1] != heads) return c.error(attribute, " is ", heads, ", ", name, " is ", x);
    return Heads{x[0], x[1], x[2], x[3]};
  }
  if (x.rank() != 3) return c.error("wanted ", name, " of rank 3 or 4, got ", x);
  if (heads <= 0) return c.error(name, " of rank 3 needs the attribute '", attribute, "'");
  if (x[2] >= 0 && x[2] % heads != 0)
    return c.error(attribute, " = ", heads, " does not divide the last dim of ", name, " ", x);
  return Heads{x[0], heads, x[1], x[2] < 0 ? kUnknownDim : x[2] / heads};
}

// Sets both dims to the one that is known. It is an error if both are known and differ.
Status same(const ShapeContext& c, const char* what, int64_t& a, int64_t& b) {
  if (a >= 0 && b >= 0 && a != b) return c.error(what, " differ: ", a, " and ", b);
  a = b = std::max(a, b);
  return {};
}

int64_t sum_of(int64_t a, int64_t b) { return a < 0 || b < 0 ? kUnknownDim : a + b; }

// Checks a cache [batch, heads, past, size] against `h` and returns the length of its sequence.
Result<int64_t> past_of(const ShapeContext& c, size_t input, Heads& h) {
  const Shape& past = c.shape(input);
  if (!past.known_rank()) return kUnknownDim;
  const std::string_view name = c.schema.input(input).name;
  if (past.rank() != 4) return c.error("wanted ", name, " of rank 4, got ", past);
  int64_t batch = past[0], heads = past[1], size = past[3];
  PERCALE_RETURN_IF_ERROR(same(c, "the batch sizes of past and new keys or values", h.batch, batch));
  PERCALE_RETURN_IF_ERROR(same(c, "the head counts of past and new keys or values", h.heads, heads));
  PERCALE_RETURN_IF_ERROR(same(c, "the head sizes of past and new keys or values", h.size, size));
  return past[2];
}

// The mask's last dim may be shorter than the keys. Keys beyond it are masked out.
Status check_mask(const ShapeContext& c, const Shape& scores) {
  Shape mask = c.shape(kMask);
  if (!mask.known_rank()) return {};
  if (mask.rank() == 0 || mask.rank() > 4) return c.error("wanted attn_mask of rank 1 to 4, got ", mask);
  if (mask.back() >= 0 && scores[3] >= 0 && mask.back() < scores[3]) mask[mask.rank() - 1] = scores[3];
  const auto both = broadcast(scores, mask);
  if (both.ok() && compatible(*both, scores)) return {};
  return c.error("attn_mask ", c.shape(kMask), " does not broadcast to the scores ", scores);
}

Status check_options(const ShapeContext& c) {
  const int64_t precision = c.attributes.get_int("softmax_precision");
  if (precision != 0 && !(precision < kNumDTypes && dtypes::kFloat.contains(static_cast<DType>(precision)))) {
    return c.error("attribute 'softmax_precision' is ", precision, ", wanted 1, 10, 11 or 16");
  }
  if (c.has_input(kPastKey) != c.has_input(kPastValue))
    return c.error("past_key and past_value must be given together");
  if (c.has_input(kPastKey) && c.has_input(kNonpad))
    return c.error("past_key and nonpad_kv_seqlen must not be given together");
  if (!(c.attributes.get_float("softcap") >= 0)) return c.error("softcap is ", c.attributes.get_float("softcap"));
  return {};
}

Status shape_attention(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_options(c));
  PERCALE_ASSIGN_OR_RETURN(Heads q, heads_of(c, kQ, "q_num_heads"));
  PERCALE_ASSIGN_OR_RETURN(Heads k, heads_of(c, kK, "kv_num_heads"));
  PERCALE_ASSIGN_OR_RETURN(Heads v, heads_of(c, kV, "kv_num_heads"));
  const Shape& given = c.shape(kQ);
  for (const size_t i : {kK, kV}) {
    if (given.known_rank() && c.shape(i).known_rank() && given.rank() != c.shape(i).rank()) {
      return c.error("Q is ", given, ", ", c.schema.input(i).name, " ", c.shape(i));
    }
  }
  PERCALE_RETURN_IF_ERROR(same(c, "the batch sizes of Q and K", q.batch, k.batch));
  PERCALE_RETURN_IF_ERROR(same(c, "the batch sizes of K and V", k.batch, v.batch));
  PERCALE_RETURN_IF_ERROR(same(c, "the head sizes of Q and K", q.size, k.size));
  PERCALE_RETURN_IF_ERROR(same(c, "the head counts of K and V", k.heads, v.heads));
  PERCALE_RETURN_IF_ERROR(same(c, "the sequence lengths of K and V", k.sequence, v.sequence));
  int64_t keys = k.sequence;
  if (c.has_input(kPastKey)) {
    PERCALE_ASSIGN_OR_RETURN(int64_t past_keys, past_of(c, kPastKey, k));
    PERCALE_ASSIGN_OR_RETURN(int64_t past_values, past_of(c, kPastValue, v));
    PERCALE_RETURN_IF_ERROR(same(c, "the lengths of past_key and past_value", past_keys, past_values));
    keys = sum_of(k.sequence, past_keys);
    if (keys > kMaxDim) return c.error(keys, " keys exceed the limit of 2^40");
  }
  if (q.heads >= 0 && k.heads >= 0 && (k.heads == 0 ? q.heads != 0 : q.heads % k.heads != 0)) {
    return c.error(q.heads, " heads of Q are not a multiple of the ", k.heads, " heads of K");
  }
  const Shape scores{q.batch, q.heads, q.sequence, keys};
  if (c.has_input(kMask)) PERCALE_RETURN_IF_ERROR(check_mask(c, scores));
  if (c.has_input(kNonpad) && !compatible(c.shape(kNonpad), Shape{q.batch})) {
    return c.error("nonpad_kv_seqlen is ", c.shape(kNonpad), ", wanted ", Shape{q.batch});
  }
  Shape y = Shape::unranked();
  if (given.known_rank() && given.rank() == 4) y = Shape{q.batch, q.heads, q.sequence, v.size};
  if (given.known_rank() && given.rank() == 3) {
    const bool known = q.heads >= 0 && v.size >= 0;
    if (known && q.heads > 0 && v.size > kMaxDim / q.heads)
      return c.error("the heads of V exceed 2^40 elements in total");
    y = Shape{q.batch, q.sequence, known ? q.heads * v.size : kUnknownDim};
  }
  c.set_output(0, c.dtype(kQ), y);
  c.set_output(1, c.dtype(kK), Shape{k.batch, k.heads, keys, k.size});
  c.set_output(2, c.dtype(kV), Shape{v.batch, v.heads, keys, v.size});
  c.set_output(3, c.dtype(kQ), scores);
  return {};
}

// ---- The body

// Returns dims [first, end) of a value as a vector; dim() returns one of them as a scalar.
ValueId dims(BodyContext& c, ValueId x, int64_t first, int64_t end) {
  return c.emit("Shape", {x}, {{"start", first}, {"end", end}});
}
ValueId dim(BodyContext& c, ValueId x, size_t d) {
  const int64_t known = c.shape(x)[d], first = static_cast<int64_t>(d);
  if (known >= 0) return c.scalar(DType::kI64, static_cast<double>(known));
  return c.emit("Squeeze", {dims(c, x, first, first + 1)});
}
ValueId reshaped(BodyContext& c, ValueId x, const std::vector<ValueId>& parts) {
  return c.emit("Reshape", {x, c.emit("Concat", parts, {{"axis", 0}})}, {{"allowzero", 1}});
}

// Reshapes [batch, sequence, heads * size] to [batch, heads, sequence, size].
ValueId split_heads(BodyContext& c, ValueId x, int64_t heads) {
  if (c.shape(x).rank() == 4) return x;
  const Shape s = c.shape(x);
  const ValueId apart = s.is_static()
                            ? c.emit("Reshape", {x, c.ints({s[0], s[1], heads, s[2] / heads})}, {{"allowzero", 1}})
                            : c.emit("Reshape", {x, c.ints({0, 0, heads, -1})});
  return c.emit("Transpose", {apart}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
}
ValueId join_heads(BodyContext& c, ValueId x) {
  const ValueId y = c.emit("Transpose", {x}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  const Shape s = c.shape(y);
  return s.is_static() ? c.emit("Reshape", {y, c.ints({s[0], s[1], s[2] * s[3]})}, {{"allowzero", 1}})
                       : c.emit("Reshape", {y, c.ints({0, 0, -1})});
}

// Reshapes x [batch, heads, rows, columns] to the head count of `other`, which has as many heads or
// fewer. The heads that share one head of `other` become its rows, so that keys and values are not
// repeated. ungroup_heads() goes back to [batch, heads of `like`, rows of `like`, columns].
ValueId group_heads(BodyContext& c, ValueId x, ValueId other) {
  const Shape &s = c.shape(x), &o = c.shape(other);
  if (s[1] >= 0 && s[1] == o[1]) return x;
  if (s.is_static() && o[1] > 0) {
    return c.emit("Reshape", {x, c.ints({s[0], o[1], s[1] / o[1] * s[2], s[3]})}, {{"allowzero", 1}});
  }
  const ValueId rows = c.emit("Div", {c.emit("Mul", {dims(c, x, 1, 2), dims(c, x, 2, 3)}), dims(c, other, 1, 2)});
  return reshaped(c, x, {dims(c, x, 0, 1), dims(c, other, 1, 2), rows, dims(c, x, 3, 4)});
}
ValueId ungroup_heads(BodyContext& c, ValueId x, ValueId like, ValueId other) {
  const Shape &l = c.shape(like), &o = c.shape(other);
  if (l[1] >= 0 && l[1] == o[1]) return x;
  if (l.is_static() && c.shape(x)[3] >= 0) {
    return c.emit("Reshape", {x, c.ints({l[0], l[1], l[2], c.shape(x)[3]})}, {{"allowzero", 1}});
  }
  return reshaped(c, x, {dims(c, like, 0, 3), dims(c, x, 3, 4)});
}

// Returns sqrt(scale). Q and K are both multiplied by it, so that their product stays in the range
// of small types.
ValueId root_of_scale(BodyContext& c, ValueId q) {
  const int64_t size = c.shape(q)[3];
  if (c.attributes().contains("scale")) {
    return scalar_like(c, q, std::sqrt(c.attributes().get_float("scale")));
  }
  const maths::Functions& functions = c.builder().owner().registry().numerics().functions();
  if (size >= 0) return scalar_like(c, q, size == 0 ? 1 : functions.pow(static_cast<double>(size), -0.25));
  const ValueId known = c.emit("Cast", {dim(c, q, 3)}, {{"to", c.dtype(q)}});
  return c.emit("Reciprocal", {c.emit("Sqrt", {c.emit("Sqrt", {known})})});
}

ValueId both(BodyContext& c, ValueId a, ValueId b) {
  return a == kNoValue ? b : b == kNoValue ? a : c.emit("And", {a, b});
}
ValueId count_up(BodyContext& c, ValueId end) {
  return c.emit("Range", {c.scalar(DType::kI64, 0), end, c.scalar(DType::kI64, 1)});
}

// Masks applied between the scores and the softmax. `allowed` selects the keys that take part;
// `added` is added to the scores. With kNoValue all keys take part or nothing is added.
struct Bias {
  ValueId allowed = kNoValue, added = kNoValue;
  bool may_mask_rows = false;  // all keys of a query may be masked
};

// Adds the mask, padded to the number of keys. Keys beyond its end are masked out.
void add_mask(BodyContext& c, ValueId keys, DType dtype, Bias& bias) {
  ValueId mask = c.input(kMask);
  if (mask == kNoValue) return;
  const bool is_bool = c.dtype(mask) == DType::kBool;
  const Shape& shape = c.shape(mask);
  if (!is_bool) mask = cast(c, mask, dtype);
  const int64_t columns = shape.back(), wanted = c.shape(keys)[2];
  if (columns < 0 || wanted < 0 || columns != wanted) {
    const ValueId last = dims(c, mask, static_cast<int64_t>(shape.rank()) - 1, static_cast<int64_t>(shape.rank()));
    const ValueId more = c.emit("Max", {sub(c, dims(c, keys, 2, 3), last), c.ints({0})});
    const ValueId pads = c.emit("Concat", {c.ints(std::vector<int64_t>(2 * shape.rank() - 1, 0)), more}, {{"axis", 0}});
    const ValueId fill =
        is_bool ? c.scalar(DType::kBool, 0) : scalar_like(c, mask, -std::numeric_limits<double>::infinity());
    mask = c.emit("Pad", {mask, pads, fill});
  }
  bias.may_mask_rows = true;
  if (is_bool) {
    bias.allowed = mask;
    return;
  }
  // -inf masks a key out, whatever its score is.
  bias.added = mask;
  bias.allowed = c.emit("Not", {c.emit("IsInf", {mask}, {{"detect_positive", 0}})});
}

// Adds is_causal, the windows and the mask of padded keys.
void add_positions(BodyContext& c, ValueId q, ValueId keys, Bias& bias) {
  const bool causal = c.attributes().get_int("is_causal") != 0;
  const int64_t left = c.attributes().get_int("left_window_size"), right = c.attributes().get_int("right_window_size");
  const ValueId nonpad = c.input(kNonpad), past = c.input(kPastKey);
  if (!causal && left < 0 && right < 0 && nonpad == kNoValue) return;
  const ValueId key = count_up(c, dim(c, keys, 2));
  ValueId lengths = kNoValue;
  if (nonpad != kNoValue) {
    lengths = c.emit("Unsqueeze", {nonpad, c.ints({1, 2, 3})});
    bias.allowed = both(c, bias.allowed, c.emit("Less", {key, lengths}));
    bias.may_mask_rows = true;
  }
  if (!causal && left < 0 && right < 0) return;
  // The position of each query among the keys.
  ValueId place = c.emit("Unsqueeze", {count_up(c, dim(c, q, 2)), c.ints({1})});
  if (past != kNoValue) place = add(c, place, dim(c, past, 2));
  if (lengths != kNoValue) place = add(c, place, sub(c, lengths, dim(c, q, 2)));
  if (causal) bias.allowed = both(c, bias.allowed, c.emit("LessOrEqual", {key, place}));
  const auto number = [&](int64_t n) { return c.scalar(DType::kI64, static_cast<double>(n)); };
  if (left >= 0) {
    bias.allowed = both(c, bias.allowed, c.emit("LessOrEqual", {sub(c, place, number(left)), key}));
    bias.may_mask_rows = true;
  }
  if (right >= 0) bias.allowed = both(c, bias.allowed, c.emit("LessOrEqual", {key, add(c, place, number(right))}));
}

// Returns the probabilities of the keys. A query whose keys are all masked gets zeros.
ValueId probabilities(BodyContext& c, ValueId scores, const Bias& bias) {
  const DType dtype = c.dtype(scores);
  const int64_t asked = c.attributes().get_int("softmax_precision");
  const DType precision = asked != 0 ? static_cast<DType>(asked) : dtype;
  ValueId x = cast(c, scores, precision);
  const ValueId none = scalar_like(c, x, -std::numeric_limits<double>::infinity()), zero = scalar_like(c, x, 0);
  ValueId some = kNoValue;
  if (bias.allowed != kNoValue) {
    ValueId fill = none;
    if (bias.may_mask_rows) {
      const ValueId number = cast(c, bias.allowed, DType::kI32);
      some = cast(c, c.emit("ReduceMax", {number, c.ints({-1})}, {{"keepdims", 1}}), DType::kBool);
      fill = where(c, some, none, zero);
    }
    x = where(c, bias.allowed, x, fill);
  }
  ValueId p = c.emit("Softmax", {x}, {{"axis", -1}});
  if (some != kNoValue) p = where(c, some, p, zero);
  return cast(c, p, dtype);
}

Status attention(BodyContext& c) {
  for (const size_t i : {kQ, kK, kV, kMask}) {
    if (c.input(i) != kNoValue && !c.shape(c.input(i)).known_rank()) {
      return unimplemented("the rank of input ", static_cast<uint64_t>(i), " must be known");
    }
  }
  const int64_t q_heads = c.attributes().get_int("q_num_heads"), kv_heads = c.attributes().get_int("kv_num_heads");
  const int64_t mode = c.attributes().get_int("qk_matmul_output_mode");
  const bool flat = c.shape(c.input(kQ)).rank() == 3;
  const ValueId q = split_heads(c, c.input(kQ), q_heads);
  ValueId k = split_heads(c, c.input(kK), kv_heads), v = split_heads(c, c.input(kV), kv_heads);
  if (c.input(kPastKey) != kNoValue) {
    k = c.emit("Concat", {c.input(kPastKey), k}, {{"axis", 2}});
    v = c.emit("Concat", {c.input(kPastValue), v}, {{"axis", 2}});
  }
  const DType dtype = c.dtype(q);
  const ValueId root = root_of_scale(c, q);
  const ValueId product =
      c.emit("percale:BatchMatMul", {group_heads(c, mul(c, q, root), k), mul(c, k, root)}, {{"transB", 1}});
  const ValueId raw = ungroup_heads(c, product, q, k);
  ValueId scores = raw;
  if (const double cap = c.attributes().get_float("softcap"); cap > 0) {
    const ValueId limit = scalar_like(c, raw, cap);
    scores = mul(c, limit, c.emit("Tanh", {div(c, raw, limit)}));
  }
  const ValueId capped = scores;
  Bias bias;
  add_mask(c, k, dtype, bias);
  add_positions(c, q, k, bias);
  if (bias.added != kNoValue) scores = add(c, scores, bias.added);
  const ValueId p = probabilities(c, scores, bias);
  const DType of_values = c.dtype(v);
  ValueId y = c.emit("percale:BatchMatMul", {group_heads(c, cast(c, p, of_values), v), v});
  y = cast(c, ungroup_heads(c, y, q, v), dtype);
  c.set(0, flat ? join_heads(c, y) : y);
  c.set(1, k);
  c.set(2, v);
  if (c.outputs().size() < 4) return c.status();
  if (mode == 2 && bias.allowed != kNoValue) {
    scores = where(c, bias.allowed, scores, scalar_like(c, scores, -std::numeric_limits<double>::infinity()));
  }
  c.set(3, mode == 0 ? raw : mode == 1 ? capped : mode == 2 ? scores : p);
  return c.status();
}

constexpr double kMostHeads = static_cast<double>(kMaxDim);

constexpr OpRow kSchemas[] = {
    {.name = "Attention",
     .since = 25,
     .doc =
         "Multi-head attention: softmax(scale Q K^T, softcapped, + mask) V per head (Vaswani et al. 2017). Heads of Q "
         "may share heads of K and V (Ainslie et al. 2023). Past keys and values precede the new ones. Each input is "
         "[batch, heads, sequence, size] or [batch, sequence, heads * size]. A query without any key gives zeros.",
     .inputs = {in("Q", 'T', dtypes::kFloat), in("K", 'T', dtypes::kFloat), in("V", 'V', dtypes::kFloat),
                in_opt("attn_mask", 0, dtypes::kAny), in_opt("past_key", 'T', dtypes::kFloat),
                in_opt("past_value", 'V', dtypes::kFloat), in_opt("nonpad_kv_seqlen", 0, dtypes::kI64Only)},
     .attributes = {attr_int("is_causal", 0, 0, 1), attr_optional("kv_num_heads", AttrKind::kInt, 1, kMostHeads),
                    attr_int("left_window_size", -1, -1), attr_optional("q_num_heads", AttrKind::kInt, 1, kMostHeads),
                    attr_int("qk_matmul_output_mode", 0, 0, 3), attr_int("right_window_size", -1, -1),
                    attr_optional("scale", AttrKind::kFloat, 0), attr_float("softcap", 0),
                    attr_optional("softmax_precision", AttrKind::kInt)},
     .outputs = {out("Y", 'T'), out_opt("present_key", 'T'), out_opt("present_value", 'V'),
                 out_opt("qk_matmul_output", 'T')},
     .shape = shape_attention,
     .grad = grad::body,
     .body = attention},
};

}  // namespace

Status register_attention(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale

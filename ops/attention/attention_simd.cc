// Attention with SIMD kernels. A block of queries is processed against all keys of its head, so
// that its scores stay in the cache through the product with K, the softmax and the product with V.
// Q, K, V and Y are accessed in place, whatever their layout.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/base/checked.h"
#include "ops/attention/attention_kernels.h"
#include "ops/support/kernel_util.h"

namespace percale {
namespace {

constexpr int64_t kScores = 6 << 10;  // scores per block: 24 KiB, most of the L1 cache
constexpr int64_t kFewestRows = 48, kMostRows = 128, kMostPieces = 16;

// Strides in elements between batches, heads and rows. The elements of a row are contiguous.
struct Steps {
  int64_t batch = 0, head = 0, row = 0;
};
Steps steps_of(int64_t heads, int64_t sequence, int64_t size, bool by_row) {
  if (by_row) return {sequence * heads * size, size, heads * size};
  return {heads * sequence * size, sequence * size, size};
}

struct Plan {
  const simd::SimdTable* simd = nullptr;
  int64_t batch = 0, heads = 0, queries = 0, keys = 0, size = 0, value_size = 0;
  int64_t sharing = 1;  // heads of Q per head of K
  Steps q, k, v, y, mask;
  bool has_mask = false, nan_is_zero = false;
  bool row_invariant = false;  // blocks of queries depend on the batch, so their products must not
  float scale = 1;
  int64_t rows = 0, groups = 1;  // queries per block; parts that a head's queries are cut into
  bool packs = false;            // K and V of a head are packed once for its blocks
  int64_t pieces = 1, piece_bytes = 0, at_keys = 0, at_values = 0, at_products = 0;
};

using Gemm = simd::Gemm<float>;

Gemm scores_of(const Plan& p, int64_t rows) {
  Gemm g;
  g.m = rows;
  g.n = p.keys;
  g.k = p.size;
  g.lda = p.q.row;
  g.ldb = p.k.row;
  g.trans_b = true;
  g.ldc = p.keys;
  g.row_invariant = p.row_invariant;
  return g;
}
Gemm values_of(const Plan& p, int64_t rows) {
  Gemm g;
  g.m = rows;
  g.n = p.value_size;
  g.k = p.keys;
  g.lda = p.keys;
  g.ldb = p.v.row;
  g.ldc = p.y.row;
  return g;
}

int64_t aligned(int64_t bytes) { return round_up(bytes, 64); }

// Chooses the pieces and reserves their scratch. Sizes and strides of `p` must be set.
void book(Plan& p, KernelPlan& plan) {
  p.simd = static_cast<const simd::SimdTable*>(plan.user);
  const auto& gemm = p.simd->gemm->f32;
  p.rows = std::clamp(kScores / std::max<int64_t>(p.keys, 1) / kFewestRows * kFewestRows, kFewestRows, kMostRows);
  p.rows = std::min(p.rows, std::max<int64_t>(p.queries, 1));
  const int64_t blocks = (p.queries + p.rows - 1) / std::max<int64_t>(p.rows, 1), all = p.batch * p.heads;
  // With few heads and many queries, each head is cut further. Each part packs K and V itself, so
  // it should have several blocks.
  p.groups = all >= kMostPieces ? 1 : std::clamp<int64_t>(blocks / 4, 1, kMostPieces / std::max<int64_t>(all, 1));
  p.packs = blocks > p.groups;
  p.pieces = std::clamp<int64_t>(all * p.groups, 1, kMostPieces);
  p.at_keys = aligned(p.rows * p.keys * 4);
  p.at_values = p.at_keys + (p.packs ? aligned(gemm.packed_b_bytes(p.size, p.keys)) : 0);
  p.at_products = p.at_values + (p.packs ? aligned(gemm.packed_b_bytes(p.keys, p.value_size)) : 0);
  int64_t products = 0;
  // The last block may be shorter, and a product with few rows may use another method.
  for (const int64_t rows : {p.rows, p.queries % std::max<int64_t>(p.rows, 1)}) {
    Gemm a = scores_of(p, rows), b = values_of(p, rows);
    const float packed = 0;
    if (p.packs) a.packed_b = b.packed_b = &packed;
    products = std::max({products, gemm.scratch_bytes(a), gemm.scratch_bytes(b)});
  }
  p.piece_bytes = p.at_products + aligned(products);
  plan.scratch_bytes = p.pieces * p.piece_bytes;
}

// Processes one part of the queries of one head.
void run_part(const Plan& p, const Launch& l, int64_t number, char* scratch) {
  const auto& gemm = p.simd->gemm->f32;
  const int64_t group = number % p.groups, head = number / p.groups % p.heads, batch = number / p.groups / p.heads;
  const int64_t shared = head / p.sharing;
  const float* q = l.in<float>(0) + batch * p.q.batch + head * p.q.head;
  const float* k = l.in<float>(1) + batch * p.k.batch + shared * p.k.head;
  const float* v = l.in<float>(2) + batch * p.v.batch + shared * p.v.head;
  const float* mask = p.has_mask ? l.in<float>(3) + batch * p.mask.batch + head * p.mask.head : nullptr;
  float* y = l.out<float>(0) + batch * p.y.batch + head * p.y.head;
  auto* scores = reinterpret_cast<float*>(scratch);
  auto* keys = reinterpret_cast<float*>(scratch + p.at_keys);
  auto* values = reinterpret_cast<float*>(scratch + p.at_values);
  void* products = scratch + p.at_products;
  if (p.packs) {
    gemm.pack_b(p.size, p.keys, k, p.k.row, true, keys, {});
    gemm.pack_b(p.keys, p.value_size, v, p.v.row, false, values, {});
  }
  const PieceRange range = piece_range(p.queries, p.groups, group, p.rows);
  for (int64_t at = range.begin; at < range.end && !l.cancelled(); at += p.rows) {
    const int64_t rows = std::min(p.rows, range.end - at);
    Gemm a = scores_of(p, rows);
    a.a = q + at * p.q.row;
    a.b = k;
    if (p.packs) a.packed_b = keys;
    a.c = scores;
    gemm.run(a, products, {});
    p.simd->norm->masked_softmax(scores, rows, p.keys, p.keys, p.scale,
                                 mask != nullptr ? mask + at * p.mask.row : nullptr, p.mask.row, p.nan_is_zero);
    Gemm b = values_of(p, rows);
    b.a = scores;
    b.b = v;
    if (p.packs) b.packed_b = values;
    b.c = y + at * p.y.row;
    gemm.run(b, products, {});
  }
}

void run(const Plan& p, const Launch& l) {
  const int64_t parts = p.batch * p.heads * p.groups;
  l.parallel()(p.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(parts, p.pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) run_part(p, l, i, l.scratch<char>() + piece * p.piece_bytes);
  });
}

// Sets the strides of a mask that broadcasts to [batch, heads, queries, keys]. Returns
// UNIMPLEMENTED if the mask is broadcast along the keys.
Status take_mask(const Shape& shape, Plan& p) {
  const std::array<int64_t, 4> whole{p.batch, p.heads, p.queries, p.keys};
  std::array<int64_t, 4> steps{};
  int64_t step = 1;
  for (size_t i = shape.rank(); i-- > 0;) {
    const size_t at = i + 4 - shape.rank();
    if (shape[i] != whole[at] && shape[i] != 1)
      return unimplemented("requires a mask that broadcasts to the scores, got ", shape);
    steps[at] = shape[i] == 1 ? 0 : step;
    step *= shape[i];
  }
  if (p.keys != 1 && steps[3] != 1) return unimplemented("requires a mask with an element per key, got ", shape);
  p.mask = {steps[0], steps[1], steps[2]};
  p.has_mask = true;
  return {};
}

Status accepts_f32(const NodeView& v) {
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    if (v.has_input(i) && v.dtype(i) != DType::kF32) return unimplemented("requires f32");
  }
  return {};
}

// ---- FusedAttention

Result<Plan> sizes_of_fused(const NodeView& v) {
  PERCALE_RETURN_IF_ERROR(accepts_f32(v));
  if (v.has_output(1)) return unimplemented("supports only the output Y");
  const auto by_row = [&](const char* name) { return v.attributes.get_int(name) != 0; };
  const auto heads_and_rows = [&](const Shape& s, bool rows) {
    return rows ? std::pair{s[2], s[1]} : std::pair{s[1], s[2]};
  };
  const Shape &q = v.shape(0), &k = v.shape(1), &values = v.shape(2);
  Plan p;
  p.batch = q[0];
  p.row_invariant = v.numerics.batch_invariant;
  std::tie(p.heads, p.queries) = heads_and_rows(q, by_row("q_by_row"));
  int64_t shared = 0;
  std::tie(shared, p.keys) = heads_and_rows(k, by_row("k_by_row"));
  if (p.heads == 0 || shared == 0) return unimplemented("requires at least one head");
  p.sharing = p.heads / shared;
  p.size = q[3];
  p.value_size = values[3];
  p.q = steps_of(p.heads, p.queries, p.size, by_row("q_by_row"));
  p.k = steps_of(shared, p.keys, p.size, by_row("k_by_row"));
  p.v = steps_of(shared, p.keys, p.value_size, by_row("v_by_row"));
  p.y = steps_of(p.heads, p.queries, p.value_size, by_row("y_by_row"));
  p.scale = static_cast<float>(v.attributes.get_float("scale", 1));
  p.nan_is_zero = by_row("nan_is_zero");
  if (v.has_input(3)) PERCALE_RETURN_IF_ERROR(take_mask(v.shape(3), p));
  return p;
}
Status accepts_fused(const NodeView& v) { return sizes_of_fused(v).status(); }
Result<Plan> plan_fused(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(Plan p, sizes_of_fused(v));
  book(p, plan);
  return p;
}

// ---- Attention

Result<Plan> sizes_of_attention(const NodeView& v) {
  PERCALE_RETURN_IF_ERROR(accepts_f32(v));
  const auto is = [&](const char* name) { return v.attributes.get_int(name) != 0; };
  for (size_t i = 1; i < 4; ++i) {
    if (v.has_output(i)) return unimplemented("supports only the output Y");
  }
  if (v.has_input(4) || v.has_input(5) || v.has_input(6))
    return unimplemented("does not support past keys or nonpad_kv_seqlen");
  if (is("is_causal") || v.attributes.get_int("left_window_size", -1) >= 0 ||
      v.attributes.get_int("right_window_size", -1) >= 0) {
    return unimplemented("does not support is_causal or window sizes");
  }
  const int64_t precision = v.attributes.get_int("softmax_precision");
  if (v.attributes.get_float("softcap") != 0 || (precision != 0 && precision != 1)) {
    return unimplemented("requires softcap 0 and a softmax in f32");
  }
  const Shape &q = v.shape(0), &k = v.shape(1), &values = v.shape(2);
  Plan p;
  const bool flat = q.rank() == 3;
  p.batch = q[0];
  p.row_invariant = v.numerics.batch_invariant;
  p.heads = flat ? v.attributes.get_int("q_num_heads") : q[1];
  const int64_t shared = flat ? v.attributes.get_int("kv_num_heads") : k[1];
  if (p.heads == 0 || shared == 0) return unimplemented("requires at least one head");
  p.sharing = p.heads / shared;
  p.queries = flat ? q[1] : q[2];
  p.keys = flat ? k[1] : k[2];
  p.size = flat ? q[2] / p.heads : q[3];
  p.value_size = flat ? values[2] / shared : values[3];
  p.q = steps_of(p.heads, p.queries, p.size, flat);
  p.k = steps_of(shared, p.keys, p.size, flat);
  p.v = steps_of(shared, p.keys, p.value_size, flat);
  p.y = steps_of(p.heads, p.queries, p.value_size, flat);
  const double usual = p.size == 0 ? 1 : 1 / std::sqrt(static_cast<double>(p.size));
  p.scale = static_cast<float>(v.attributes.get_float("scale", usual));
  p.nan_is_zero = true;
  if (v.has_input(3)) PERCALE_RETURN_IF_ERROR(take_mask(v.shape(3), p));
  return p;
}
Status accepts_attention(const NodeView& v) { return sizes_of_attention(v).status(); }
Result<Plan> plan_attention(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(Plan p, sizes_of_attention(v));
  book(p, plan);
  return p;
}

}  // namespace

Status register_attention_simd(Registry& registry, const simd::SimdTable& simd) {
  return add_cpu_kernels(
      registry,
      {make_kernel<&accepts_fused, &plan_fused, &run>("simd.fused_attention", "FusedAttention", "percale", &simd),
       make_kernel<&accepts_attention, &plan_attention, &run>("simd.attention", "Attention", "", &simd)});
}

}  // namespace percale

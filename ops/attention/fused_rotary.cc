// FusedRotary: rotary embeddings as found by the pass recognize_rotary. ONNX's RotaryEmbedding
// takes caches of half the size; this op takes the form that exporters write, with a cosine and a
// sine for every element.
#include <array>

#include "core/graph/emit/composite.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

Status shape_fused_rotary(ShapeContext& c) {
  const Shape& x = c.shape(0);
  if (x.known_rank() && (x.rank() == 0 || (x.back() >= 0 && x.back() % 2 != 0))) {
    return c.error("X must have an even last dim, got ", x);
  }
  for (size_t i = 1; i < 3; ++i) {
    const auto both = broadcast(x, c.shape(i));
    if (!both.ok() || !compatible(*both, x)) {
      return c.error("input '", c.schema.input(i).name, "' ", c.shape(i), " does not broadcast to X ", x);
    }
  }
  c.set_output(0, c.dtype(0), x);
  return {};
}

Status fused_rotary(BodyContext& c) {
  const ValueId x = c.input(0);
  const auto halves = c.emit_many("Split", {x}, 2, {{"axis", -1}, {"num_outputs", 2}});
  const ValueId turned = c.emit("Concat", {neg(c, halves[1]), halves[0]}, {{"axis", -1}});
  c.set(0, add(c, mul(c, x, c.input(1)), mul(c, turned, c.input(2))));
  return c.status();
}

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "FusedRotary",
     .doc = "Rotary embedding X cos + T sin, where T is X with the second half of its last dim negated and moved "
            "before the first half: rotates pairs of elements that are half a row apart (Su et al. 2021).",
     .inputs = {in("X", 'T', dtypes::kFloat), in("cos", 'T', dtypes::kFloat), in("sin", 'T', dtypes::kFloat)},
     .outputs = {out("Y", 'T')},
     .shape = shape_fused_rotary,
     .grad = grad::body,
     .body = fused_rotary},
};

// ---- f32 kernel: one pass over the rows, with the same products and sum as the nodes it replaces

struct Plan {
  StridedLoop rows;  // operands: Y, X, cos, sin
  int64_t half = 0;
};

Status accepts_rows(const NodeView& v) {
  if (v.dtype(0) != DType::kF32) return unimplemented("requires f32");
  for (size_t i = 1; i < 3; ++i) {
    if (v.shape(i).rank() == 0 || v.shape(i).back() != v.shape(0).back()) {
      return unimplemented("requires cos and sin with an element per element of a row, got ", v.shape(i));
    }
  }
  return {};
}
Result<Plan> plan_rows(const NodeView& v, KernelPlan&) {
  const auto row = [](Shape s) {
    s[s.rank() - 1] = 1;
    return s;
  };
  const int64_t bytes = v.shape(0).back() * static_cast<int64_t>(sizeof(float));
  const std::array inputs{row(v.shape(0)), row(v.shape(1)), row(v.shape(2))};
  const std::array<int64_t, 4> items{bytes, bytes, bytes, bytes};
  return Plan{StridedLoop::broadcast(row(v.shape(0)), inputs, items), v.shape(0).back() / 2};
}
void rotate(int64_t half, const float* __restrict x, const float* __restrict cosine, const float* __restrict sine,
            float* __restrict y) {
  for (int64_t i = 0; i < half; ++i) y[i] = x[i] * cosine[i] + -x[half + i] * sine[i];
  for (int64_t i = half; i < 2 * half; ++i) y[i] = x[i] * cosine[i] + x[i - half] * sine[i];
}
void run_rows(const Plan& p, const Launch& l) {
  const auto& steps = p.rows.strides[p.rows.rank - 1];
  const int64_t pieces = std::min(p.rows.total, pieces_for(p.rows.total * 2 * p.half));
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.rows.total, pieces, piece);
    p.rows.run(range.begin, range.end, [&](const StridedLoop::Offsets& offsets, int64_t n, int64_t) {
      for (int64_t i = 0; i < n; ++i) {
        const auto at = [&](size_t k) { return offsets[k] + i * steps[k]; };
        rotate(p.half, reinterpret_cast<const float*>(l.in<char>(0) + at(1)),
               reinterpret_cast<const float*>(l.in<char>(1) + at(2)),
               reinterpret_cast<const float*>(l.in<char>(2) + at(3)), reinterpret_cast<float*>(l.out<char>(0) + at(0)));
      }
    });
  });
}

}  // namespace

Status register_fused_rotary(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {make_kernel<&accepts_rows, &plan_rows, &run_rows>("portable.rotary_rows", "FusedRotary", "percale")});
}

}  // namespace percale

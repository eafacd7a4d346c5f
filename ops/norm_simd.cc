// Layer and root-mean-square normalisation on the SIMD kernels: f32 rows.
#include "ops/float_kernels.h"
#include "ops/simd_kernels.h"

namespace percale {
namespace {

struct Plan {
  const simd::NormFns* fns;
  int64_t rows = 1, size = 1;
  float epsilon = 0;
  bool bias = false, mean = false, inverse = false;
};

Result<Plan> rows_of(const NodeView& v, const simd::NormFns* fns) {
  const Shape& shape = v.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(v.attributes.get_int("axis", -1), shape.rank()));
  return Plan{.fns = fns,
              .rows = shape.product(0, axis),
              .size = shape.product(axis, shape.rank()),
              .epsilon = static_cast<float>(v.attributes.get_float("epsilon", 1e-5)),
              .bias = v.has_input(2),
              .mean = v.has_output(1),
              .inverse = v.has_output(2)};
}

Result<Plan> plan_norm(const NodeView& v, KernelPlan& plan) {
  return rows_of(v, static_cast<const simd::SimdTable*>(plan.user)->norm);
}

Status accepts_layer_norm(const NodeView& v) {
  if (v.dtype(0) != DType::kF32) return unimplemented("works in f32");
  for (size_t i = 1; i < 3; ++i) {
    if (v.has_output(i) && v.outputs[i].dtype != DType::kF32) return unimplemented("gives statistics in f32");
  }
  PERCALE_ASSIGN_OR_RETURN(const Plan p, rows_of(v, nullptr));
  if (p.size == 0) return unimplemented("wants an element in a row");
  return {};
}
void run_layer_norm(const Plan& p, const Launch& l) {
  p.fns->layer_norm(l.in<float>(0), p.rows, p.size, l.in<float>(1), p.bias ? l.in<float>(2) : nullptr, p.epsilon,
                    l.out<float>(0), p.mean ? l.out<float>(1) : nullptr, p.inverse ? l.out<float>(2) : nullptr,
                    l.parallel());
}

Status accepts_rms_norm(const NodeView& v) {
  if (v.dtype(0) != DType::kF32 || v.dtype(1) != DType::kF32) return unimplemented("works in f32");
  if (v.attributes.get_int("stash_type", 1) != 1) return unimplemented("computes in f32");
  PERCALE_ASSIGN_OR_RETURN(const Plan p, rows_of(v, nullptr));
  const Shape &x = v.shape(0), &scale = v.shape(1);
  const bool row = scale.num_elements() == p.size && scale.rank() <= x.rank() && [&] {
    size_t first = 0;
    while (first < scale.rank() && scale[first] == 1) ++first;
    return std::equal(scale.begin() + first, scale.end(), x.end() - (scale.rank() - first));
  }();
  if (!row) return unimplemented("takes a scale of the normalised dims, not ", scale);
  return {};
}
void run_rms_norm(const Plan& p, const Launch& l) {
  p.fns->rms_norm(l.in<float>(0), p.rows, p.size, l.in<float>(1), p.epsilon, l.out<float>(0), l.parallel());
}

}  // namespace

Status register_layer_norm_simd(Registry& registry, const simd::SimdTable& simd) {
  return registry.add_kernel("cpu", make_kernel<&accepts_layer_norm, &plan_norm, &run_layer_norm>(
                                        "simd.layer_norm", "LayerNormalization", "", &simd));
}
Status register_rms_norm_simd(Registry& registry, const simd::SimdTable& simd) {
  return registry.add_kernel(
      "cpu", make_kernel<&accepts_rms_norm, &plan_norm, &run_rms_norm>("simd.rms_norm", "RMSNormalization", "", &simd));
}

}  // namespace percale

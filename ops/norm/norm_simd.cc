// SIMD kernels of normalisation: rows by mean and variance or by root mean square, and channels by
// the batch's statistics in training mode.
#include <algorithm>
#include <limits>

#include "ops/support/float_kernels.h"
#include "ops/support/simd_kernels.h"

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
  if (v.dtype(0) != DType::kF32) return unimplemented("requires f32");
  for (size_t i = 1; i < 3; ++i) {
    if (v.has_output(i) && v.outputs[i].dtype != DType::kF32) return unimplemented("requires statistics in f32");
  }
  PERCALE_ASSIGN_OR_RETURN(const Plan p, rows_of(v, nullptr));
  if (p.size == 0) return unimplemented("requires at least one element per row");
  return {};
}
void run_layer_norm(const Plan& p, const Launch& l) {
  p.fns->layer_norm(l.in<float>(0), p.rows, p.size, l.in<float>(1), p.bias ? l.in<float>(2) : nullptr, p.epsilon,
                    l.out<float>(0), p.mean ? l.out<float>(1) : nullptr, p.inverse ? l.out<float>(2) : nullptr,
                    l.parallel());
}

Status accepts_rms_norm(const NodeView& v) {
  if (v.dtype(0) != DType::kF32 || v.dtype(1) != DType::kF32) return unimplemented("requires f32");
  if (v.attributes.get_int("stash_type", 1) != 1) return unimplemented("requires stash_type 1 (f32)");
  PERCALE_ASSIGN_OR_RETURN(const Plan p, rows_of(v, nullptr));
  const Shape &x = v.shape(0), &scale = v.shape(1);
  const bool row = scale.num_elements() == p.size && scale.rank() <= x.rank() && [&] {
    size_t first = 0;
    while (first < scale.rank() && scale[first] == 1) ++first;
    return std::equal(scale.begin() + first, scale.end(), x.end() - (scale.rank() - first));
  }();
  if (!row) return unimplemented("requires a scale with the normalised dims, got ", scale);
  return {};
}
void run_rms_norm(const Plan& p, const Launch& l) {
  p.fns->rms_norm(l.in<float>(0), p.rows, p.size, l.in<float>(1), p.epsilon, l.out<float>(0), l.parallel());
}

struct BatchPlan {
  const simd::NormFns* fns;
  int64_t batch = 0, channels = 0, image = 1;
  float epsilon = 0, momentum = 0;
  bool running_mean = false, running_variance = false;
};

BatchPlan batch_plan(const NodeView& v, size_t x, const KernelPlan& plan) {
  const Shape& shape = v.shape(x);
  return {.fns = static_cast<const simd::SimdTable*>(plan.user)->norm,
          .batch = shape[0],
          .channels = shape[1],
          .image = shape.product(2, shape.rank()),
          .epsilon = static_cast<float>(v.attributes.get_float("epsilon", 1e-5)),
          .momentum = static_cast<float>(v.attributes.get_float("momentum", 0.9)),
          .running_mean = v.has_output(1),
          .running_variance = v.has_output(2)};
}

Status accepts_training(const NodeView& v, size_t inputs) {
  for (size_t i = 0; i < inputs; ++i) {
    if (v.dtype(i) != DType::kF32) return unimplemented("requires f32");
  }
  if (v.attributes.get_int("training_mode") == 0) return unimplemented("requires training_mode");
  return {};
}
Status accepts_batch_norm(const NodeView& v) { return accepts_training(v, 5); }
Status accepts_batch_norm_grad(const NodeView& v) { return accepts_training(v, 3); }

Result<BatchPlan> plan_batch_norm(const NodeView& v, KernelPlan& plan) {
  const BatchPlan p = batch_plan(v, 0, plan);
  plan.scratch_bytes = 2 * p.channels * static_cast<int64_t>(sizeof(float));
  return p;
}
void run_batch_norm(const BatchPlan& p, const Launch& l) {
  float *mean = l.scratch<float>(), *variance = mean + p.channels;
  if (p.batch * p.image == 0) std::fill_n(mean, 2 * p.channels, std::numeric_limits<float>::quiet_NaN());
  p.fns->batch_norm(l.in<float>(0), p.batch, p.channels, p.image, l.in<float>(1), l.in<float>(2), p.epsilon,
                    l.out<float>(0), mean, variance, l.parallel());
  for (int64_t c = 0; c < p.channels; ++c) {
    const float keep = p.momentum, take = 1 - p.momentum;
    if (p.running_mean) l.out<float>(1)[c] = l.in<float>(3)[c] * keep + mean[c] * take;
    if (p.running_variance) l.out<float>(2)[c] = l.in<float>(4)[c] * keep + variance[c] * take;
  }
}

Result<BatchPlan> plan_batch_norm_grad(const NodeView& v, KernelPlan& plan) { return batch_plan(v, 1, plan); }
void run_batch_norm_grad(const BatchPlan& p, const Launch& l) {
  if (p.batch * p.image == 0) {
    for (size_t k = 1; k < 3; ++k) std::fill_n(l.out<float>(k), p.channels, 0.0f);
  }
  p.fns->batch_norm_grad(l.in<float>(0), l.in<float>(1), p.batch, p.channels, p.image, l.in<float>(2), p.epsilon,
                         l.out<float>(0), l.out<float>(1), l.out<float>(2), l.parallel());
}

}  // namespace

Status register_batch_norm_simd(Registry& registry, const simd::SimdTable& simd) {
  PERCALE_RETURN_IF_ERROR(
      registry.add_kernel("cpu", make_kernel<&accepts_batch_norm, &plan_batch_norm, &run_batch_norm>(
                                     "simd.batch_norm", "BatchNormalization", "", &simd)));
  return registry.add_kernel("cpu", make_kernel<&accepts_batch_norm_grad, &plan_batch_norm_grad, &run_batch_norm_grad>(
                                        "simd.batch_norm_grad", "BatchNormalizationGrad", "percale", &simd));
}
Status register_layer_norm_simd(Registry& registry, const simd::SimdTable& simd) {
  return registry.add_kernel("cpu", make_kernel<&accepts_layer_norm, &plan_norm, &run_layer_norm>(
                                        "simd.layer_norm", "LayerNormalization", "", &simd));
}
Status register_rms_norm_simd(Registry& registry, const simd::SimdTable& simd) {
  return registry.add_kernel(
      "cpu", make_kernel<&accepts_rms_norm, &plan_norm, &run_rms_norm>("simd.rms_norm", "RMSNormalization", "", &simd));
}

}  // namespace percale

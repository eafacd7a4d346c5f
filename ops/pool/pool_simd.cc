// SIMD kernels of the pools: f32 with one or two spatial dims.
#include "ops/pool/pool.h"

namespace percale {
namespace {

struct Plan {
  const simd::PoolFns* fns;
  simd::Pool2d pool;
  bool indices = false;
};

// The SIMD kernels visit every tap of a window. Windows that consist mostly of pads are left to the
// portable kernels.
constexpr int64_t kMostTaps = int64_t{1} << 16;

Status accepts_pool_of(const NodeView& v, const Shape& x) {
  if (v.dtype(0) != DType::kF32) return unimplemented("requires f32");
  if (x.rank() > 4) return unimplemented("requires one or two spatial dims");
  if (v.attributes.get_int("global") != 0) return unimplemented("requires a window");
  if (v.attributes.get_int("storage_order") != 0) return unimplemented("requires storage_order 0");
  PERCALE_ASSIGN_OR_RETURN(const PoolSizes s, pool_sizes(v.attributes, x, v.dtype(0)));
  const Window& w = s.window;
  if (w.kernel[1] > kMostTaps || w.kernel[2] > kMostTaps || w.kernel_size() > kMostTaps) {
    return unimplemented("requires windows of at most ", kMostTaps, " taps");
  }
  if (w.in_size() >= int64_t{1} << 31) return unimplemented("requires images with fewer than 2^31 elements");
  return {};
}
Status accepts_pool(const NodeView& v) { return accepts_pool_of(v, v.shape(0)); }
Status accepts_pool_grad(const NodeView& v) { return accepts_pool_of(v, v.output_shape(0)); }

Result<Plan> plan_of(const NodeView& v, const Shape& x, const KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const PoolSizes s, pool_sizes(v.attributes, x, v.dtype(0)));
  const Window& w = s.window;
  return Plan{.fns = static_cast<const simd::SimdTable*>(plan.user)->pool,
              .pool = {.planes = s.images,
                       .in_h = w.in[1],
                       .in_w = w.in[2],
                       .out_h = w.out[1],
                       .out_w = w.out[2],
                       .kernel_h = w.kernel[1],
                       .kernel_w = w.kernel[2],
                       .stride_h = w.stride[1],
                       .stride_w = w.stride[2],
                       .dilation_h = w.dilation[1],
                       .dilation_w = w.dilation[2],
                       .pad_top = w.pad[1],
                       .pad_left = w.pad[2],
                       .pad_bottom = w.pad_end[1],
                       .pad_right = w.pad_end[2],
                       .count_pads = s.count_include_pad},
              .indices = v.has_output(1)};
}
Result<Plan> plan_pool(const NodeView& v, KernelPlan& plan) { return plan_of(v, v.shape(0), plan); }
Result<Plan> plan_pool_grad(const NodeView& v, KernelPlan& plan) { return plan_of(v, v.output_shape(0), plan); }

void run_max(const Plan& p, const Launch& l) {
  p.fns->max(p.pool, l.in<float>(0), l.out<float>(0), p.indices ? l.out<int64_t>(1) : nullptr, l.parallel());
}
void run_max_grad(const Plan& p, const Launch& l) {
  p.fns->max_grad(p.pool, l.in<float>(1), nullptr, l.in<float>(0), l.out<float>(0), l.parallel());
}
void run_average(const Plan& p, const Launch& l) {
  p.fns->average(p.pool, l.in<float>(0), l.out<float>(0), l.parallel());
}
void run_average_grad(const Plan& p, const Launch& l) {
  p.fns->average_grad(p.pool, l.in<float>(0), l.out<float>(0), l.parallel());
}

// ---- Global pools

struct GlobalPlan {
  const simd::ReduceFns* fns;
  int64_t images, size;
};
Status accepts_global(const NodeView& v) {
  if (v.dtype(0) != DType::kF32) return unimplemented("requires f32");
  if (v.shape(0).product(2, v.shape(0).rank()) == 0) return unimplemented("requires at least one element");
  return {};
}
Result<GlobalPlan> plan_global(const NodeView& v, KernelPlan& plan) {
  const Shape& x = v.shape(0);
  return GlobalPlan{static_cast<const simd::SimdTable*>(plan.user)->reduce, x[0] * x[1], x.product(2, x.rank())};
}
template <simd::Reduce kOp>
void run_global(const GlobalPlan& p, const Launch& l) {
  p.fns->f32.along_rows(kOp, l.in<float>(0), p.images, p.size, p.size, l.out<float>(0), l.parallel());
}

}  // namespace

Status register_pool_simd(Registry& registry, const simd::SimdTable& simd) {
  const Kernel kernels[] = {
      make_kernel<&accepts_pool, &plan_pool, &run_max>("simd.max_pool", "MaxPool", "", &simd),
      make_kernel<&accepts_pool, &plan_pool, &run_average>("simd.average_pool", "AveragePool", "", &simd),
      make_kernel<&accepts_global, &plan_global, &run_global<simd::Reduce::kMax>>("simd.global_max_pool",
                                                                                  "GlobalMaxPool", "", &simd),
      make_kernel<&accepts_global, &plan_global, &run_global<simd::Reduce::kMean>>("simd.global_average_pool",
                                                                                   "GlobalAveragePool", "", &simd),
      make_kernel<&accepts_pool_grad, &plan_pool_grad, &run_max_grad>("simd.max_pool_grad", "MaxPoolGrad", "percale",
                                                                      &simd),
      make_kernel<&accepts_pool_grad, &plan_pool_grad, &run_average_grad>("simd.average_pool_grad", "AveragePoolGrad",
                                                                          "percale", &simd)};
  for (const Kernel& kernel : kernels) PERCALE_RETURN_IF_ERROR(registry.add_kernel("cpu", kernel));
  return {};
}

}  // namespace percale

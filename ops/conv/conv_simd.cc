// SIMD kernels of the convolution family: f32 with one or two spatial dims.
#include <utility>

#include "ops/conv/conv_kernels.h"

namespace percale {
namespace {

using simd::Conv2d;
using simd::SimdTable;

// Treats a 1-D convolution as 2-D with height 1. A 2-D convolution of width 1 is turned into that
// form too.
Conv2d conv2d(const ConvSizes& s) {
  Window w = s.window;
  if (w.in[2] == 1 && w.out[2] == 1 && w.kernel[2] == 1 && w.pad[2] == 0) {
    for (auto* dims : {&w.in, &w.out, &w.kernel, &w.stride, &w.dilation, &w.pad}) std::swap((*dims)[1], (*dims)[2]);
  }
  return {.batch = s.batch,
          .in_c = s.in_c,
          .in_h = w.in[1],
          .in_w = w.in[2],
          .out_c = s.out_c,
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
          .groups = s.groups};
}

struct Plan {
  const SimdTable* simd;
  Conv2d conv;
  int64_t channels = 0, image = 0;  // of the output, for the bias of ConvTranspose
  bool bias = false;
};

const SimdTable& table(const KernelPlan& plan) { return *static_cast<const SimdTable*>(plan.user); }

}  // namespace

Status accepts_simd_conv(const NodeView& v) {
  if (v.dtype(0) != DType::kF32) return unimplemented("requires f32");
  if (v.shape(0).rank() > 4) return unimplemented("requires one or two spatial dims");
  return {};
}

Result<SimdConv> plan_simd_conv(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const ConvSizes s, conv_sizes(v));
  const SimdConv p{.simd = &table(plan), .conv = conv2d(s), .bias = s.has_bias};
  plan.scratch_bytes = p.simd->depthwise->takes(p.conv) ? p.simd->depthwise->scratch_bytes(p.conv)
                                                        : p.simd->conv->forward_scratch_bytes(p.conv);
  return p;
}

void run_simd_conv(const SimdConv& p, const Launch& l, simd::Act act) {
  const float* bias = p.bias ? l.in<float>(2) : nullptr;
  if (p.simd->depthwise->takes(p.conv)) {
    p.simd->depthwise->forward(p.conv, l.in<float>(0), l.in<float>(1), bias, act, l.out<float>(0), l.scratch<void>(),
                               l.parallel());
    return;
  }
  p.simd->conv->forward(p.conv, l.in<float>(0), l.in<float>(1), nullptr, bias, act, l.out<float>(0), l.scratch<void>(),
                        l.parallel());
}

namespace {

void run_forward(const SimdConv& p, const Launch& l) { run_simd_conv(p, l, simd::Act::kNone); }

Result<Plan> plan_grad_input(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const ConvSizes s, conv_grad_input_sizes(v));
  const Plan p{.simd = &table(plan), .conv = conv2d(s)};
  plan.scratch_bytes = p.simd->conv->input_grad_scratch_bytes(p.conv);
  return p;
}
void run_grad_input(const Plan& p, const Launch& l) {
  p.simd->conv->input_grad(p.conv, l.in<float>(0), l.in<float>(1), l.out<float>(0), l.scratch<void>(), l.parallel());
}

Result<Plan> plan_transpose(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const ConvSizes s, conv_transpose_sizes(v));
  const Plan p{
      .simd = &table(plan), .conv = conv2d(s), .channels = s.in_c, .image = s.window.in_size(), .bias = s.has_bias};
  plan.scratch_bytes = p.simd->conv->input_grad_scratch_bytes(p.conv);
  return p;
}
void run_transpose(const Plan& p, const Launch& l) {
  run_grad_input(p, l);
  if (!p.bias) return;
  const float* bias = l.in<float>(2);
  float* y = l.out<float>(0);
  for (int64_t i = 0; i < p.conv.batch * p.channels; ++i) {
    const float b = bias[i % p.channels];
    for (int64_t k = 0; k < p.image; ++k) y[i * p.image + k] += b;
  }
}

Result<Plan> plan_grad_weight(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const ConvSizes s, conv_grad_weight_sizes(v));
  const Plan p{.simd = &table(plan), .conv = conv2d(s), .bias = v.has_output(1)};
  plan.scratch_bytes = p.simd->conv_weight->scratch_bytes(p.conv);
  return p;
}
void run_grad_weight(const Plan& p, const Launch& l) {
  p.simd->conv_weight->weight_grad(p.conv, l.in<float>(0), l.in<float>(1), l.out<float>(0), l.scratch<void>(),
                                   l.parallel());
  if (p.bias) p.simd->conv_weight->bias_grad(p.conv, l.in<float>(1), l.out<float>(1), l.parallel());
}

}  // namespace

Status register_conv_simd(Registry& registry, const SimdTable& simd) {
  const Kernel kernels[] = {
      make_kernel<&accepts_simd_conv, &plan_simd_conv, &run_forward>("simd.conv", "Conv", "", &simd),
      make_kernel<&accepts_simd_conv, &plan_transpose, &run_transpose>("simd.conv_transpose", "ConvTranspose", "",
                                                                       &simd),
      make_kernel<&accepts_simd_conv, &plan_grad_input, &run_grad_input>("simd.conv_grad_input", "ConvGradInput",
                                                                         "percale", &simd),
      make_kernel<&accepts_simd_conv, &plan_grad_weight, &run_grad_weight>("simd.conv_grad_weight", "ConvGradWeight",
                                                                           "percale", &simd)};
  for (const Kernel& kernel : kernels) PERCALE_RETURN_IF_ERROR(registry.add_kernel("cpu", kernel));
  return {};
}

}  // namespace percale

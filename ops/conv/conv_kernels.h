// Sizes of convolutions and their gradients, in the form that the kernels use.
#ifndef PERCALE_OPS_CONV_CONV_KERNELS_H_
#define PERCALE_OPS_CONV_CONV_KERNELS_H_

#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"
#include "ops/support/window.h"

namespace percale {

// A convolution from [batch, in_c, window.in] to [batch, out_c, window.out] with weights [out_c,
// in_c / groups, kernel]. ConvTranspose is the input gradient of such a convolution: its own input
// is the convolution's output.
struct ConvSizes {
  Window window;
  int64_t batch = 0, in_c = 0, out_c = 0, groups = 1;
  DType dtype = DType::kInvalid;
  bool has_bias = false;

  int64_t in_per_group() const { return in_c / groups; }
  int64_t out_per_group() const { return out_c / groups; }
};

// Returns the shape of Conv's result. It is unranked if an operand is.
Result<Shape> conv_result_shape(const Attributes& attributes, const Shape& x, const Shape& w);

// Return the sizes for a node of each op. All dims of the node must be known.
Result<ConvSizes> conv_sizes(const NodeView& view);
Result<ConvSizes> conv_transpose_sizes(const NodeView& view);
Result<ConvSizes> conv_grad_input_sizes(const NodeView& view);
Result<ConvSizes> conv_grad_weight_sizes(const NodeView& view);

// Returns the window of the convolution that a ConvTranspose with these attributes reverses. `out`
// holds the dims of the ConvTranspose's input, `in` those of its output. Unknown dims stay unknown.
Result<Window> transpose_window(const Attributes& attributes, std::span<const int64_t> input_dims,
                                std::span<const int64_t> kernel);

// Conv with SIMD kernels, for f32 with one or two spatial dims. KernelPlan::user holds the SIMD
// table.
struct SimdConv {
  const simd::SimdTable* simd = nullptr;
  simd::Conv2d conv;
  bool bias = false;
};
Status accepts_simd_conv(const NodeView& view);
Result<SimdConv> plan_simd_conv(const NodeView& view, KernelPlan& plan);
// Runs the convolution and applies an activation as the output is stored.
void run_simd_conv(const SimdConv& plan, const Launch& launch, simd::Act act);

// Register the kernels of the family.
Status register_conv_simd(Registry& registry, const simd::SimdTable& simd);
Status register_conv_portable(Registry& registry);

}  // namespace percale

#endif  // PERCALE_OPS_CONV_CONV_KERNELS_H_

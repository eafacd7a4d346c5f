// 2-D convolution and its gradients, NCHW. simd.h documents the rules for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_H_
#define PERCALE_DEVICES_CPU_SIMD_CONV_CONV_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"
#include "devices/cpu/simd/product/gemm.h"

namespace percale::simd {

// y[n, o, p, q] = act(bias[o] + sum over c, i, j of x[n, c, row, col] * w[o, c', i, j])
//   row = p * stride_h + i * dilation_h - pad_top, col = q * stride_w + j * dilation_w - pad_left
// with zeros outside x. c runs over the channels of o's group, and c' counts within the group. The
// end pads follow from out_h and out_w. x is [batch, in_c, in_h, in_w], w [out_c, in_c / groups,
// kernel_h, kernel_w], y [batch, out_c, out_h, out_w], all dense. Requires groups >= 1 dividing
// in_c and out_c, strides and dilations >= 1, pads >= 0.
struct Conv2d {
  int64_t batch = 1, in_c = 1, in_h = 1, in_w = 1;
  int64_t out_c = 1, out_h = 1, out_w = 1;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  int64_t groups = 1;
};

// Inputs and outputs must not overlap. Each element of y and of the input gradient is one chain of
// fused multiply-adds in the order (c or o, i, j), independent of the batch. Products with the
// zeros outside x may be skipped: if a weight is not finite, an element near a border may or may
// not be NaN.
struct ConvFns {
  int64_t (*forward_scratch_bytes)(const Conv2d& conv);
  // `bias` (out_c values) may be null. `packed`, made by pack_weights() of the same table and
  // sizes, replaces w unless null.
  void (*forward)(const Conv2d& conv, const float* x, const float* w, const float* packed, const float* bias, Act act,
                  float* y, void* scratch, const ParallelFor& parallel);
  int64_t (*packed_weights_bytes)(const Conv2d& conv);
  void (*pack_weights)(const Conv2d& conv, const float* w, float* packed, const ParallelFor& parallel);

  // dx = gradient for x, given dy. Every element of dx is written.
  int64_t (*input_grad_scratch_bytes)(const Conv2d& conv);
  void (*input_grad)(const Conv2d& conv, const float* dy, const float* w, float* dx, void* scratch,
                     const ParallelFor& parallel);
};

struct ConvWeightFns {
  // dw = gradient for w. The pixels of a piece are divided into bands: parts of an image, or
  // several small images. Each band is summed separately and added to the piece's sum. The number
  // of pieces depends on the sizes only, and their sums are added by a binary tree.
  int64_t (*scratch_bytes)(const Conv2d& conv);
  void (*weight_grad)(const Conv2d& conv, const float* x, const float* dy, float* dw, void* scratch,
                      const ParallelFor& parallel);

  // db[o] = sum of dy over all but o; needs no scratch. Each row of out_h * out_w elements is
  // summed in 16 lanes; rows are added in order.
  void (*bias_grad)(const Conv2d& conv, const float* dy, float* db, const ParallelFor& parallel);
};

extern const ConvFns kConvFns[kIsaCount], kPortableConvFns[kIsaCount];
extern const ConvWeightFns kConvWeightFns[kIsaCount], kPortableConvWeightFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_CONV_CONV_H_

// Depthwise 2-D convolution, NCHW: each channel separately. simd.h documents the rules for all
// functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_CONV_DEPTHWISE_H_
#define PERCALE_DEVICES_CPU_SIMD_CONV_DEPTHWISE_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/act.h"
#include "devices/cpu/simd/common/isa.h"
#include "devices/cpu/simd/conv/conv.h"

namespace percale::simd {

// The bits equal those of ConvFns::forward, which accepts every convolution. These functions accept
// the usual depthwise ones and are faster.
struct DepthwiseFns {
  // True for groups = in_c = out_c; 3 x 3, 5 x 5, 7 x 7, 1 x 3, 1 x 5 or 1 x 7 taps; strides of 1
  // or 2 (vertically 1 with one row of taps); no dilation; rows of at most 8192 outputs.
  bool (*takes)(const Conv2d& conv);
  int64_t (*scratch_bytes)(const Conv2d& conv);
  // `bias` (out_c values) may be null.
  void (*forward)(const Conv2d& conv, const float* x, const float* w, const float* bias, Act act, float* y,
                  void* scratch, const ParallelFor& parallel);
};
extern const DepthwiseFns kDepthwiseFns[kIsaCount], kPortableDepthwiseFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_CONV_DEPTHWISE_H_

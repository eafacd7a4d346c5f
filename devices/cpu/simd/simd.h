// The core's own SIMD kernels: plain functions on raw pointers that know nothing of graphs, ops or tensors.
// Written once on Highway, compiled for each Isa, reached through a table; nothing is chosen behind the
// caller's back.
//
// What holds for every function here:
//  * Sizes, strides and counts are int64_t elements, never negative, and were checked by the caller. Pointers
//    need the alignment of their type only; scratch is 64-byte aligned and at least *_scratch_bytes(same
//    arguments) long.
//  * Nothing is allocated, thrown or kept; at most 64 KiB of stack is used. Any number of threads may call at
//    once.
//  * Output may overlap input only where a function says so.
//  * The bits of a result depend on the arguments and on "has FMA" alone: kAvx2 and kAvx512 agree in every
//    bit, and work is cut for ParallelFor into a number of pieces that the sizes alone decide.
//  * NaN and infinities go through as IEEE 754 says; max, min, relu and clip keep NaN as numpy's do.
#ifndef PERCALE_DEVICES_CPU_SIMD_SIMD_H_
#define PERCALE_DEVICES_CPU_SIMD_SIMD_H_

#include "devices/cpu/simd/common/isa.h"
#include "devices/cpu/simd/conv/conv.h"
#include "devices/cpu/simd/conv/depthwise.h"
#include "devices/cpu/simd/elementwise.h"
#include "devices/cpu/simd/norm.h"
#include "devices/cpu/simd/optimizer.h"
#include "devices/cpu/simd/pool.h"
#include "devices/cpu/simd/product/gemm.h"
#include "devices/cpu/simd/product/lstm.h"
#include "devices/cpu/simd/reduce.h"
#include "devices/cpu/simd/roof.h"
#include "devices/cpu/simd/softmax.h"
#include "devices/cpu/simd/transpose.h"

namespace percale::simd {

struct SimdTable {
  Isa isa;
  const GemmFns* gemm;
  const ConvFns* conv;
  const ConvWeightFns* conv_weight;
  const DepthwiseFns* depthwise;
  const PoolFns* pool;
  const ElementwiseFns* elementwise;
  const ReduceFns* reduce;
  const SoftmaxFns* softmax;
  const NormFns* norm;
  const LstmFns* lstm;
  const OptimizerFns* optimizer;
  const TransposeFns* transpose;
  const RoofFns* roof;
};

// The kernels for `isa`, or null for kNone. The caller must not ask for more than detect_isa() found.
const SimdTable* simd_table(Isa isa);

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_SIMD_H_

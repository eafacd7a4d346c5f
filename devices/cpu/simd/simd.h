// The built-in SIMD kernels: plain functions on raw pointers that know nothing of graphs, ops or
// tensors. They are written once with Highway, compiled for each Isa, and called through a table.
// There is no hidden dispatch.
//
// Rules for all functions of this folder:
//  * Sizes, strides and counts are int64_t elements, never negative, and checked by the caller.
//    Pointers need only the alignment of their type. Scratch is 64-byte aligned and has at least
//    *_scratch_bytes(same arguments) bytes.
//  * Functions do not allocate, throw or keep state, and use at most 64 KiB of stack. They are
//    thread-safe.
//  * Output may overlap input only where documented.
//  * The bits of a result depend only on the arguments and on the presence of FMA: kAvx2 and
//    kAvx512 agree in every bit. The number of pieces for ParallelFor depends on the sizes only.
//  * NaN and infinities propagate as in IEEE 754. max, min, relu and clip keep NaN as in NumPy.
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

// A group of functions for one Isa. Only code that uses a group refers to its functions, so that
// the linker leaves out the groups that no kernel uses.
template <class Fns, const Fns (&kFns)[kIsaCount]>
struct Group {
  Isa isa;

  const Fns& operator*() const { return kFns[static_cast<int>(isa)]; }
  const Fns* operator->() const { return &**this; }
  operator const Fns*() const { return &**this; }
};

struct SimdTable {
  Isa isa;
  Group<GemmFns, kGemmFns> gemm;
  Group<ConvFns, kConvFns> conv;
  Group<ConvWeightFns, kConvWeightFns> conv_weight;
  Group<DepthwiseFns, kDepthwiseFns> depthwise;
  Group<PoolFns, kPoolFns> pool;
  Group<ElementwiseFns, kElementwiseFns> elementwise;
  Group<ReduceFns, kReduceFns> reduce;
  Group<SoftmaxFns, kSoftmaxFns> softmax;
  Group<NormFns, kNormFns> norm;
  Group<LstmFns, kLstmFns> lstm;
  Group<OptimizerFns, kOptimizerFns> optimizer;
  Group<TransposeFns, kTransposeFns> transpose;
  Group<RoofFns, kRoofFns> roof;
};

// Returns the kernels for `isa`, or null for kNone. `isa` must not exceed the result of
// detect_isa().
const SimdTable* simd_table(Isa isa);

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_SIMD_H_

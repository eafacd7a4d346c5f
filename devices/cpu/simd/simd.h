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
//  * The bits of a result depend only on the arguments and on the use of fused multiply-add: kAvx2
//    and kAvx512 agree in every bit, and all instruction sets do with MultiplyAdd::kRoundedTwice.
//    The number of pieces for ParallelFor depends on the sizes only.
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

enum class MultiplyAdd : uint8_t {
  kFused,         // where the processor can
  kRoundedTwice,  // the same bits on every instruction set
};

// A group of functions for one Isa. `kPortableFns` is another table if the functions multiply and
// add. Only code that uses a group refers to its functions, so that the linker leaves out the
// groups that no kernel uses.
template <class Fns, const Fns (&kFns)[kIsaCount], const Fns (&kPortableFns)[kIsaCount] = kFns>
struct Group {
  Isa isa;
  MultiplyAdd multiply_add;

  const Fns& operator*() const {
    if constexpr (PERCALE_PORTABLE_NUMERICS) {
      const bool portable = multiply_add == MultiplyAdd::kRoundedTwice && has_fused_multiply_add(isa);
      if (portable) return kPortableFns[static_cast<int>(isa)];
    }
    return kFns[static_cast<int>(isa)];
  }
  const Fns* operator->() const { return &**this; }
  operator const Fns*() const { return &**this; }
};

struct SimdTable {
  Isa isa;
  MultiplyAdd multiply_add;
  Group<GemmFns, kGemmFns, kPortableGemmFns> gemm;
  Group<ConvFns, kConvFns, kPortableConvFns> conv;
  Group<ConvWeightFns, kConvWeightFns, kPortableConvWeightFns> conv_weight;
  Group<DepthwiseFns, kDepthwiseFns, kPortableDepthwiseFns> depthwise;
  Group<PoolFns, kPoolFns> pool;
  Group<ElementwiseFns, kElementwiseFns, kPortableElementwiseFns> elementwise;
  Group<ReduceFns, kReduceFns, kPortableReduceFns> reduce;
  Group<SoftmaxFns, kSoftmaxFns, kPortableSoftmaxFns> softmax;
  Group<NormFns, kNormFns, kPortableNormFns> norm;
  Group<LstmFns, kLstmFns, kPortableLstmFns> lstm;
  Group<OptimizerFns, kOptimizerFns, kPortableOptimizerFns> optimizer;
  Group<TransposeFns, kTransposeFns> transpose;
  Group<RoofFns, kRoofFns> roof;
};

// Returns the kernels for `isa`, or null for kNone. `isa` must not exceed the result of
// detect_isa(), nor, with kRoundedTwice, that of portable_isa().
const SimdTable* simd_table(Isa isa, MultiplyAdd multiply_add = MultiplyAdd::kFused);

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_SIMD_H_

// Matrix products on raw pointers. simd.h documents the rules for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_PRODUCT_GEMM_H_
#define PERCALE_DEVICES_CPU_SIMD_PRODUCT_GEMM_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/act.h"
#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// C = act(op(A) op(B) [+ C] [+ bias]), all row-major, strides in elements.
//  * op(A) [m,k]: A with rows lda apart, or with trans_a the transpose of A [k,m].
//  * op(B) [k,n]: the same with trans_b and B [n,k]. Or `packed_b`, made by pack_b() of the same
//    table; then b, ldb and trans_b are ignored.
//  * C [m,n]: rows ldc apart; must not overlap A or B. With `accumulate`, its old value is added.
//  * bias_n (n values, one per column) and bias_m (m values, one per row) may be null.
// m, n, k may be 0; with k = 0 the product is 0.
// Per element of C, the products are fused in the order of k in blocks of at most 256 (k divided
// evenly), and the blocks' sums are added in order. C's old value is added before, the bias after.
// If op(B) is B transposed and m <= 3, each element is instead one dot product in 16 lanes (f64:
// 8), unless `row_invariant` is set.
template <class T>
struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t lda = 0;
  const T* b = nullptr;
  int64_t ldb = 0;
  T* c = nullptr;
  int64_t ldc = 0;
  bool trans_a = false, trans_b = false, accumulate = false;
  const T* packed_b = nullptr;
  const T* bias_n = nullptr;
  const T* bias_m = nullptr;
  Act act = Act::kNone;
  // With one row of A, reads packed B from its end. If consecutive products use the same B that is
  // too large for a cache, every other one should be backwards: it finds in the cache the part that
  // the previous product read last. The bits do not depend on it.
  bool backwards = false;
  // The bits of a row of C do not depend on m.
  bool row_invariant = false;
};

template <class T>
struct GemmFnsOf {
  // Returns the bytes of scratch that run() needs for these sizes and flags. Of the pointers, only
  // whether packed_b is null matters.
  int64_t (*scratch_bytes)(const Gemm<T>& args);
  void (*run)(const Gemm<T>& args, void* scratch, const ParallelFor& parallel);
  // Pack B ahead of several products that share it (weights). The layout belongs to one table and
  // is never saved.
  int64_t (*packed_b_bytes)(int64_t k, int64_t n);
  void (*pack_b)(int64_t k, int64_t n, const T* b, int64_t ldb, bool trans_b, T* packed, const ParallelFor& parallel);
};

struct GemmFns {
  GemmFnsOf<float> f32;
  GemmFnsOf<double> f64;
};
extern const GemmFns kGemmFns[kIsaCount], kPortableGemmFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_PRODUCT_GEMM_H_

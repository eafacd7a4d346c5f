// Plans of matrix products, shared by their kernels.
#ifndef PERCALE_OPS_MATMUL_MATMUL_KERNELS_H_
#define PERCALE_OPS_MATMUL_MATMUL_KERNELS_H_

#include <utility>

#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

// One matrix product of a batch: C [m,n] = op(A) op(B).
struct Product {
  int64_t m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  bool row_invariant = false;  // the bits of a row of C do not depend on m
  int64_t a_row() const { return trans_a ? 1 : k; }
  int64_t a_column() const { return trans_a ? m : 1; }
  int64_t b_row() const { return trans_b ? 1 : n; }
  int64_t b_column() const { return trans_b ? k : 1; }
};

// The matrix products of a MatMul, BatchMatMul or Gemm.
struct BatchPlan {
  DType dtype = DType::kInvalid;
  Product product;
  int64_t batch = 1;       // number of products
  Shape dims;              // the batch dims of Y
  Shape a_steps, b_steps;  // step between matrices per batch dim, 0 where repeated
  const simd::SimdTable* simd = nullptr;
  int64_t pieces = 1, piece_scratch = 0;  // SIMD: products that run in parallel; scratch of each

  // Returns the indices of the matrices of A and B for product i.
  std::pair<int64_t, int64_t> operands(int64_t i) const {
    int64_t a = 0, b = 0;
    for (size_t d = dims.rank(); d-- > 0;) {
      const int64_t at = i % dims[d];
      i /= dims[d];
      a += at * a_steps[d];
      b += at * b_steps[d];
    }
    return {a, b};
  }
};

// Y = alpha * product + beta * C.
struct GemmPlan {
  BatchPlan product;
  double alpha = 1, beta = 1;
  bool has_c = false;
  int64_t c_row = 0, c_column = 0;  // strides of C, 0 where repeated
};

// Returns the shape of numpy.matmul(a, b). `trans_a` and `trans_b` transpose the matrices of
// operands of rank 2 and more.
Result<Shape> product_shape(const Shape& a, const Shape& b, bool trans_a = false, bool trans_b = false);

// Plan a MatMul or BatchMatMul node, and a Gemm node. All dims must be known.
Result<BatchPlan> plan_matmul(const NodeView& view, KernelPlan& plan);
Result<GemmPlan> plan_gemm(const NodeView& view, KernelPlan& plan);

// Replaces the product in output 0 by alpha * product + beta * input 2.
void scale_and_add_c(const GemmPlan& plan, const Launch& launch);

// The epilogue applied to an f32 product as it is stored: + bias (n values, may be null), then the
// activation.
struct ProductEnd {
  const float* bias = nullptr;
  simd::Act act = simd::Act::kNone;
};

// SIMD kernels for f32 and f64. KernelPlan::user holds the SIMD table.
Status accepts_simd_product(const NodeView& view);
Result<BatchPlan> plan_simd_matmul(const NodeView& view, KernelPlan& plan);
Result<GemmPlan> plan_simd_gemm(const NodeView& view, KernelPlan& plan);
// True if alpha is 1 and C is absent or a bias that is added as the product is stored. Then an
// epilogue may follow. It may have its own bias only if C is absent.
bool may_end(const GemmPlan& plan);
// Run a plan. `end` is supported for f32 only.
void run_simd_matmul(const BatchPlan& plan, const Launch& launch, const ProductEnd& end);
void run_simd_gemm(const GemmPlan& plan, const Launch& launch, const ProductEnd& end);

Status register_matmul_simd(Registry& registry, const simd::SimdTable& simd);

}  // namespace percale

#endif  // PERCALE_OPS_MATMUL_MATMUL_KERNELS_H_

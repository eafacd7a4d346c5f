// Matrix products as their kernels want them.
#ifndef PERCALE_OPS_MATMUL_MATMUL_KERNELS_H_
#define PERCALE_OPS_MATMUL_MATMUL_KERNELS_H_

#include <utility>

#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

// One product of the batch: C [m,n] = op(A) op(B).
struct Product {
  int64_t m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  int64_t a_row() const { return trans_a ? 1 : k; }
  int64_t a_column() const { return trans_a ? m : 1; }
  int64_t b_row() const { return trans_b ? 1 : n; }
  int64_t b_column() const { return trans_b ? k : 1; }
};

// The products of a MatMul, BatchMatMul or Gemm.
struct BatchPlan {
  DType dtype = DType::kInvalid;
  Product product;
  int64_t batch = 1;       // of Y
  Shape dims;              // the batch dims of Y
  Shape a_steps, b_steps;  // matrices from one to the next per batch dim, 0 where repeated
  const simd::SimdTable* simd = nullptr;
  int64_t pieces = 1, piece_scratch = 0;  // SIMD: products run side by side, each with its scratch

  // The numbers of the matrices of A and B for product i.
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
  int64_t c_row = 0, c_column = 0;  // steps of C, 0 where repeated
};

// The shape of numpy.matmul(a, b), the matrices of operands of rank 2 and more transposed where asked for.
Result<Shape> product_shape(const Shape& a, const Shape& b, bool trans_a = false, bool trans_b = false);

// From the views of MatMul and BatchMatMul, and of Gemm; every dim is known.
Result<BatchPlan> plan_matmul(const NodeView& view, KernelPlan& plan);
Result<GemmPlan> plan_gemm(const NodeView& view, KernelPlan& plan);

// Output 0 holds the product; makes alpha * product + beta * input 2 of it.
void scale_and_add_c(const GemmPlan& plan, const Launch& launch);

// What is done with a product of f32 as it is stored: + bias (n values, may be null), then the activation.
struct ProductEnd {
  const float* bias = nullptr;
  simd::Act act = simd::Act::kNone;
};

// The SIMD kernels, f32 and f64: the table is plan.user.
Status accepts_simd_product(const NodeView& view);
Result<BatchPlan> plan_simd_matmul(const NodeView& view, KernelPlan& plan);
Result<GemmPlan> plan_simd_gemm(const NodeView& view, KernelPlan& plan);
// True where alpha, beta and C are nothing or a bias that is added as the product is stored: then an end may
// follow, with a bias of its own only where there is no C.
bool may_end(const GemmPlan& plan);
// `end` is for f32 alone.
void run_simd_matmul(const BatchPlan& plan, const Launch& launch, const ProductEnd& end);
void run_simd_gemm(const GemmPlan& plan, const Launch& launch, const ProductEnd& end);

Status register_matmul_simd(Registry& registry, const simd::SimdTable& simd);

}  // namespace percale

#endif  // PERCALE_OPS_MATMUL_MATMUL_KERNELS_H_

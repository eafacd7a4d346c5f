// SIMD kernels of matrix products: f32 and f64.
#include <algorithm>

#include "ops/matmul/matmul_kernels.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

template <class T>
const simd::GemmFnsOf<T>& gemm_fns(const simd::SimdTable& table) {
  if constexpr (std::is_same_v<T, double>) {
    return table.gemm->f64;
  } else {
    return table.gemm->f32;
  }
}

template <class T>
simd::Gemm<T> simd_gemm(const Product& q, const T* a, const T* b, T* c) {
  simd::Gemm<T> g;
  g.m = q.m;
  g.n = q.n;
  g.k = q.k;
  g.a = a;
  g.lda = q.trans_a ? q.m : q.k;
  g.b = b;
  g.ldb = q.trans_b ? q.k : q.n;
  g.c = c;
  g.ldc = q.n;
  g.trans_a = q.trans_a;
  g.trans_b = q.trans_b;
  g.row_invariant = q.row_invariant;
  return g;
}

template <class T>
void put_end(const ProductEnd& end, simd::Gemm<T>& g) {
  if constexpr (std::is_same_v<T, float>) {
    if (end.bias != nullptr) g.bias_n = end.bias;
    g.act = end.act;
  }
}

// Large products run one after the other on all threads. Small products of a batch run in parallel.
void book_scratch(BatchPlan& p, KernelPlan& plan) {
  p.simd = static_cast<const simd::SimdTable*>(plan.user);
  constexpr int64_t kSmall = int64_t{1} << 21, kMostPieces = 16;
  const bool small = work_of(p.product.m, p.product.n, p.product.k) < static_cast<double>(kSmall);
  p.pieces = small ? std::clamp<int64_t>(p.batch, 1, kMostPieces) : 1;
  p.piece_scratch = with_float(p.dtype, [&]<class T>() {
    return round_up(gemm_fns<T>(*p.simd).scratch_bytes(simd_gemm<T>(p.product, nullptr, nullptr, nullptr)), 64);
  });
  plan.scratch_bytes = p.pieces * p.piece_scratch;
}

// True if C is a row that can be added as the product is stored.
bool c_is_bias(const GemmPlan& p) {
  const bool whole_row = p.c_row == 0 && (p.c_column == 1 || p.product.product.n == 1);
  return p.has_c && p.alpha == 1 && p.beta == 1 && whole_row;
}

}  // namespace

Status accepts_simd_product(const NodeView& v) {
  if (v.dtype(0) == DType::kF32 || v.dtype(0) == DType::kF64) return {};
  return unimplemented("requires f32 or f64");
}

Result<BatchPlan> plan_simd_matmul(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(BatchPlan p, plan_matmul(v, plan));
  book_scratch(p, plan);
  return p;
}

Result<GemmPlan> plan_simd_gemm(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(GemmPlan p, plan_gemm(v, plan));
  book_scratch(p.product, plan);
  return p;
}

bool may_end(const GemmPlan& p) { return p.alpha == 1 && (!p.has_c || c_is_bias(p)); }

void run_simd_matmul(const BatchPlan& p, const Launch& l, const ProductEnd& end) {
  const Product& q = p.product;
  with_float(p.dtype, [&]<class T>() {
    const auto one = [&](int64_t i, int64_t piece, const ParallelFor& parallel) {
      const auto [ia, ib] = p.operands(i);
      auto args =
          simd_gemm<T>(q, l.in<T>(0) + ia * q.m * q.k, l.in<T>(1) + ib * q.k * q.n, l.out<T>(0) + i * q.m * q.n);
      put_end(end, args);
      gemm_fns<T>(*p.simd).run(args, l.scratch<char>() + piece * p.piece_scratch, parallel);
    };
    if (p.pieces == 1) {
      for (int64_t i = 0; i < p.batch; ++i) one(i, 0, l.parallel());
      return;
    }
    l.parallel()(p.pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(p.batch, p.pieces, piece);
      for (int64_t i = range.begin; i < range.end; ++i) one(i, piece, ParallelFor{});
    });
  });
}

void run_simd_gemm(const GemmPlan& p, const Launch& l, const ProductEnd& end) {
  with_float(p.product.dtype, [&]<class T>() {
    auto args = simd_gemm<T>(p.product.product, l.in<T>(0), l.in<T>(1), l.out<T>(0));
    if (c_is_bias(p)) args.bias_n = l.in<T>(2);
    put_end(end, args);
    gemm_fns<T>(*p.product.simd).run(args, l.scratch<void>(), l.parallel());
  });
  if (!may_end(p)) scale_and_add_c(p, l);
}

namespace {

void run_matmul(const BatchPlan& p, const Launch& l) { run_simd_matmul(p, l, {}); }
void run_gemm(const GemmPlan& p, const Launch& l) { run_simd_gemm(p, l, {}); }

}  // namespace

Status register_matmul_simd(Registry& registry, const simd::SimdTable& simd) {
  const Kernel kernels[] = {
      make_kernel<&accepts_simd_product, &plan_simd_matmul, &run_matmul>("simd.matmul", "MatMul", "", &simd),
      make_kernel<&accepts_simd_product, &plan_simd_gemm, &run_gemm>("simd.gemm", "Gemm", "", &simd),
      make_kernel<&accepts_simd_product, &plan_simd_matmul, &run_matmul>("simd.batch_matmul", "BatchMatMul", "percale",
                                                                         &simd)};
  for (const Kernel& kernel : kernels) PERCALE_RETURN_IF_ERROR(registry.add_kernel("cpu", kernel));
  return {};
}

}  // namespace percale

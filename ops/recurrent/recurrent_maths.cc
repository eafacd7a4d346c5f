// Products and activations of recurrent cells.
#include <algorithm>
#include <cmath>

#include "ops/recurrent/recurrent_cell.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

template <class T>
void plain_product(const simd::Gemm<T>& g, const ParallelFor& parallel) {
  const int64_t pieces = piece_count(g.m, work_of(g.n, g.k));
  const int64_t a_row = g.trans_a ? 1 : g.lda, a_column = g.trans_a ? g.lda : 1;
  const int64_t b_row = g.trans_b ? 1 : g.ldb, b_column = g.trans_b ? g.ldb : 1;
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(g.m, pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) {
      for (int64_t j = 0; j < g.n; ++j) {
        T& to = g.c[i * g.ldc + j];
        double sum = g.accumulate ? static_cast<double>(to) : 0;
        for (int64_t k = 0; k < g.k; ++k) {
          sum +=
              static_cast<double>(g.a[i * a_row + k * a_column]) * static_cast<double>(g.b[k * b_row + j * b_column]);
        }
        if (g.bias_n != nullptr) sum += static_cast<double>(g.bias_n[j]);
        to = static_cast<T>(sum);
      }
    }
  });
}

template <class T>
T sigmoid(const maths::Functions& f, T x) {
  const T e = f.exp(-std::abs(x));
  return (x < T{0} ? e : T{1}) / (T{1} + e);
}

template <class T>
T plain_activation(const maths::Functions& f, const CellActivation& a, T x) {
  const T alpha = static_cast<T>(a.alpha), beta = static_cast<T>(a.beta);
  switch (a.fn) {
    case CellFn::kAffine: return alpha * x + beta;
    case CellFn::kElu: return x < T{0} ? alpha * f.expm1(x) : x;
    case CellFn::kHardSigmoid: {
      const T y = alpha * x + beta;
      return y < T{0} ? T{0} : y > T{1} ? T{1} : y;
    }
    case CellFn::kLeakyRelu: return x < T{0} ? alpha * x : x;
    case CellFn::kRelu: return x < T{0} ? T{0} : x;
    case CellFn::kScaledTanh: return alpha * f.tanh(beta * x);
    case CellFn::kSigmoid: return sigmoid(f, x);
    case CellFn::kSoftplus: return std::max(x, T{0}) + f.log1p(f.exp(-std::abs(x)));
    case CellFn::kSoftsign: return x / (T{1} + std::abs(x));
    case CellFn::kTanh: return f.tanh(x);
    case CellFn::kThresholdedRelu: return x > alpha ? x : x == x ? T{0} : x;
  }
  return x;
}

// Applies the activation and returns true if the table has the function.
bool simd_activation(const simd::ElementwiseFns& fns, const CellActivation& a, const float* x, int64_t count,
                     float* y) {
  const auto run = [&](simd::Unary f, const float* from, float alpha = 0, float beta = 0) {
    fns.unary_f32[static_cast<int>(f)](from, y, count, alpha, beta);
    return true;
  };
  const auto alpha = static_cast<float>(a.alpha), beta = static_cast<float>(a.beta);
  switch (a.fn) {
    case CellFn::kAffine: return run(simd::Unary::kAffine, x, alpha, beta);
    case CellFn::kElu: return run(simd::Unary::kElu, x, alpha);
    case CellFn::kHardSigmoid: return run(simd::Unary::kHardSigmoid, x, alpha, beta);
    case CellFn::kLeakyRelu: return run(simd::Unary::kLeakyRelu, x, alpha);
    case CellFn::kRelu: return run(simd::Unary::kRelu, x);
    case CellFn::kScaledTanh:
      run(simd::Unary::kAffine, x, beta, 0);
      run(simd::Unary::kTanh, y);
      return run(simd::Unary::kAffine, y, alpha, 0);
    case CellFn::kSigmoid: return run(simd::Unary::kSigmoid, x);
    case CellFn::kSoftplus: return run(simd::Unary::kSoftplus, x);
    case CellFn::kTanh: return run(simd::Unary::kTanh, x);
    default: return false;
  }
}

}  // namespace

template <class T>
void cell_product(const CellPass<T>& c, simd::Gemm<T> g) {
  const simd::SimdTable* simd = c.plan.simd;
  if (simd == nullptr) return plain_product(g, c.parallel);
  g.row_invariant = c.plan.numerics.batch_invariant;
  T* scratch = c.scratch + c.plan.scratch.gemm;
  if constexpr (std::is_same_v<T, double>) {
    simd->gemm->f64.run(g, scratch, c.parallel);
  } else {
    simd->gemm->f32.run(g, scratch, c.parallel);
  }
}

template <class T>
void cell_activate(const RecurrentPlan& p, const CellActivation& a, bool clips, const T* x, int64_t count, T* y) {
  if (clips && p.clip > 0) {
    const T limit = static_cast<T>(p.clip);
    for (int64_t i = 0; i < count; ++i) y[i] = x[i] < -limit ? -limit : x[i] > limit ? limit : x[i];
    x = y;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (p.simd != nullptr && simd_activation(*p.simd->elementwise, a, x, count, y)) return;
  }
  const maths::Functions& f = p.numerics.functions();
  for (int64_t i = 0; i < count; ++i) y[i] = plain_activation(f, a, x[i]);
}

template <class T>
T cell_slope(const RecurrentPlan& p, const CellActivation& a, bool clips, T x, T y) {
  if (clips && p.clip > 0 && std::abs(x) > static_cast<T>(p.clip)) return T{0};
  const T alpha = static_cast<T>(a.alpha), beta = static_cast<T>(a.beta), one{1};
  const maths::Functions& f = p.numerics.functions();
  switch (a.fn) {
    case CellFn::kAffine: return alpha;
    case CellFn::kElu: return x < T{0} ? y + alpha : one;
    case CellFn::kHardSigmoid: return y > T{0} && y < one ? alpha : T{0};
    case CellFn::kLeakyRelu: return x < T{0} ? alpha : one;
    case CellFn::kRelu: return x > T{0} ? one : T{0};
    case CellFn::kScaledTanh: {
      const T t = f.tanh(beta * x);
      return alpha * beta * (one - t * t);
    }
    case CellFn::kSigmoid: return y * (one - y);
    case CellFn::kSoftplus: return sigmoid(f, x);
    case CellFn::kSoftsign: return one / ((one + std::abs(x)) * (one + std::abs(x)));
    case CellFn::kTanh: return one - y * y;
    case CellFn::kThresholdedRelu: return x > alpha ? one : T{0};
  }
  return one;
}

template void cell_product(const CellPass<float>&, simd::Gemm<float>);
template void cell_product(const CellPass<double>&, simd::Gemm<double>);
template void cell_activate(const RecurrentPlan&, const CellActivation&, bool, const float*, int64_t, float*);
template void cell_activate(const RecurrentPlan&, const CellActivation&, bool, const double*, int64_t, double*);
template float cell_slope(const RecurrentPlan&, const CellActivation&, bool, float, float);
template double cell_slope(const RecurrentPlan&, const CellActivation&, bool, double, double);

}  // namespace percale

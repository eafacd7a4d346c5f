// Det, Cofactors, MatrixInverse and Cholesky on batches of square matrices.
#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "ops/matmul/factorize.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"
#include "ops/support/grad_util.h"

namespace percale {
namespace {

// ---- Shapes

Status check_square(const ShapeContext& c) {
  const Shape& x = c.shape(0);
  if (!x.known_rank()) return {};
  if (x.rank() < 2) return c.error("wanted square matrices, got ", x);
  const int64_t rows = x[x.rank() - 2], columns = x.back();
  if (rows >= 0 && columns >= 0 && rows != columns) return c.error("wanted square matrices, got ", x);
  return {};
}
Status shape_square(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_square(c));
  c.set_output(0, c.dtype(0), c.shape(0));
  return {};
}
Status shape_det(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_square(c));
  const Shape& x = c.shape(0);
  c.set_output(0, c.dtype(0), x.known_rank() ? Shape(x.dims().first(x.rank() - 2)) : Shape::unranked());
  return {};
}

// ---- Gradients

ValueId product(Emitter& e, ValueId a, ValueId b, bool trans_a = false, bool trans_b = false) {
  return e.emit("percale:BatchMatMul", {a, b}, {{"transA", trans_a}, {"transB", trans_b}});
}
// Returns the lower triangle of x, from the diagonal shifted down by `below`.
ValueId lower(Emitter& e, ValueId x, int64_t below) {
  return e.emit("Trilu", {x, e.scalar(DType::kI64, static_cast<double>(-below))}, {{"upper", 0}});
}

// Jacobi's formula: the derivative of a determinant is the matrix of cofactors, for singular
// matrices too.
Status grad_det(GradContext& g) {
  if (!g.wants(0)) return {};
  const ValueId factor = g.emit("Unsqueeze", {g.grad(0), g.ints({-2, -1})});
  g.set(0, mul(g, factor, g.emit("percale:Cofactors", {g.input(0)})));
  return g.status();
}

// Y = det(X) X^-T. With Z = X^-T, dX = sum(dY * Y) Z - Z dY^T Y, which requires a non-singular
// matrix.
Status grad_cofactors(GradContext& g) {
  if (!g.wants(0)) return {};
  const ValueId z = g.emit("percale:MatrixInverse", {g.input(0)}, {{"adjoint", 1}}), y = g.output(0);
  const ValueId all = g.emit("ReduceSum", {mul(g, g.grad(0), y), g.ints({-2, -1})}, {{"keepdims", 1}});
  g.set(0, sub(g, mul(g, all, z), product(g, product(g, z, g.grad(0), false, true), y)));
  return g.status();
}

// Y = X^-1: dX = -Y^T dY Y^T. Y = X^-T: dX = -Y dY^T Y.
Status grad_inverse(GradContext& g) {
  if (!g.wants(0)) return {};
  const bool adjoint = g.attributes().get_int("adjoint") != 0;
  const ValueId y = g.output(0);
  g.set(0, neg(g, product(g, product(g, y, g.grad(0), !adjoint, adjoint), y, false, !adjoint)));
  return g.status();
}

// Murray 2016, "Differentiation of the Cholesky decomposition". Let P be the lower triangle of L^T
// dL with its diagonal halved, and S = L^-T P L^-1. The symmetric gradient is (S + S^T) / 2.
// Cholesky reads only the lower triangle, so this triangle receives the gradient of both.
Status grad_cholesky(GradContext& g) {
  if (!g.wants(0)) return {};
  const ValueId l = g.output(0), inverse = g.emit("percale:MatrixInverse", {l});
  const ValueId m = product(g, l, lower(g, g.grad(0), 0), true);
  const ValueId p = mul(g, add(g, lower(g, m, 0), lower(g, m, 1)), scalar_like(g, m, 0.5));
  const ValueId s = product(g, product(g, inverse, p, true), inverse);
  const ValueId s_transposed = product(g, product(g, inverse, p, true, true), inverse);
  g.set(0, add(g, lower(g, s, 0), lower(g, s_transposed, 1)));
  return g.status();
}

// ---- Schemas

constexpr OpRow kSchemas[] = {
    {.name = "Det",
     .since = 22,
     .doc = "The determinant of each matrix [..., n, n] of X.",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .outputs = {out("Y", 'T')},
     .shape = shape_det,
     .grad = grad_det},
    {.domain = "percale",
     .name = "Cofactors",
     .doc = "The cofactors of each matrix [..., n, n] of X, which may be singular: Y[i, j] = (-1)^(i+j) times the "
            "determinant of X without row i and column j. Its gradient fails the run for a singular matrix.",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .outputs = {out("Y", 'T')},
     .shape = shape_square,
     .grad = grad_cofactors},
    {.domain = "percale",
     .name = "MatrixInverse",
     .doc = "The inverse of each matrix [..., n, n] of X, transposed if `adjoint` is set. A matrix with a pivot of "
            "exactly zero is singular and fails the run.",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .attributes = {attr_int("adjoint", 0, 0, 1)},
     .outputs = {out("Y", 'T')},
     .shape = shape_square,
     .grad = grad_inverse},
    {.domain = "percale",
     .name = "Cholesky",
     .doc = "The lower triangular L with L L^T = X for each symmetric matrix [..., n, n] of X. Only the lower triangle "
            "of X is read. A matrix that is not positive definite fails the run.",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .outputs = {out("L", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_square,
     .grad = grad_cholesky},
};

// ---- Kernels

struct MatricesPlan {
  int64_t count = 0, n = 0, pieces = 1;
  int64_t piece_bytes = 0;  // scratch: 8-byte words for each row, then a matrix
  DType dtype = DType::kInvalid;
  bool adjoint = false;
};

Result<MatricesPlan> plan_matrices(const NodeView& v, KernelPlan&) {
  const Shape& x = v.shape(0);
  MatricesPlan p{.count = x.product(0, x.rank() - 2), .n = x.back(), .dtype = v.dtype(0)};
  p.pieces = piece_count(p.count, work_of(p.n, p.n, p.n));
  p.adjoint = v.attributes.get_int("adjoint") != 0;
  return p;
}
template <int64_t kWords>
Result<MatricesPlan> plan_with_scratch(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(MatricesPlan p, plan_matrices(v, plan));
  const CheckedSize matrix = CheckedSize(p.n) * p.n * (p.dtype == DType::kF64 ? 8 : 4) + 63;
  const CheckedSize bytes = matrix + CheckedSize(p.n) * (kWords * 8) + 63;
  if (!bytes.valid() || !(bytes * p.pieces).valid()) return resource_exhausted("a matrix exceeds 2^63 bytes");
  p.piece_bytes = round_up((matrix + CheckedSize(p.n) * (kWords * 8)).value(), 64);
  plan.scratch_bytes = p.piece_bytes * p.pieces;
  return p;
}

// Calls f(index of the matrix, scratch of the piece) for every matrix.
template <class F>
void for_matrices(const MatricesPlan& p, const Launch& l, F&& f) {
  l.parallel()(p.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.count, p.pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) f(i, l.scratch<char>() + piece * p.piece_bytes);
  });
}

// Copies matrix i of input 0 into the piece's scratch, transposed if p.adjoint, and factorises it
// there.
template <class T>
struct Factors {
  T* lu;
  int64_t* pivots;
  int sign;
  Factors(const MatricesPlan& p, const Launch& l, int64_t i, char* scratch) {
    const int64_t n = p.n, elements = n * n;
    const T* x = l.in<T>(0) + i * elements;
    pivots = reinterpret_cast<int64_t*>(scratch);
    lu = reinterpret_cast<T*>(scratch + n * 8);
    if (p.adjoint) {
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < n; ++c) lu[r * n + c] = x[c * n + r];
      }
    } else {
      std::copy_n(x, elements, lu);
    }
    sign = lu_in_place(lu, n, pivots);
  }
};

void run_det(const MatricesPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() {
    for_matrices(p, l, [&](int64_t i, char* scratch) {
      const Factors<T> f(p, l, i, scratch);
      double det = f.sign;
      for (int64_t k = 0; f.sign != 0 && k < p.n; ++k) det *= static_cast<double>(f.lu[k * p.n + k]);
      l.out<T>(0)[i] = static_cast<T>(det);
    });
  });
}

void run_cofactors(const MatricesPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() {
    for_matrices(p, l, [&](int64_t i, char* scratch) {
      const int64_t elements = p.n * p.n;
      auto* pivots = reinterpret_cast<int64_t*>(scratch);
      auto* products = reinterpret_cast<double*>(scratch + p.n * 16);
      T* a = reinterpret_cast<T*>(scratch + p.n * 32);
      std::copy_n(l.in<T>(0) + i * elements, elements, a);
      cofactors(a, p.n, pivots, products, l.out<T>(0) + i * elements);
    });
  });
}

void run_inverse(const MatricesPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() {
    for_matrices(p, l, [&](int64_t i, char* scratch) {
      const Factors<T> f(p, l, i, scratch);
      T* y = l.out<T>(0) + i * p.n * p.n;
      if (f.sign != 0) {
        inverse_of_lu(f.lu, f.pivots, p.n, y);
      } else {
        std::fill_n(y, p.n * p.n, T{0});
        l.fail(RunError::kSingular, i);
      }
    });
  });
}

void run_cholesky(const MatricesPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() {
    for_matrices(p, l, [&](int64_t i, char*) {
      const int64_t n = p.n;
      const T* x = l.in<T>(0) + i * n * n;
      T* y = l.out<T>(0) + i * n * n;
      if (x != y) std::copy_n(x, n * n, y);
      for (int64_t r = 0; r < n; ++r) std::fill(y + r * n + r + 1, y + (r + 1) * n, T{0});
      if (!cholesky_in_place(y, n)) l.fail(RunError::kNotPositiveDefinite, i);
    });
  });
}

}  // namespace

Status register_linalg(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR((
      add_float_kernels<&plan_with_scratch<1>, &run_det>(registry, "Det", "", "portable.Det", "portable.Det_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_with_scratch<4>, &run_cofactors>(
      registry, "Cofactors", "percale", "portable.Cofactors", "portable.Cofactors_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_with_scratch<1>, &run_inverse>(
      registry, "MatrixInverse", "percale", "portable.MatrixInverse", "portable.MatrixInverse_widened")));
  return add_float_kernels<&plan_matrices, &run_cholesky>(registry, "Cholesky", "percale", "portable.Cholesky",
                                                          "portable.Cholesky_widened");
}

}  // namespace percale

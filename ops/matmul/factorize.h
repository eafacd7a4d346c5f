// Dense factorisations of square row-major matrices, in place. factorize.cc alone includes Eigen. Nothing here allocates; the
// order of every sum depends on n alone.
#ifndef PERCALE_OPS_MATMUL_FACTORIZE_H_
#define PERCALE_OPS_MATMUL_FACTORIZE_H_

#include <cstdint>

namespace percale {

// PA = LU by partial pivoting: a holds U, and below its diagonal L without its ones; row k was exchanged with row
// pivots[k] >= k at step k. Gives the sign of P, 0 when a pivot is exactly zero (what follows it is then not reduced).
template <class T>
int lu_in_place(T* a, int64_t n, int64_t* pivots);

// inverse = A^-1 from what lu_in_place() left. Precondition: no pivot was zero.
template <class T>
void inverse_of_lu(const T* lu, const int64_t* pivots, int64_t n, T* inverse);

// The matrix of cofactors, C[i][j] = (-1)^(i+j) det(A without row i and column j), of any square matrix: det(A) A^-T where A is
// not singular, of rank 1 where A has rank n - 1, zero below that. Destroys a. `pivots` and `products` have room for 2 n.
template <class T>
void cofactors(T* a, int64_t n, int64_t* pivots, double* products, T* out);

// A = L L^T: replaces the lower triangle of a by L, leaves the rest. False when A is not positive definite.
template <class T>
bool cholesky_in_place(T* a, int64_t n);

}  // namespace percale

#endif  // PERCALE_OPS_MATMUL_FACTORIZE_H_

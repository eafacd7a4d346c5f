// In-place dense factorisations of square row-major matrices. Only factorize.cc includes Eigen.
// Nothing here allocates, and the order of every sum depends on n alone.
#ifndef PERCALE_OPS_MATMUL_FACTORIZE_H_
#define PERCALE_OPS_MATMUL_FACTORIZE_H_

#include <cstdint>

namespace percale {

// PA = LU with partial pivoting. Afterwards `a` holds U and, below its diagonal, L without its unit
// diagonal. In step k, row k was exchanged with row pivots[k] >= k. Returns the sign of P, or 0 if
// a pivot is exactly zero. In that case the remaining rows are not reduced.
template <class T>
int lu_in_place(T* a, int64_t n, int64_t* pivots);

// Computes inverse = A^-1 from the result of lu_in_place(). Precondition: no pivot was zero.
template <class T>
void inverse_of_lu(const T* lu, const int64_t* pivots, int64_t n, T* inverse);

// Computes the matrix of cofactors, C[i][j] = (-1)^(i+j) det(A without row i and column j), of any
// square matrix. It is det(A) A^-T if A is not singular, has rank 1 if A has rank n - 1, and is
// zero below that. Destroys `a`. `pivots` and `products` must hold 2 n elements.
template <class T>
void cofactors(T* a, int64_t n, int64_t* pivots, double* products, T* out);

// A = L L^T. Replaces the lower triangle of `a` by L and leaves the rest. Returns false if A is not
// positive definite.
template <class T>
bool cholesky_in_place(T* a, int64_t n);

}  // namespace percale

#endif  // PERCALE_OPS_MATMUL_FACTORIZE_H_

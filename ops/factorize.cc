#include "ops/factorize.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

namespace percale {
namespace {

template <class T>
using Row = Eigen::Map<Eigen::Array<T, 1, Eigen::Dynamic>>;
template <class T>
using ConstRow = Eigen::Map<const Eigen::Array<T, 1, Eigen::Dynamic>>;

// y -= f * x
template <class T>
void subtract(T f, const T* x, T* y, int64_t n) {
  Row<T>(y, n) -= f * ConstRow<T>(x, n);
}

}  // namespace

template <class T>
int lu_in_place(T* a, int64_t n, int64_t* pivots) {
  int sign = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * n + k]) > std::fabs(a[best * n + k])) best = i;
    }
    pivots[k] = best;
    if (best != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + best * n);
      sign = -sign;
    }
    const T pivot = a[k * n + k];
    if (pivot == 0) return 0;
    for (int64_t i = k + 1; i < n; ++i) {
      const T f = a[i * n + k] / pivot;
      a[i * n + k] = f;
      subtract(f, a + k * n + k + 1, a + i * n + k + 1, n - k - 1);
    }
  }
  return sign;
}

template <class T>
void inverse_of_lu(const T* lu, const int64_t* pivots, int64_t n, T* inverse) {
  std::fill_n(inverse, n * n, T{0});
  for (int64_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (int64_t k = 0; k < n; ++k) {
    if (pivots[k] != k) std::swap_ranges(inverse + k * n, inverse + (k + 1) * n, inverse + pivots[k] * n);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < i; ++k) subtract(lu[i * n + k], inverse + k * n, inverse + i * n, n);
  }
  for (int64_t i = n; i-- > 0;) {
    for (int64_t k = i + 1; k < n; ++k) subtract(lu[i * n + k], inverse + k * n, inverse + i * n, n);
    Row<T>(inverse + i * n, n) /= lu[i * n + i];
  }
}

template <class T>
bool cholesky_in_place(T* a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const T rest = a[i * n + j] - (ConstRow<T>(a + i * n, j) * ConstRow<T>(a + j * n, j)).sum();
      if (j < i) {
        a[i * n + j] = rest / a[j * n + j];
      } else if (rest > 0) {  // false for NaN too
        a[i * n + i] = std::sqrt(rest);
      } else {
        return false;
      }
    }
  }
  return true;
}

template int lu_in_place(float*, int64_t, int64_t*);
template int lu_in_place(double*, int64_t, int64_t*);
template void inverse_of_lu(const float*, const int64_t*, int64_t, float*);
template void inverse_of_lu(const double*, const int64_t*, int64_t, double*);
template bool cholesky_in_place(float*, int64_t);
template bool cholesky_in_place(double*, int64_t);

}  // namespace percale

#include "ops/matmul/factorize.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

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

// Sum of x[i] * y[i] in two vectors of 16 bytes on every processor, where Eigen's sum would use the
// processor's own.
template <class T>
T dot(const T* x, const T* y, int64_t n) {
  constexpr int64_t kLanes = 16 / sizeof(T);
  using Lanes = Eigen::Array<T, kLanes, 1>;
  const auto product = [&](int64_t i) -> Lanes {
    return Eigen::Map<const Lanes>(x + i) * Eigen::Map<const Lanes>(y + i);
  };
  Lanes sums = Lanes::Zero(), others = Lanes::Zero();
  int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    sums += product(i);
    others += product(i + kLanes);
  }
  sums += others;
  if (i + kLanes <= n) {
    sums += product(i);
    i += kLanes;
  }
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  T sum = sums[0];
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
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

// With full pivoting P A Q = L D W. L and W are triangular with unit diagonals and no element above
// 1 in magnitude; D is diagonal. Cofactor matrices multiply as the matrices do. That of a
// permutation is the permutation times its sign, and that of D holds the products of all other
// elements. Thus cof(A) = +-P^T L^-T cof(D) W^-T Q^T divides by no pivot and holds for singular
// matrices too.
template <class T>
void cofactors(T* a, int64_t n, int64_t* pivots, double* products, T* out) {
  int64_t *rows = pivots, *columns = pivots + n;
  double *d = products, *others = products + n;
  double sign = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t row = k, column = k;
    for (int64_t i = k; i < n; ++i) {
      for (int64_t j = k; j < n; ++j) {
        if (std::fabs(a[i * n + j]) > std::fabs(a[row * n + column])) row = i, column = j;
      }
    }
    rows[k] = row;
    columns[k] = column;
    if (row != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + row * n);
      sign = -sign;
    }
    if (column != k) {
      for (int64_t i = 0; i < n; ++i) std::swap(a[i * n + k], a[i * n + column]);
      sign = -sign;
    }
    const T pivot = a[k * n + k];
    d[k] = static_cast<double>(pivot);
    if (pivot == 0) continue;  // the rest is zero, and so are the remaining parts of L and W
    for (int64_t i = k + 1; i < n; ++i) {
      const T f = a[i * n + k] / pivot;
      a[i * n + k] = f;
      subtract(f, a + k * n + k + 1, a + i * n + k + 1, n - k - 1);
    }
    for (int64_t j = k + 1; j < n; ++j) a[k * n + j] /= pivot;
  }
  double before = sign, after = 1;
  for (int64_t k = 0; k < n; ++k) {
    others[k] = before;
    before *= d[k];
  }
  for (int64_t k = n; k-- > 0;) {
    others[k] *= after;
    after *= d[k];
  }
  std::fill_n(out, n * n, T{0});
  for (int64_t i = 0; i < n; ++i) out[i * n + i] = 1;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < i; ++k) subtract(a[k * n + i], out + k * n, out + i * n, n);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = static_cast<T>(others[i] * static_cast<double>(out[i * n + j]));
  }
  for (int64_t i = n; i-- > 0;) {
    for (int64_t k = i + 1; k < n; ++k) subtract(a[k * n + i], out + k * n, out + i * n, n);
  }
  for (int64_t k = n; k-- > 0;) {
    if (rows[k] != k) std::swap_ranges(out + k * n, out + (k + 1) * n, out + rows[k] * n);
    if (columns[k] == k) continue;
    for (int64_t i = 0; i < n; ++i) std::swap(out[i * n + k], out[i * n + columns[k]]);
  }
}

template <class T>
bool cholesky_in_place(T* a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const T rest = a[i * n + j] - dot(a + i * n, a + j * n, j);
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
template void cofactors(float*, int64_t, int64_t*, double*, float*);
template void cofactors(double*, int64_t, int64_t*, double*, double*);
template bool cholesky_in_place(float*, int64_t);
template bool cholesky_in_place(double*, int64_t);

}  // namespace percale

#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/softmax_simd.cc"
#include <hwy/foreach_target.h>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/math-inl.h"
#include "devices/cpu/simd/common/reduce-inl.h"
#include "devices/cpu/simd/softmax.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

template <class F>
void for_rows(int64_t rows, int64_t classes, const ParallelFor& parallel, F&& f) {
  if (rows == 0 || classes == 0) return;
  const int64_t pieces = min_of(rows, pieces_for(40 * static_cast<double>(rows * classes)));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t r = range.begin; r < range.end; ++r) f(r);
  });
}

float log_of(float x) { return hn::GetLane(log(set<float>(x))); }

// Returns the sum of exp(x - max). The exponentials are stored to y unless it is null.
float sum_exp(const float* x, float max, int64_t classes, float* y) {
  const VF m = set<float>(max);
  return reduce_span<float, SumOf<float>>(classes, [&](int64_t i, int64_t n) HWY_ATTR {
    const VF e = exp_of_negative(hn::Sub(load_some(x + i, n), m));
    if (y) store_n<float>(e, y + i, n);
    return e;
  });
}

void divide(float* y, int64_t classes, float by) {
  const VF d = set<float>(by);
  for_vectors(classes,
              [&](int64_t i, int64_t n) HWY_ATTR { store_n<float>(hn::Div(load_some(y + i, n), d), y + i, n); });
}

// Rows with at most as many classes as virtual lanes are processed kL at a time: each vector holds
// one class of all kL rows. The order of the sums is that of a single row.
constexpr int64_t kShortRow = kVirtual<float>;

template <class Op>
VF fold_classes(const VF* from, int64_t classes) {
  VF v[kShortRow];
  for (int64_t c = 0; c < classes; ++c) v[c] = from[c];
  for (int64_t half = kShortRow / 2; half > 0; half /= 2) {
    for (int64_t c = 0; c < half && c + half < classes; ++c) v[c] = Op::meet(v[c], v[c + half]);
    classes = min_of(classes, half);
  }
  return v[0];
}

void softmax_short(const float* x, int64_t rows, int64_t classes, float* y) {
  const int64_t groups = ceil_div(classes, kL);
  VF v[kShortRow];
  for (int64_t r0 = 0; r0 < rows; r0 += kL) {
    const int64_t n = min_of(rows - r0, kL);
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t width = min_of(classes - g * kL, kL);
#pragma GCC unroll 16
      for (int i = 0; i < kL; ++i) {
        v[g * kL + i] = i < n ? load_n<float>(x + (r0 + i) * classes + g * kL, width) : zero<float>();
      }
      transpose_block(v + g * kL);
    }
    const VF most = fold_classes<MaxOf<float>>(v, classes);
    for (int64_t c = 0; c < classes; ++c) v[c] = exp_of_negative(hn::Sub(v[c], most));
    const VF sum = fold_classes<SumOf<float>>(v, classes);
    for (int64_t c = 0; c < classes; ++c) v[c] = hn::Div(v[c], sum);
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t width = min_of(classes - g * kL, kL);
      transpose_block(v + g * kL);
      for (int64_t i = 0; i < n; ++i) store_n<float>(v[g * kL + i], y + (r0 + i) * classes + g * kL, width);
    }
  }
}

void softmax(const float* x, int64_t rows, int64_t classes, float* y, const ParallelFor& parallel) {
  if (classes > 0 && classes <= kShortRow) {
    const int64_t pieces = min_of(rows, pieces_for(40 * static_cast<double>(rows * classes)));
    parallel(pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(rows, pieces, piece);
      softmax_short(x + range.begin * classes, range.end - range.begin, classes, y + range.begin * classes);
    });
    return;
  }
  for_rows(rows, classes, parallel, [&](int64_t r) HWY_ATTR {
    const float* row = x + r * classes;
    float* out = y + r * classes;
    divide(out, classes, sum_exp(row, reduce_row<float, MaxOf<float>>(row, classes), classes, out));
  });
}

void log_softmax(const float* x, int64_t rows, int64_t classes, float* y, const ParallelFor& parallel) {
  for_rows(rows, classes, parallel, [&](int64_t r) HWY_ATTR {
    const float* row = x + r * classes;
    float* out = y + r * classes;
    const float max = reduce_row<float, MaxOf<float>>(row, classes);
    const VF m = set<float>(max), log_sum = set<float>(log_of(sum_exp(row, max, classes, nullptr)));
    for_vectors(classes, [&](int64_t i, int64_t n) HWY_ATTR {
      store_n<float>(hn::Sub(hn::Sub(load_some(row + i, n), m), log_sum), out + i, n);
    });
  });
}

void softmax_grad(const float* y, const float* dy, int64_t rows, int64_t classes, float* dx,
                  const ParallelFor& parallel) {
  for_rows(rows, classes, parallel, [&](int64_t r) HWY_ATTR {
    const float *p = y + r * classes, *g = dy + r * classes;
    float* out = dx + r * classes;
    const VF sum = set<float>(reduce_span<float, SumOf<float>>(
        classes, [&](int64_t i, int64_t n) HWY_ATTR { return hn::Mul(load_some(p + i, n), load_some(g + i, n)); }));
    for_vectors(classes, [&](int64_t i, int64_t n) HWY_ATTR {
      store_n<float>(hn::Mul(load_some(p + i, n), hn::Sub(load_some(g + i, n), sum)), out + i, n);
    });
  });
}

void log_softmax_grad(const float* y, const float* dy, int64_t rows, int64_t classes, float* dx,
                      const ParallelFor& parallel) {
  for_rows(rows, classes, parallel, [&](int64_t r) HWY_ATTR {
    const float *p = y + r * classes, *g = dy + r * classes;
    float* out = dx + r * classes;
    const VF sum = set<float>(reduce_row<float, SumOf<float>>(g, classes));
    for_vectors(classes, [&](int64_t i, int64_t n) HWY_ATTR {
      store_n<float>(neg_mul_add(exp(load_some(p + i, n)), sum, load_some(g + i, n)), out + i, n);
    });
  });
}

void cross_entropy(const float* logits, const int32_t* labels32, const int64_t* labels64, int64_t rows, int64_t classes,
                   float* loss, float* probabilities, const ParallelFor& parallel) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  if (classes == 0) {
    for (int64_t r = 0; r < rows; ++r) loss[r] = nan;  // no label can be valid
  }
  for_rows(rows, classes, parallel, [&](int64_t r) HWY_ATTR {
    const float* row = logits + r * classes;
    float* out = probabilities ? probabilities + r * classes : nullptr;
    const int64_t label = labels32 ? labels32[r] : labels64[r];
    const bool inside = label >= 0 && label < classes;
    const float max = reduce_row<float, MaxOf<float>>(row, classes);
    const float own = inside ? row[label] - max : nan;  // before probabilities overwrite it
    const float sum = sum_exp(row, max, classes, out);
    if (out) divide(out, classes, sum);
    loss[r] = log_of(sum) - own;
  });
}

void cross_entropy_grad(const float* probabilities, const int32_t* labels32, const int64_t* labels64,
                        const float* dloss, bool dloss_scalar, int64_t rows, int64_t classes, float* dlogits,
                        const ParallelFor& parallel) {
  for_rows(rows, classes, parallel, [&](int64_t r) HWY_ATTR {
    const float* p = probabilities + r * classes;
    float* out = dlogits + r * classes;
    const int64_t label = labels32 ? labels32[r] : labels64[r];
    const bool inside = label >= 0 && label < classes;
    const float scale = inside ? dloss[dloss_scalar ? 0 : r] : std::numeric_limits<float>::quiet_NaN();
    const float own = inside ? (p[label] - 1.0f) * scale : scale;
    const VF s = set<float>(scale);
    for_vectors(classes,
                [&](int64_t i, int64_t n) HWY_ATTR { store_n<float>(hn::Mul(load_some(p + i, n), s), out + i, n); });
    if (inside) out[label] = own;
  });
}

}  // namespace

constexpr SoftmaxFns kFns = {softmax, log_softmax, softmax_grad, log_softmax_grad, cross_entropy, cross_entropy_grad};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(SoftmaxFns);
}  // namespace percale::simd
#endif

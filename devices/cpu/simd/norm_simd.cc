#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/norm_simd.cc"
#include <hwy/foreach_target.h>

#include <cmath>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/math-inl.h"
#include "devices/cpu/simd/common/reduce-inl.h"
#include "devices/cpu/simd/norm.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

template <class F>
void for_rows(int64_t rows, int64_t size, const ParallelFor& parallel, F&& f) {
  if (rows == 0 || size == 0) return;
  const int64_t pieces = min_of(rows, pieces_for(16 * static_cast<double>(rows * size)));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t r = range.begin; r < range.end; ++r) f(r);
  });
}

void layer_norm(const float* x, int64_t rows, int64_t size, const float* scale, const float* bias, float epsilon,
                float* y, float* mean, float* inverse, const ParallelFor& parallel) {
  const auto count = static_cast<float>(size);
  for_rows(rows, size, parallel, [&](int64_t r) HWY_ATTR {
    const float* from = x + r * size;
    float* to = y + r * size;
    const float m = reduce_row<float, SumOf<float>>(from, size) / count;
    const VF vm = set<float>(m);
    const float squares = reduce_span<float, SumSquaresOf<float>>(
        size, [&](int64_t i, int64_t n) HWY_ATTR { return hn::Sub(load_some(from + i, n), vm); });
    const float inv = 1.0f / std::sqrt(squares / count + epsilon);
    const VF vr = set<float>(inv);
    for_vectors(size, [&](int64_t i, int64_t n) HWY_ATTR {
      const VF h = hn::Mul(hn::Sub(load_some(from + i, n), vm), vr), s = load_some(scale + i, n);
      store_n<float>(bias != nullptr ? mul_add(h, s, load_some(bias + i, n)) : hn::Mul(h, s), to + i, n);
    });
    if (mean != nullptr) mean[r] = m;
    if (inverse != nullptr) inverse[r] = inv;
  });
}

void rms_norm(const float* x, int64_t rows, int64_t size, const float* scale, float epsilon, float* y,
              const ParallelFor& parallel) {
  for_rows(rows, size, parallel, [&](int64_t r) HWY_ATTR {
    const float* from = x + r * size;
    float* to = y + r * size;
    const float squares = reduce_row<float, SumSquaresOf<float>>(from, size);
    const VF vr = set<float>(1.0f / std::sqrt(squares / static_cast<float>(size) + epsilon));
    for_vectors(size, [&](int64_t i, int64_t n) HWY_ATTR {
      store_n<float>(hn::Mul(hn::Mul(load_some(from + i, n), vr), load_some(scale + i, n)), to + i, n);
    });
  });
}

// The images of a channel: `count` images, `step` apart.
struct Channel {
  int64_t count, step, image;

  // Returns the sum over all images of reduce(offset of the image). The order of the sum depends
  // only on the number of virtual lanes.
  template <class F>
  HWY_INLINE double sum(F&& reduce) const {
    double total = 0;
    for (int64_t n = 0; n < count; ++n) total += static_cast<double>(reduce(n * step));
    return total;
  }
  double elements() const { return static_cast<double>(count * image); }
};

struct ChannelMoments {
  float mean, variance;
};
HWY_INLINE ChannelMoments moments_of(const float* x, const Channel& c) {
  const double sum = c.sum([&](int64_t at) HWY_ATTR { return reduce_row<float, SumOf<float>>(x + at, c.image); });
  const auto mean = static_cast<float>(sum / c.elements());
  const VF vm = set<float>(mean);
  const double squares = c.sum([&](int64_t at) HWY_ATTR {
    return reduce_span<float, SumSquaresOf<float>>(
        c.image, [&](int64_t i, int64_t n) HWY_ATTR { return hn::Sub(load_some(x + at + i, n), vm); });
  });
  return {mean, static_cast<float>(squares / c.elements())};
}

template <class F>
void for_channels(int64_t batch, int64_t channels, int64_t image, const ParallelFor& parallel, F&& f) {
  const Channel channel{batch, channels * image, image};
  for_rows(channels, batch * image, parallel, [&](int64_t c) HWY_ATTR { f(c, channel); });
}

void batch_norm(const float* x, int64_t batch, int64_t channels, int64_t image, const float* scale, const float* bias,
                float epsilon, float* y, float* mean, float* variance, const ParallelFor& parallel) {
  for_channels(batch, channels, image, parallel, [&](int64_t c, const Channel& channel) HWY_ATTR {
    const float* from = x + c * image;
    const ChannelMoments m = moments_of(from, channel);
    const VF vm = set<float>(m.mean), by = set<float>(scale[c] / std::sqrt(m.variance + epsilon)),
             add = set<float>(bias[c]);
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t at = b * channel.step;
      for_vectors(image, [&](int64_t i, int64_t n) HWY_ATTR {
        store_n<float>(mul_add(hn::Sub(load_some(from + at + i, n), vm), by, add), y + c * image + at + i, n);
      });
    }
    mean[c] = m.mean;
    variance[c] = m.variance;
  });
}

void batch_norm_grad(const float* dy, const float* x, int64_t batch, int64_t channels, int64_t image,
                     const float* scale, float epsilon, float* dx, float* dscale, float* dbias,
                     const ParallelFor& parallel) {
  for_channels(batch, channels, image, parallel, [&](int64_t c, const Channel& channel) HWY_ATTR {
    const float *from = x + c * image, *grad = dy + c * image;
    const ChannelMoments m = moments_of(from, channel);
    const VF vm = set<float>(m.mean);
    const double r = 1 / std::sqrt(static_cast<double>(m.variance + epsilon));
    const double sum =
        channel.sum([&](int64_t at) HWY_ATTR { return reduce_row<float, SumOf<float>>(grad + at, image); });
    const double weighted = channel.sum([&](int64_t at) HWY_ATTR {
      return reduce_span<float, SumOf<float>>(image, [&](int64_t i, int64_t n) HWY_ATTR {
        return hn::Mul(load_some(grad + at + i, n), hn::Sub(load_some(from + at + i, n), vm));
      });
    });
    const double scaled = static_cast<double>(scale[c]) * r;
    const VF a = set<float>(static_cast<float>(scaled)),
             middle = set<float>(static_cast<float>(sum / channel.elements())),
             k = set<float>(static_cast<float>(scaled * r * r * weighted / channel.elements()));
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t at = b * channel.step;
      for_vectors(image, [&](int64_t i, int64_t n) HWY_ATTR {
        const VF d = hn::Mul(a, hn::Sub(load_some(grad + at + i, n), middle));
        store_n<float>(neg_mul_add(k, hn::Sub(load_some(from + at + i, n), vm), d), dx + c * image + at + i, n);
      });
    }
    dscale[c] = static_cast<float>(weighted * r);
    dbias[c] = static_cast<float>(sum);
  });
}

void masked_softmax(float* x, int64_t rows, int64_t cols, int64_t stride, float scale, const float* mask,
                    int64_t mask_step, bool nan_is_zero) {
  if (cols == 0) return;
  const VF vs = set<float>(scale);
  for (int64_t r = 0; r < rows; ++r) {
    float* row = x + r * stride;
    const float* added = mask != nullptr ? mask + r * mask_step : nullptr;
    const float most = reduce_span<float, MaxOf<float>>(cols, [&](int64_t i, int64_t n) HWY_ATTR {
      const VF v = load_some(row + i, n);
      const VF score = added != nullptr ? mul_add(v, vs, load_some(added + i, n)) : hn::Mul(v, vs);
      store_n<float>(score, row + i, n);
      return score;
    });
    const VF vm = set<float>(most);
    const float sum = reduce_span<float, SumOf<float>>(cols, [&](int64_t i, int64_t n) HWY_ATTR {
      const VF e = exp_of_negative(hn::Sub(load_some(row + i, n), vm));
      store_n<float>(e, row + i, n);
      return e;
    });
    const bool none = nan_is_zero && sum != sum;
    const VF by = set<float>(1.0f / sum);
    for_vectors(cols, [&](int64_t i, int64_t n) HWY_ATTR {
      store_n<float>(none ? zero<float>() : hn::Mul(load_some(row + i, n), by), row + i, n);
    });
  }
}

}  // namespace

constexpr NormFns kFns = {layer_norm, rms_norm, batch_norm, batch_norm_grad, masked_softmax};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(NormFns);
}  // namespace percale::simd
#endif

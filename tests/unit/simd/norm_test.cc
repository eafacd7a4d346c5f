#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

constexpr float kEpsilon = 1e-5f;

struct Moments {
  double mean = 0, variance = 0, squares = 0;
};
Moments moments(const float* x, int64_t size) {
  Moments m;
  for (int64_t i = 0; i < size; ++i) m.mean += static_cast<double>(x[i]) / static_cast<double>(size);
  for (int64_t i = 0; i < size; ++i) {
    const auto v = static_cast<double>(x[i]);
    m.variance += (v - m.mean) * (v - m.mean) / static_cast<double>(size);
    m.squares += v * v / static_cast<double>(size);
  }
  return m;
}

TEST_CASE("rows are normalised by mean and variance, or by their root mean square, in place too, with the same bits") {
  for (int64_t rows : {1, 7, 300}) {
    for (int64_t size : {1, 5, 16, 33, 384, 9001}) {
      if (rows == 300 && size == 9001) continue;
      const auto x = random_values(rows * size, 1, -2, 5), scale = random_values(size, 2),
                 bias = random_values(size, 3);
      std::vector<double> layer, rms;
      for (int64_t r = 0; r < rows; ++r) {
        const Moments m = moments(x.data() + r * size, size);
        for (int64_t i = 0; i < size; ++i) {
          const auto v = static_cast<double>(x[static_cast<size_t>(r * size + i)]);
          const auto s = static_cast<double>(scale[static_cast<size_t>(i)]);
          layer.push_back((v - m.mean) / std::sqrt(m.variance + static_cast<double>(kEpsilon)) * s +
                          static_cast<double>(bias[static_cast<size_t>(i)]));
          rms.push_back(v / std::sqrt(m.squares + static_cast<double>(kEpsilon)) * s);
        }
      }
      // Elements first, then the statistics.
      CHECK(agrees(
          [&](const SimdTable& table, const ParallelFor& parallel) {
            std::vector<float> y(x.size()), statistics(static_cast<size_t>(2 * rows));
            std::vector<float> in_place = x;
            table.norm->layer_norm(x.data(), rows, size, scale.data(), bias.data(), kEpsilon, y.data(),
                                   statistics.data(), statistics.data() + rows, parallel);
            table.norm->layer_norm(in_place.data(), rows, size, scale.data(), bias.data(), kEpsilon, in_place.data(),
                                   nullptr, nullptr, parallel);
            CHECK(same_bits(y, in_place));
            for (int64_t r = 0; r < rows; ++r) {
              const Moments m = moments(x.data() + r * size, size);
              const auto at = static_cast<size_t>(r), behind = static_cast<size_t>(rows + r);
              CHECK(std::abs(static_cast<double>(statistics[at]) - m.mean) < 1e-5);
              const double inverse = 1 / std::sqrt(m.variance + static_cast<double>(kEpsilon));
              CHECK(std::abs(static_cast<double>(statistics[behind]) / inverse - 1) < 1e-5);
            }
            return y;
          },
          [&](const std::vector<float>& got) { CHECK(worst_error(got, layer, 1e-1) < 1e-4); }));
      CHECK(agrees(
          [&](const SimdTable& table, const ParallelFor& parallel) {
            std::vector<float> y(x.size()), in_place = x;
            table.norm->rms_norm(x.data(), rows, size, scale.data(), kEpsilon, y.data(), parallel);
            table.norm->rms_norm(in_place.data(), rows, size, scale.data(), kEpsilon, in_place.data(), parallel);
            CHECK(same_bits(y, in_place));
            return y;
          },
          [&](const std::vector<float>& got) { CHECK(worst_error(got, rms, 1e-2) < 1e-5); }));
    }
  }
}

TEST_CASE("channels are normalised by the moments of the batch, and their gradients are those of the formulas") {
  for (const auto& [batch, channels, image] :
       {std::tuple<int64_t, int64_t, int64_t>{1, 1, 1}, {3, 5, 7}, {2, 40, 49}, {8, 3, 9000}}) {
    const int64_t total = batch * channels * image;
    const auto x = random_values(total, 1, -2, 5), dy = random_values(total, 2), scale = random_values(channels, 3),
               bias = random_values(channels, 4);
    const double count = static_cast<double>(batch * image);
    std::vector<double> forward(x.size()), backward(x.size()), vectors(static_cast<size_t>(4 * channels));
    for (int64_t c = 0; c < channels; ++c) {
      const auto each = [&](auto&& f) {
        for (int64_t b = 0; b < batch; ++b) {
          for (int64_t i = 0; i < image; ++i) f(static_cast<size_t>((b * channels + c) * image + i));
        }
      };
      double mean = 0, variance = 0, sum = 0, weighted = 0;
      each([&](size_t i) { mean += static_cast<double>(x[i]) / count; });
      each([&](size_t i) {
        const double d = static_cast<double>(x[i]) - mean;
        variance += d * d / count;
      });
      const double r = 1 / std::sqrt(variance + static_cast<double>(kEpsilon));
      const auto at = static_cast<size_t>(c), step = static_cast<size_t>(channels);
      each([&](size_t i) {
        const double h = (static_cast<double>(x[i]) - mean) * r;
        forward[i] = h * static_cast<double>(scale[at]) + static_cast<double>(bias[at]);
        sum += static_cast<double>(dy[i]);
        weighted += static_cast<double>(dy[i]) * h;
      });
      each([&](size_t i) {
        const double h = (static_cast<double>(x[i]) - mean) * r;
        backward[i] =
            static_cast<double>(scale[at]) * r * (static_cast<double>(dy[i]) - sum / count - h * weighted / count);
      });
      vectors[at] = mean, vectors[step + at] = variance, vectors[2 * step + at] = weighted,
      vectors[3 * step + at] = sum;
    }
    std::vector<double> want = forward;
    want.insert(want.end(), backward.begin(), backward.end());
    want.insert(want.end(), vectors.begin(), vectors.end());
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          std::vector<float> got(want.size());
          float *y = got.data(), *dx = y + total, *mean = dx + total;
          table.norm->batch_norm(x.data(), batch, channels, image, scale.data(), bias.data(), kEpsilon, y, mean,
                                 mean + channels, parallel);
          table.norm->batch_norm_grad(dy.data(), x.data(), batch, channels, image, scale.data(), kEpsilon, dx,
                                      mean + 2 * channels, mean + 3 * channels, parallel);
          return got;
        },
        // A single element has no variance; its gradient is only rounding error.
        [&](const std::vector<float>& got) { CHECK(worst_error(got, want, 1) < 2e-3); }));
  }
}

TEST_CASE(
    "the softmax of attention scales and masks, leaves what lies between rows alone, and knows rows without a key") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (int64_t cols : {1, 9, 16, 100, 500}) {
    constexpr int64_t kRows = 6;
    const int64_t stride = cols + 3;
    const auto x = random_values(kRows * stride, 4, -9, 9);
    auto mask = random_values(kRows * cols, 5, -3, 3);
    for (int64_t i = 0; i < cols; ++i) mask[static_cast<size_t>(cols + i)] = -kInf;
    std::vector<double> want(x.begin(), x.end());
    for (int64_t r = 0; r < kRows; ++r) {
      double sum = 0;
      for (int64_t pass = 0; pass < 2; ++pass) {
        for (int64_t i = 0; i < cols; ++i) {
          const double score = static_cast<double>(x[static_cast<size_t>(r * stride + i)]) * 0.25 +
                               static_cast<double>(mask[static_cast<size_t>(r * cols + i)]);
          if (pass == 0) sum += std::exp(score);
          if (pass == 1) want[static_cast<size_t>(r * stride + i)] = r == 1 ? 0 : std::exp(score) / sum;
        }
      }
    }
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor&) {
          std::vector<float> y = x, nan = x;
          table.norm->masked_softmax(y.data(), kRows, cols, stride, 0.25f, mask.data(), cols, true);
          table.norm->masked_softmax(nan.data(), kRows, cols, stride, 0.25f, mask.data(), cols, false);
          CHECK(std::isnan(nan[static_cast<size_t>(stride)]));
          CHECK(nan[0] == y[0]);
          return y;
        },
        [&](const std::vector<float>& got) { CHECK(worst_error(got, want, 1e-3) < 1e-5); }));
  }
}

}  // namespace

#include <doctest/doctest.h>

#include <limits>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

struct Expected {
  std::vector<double> max, average, max_grad, average_grad;
  std::vector<int64_t> indices;
};

Expected expected(const Pool2d& p, const std::vector<float>& x, const std::vector<float>& dy) {
  Expected e;
  e.max_grad.resize(x.size());
  e.average_grad.resize(x.size());
  for (int64_t plane = 0; plane < p.planes; ++plane) {
    for (int64_t r = 0; r < p.out_h; ++r) {
      for (int64_t q = 0; q < p.out_w; ++q) {
        const double g = static_cast<double>(dy[e.max.size()]);
        double best = -std::numeric_limits<double>::infinity(), sum = 0;
        int64_t index = -1, count = 0;
        std::vector<size_t> places;
        for (int64_t i = 0; i < p.kernel_h; ++i) {
          for (int64_t j = 0; j < p.kernel_w; ++j) {
            const int64_t row = r * p.stride_h + i * p.dilation_h - p.pad_top;
            const int64_t col = q * p.stride_w + j * p.dilation_w - p.pad_left;
            const bool padded = row < p.in_h + p.pad_bottom && col < p.in_w + p.pad_right;
            const bool inside = row >= 0 && row < p.in_h && col >= 0 && col < p.in_w;
            count += p.count_pads ? padded : inside;
            if (!inside) continue;
            const int64_t at = (plane * p.in_h + row) * p.in_w + col;
            places.push_back(static_cast<size_t>(at));
            const double v = static_cast<double>(x[static_cast<size_t>(at)]);
            sum += v;
            if (index < 0 || v > best) {
              best = v;
              index = at;
            }
          }
        }
        e.max.push_back(best);
        e.indices.push_back(index);
        e.average.push_back(count ? sum / static_cast<double>(count) : 0);
        if (index >= 0) e.max_grad[static_cast<size_t>(index)] += g;
        for (size_t at : places) e.average_grad[at] += g / static_cast<double>(count);
      }
    }
  }
  return e;
}

void check_pool(const Pool2d& p) {
  CAPTURE(p.in_h);
  CAPTURE(p.in_w);
  CAPTURE(p.kernel_h);
  CAPTURE(p.stride_w);
  CAPTURE(p.dilation_w);
  CAPTURE(p.pad_top);
  auto x = random_values(p.planes * p.in_h * p.in_w, 1);
  // Create equal elements.
  for (size_t i = 0; i < x.size(); i += 3) x[i] = std::round(x[i] * 4) / 4;
  const auto dy = random_values(p.planes * p.out_h * p.out_w, 2);
  const Expected e = expected(p, x, dy);
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor& parallel) {
        std::vector<float> y(dy.size()), again(dy.size());
        std::vector<int64_t> indices(dy.size());
        table.pool->max(p, x.data(), y.data(), nullptr, parallel);
        table.pool->max(p, x.data(), again.data(), indices.data(), parallel);
        CHECK(same_bits(y, again));
        CHECK(same_bits(indices, e.indices));
        return y;
      },
      [&](const std::vector<float>& got) {
        bool equal = true;
        for (size_t i = 0; i < got.size(); ++i) equal = equal && static_cast<double>(got[i]) == e.max[i];
        CHECK(equal);
      }));
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor& parallel) {
        std::vector<float> dx(x.size()), by_index(x.size());
        table.pool->max_grad(p, x.data(), nullptr, dy.data(), dx.data(), parallel);
        table.pool->max_grad(p, nullptr, e.indices.data(), dy.data(), by_index.data(), parallel);
        CHECK(same_bits(dx, by_index));
        return dx;
      },
      [&](const std::vector<float>& got) { CHECK(worst_error(got, e.max_grad, 1.0) < 1e-6); }));
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor& parallel) {
        std::vector<float> y(dy.size());
        table.pool->average(p, x.data(), y.data(), parallel);
        return y;
      },
      [&](const std::vector<float>& got) { CHECK(worst_error(got, e.average, 1.0) < 1e-6); }));
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor& parallel) {
        std::vector<float> dx(x.size());
        table.pool->average_grad(p, dy.data(), dx.data(), parallel);
        return dx;
      },
      [&](const std::vector<float>& got) { CHECK(worst_error(got, e.average_grad, 1.0) < 1e-6); }));
}

TEST_CASE("pooling and its gradients are right for kernels, strides, dilations and pads") {
  for (int64_t kernel : {1, 2, 3, 5}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t dilation : {1, 2}) {
        for (int64_t pad = 0; pad <= kernel / 2; ++pad) {
          for (int64_t width : {13, 40}) {
            Pool2d p;
            p.planes = 5, p.in_h = 14, p.in_w = width;
            p.kernel_h = p.kernel_w = kernel;
            p.stride_h = p.stride_w = stride;
            p.dilation_h = p.dilation_w = dilation;
            p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = pad;
            p.out_h = (p.in_h + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
            p.out_w = (p.in_w + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
            check_pool(p);
            p.count_pads = true;
            check_pool(p);
            p.out_w += 1;  // a window that reaches beyond the end, as with ceil mode
            check_pool(p);
          }
        }
      }
    }
  }
}

TEST_CASE("pooling over a whole image and over many planes") {
  Pool2d p;
  p.planes = 200, p.in_h = p.kernel_h = 7, p.in_w = p.kernel_w = 7;
  check_pool(p);
  p = {};
  p.planes = 700, p.in_h = p.in_w = 28, p.out_h = p.out_w = 14;
  p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = 2;
  check_pool(p);
  p = {};
  // An odd row and column are left over.
  p.planes = 3, p.in_h = 15, p.in_w = 77, p.out_h = 7, p.out_w = 38;
  p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = 2;
  check_pool(p);
  p = {};
  p.planes = 1, p.in_h = 2, p.in_w = 1300, p.out_h = 1, p.out_w = 1299, p.kernel_h = p.kernel_w = 2;
  check_pool(p);
  p.planes = 0;
  check_pool(p);
}

TEST_CASE("a maximum over NaN is NaN, and its place is the first NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const SimdTable* table : tables()) {
    Pool2d p;
    p.in_h = 2, p.in_w = 40, p.out_h = 1, p.out_w = 20;
    p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = 2;
    std::vector<float> x = random_values(80, 1), y(20);
    std::vector<int64_t> indices(20);
    x[5] = x[44] = x[45] = nan;
    table->pool->max(p, x.data(), y.data(), nullptr, ParallelFor());
    CHECK(std::isnan(y[2]));
    CHECK_FALSE(std::isnan(y[3]));
    table->pool->max(p, x.data(), y.data(), indices.data(), ParallelFor());
    CHECK(std::isnan(y[2]));
    CHECK(indices[2] == 5);
    std::vector<float> dy(20, 1), dx(80);
    table->pool->max_grad(p, x.data(), nullptr, dy.data(), dx.data(), ParallelFor());
    CHECK(dx[5] == 1);
    CHECK((dx[44] == 0 && dx[45] == 0));
  }
}

}  // namespace

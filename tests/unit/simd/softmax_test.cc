#include <doctest/doctest.h>

#include <limits>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

struct Expected {
  std::vector<double> softmax, log_softmax;
};
Expected expected(const std::vector<float>& x, int64_t rows, int64_t classes) {
  Expected e;
  for (int64_t r = 0; r < rows; ++r) {
    const auto row = x.begin() + r * classes;
    double max = -1e300, sum = 0;
    for (int64_t c = 0; c < classes; ++c) max = std::max(max, static_cast<double>(row[c]));
    for (int64_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(row[c]) - max);
    for (int64_t c = 0; c < classes; ++c) {
      e.log_softmax.push_back(static_cast<double>(row[c]) - max - std::log(sum));
      e.softmax.push_back(std::exp(e.log_softmax.back()));
    }
  }
  return e;
}

TEST_CASE("softmax, its logarithm and their gradients are right, in place too, with the same bits") {
  for (int64_t rows : {1, 5, 64}) {
    for (int64_t classes : {1, 2, 10, 16, 17, 100, 9000}) {
      if (rows == 64 && classes == 9000) continue;
      const int64_t n = rows * classes;
      const auto x = random_values(n, 1, -8, 8), dy = random_values(n, 2);
      const Expected e = expected(x, rows, classes);
      std::vector<double> softmax_grad, log_grad;
      for (int64_t r = 0; r < rows; ++r) {
        double dot = 0, sum = 0;
        for (int64_t i = r * classes; i < (r + 1) * classes; ++i) {
          dot += e.softmax[static_cast<size_t>(i)] * static_cast<double>(dy[static_cast<size_t>(i)]);
          sum += static_cast<double>(dy[static_cast<size_t>(i)]);
        }
        for (int64_t i = r * classes; i < (r + 1) * classes; ++i) {
          const double g = static_cast<double>(dy[static_cast<size_t>(i)]), p = e.softmax[static_cast<size_t>(i)];
          softmax_grad.push_back(p * (g - dot));
          log_grad.push_back(g - p * sum);
        }
      }
      CHECK(agrees(
          [&](const SimdTable& table, const ParallelFor& parallel) {
            std::vector<float> y(x.size()), in_place = x;
            table.softmax->softmax(x.data(), rows, classes, y.data(), parallel);
            table.softmax->softmax(in_place.data(), rows, classes, in_place.data(), parallel);
            CHECK(same_bits(y, in_place));
            return y;
          },
          [&](const std::vector<float>& got) { CHECK(worst_error(got, e.softmax, 1e-3) < 1e-5); }));
      CHECK(agrees(
          [&](const SimdTable& table, const ParallelFor& parallel) {
            std::vector<float> y(x.size());
            table.softmax->log_softmax(x.data(), rows, classes, y.data(), parallel);
            return y;
          },
          [&](const std::vector<float>& got) { CHECK(worst_error(got, e.log_softmax, 1.0) < 3e-6); }));
      CHECK(agrees(
          [&](const SimdTable& table, const ParallelFor& parallel) {
            std::vector<float> y(x.size()), dx = dy;
            table.softmax->softmax(x.data(), rows, classes, y.data(), parallel);
            table.softmax->softmax_grad(y.data(), dx.data(), rows, classes, dx.data(), parallel);
            return dx;
          },
          [&](const std::vector<float>& got) { CHECK(worst_error(got, softmax_grad, 1e-2) < 1e-4); }));
      CHECK(agrees(
          [&](const SimdTable& table, const ParallelFor& parallel) {
            std::vector<float> y(x.size());
            table.softmax->log_softmax(x.data(), rows, classes, y.data(), parallel);
            table.softmax->log_softmax_grad(y.data(), dy.data(), rows, classes, y.data(), parallel);
            return y;
          },
          [&](const std::vector<float>& got) { CHECK(worst_error(got, log_grad, 1.0) < 1e-5); }));
    }
  }
}

TEST_CASE("cross-entropy and its gradient are right for both kinds of labels") {
  const int64_t rows = 33, classes = 10;
  const auto x = random_values(rows * classes, 1, -5, 5), weight = random_values(rows, 2);
  const Expected e = expected(x, rows, classes);
  std::vector<int64_t> labels64;
  std::vector<int32_t> labels32;
  std::vector<double> loss, grad;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t label = r * 7 % classes;
    labels64.push_back(label);
    labels32.push_back(static_cast<int32_t>(label));
    loss.push_back(-e.log_softmax[static_cast<size_t>(r * classes + label)]);
    for (int64_t c = 0; c < classes; ++c) {
      grad.push_back((e.softmax[static_cast<size_t>(r * classes + c)] - (c == label)) *
                     static_cast<double>(weight[static_cast<size_t>(r)]));
    }
  }
  for (bool wide : {false, true}) {
    const int32_t* l32 = wide ? nullptr : labels32.data();
    const int64_t* l64 = wide ? labels64.data() : nullptr;
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          std::vector<float> got(static_cast<size_t>(rows)), alone = got, in_place = x;
          table.softmax->cross_entropy(x.data(), l32, l64, rows, classes, alone.data(), nullptr, parallel);
          table.softmax->cross_entropy(in_place.data(), l32, l64, rows, classes, got.data(), in_place.data(), parallel);
          CHECK(same_bits(got, alone));
          CHECK(worst_error(in_place, e.softmax, 1e-3) < 1e-5);
          return got;
        },
        [&](const std::vector<float>& got) { CHECK(worst_error(got, loss, 1.0) < 3e-6); }));
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          std::vector<float> p(x.size());
          table.softmax->softmax(x.data(), rows, classes, p.data(), parallel);
          table.softmax->cross_entropy_grad(p.data(), l32, l64, weight.data(), false, rows, classes, p.data(),
                                            parallel);
          return p;
        },
        [&](const std::vector<float>& got) { CHECK(worst_error(got, grad, 1e-2) < 1e-5); }));
  }
}

TEST_CASE("a label outside the classes gives NaN and touches nothing") {
  const float x[6] = {1, 2, 3, 4, 5, 6}, one = 1;
  const int64_t labels[2] = {3, 1};
  const int32_t negative[2] = {-1, 2};
  for (const SimdTable* table : tables()) {
    float loss[2], grad[6];
    table->softmax->cross_entropy(x, nullptr, labels, 2, 3, loss, nullptr, ParallelFor());
    CHECK(std::isnan(loss[0]));
    CHECK(loss[1] == doctest::Approx(1.407606));
    table->softmax->cross_entropy_grad(x, negative, nullptr, &one, true, 2, 3, grad, ParallelFor());
    CHECK(std::isnan(grad[0]));
    CHECK(std::isnan(grad[2]));
    CHECK(grad[3] == 4);
    CHECK(grad[5] == 5);
  }
}

TEST_CASE("large logits do not overflow and a NaN stays in its row") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float x[6] = {1000, 999, -1000, 0, nan, 0};
  for (const SimdTable* table : tables()) {
    float y[6];
    table->softmax->softmax(x, 2, 3, y, ParallelFor());
    CHECK(y[0] == doctest::Approx(0.731059));
    CHECK(y[2] == 0);
    for (int i = 3; i < 6; ++i) CHECK(std::isnan(y[i]));
  }
}

}  // namespace

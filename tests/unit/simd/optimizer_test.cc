#include "tests/unit/simd/util.h"

#include <doctest/doctest.h>

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

// Three steps of an update on every table beside the same in f64. Update: (table, p, g, states, step); Want:
// one
// element: (p, g, states, step).
template <class Update, class Want>
void check_update(Update&& update, Want&& want_one) {
  for (int64_t n : {1, 16, 37, 300}) {
    const auto p0 = random_values(n, 1);
    std::vector<double> want(p0.begin(), p0.end());
    std::vector<std::vector<double>> states(3, std::vector<double>(p0.size()));
    for (int step = 1; step <= 3; ++step) {
      const auto g = random_values(n, 10 + static_cast<uint32_t>(step));
      for (size_t i = 0; i < p0.size(); ++i) {
        double s[3] = {states[0][i], states[1][i], states[2][i]};
        want_one(want[i], static_cast<double>(g[i]), s, step);
        for (size_t j = 0; j < 3; ++j) states[j][i] = s[j];
      }
    }
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor&) {
          std::vector<float> p = p0, a(p0.size()), b(p0.size()), c(p0.size());
          for (int step = 1; step <= 3; ++step) {
            const auto g = random_values(n, 10 + static_cast<uint32_t>(step));
            float* s[3] = {a.data(), b.data(), c.data()};
            update(*table.optimizer, p.data(), g.data(), s, step, n);
          }
          return p;
        },
        [&](const std::vector<float>& got) { CHECK(worst_error(got, want, 0.1) < 2e-5); }));
  }
}

TEST_CASE("sgd follows torch.optim.SGD without momentum") {
  check_update(
      [](const OptimizerFns& f, float* p, const float* g, float**, int, int64_t n) {
        f.sgd({0.1f, 0.01f, 0.5f}, p, g, n);
      },
      [](double& p, double g, double*, int) { p -= 0.1 * (0.5 * g + 0.01 * p); });
}

TEST_CASE("momentum follows torch.optim.SGD with momentum, plain and Nesterov's") {
  for (bool nesterov : {false, true}) {
    check_update(
        [=](const OptimizerFns& f, float* p, const float* g, float** s, int, int64_t n) {
          f.momentum({0.1f, 0.9f, 0.2f, 0.01f, 2.0f, nesterov}, p, g, s[0], n);
        },
        [=](double& p, double g, double* s, int) {
          g = 2 * g + 0.01 * p;
          s[0] = 0.9 * s[0] + 0.8 * g;
          p -= 0.1 * (nesterov ? g + 0.9 * s[0] : s[0]);
        });
  }
}

TEST_CASE("adam and adamw follow torch.optim.Adam and AdamW") {
  for (bool decoupled : {false, true}) {
    check_update(
        [=](const OptimizerFns& f, float* p, const float* g, float** s, int step, int64_t n) {
          Adam o;
          o.lr = 0.05, o.weight_decay = 0.1, o.decoupled = decoupled;
          o.correction1 = 1 - std::pow(o.beta1, step), o.correction2 = 1 - std::pow(o.beta2, step);
          f.adam(o, p, g, s[0], s[1], n);
        },
        [=](double& p, double g, double* s, int step) {
          if (decoupled) p *= 1 - 0.05 * 0.1;
          if (!decoupled) g += 0.1 * p;
          s[0] = 0.9 * s[0] + 0.1 * g;
          s[1] = 0.999 * s[1] + 0.001 * g * g;
          const double m = s[0] / (1 - std::pow(0.9, step)), v = s[1] / (1 - std::pow(0.999, step));
          p -= 0.05 * m / (std::sqrt(v) + 1e-8);
        });
  }
}

TEST_CASE("rmsprop follows torch.optim.RMSprop, centered and with momentum") {
  for (bool centered : {false, true}) {
    for (bool with_momentum : {false, true}) {
      check_update(
          [=](const OptimizerFns& f, float* p, const float* g, float** s, int, int64_t n) {
            f.rmsprop({0.01f, 0.9f, 1e-3f, 0.8f, 0.1f, 1.0f}, p, g, s[0], centered ? s[1] : nullptr,
                      with_momentum ? s[2] : nullptr, n);
          },
          [=](double& p, double g, double* s, int) {
            g += 0.1 * p;
            s[0] = 0.9 * s[0] + 0.1 * g * g;
            s[1] += 0.1 * (g - s[1]);
            const double v = centered ? s[0] - s[1] * s[1] : s[0];
            const double u = g / (std::sqrt(v) + 1e-3);
            s[2] = 0.8 * s[2] + u;
            p -= 0.01 * (with_momentum ? s[2] : u);
          });
    }
  }
}

TEST_CASE("adagrad follows torch.optim.Adagrad") {
  check_update(
      [](const OptimizerFns& f, float* p, const float* g, float** s, int, int64_t n) {
        f.adagrad({0.1f, 1e-6f, 0.01f, 1.0f}, p, g, s[0], n);
      },
      [](double& p, double g, double* s, int) {
        g += 0.01 * p;
        s[0] += g * g;
        p -= 0.1 * g / (std::sqrt(s[0]) + 1e-6);
      });
}

TEST_CASE("accumulate, axpy and scale work in place") {
  check_update(
      [](const OptimizerFns& f, float* p, const float* g, float**, int, int64_t n) { f.accumulate(p, g, n); },
      [](double& p, double g, double*, int) { p += g; });
  check_update(
      [](const OptimizerFns& f, float* p, const float* g, float**, int, int64_t n) { f.axpy(0.5f, g, p, n); },
      [](double& p, double g, double*, int) { p += 0.5 * g; });
  check_update(
      [](const OptimizerFns& f, float* p, const float*, float**, int, int64_t n) { f.scale(0.5f, p, n); },
      [](double& p, double, double*, int) { p *= 0.5; });
}

TEST_CASE("a batched transposition moves every element") {
  for (int64_t rows : {1, 3, 16, 35, 64}) {
    for (int64_t cols : {1, 5, 16, 100, 784}) {
      const auto from = random_values(3 * rows * cols, 1);
      CHECK(agrees(
          [&](const SimdTable& table, const ParallelFor& parallel) {
            std::vector<float> to(from.size());
            table.transpose->transpose32(from.data(), 3, rows, cols, to.data(), parallel);
            return to;
          },
          [&](const std::vector<float>& got) {
            bool right = true;
            for (int64_t b = 0; b < 3; ++b) {
              for (int64_t r = 0; r < rows; ++r) {
                for (int64_t c = 0; c < cols; ++c) {
                  right = right && got[static_cast<size_t>((b * cols + c) * rows + r)] ==
                                       from[static_cast<size_t>((b * rows + r) * cols + c)];
                }
              }
            }
            CHECK(right);
          }));
    }
  }
}

}  // namespace

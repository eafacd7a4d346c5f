#include <doctest/doctest.h>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

// Runs three steps of an update on every table and compares with the same update in f64. Update is
// called with (table, p, g, states, step); Want, for one element, with (p, g, states, step).
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

TEST_CASE("ftrl follows TensorFlow's FTRL-proximal with a square root") {
  check_update(
      [](const OptimizerFns& f, float* p, const float* g, float** s, int, int64_t n) {
        f.ftrl({.lr = 0.2, .l1 = 0.3, .l2 = 0.1, .l2_shrinkage = 0.05, .beta = 0.5, .grad_scale = 2}, p, g, s[0], s[1],
               n);
      },
      [](double& p, double g, double* s, int) {
        g *= 2;
        const double now = s[0] + g * g, sigma = (std::sqrt(now) - std::sqrt(s[0])) / 0.2;
        s[0] = now;
        s[1] += g + 0.1 * p - sigma * p;
        const double clipped = std::min(std::max(s[1], -0.3), 0.3);
        p = (clipped - s[1]) / ((std::sqrt(now) + 0.5) / 0.2 + 0.2);
      });
}

TEST_CASE("lion follows the published algorithm") {
  check_update(
      [](const OptimizerFns& f, float* p, const float* g, float** s, int, int64_t n) {
        f.lion({.lr = 0.05, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1, .grad_scale = 0.5}, p, g, s[0], n);
      },
      [](double& p, double g, double* s, int) {
        g *= 0.5;
        const double c = 0.9 * s[0] + 0.1 * g;
        p -= 0.05 * ((c > 0) - (c < 0) + 0.1 * p);
        s[0] = 0.99 * s[0] + 0.01 * g;
      });
}

TEST_CASE("lamb's direction and its sums of squares follow the published algorithm") {
  for (int64_t n : {1, 16, 37, 20000}) {
    const auto p = random_values(n, 1), g = random_values(n, 2);
    double of_p = 0, of_u = 0;
    std::vector<double> want(p.size());
    for (size_t i = 0; i < p.size(); ++i) {
      const double w = p[i], m = 0.1 * g[i], v = 0.001 * g[i] * static_cast<double>(g[i]);
      const double u = m / 0.1 / (std::sqrt(v / 0.001) + 1e-3) + 0.2 * w;
      of_p += w * w;
      of_u += u * u;
      want[i] = w - 0.3 * u;
    }
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor&) {
          const Lamb o{.epsilon = 1e-3, .weight_decay = 0.2, .correction1 = 0.1, .correction2 = 0.001, .step = 0.3};
          std::vector<float> out = p, m(p.size()), v(p.size());
          double sums[2];
          table.optimizer->lamb_moments(o, out.data(), g.data(), m.data(), v.data(), n, sums);
          table.optimizer->lamb_step(o, out.data(), m.data(), v.data(), n);
          out.push_back(static_cast<float>(sums[0]));
          out.push_back(static_cast<float>(sums[1]));
          return out;
        },
        [&](const std::vector<float>& got) {
          std::vector<double> all = want;
          all.push_back(of_p);
          all.push_back(of_u);
          CHECK(worst_error(got, all, 0.1) < 2e-5);
        }));
  }
}

TEST_CASE("accumulate, axpy and scale work in place") {
  check_update([](const OptimizerFns& f, float* p, const float* g, float**, int, int64_t n) { f.accumulate(p, g, n); },
               [](double& p, double g, double*, int) { p += g; });
  check_update([](const OptimizerFns& f, float* p, const float* g, float**, int, int64_t n) { f.axpy(0.5f, g, p, n); },
               [](double& p, double g, double*, int) { p += 0.5 * g; });
  check_update([](const OptimizerFns& f, float* p, const float*, float**, int, int64_t n) { f.scale(0.5f, p, n); },
               [](double& p, double, double*, int) { p *= 0.5; });
}

TEST_CASE("a batched transposition moves every element") {
  for (int64_t rows : {1, 2, 3, 4, 16, 35, 64, 5000}) {
    for (int64_t cols : {1, 2, 3, 4, 5, 16, 100, 5001}) {
      if (rows * cols > 1'000'000) continue;
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

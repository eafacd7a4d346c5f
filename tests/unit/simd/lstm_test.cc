#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include "core/tensor/half.h"
#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

constexpr int64_t kUnits = kLstmUnits, kGates = kLstmGates;

struct Sizes {
  int64_t steps, input, hidden;
  int64_t blocks() const { return (hidden + kUnits - 1) / kUnits; }
  int64_t gates() const { return blocks() * kGates * kUnits; }
};

// Returns the index of gate g of unit u in a tensor [units, 4, 16].
size_t place(int64_t g, int64_t u) { return static_cast<size_t>((u / kUnits * kGates + g) * kUnits + u % kUnits); }

// Packs w [4 * hidden, k] as documented in lstm.h.
template <class T>
std::vector<T> packed(const std::vector<T>& w, int64_t hidden, int64_t k) {
  constexpr int64_t kColumns = sizeof(T) == 2 ? 2 : 1;
  std::vector<T> out(static_cast<size_t>(lstm_packed_bytes(hidden, k, sizeof(T) == 2)) / sizeof(T));
  const int64_t rows = (k + kColumns - 1) / kColumns;
  for (int64_t g = 0; g < kGates; ++g) {
    for (int64_t u = 0; u < hidden; ++u) {
      for (int64_t i = 0; i < k; ++i) {
        const int64_t row = u / kUnits * rows + i / kColumns;
        out[static_cast<size_t>(((row * kGates + g) * kUnits + u % kUnits) * kColumns + i % kColumns)] =
            w[static_cast<size_t>((g * hidden + u) * k + i)];
      }
    }
  }
  return out;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

template <class T>
double value(T w) {
  if constexpr (sizeof(T) == 2) {
    return static_cast<double>(to_f32(BF16{w}));
  } else {
    return static_cast<double>(w);
  }
}

// Computes h of all steps, then c, in f64 from the formulas of the op.
template <class T>
std::vector<double> reference(const Sizes& s, const std::vector<float>& x, const std::vector<T>& w,
                              const std::vector<T>& r, const std::vector<float>& bias) {
  std::vector<double> out, h(static_cast<size_t>(s.hidden)), c = h;
  for (int64_t t = 0; t < s.steps; ++t) {
    std::vector<double> next(h.size());
    for (int64_t u = 0; u < s.hidden; ++u) {
      double gate[kGates];
      for (int64_t g = 0; g < kGates; ++g) {
        double sum = static_cast<double>(bias[place(g, u)]);
        for (int64_t i = 0; i < s.input; ++i) {
          sum += value(w[static_cast<size_t>((g * s.hidden + u) * s.input + i)]) *
                 static_cast<double>(x[static_cast<size_t>(t * s.input + i)]);
        }
        for (int64_t i = 0; i < s.hidden; ++i) {
          sum += value(r[static_cast<size_t>((g * s.hidden + u) * s.hidden + i)]) * h[static_cast<size_t>(i)];
        }
        gate[g] = sum;
      }
      double& state = c[static_cast<size_t>(u)];
      state = sigmoid(gate[2]) * state + sigmoid(gate[0]) * std::tanh(gate[3]);
      next[static_cast<size_t>(u)] = sigmoid(gate[1]) * std::tanh(state);
    }
    h = next;
    out.insert(out.end(), h.begin(), h.end());
  }
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

template <class T>
std::vector<float> walk(const LstmFnsOf<T>& fns, const Sizes& s, const std::vector<float>& x, const std::vector<T>& w,
                        const std::vector<T>& r, const std::vector<float>& bias, const ParallelFor& parallel) {
  const auto width = static_cast<size_t>(s.blocks() * kUnits);
  std::vector<float> gates(static_cast<size_t>(s.steps * s.gates())), h(width), next(width), c(width), out;
  fns.project(x.data(), s.steps, s.input, w.data(), bias.data(), s.hidden, gates.data(), parallel);
  for (int64_t t = 0; t < s.steps; ++t) {
    fns.step(gates.data() + t * s.gates(), h.data(), r.data(), s.hidden, c.data(), next.data(), t % 3 == 1, parallel);
    h.swap(next);
    out.insert(out.end(), h.begin(), h.begin() + s.hidden);
  }
  out.insert(out.end(), c.begin(), c.begin() + s.hidden);
  for (size_t u = static_cast<size_t>(s.hidden); u < width; ++u) CHECK((h[u] == 0 && c[u] == 0));
  return out;
}

TEST_CASE("an LSTM with packed weights follows its formulas on every instruction set, in any order of its pieces") {
  for (const auto& [steps, input, hidden] : {std::tuple{1, 1, 1}, {9, 7, 16}, {14, 33, 40}, {5, 128, 300}}) {
    const Sizes s{steps, input, hidden};
    CAPTURE(hidden);
    const auto x = random_values(s.steps * s.input, 1);
    const auto w = random_values(kGates * s.hidden * s.input, 2, -0.3, 0.3),
               r = random_values(kGates * s.hidden * s.hidden, 3, -0.2, 0.2);
    std::vector<float> bias(static_cast<size_t>(s.gates()));
    for (int64_t u = 0; u < s.hidden; ++u) {
      for (int64_t g = 0; g < kGates; ++g) bias[place(g, u)] = static_cast<float>(g) * 0.1f - 0.2f;
    }
    const auto want = reference(s, x, w, r, bias);
    const auto w_packed = packed(w, s.hidden, s.input), r_packed = packed(r, s.hidden, s.hidden);
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          return walk(table.lstm->f32, s, x, w_packed, r_packed, bias, parallel);
        },
        [&](const std::vector<float>& got) { CHECK(worst_error(got, want, 1) < 2e-6); }));

    std::vector<uint16_t> w16, r16;
    for (float v : w) w16.push_back(to_bf16(v).bits);
    for (float v : r) r16.push_back(to_bf16(v).bits);
    const auto want16 = reference(s, x, w16, r16, bias);
    const auto w16_packed = packed(w16, s.hidden, s.input), r16_packed = packed(r16, s.hidden, s.hidden);
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor& parallel) {
          return walk(table.lstm->bf16, s, x, w16_packed, r16_packed, bias, parallel);
        },
        [&](const std::vector<float>& got) { CHECK(worst_error(got, want16, 1) < 2e-6); }));
  }
}

}  // namespace

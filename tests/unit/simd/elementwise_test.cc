#include <doctest/doctest.h>

#include <limits>
#include <numbers>
#include <random>

#include "tests/unit/simd/util.h"

namespace {

using namespace percale;                 // NOLINT
using namespace percale::simd;           // NOLINT
using namespace percale::simd::testing;  // NOLINT

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

double reference(Unary op, double x, double a, double b) {
  const auto clamp = [](double v, double low, double high) { return v != v ? v : std::min(std::max(v, low), high); };
  switch (op) {
    case Unary::kCopy: return x;
    case Unary::kNeg: return -x;
    case Unary::kAbs: return std::abs(x);
    case Unary::kSquare: return x * x;
    case Unary::kReciprocal: return 1 / x;
    case Unary::kSqrt: return std::sqrt(x);
    case Unary::kFloor: return std::floor(x);
    case Unary::kCeil: return std::ceil(x);
    case Unary::kRound: return std::nearbyint(x);
    case Unary::kRelu: return x < 0 ? 0 : x;
    case Unary::kLeakyRelu: return x < 0 ? a * x : x;
    case Unary::kClip: return clamp(x, a, b);
    case Unary::kAffine: return x * a + b;
    case Unary::kHardSigmoid: return clamp(a * x + b, 0, 1);
    case Unary::kHardSwish: return x * clamp(x / 6 + 0.5, 0, 1);
    case Unary::kExp: return std::exp(x);
    case Unary::kLog: return std::log(x);
    case Unary::kSigmoid: return 1 / (1 + std::exp(-x));
    case Unary::kTanh: return std::tanh(x);
    case Unary::kErf: return std::erf(x);
    case Unary::kSoftplus: return x > 30 ? x : std::log1p(std::exp(x));
    case Unary::kElu: return x < 0 ? a * std::expm1(x) : x;
    case Unary::kSilu: return x / (1 + std::exp(-a * x));
    case Unary::kGelu: return x / 2 * std::erfc(-x / std::sqrt(2.0));
    case Unary::kGeluTanh: return x / (1 + std::exp(-2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case Unary::kCount: break;
  }
  return 0;
}

double reference(Binary op, double x, double y, double a) {
  switch (op) {
    case Binary::kAdd: return x + y;
    case Binary::kSub: return x - y;
    case Binary::kMul: return x * y;
    case Binary::kDiv: return x / y;
    case Binary::kMax: return x != x || y != y ? x + y : std::max(x, y);
    case Binary::kMin: return x != x || y != y ? x + y : std::min(x, y);
    case Binary::kReluGrad: return x <= 0 ? 0 : y;
    case Binary::kLeakyReluGrad: return x < 0 ? a * y : y;
    case Binary::kSigmoidGrad: return y * x * (1 - x);
    case Binary::kTanhGrad: return y * (1 - x * x);
    case Binary::kCount: break;
  }
  return 0;
}

constexpr int kUnaries = static_cast<int>(Unary::kCount), kBinaries = static_cast<int>(Binary::kCount);

TEST_CASE("every unary function is right on many sizes, in place too, with the same bits on each instruction set") {
  for (int op = 0; op < kUnaries; ++op) {
    CAPTURE(op);
    const bool positive = static_cast<Unary>(op) == Unary::kSqrt || static_cast<Unary>(op) == Unary::kLog;
    for (int64_t n : {0, 1, 3, 7, 8, 15, 16, 17, 33, 1000}) {
      for (double reach : {1.0, 20.0}) {
        const auto x = random_values(n, 5, positive ? 1e-6 : -reach, reach);
        std::vector<double> want;
        for (float v : x) {
          want.push_back(reference(static_cast<Unary>(op), static_cast<double>(v), 0.25, static_cast<double>(0.4f)));
        }
        CHECK(agrees(
            [&](const SimdTable& table, const ParallelFor&) {
              std::vector<float> y(x.size()), in_place = x;
              table.elementwise->unary_f32[op](x.data(), y.data(), n, 0.25f, 0.4f);
              table.elementwise->unary_f32[op](in_place.data(), in_place.data(), n, 0.25f, 0.4f);
              CHECK(same_bits(y, in_place));
              return y;
            },
            [&](const std::vector<float>& got) { CHECK(worst_error(got, want, 1e-2) < 2e-5); }));
      }
    }
  }
}

TEST_CASE("exp, log, tanh, sigmoid and erf are good to a few units in the last place over their whole range") {
  struct Range {
    Unary op;
    double low, high, ulps;
  };
  for (const Range& r :
       {Range{Unary::kExp, -87, 88.7, 2.0}, Range{Unary::kLog, 1e-3, 4, 2.0}, Range{Unary::kLog, 1, 3e38, 2.0},
        Range{Unary::kTanh, -10, 10, 3.0}, Range{Unary::kTanh, -0.7, 0.7, 3.0}, Range{Unary::kSigmoid, -80, 80, 4.0},
        Range{Unary::kErf, -1, 1, 3.0}, Range{Unary::kErf, -5, 5, 3.0}, Range{Unary::kSoftplus, -20, 20, 4.0},
        Range{Unary::kElu, -20, 0, 3.0}}) {
    CAPTURE(static_cast<int>(r.op));
    CAPTURE(r.low);
    const auto x = random_values(100000, 9, r.low, r.high);
    for (const SimdTable* table : tables()) {
      std::vector<float> y(x.size());
      table->elementwise->unary_f32[static_cast<int>(r.op)](x.data(), y.data(), 100000, 1, 0);
      double worst = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double want = reference(r.op, static_cast<double>(x[i]), 1, 0);
        const double ulp = std::ldexp(1.0, std::max(std::ilogb(want), -126) - 23);
        const double error = std::abs(static_cast<double>(y[i]) - want) / ulp;
        if (!(error <= worst)) worst = error;
      }
      CHECK(worst < r.ulps);
    }
  }
}

TEST_CASE("NaN, infinities, zeros and tiny values go through as the definitions say") {
  const std::vector<float> x = {kNan,     kInf,  -kInf,   0.0f,    -0.0f,  1e-40f, -1e-40f, 1e-45f, 3.4e38f,
                                -3.4e38f, 89.0f, -104.0f, -100.0f, 88.72f, 2.5f,   -2.5f,   1.5f,   -0.5f};
  for (const SimdTable* table : tables()) {
    for (int op = 0; op < kUnaries; ++op) {
      CAPTURE(op);
      std::vector<float> y(x.size());
      table->elementwise->unary_f32[op](x.data(), y.data(), static_cast<int64_t>(x.size()), 0.25f, 0.4f);
      for (size_t i = 0; i < x.size(); ++i) {
        CAPTURE(x[i]);
        const double exact =
            reference(static_cast<Unary>(op), static_cast<double>(x[i]), 0.25, static_cast<double>(0.4f));
        // x sigmoid(x), x hard_sigmoid(x) and gelu(x) at -infinity are -infinity times 0 by their
        // formulas.
        const float want = static_cast<float>(exact);
        if (x[i] == -kInf && (op == static_cast<int>(Unary::kSilu) || op == static_cast<int>(Unary::kHardSwish) ||
                              op == static_cast<int>(Unary::kGelu) || op == static_cast<int>(Unary::kGeluTanh))) {
          CHECK(std::isnan(y[i]));
        } else if (std::isnan(want)) {
          CHECK(std::isnan(y[i]));
        } else if (std::isinf(want)) {
          CHECK(y[i] == want);
        } else {
          CHECK(std::abs(static_cast<double>(y[i]) - exact) <=
                1e-6 * std::abs(exact) + 1.1e-44 + (op == static_cast<int>(Unary::kGelu) ? 1e-6 : 0) +
                    // A tiny sigmoid is flushed to 0.
                    (op == static_cast<int>(Unary::kSilu) || op == static_cast<int>(Unary::kGeluTanh) ? 1e-35 : 0));
        }
      }
    }
  }
}

TEST_CASE("every binary function is right for vectors and scalars, in place too, with the same bits") {
  for (int op = 0; op < kBinaries; ++op) {
    CAPTURE(op);
    for (int64_t n : {0, 1, 5, 16, 31, 100}) {
      for (int scalars = 0; scalars < 4; ++scalars) {
        const bool xs = scalars & 1, ys = scalars & 2;
        auto x = random_values(n + 1, 3), y = random_values(n + 1, 4, 0.1, 2);
        if (n > 4) x[2] = kNan, y[3] = kNan, x[4] = kInf;
        std::vector<double> want;
        for (int64_t i = 0; i < n; ++i) {
          want.push_back(reference(static_cast<Binary>(op), static_cast<double>(x[static_cast<size_t>(xs ? 0 : i)]),
                                   static_cast<double>(y[static_cast<size_t>(ys ? 0 : i)]), 0.25));
        }
        CHECK(agrees(
            [&](const SimdTable& table, const ParallelFor&) {
              std::vector<float> z(static_cast<size_t>(n)), in_place = xs ? y : x;
              table.elementwise->binary_f32[op](x.data(), xs, y.data(), ys, z.data(), n, 0.25f);
              if (!(xs && ys)) {
                table.elementwise->binary_f32[op](xs ? x.data() : in_place.data(), xs, xs ? in_place.data() : y.data(),
                                                  ys, in_place.data(), n, 0.25f);
                in_place.resize(z.size());
                CHECK(same_bits(z, in_place));
              }
              return z;
            },
            [&](const std::vector<float>& got) {
              bool right = true;
              for (size_t i = 0; i < got.size(); ++i) {
                const double value = static_cast<double>(got[i]);
                right = right && (std::isnan(want[i])   ? std::isnan(value)
                                  : std::isinf(want[i]) ? value == want[i]
                                                        : std::abs(value - want[i]) <= 1e-6 * (1 + std::abs(want[i])));
              }
              CHECK(right);
            }));
      }
    }
  }
}

TEST_CASE("f64 has the arithmetic functions and leaves the others out") {
  const auto x = random_values<double>(37, 3), y = random_values<double>(37, 4);
  for (const SimdTable* table : tables()) {
    for (int op = 0; op < kUnaries; ++op) {
      const UnaryFn<double> f = table->elementwise->unary_f64[op];
      CHECK((f != nullptr) == (op < static_cast<int>(Unary::kExp)));
      if (!f || static_cast<Unary>(op) == Unary::kSqrt) continue;
      std::vector<double> got(x.size()), want;
      f(x.data(), got.data(), 37, 0.25, 0.5);
      for (double v : x) want.push_back(reference(static_cast<Unary>(op), v, 0.25, 0.5));
      CHECK(worst_error(got, want, 1.0) < 1e-15);
    }
    for (int op = 0; op < kBinaries; ++op) {
      std::vector<double> got(x.size()), want;
      table->elementwise->binary_f64[op](x.data(), false, y.data(), false, got.data(), 37, 0.25);
      for (size_t i = 0; i < x.size(); ++i) want.push_back(reference(static_cast<Binary>(op), x[i], y[i], 0.25));
      CHECK(worst_error(got, want, 1.0) < 1e-15);
    }
  }
}

TEST_CASE("a chain gives the bits of its steps run one by one") {
  for (int64_t n : {1, 255, 256, 257, 1000}) {
    const auto x = random_values(n, 1), y = random_values(n, 2), bias = random_values(1, 3);
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor&) {
          using O = ChainOperand;
          std::vector<ChainStep> steps(5);
          // t0 = x * y; t1 = t0 + bias; out0 = tanh(t1); t0 = exp(bias); out1 = out0 - t0
          steps[0] = {true, Unary::kCopy, Binary::kMul, {O::kInput, 0}, {O::kInput, 1}, {O::kTemporary, 0}, 0, 0};
          steps[1] = {true, Unary::kCopy, Binary::kAdd, {O::kTemporary, 0}, {O::kScalarInput, 2}, {O::kTemporary, 1}, 0,
                      0};
          steps[2] = {false, Unary::kTanh, Binary::kAdd, {O::kTemporary, 1}, {}, {O::kOutput, 0}, 0, 0};
          steps[3] = {false, Unary::kExp, Binary::kAdd, {O::kScalarInput, 2}, {}, {O::kTemporary, 0}, 0, 0};
          steps[4] = {true, Unary::kCopy, Binary::kSub, {O::kOutput, 0}, {O::kTemporary, 0}, {O::kOutput, 1}, 0, 0};
          std::vector<float> out0(x.size()), out1(x.size());
          const float* inputs[] = {x.data(), y.data(), bias.data()};
          float* outputs[] = {out0.data(), out1.data()};
          table.elementwise->run_chain(steps.data(), 5, inputs, outputs, n);

          const ElementwiseFns& e = *table.elementwise;
          std::vector<float> t(x.size()), want(x.size());
          float exp_bias = 0;
          e.binary_f32[static_cast<int>(Binary::kMul)](x.data(), false, y.data(), false, t.data(), n, 0);
          e.binary_f32[static_cast<int>(Binary::kAdd)](t.data(), false, bias.data(), true, t.data(), n, 0);
          e.unary_f32[static_cast<int>(Unary::kTanh)](t.data(), t.data(), n, 0, 0);
          e.unary_f32[static_cast<int>(Unary::kExp)](bias.data(), &exp_bias, 1, 0, 0);
          e.binary_f32[static_cast<int>(Binary::kSub)](t.data(), false, &exp_bias, true, want.data(), n, 0);
          CHECK(same_bits(out0, t));
          CHECK(same_bits(out1, want));
          return out1;
        },
        [](const std::vector<float>&) {}));
  }
}

// The next step reads each step's result in a register, as its first operand, its second, or both.
TEST_CASE("a chain whose results stay in registers gives the bits of its steps run one by one") {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const int64_t n = 1 + static_cast<int64_t>(random() % 700);
    CAPTURE(round);
    CAPTURE(n);
    auto x = random_values(n, static_cast<uint32_t>(round)), y = random_values(n, 100), bias = random_values(1, 3);
    x[0] = kNan, y[static_cast<size_t>(n) / 2] = -kNan;
    const float* inputs[] = {x.data(), y.data(), bias.data()};
    const ChainOperand others[] = {
        {ChainOperand::kInput, 0}, {ChainOperand::kInput, 1}, {ChainOperand::kScalarInput, 2}};
    const auto count = 2 + static_cast<size_t>(random() % (kMaxRegisterSteps - 1));
    std::vector<ChainStep> steps(count);
    for (size_t i = 0; i < count; ++i) {
      ChainStep& s = steps[i];
      const ChainOperand before = i == 0 ? others[random() % 3] : ChainOperand{ChainOperand::kRegister, 0};
      s.a = 0.25f, s.b = 0.5f;
      s.to = {i + 1 == count ? ChainOperand::kOutput : ChainOperand::kRegister, 0};
      s.binary = random() % 2 == 0;
      s.x = before;
      if (!s.binary) {
        s.unary_op = static_cast<Unary>(random() % (static_cast<int>(Unary::kHardSwish) + 1));
        continue;
      }
      s.binary_op = static_cast<Binary>(random() % static_cast<int>(Binary::kCount));
      s.y = random() % 4 == 0 ? before : others[random() % 3];
      if (random() % 2 == 0) std::swap(s.x, s.y);
    }
    CHECK(agrees(
        [&](const SimdTable& table, const ParallelFor&) {
          std::vector<float> out(x.size());
          float* outputs[] = {out.data()};
          table.elementwise->run_chain(steps.data(), static_cast<int64_t>(count), inputs, outputs, n);
          std::vector<float> previous(x.size()), next(x.size());
          const auto data = [&](const ChainOperand& o) {
            return o.kind == ChainOperand::kRegister ? previous.data() : inputs[o.index];
          };
          const auto one = [](const ChainOperand& o) { return o.kind == ChainOperand::kScalarInput; };
          const ElementwiseFns& e = *table.elementwise;
          for (const ChainStep& s : steps) {
            if (s.binary) {
              e.binary_f32[static_cast<int>(s.binary_op)](data(s.x), one(s.x), data(s.y), one(s.y), next.data(), n,
                                                          s.a);
            } else if (one(s.x)) {
              const std::vector<float> all(x.size(), bias[0]);
              e.unary_f32[static_cast<int>(s.unary_op)](all.data(), next.data(), n, s.a, s.b);
            } else {
              e.unary_f32[static_cast<int>(s.unary_op)](data(s.x), next.data(), n, s.a, s.b);
            }
            previous = next;
          }
          // The sum of two NaNs may be either of them.
          for (std::vector<float>* values : {&out, &previous}) {
            for (float& v : *values) v = v != v ? kNan : v;
          }
          CHECK(same_bits(out, previous));
          return out;
        },
        [](const std::vector<float>&) {}));
  }
}

TEST_CASE("bytes become floats, scaled and shifted") {
  std::vector<uint8_t> bytes(300);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  CHECK(agrees(
      [&](const SimdTable& table, const ParallelFor&) {
        std::vector<float> y(bytes.size());
        table.elementwise->u8_to_f32(bytes.data(), y.data(), 300, 1.0f / 255, -0.5f);
        return y;
      },
      [&](const std::vector<float>& got) {
        std::vector<double> want;
        for (uint8_t b : bytes) want.push_back(b / 255.0 - 0.5);
        CHECK(worst_error(got, want, 1.0) < 1e-6);
      }));
}

}  // namespace

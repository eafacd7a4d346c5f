// Each function is compared with that of the C library, and the bits of its results with a recorded
// hash: another compiler or processor must give the same.
#include "core/maths/maths.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace percale {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Numbers that are the same everywhere, because the library's distributions are not.
class Numbers {
 public:
  double uniform(double low, double high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (static_cast<double>(state_ >> 11) * 0x1p-53);
  }
  // A number of either sign with an exponent of two from `low` to `high`.
  double spread(double low, double high) {
    const double exponent = std::floor(uniform(low, high)), sign = uniform(-1, 1) < 0 ? -1 : 1;
    return std::ldexp(sign * uniform(1, 2), static_cast<int>(exponent));
  }

 private:
  uint64_t state_ = 1;
};

struct Function {
  const char* name;
  double (*ours)(double);
  double (*theirs)(double);
  double low, high;  // arguments
  double exponent;   // largest exponent of two of further arguments; 0: none
  bool positive;
  uint64_t hash;
};
constexpr double kUlps = 4;
constexpr uint64_t kNoHash = 14695981039346656037u;  // FNV-1a

double steps_apart(double a, double b) {
  if (a == b || (a != a && b != b)) return 0;
  const double unit = std::nextafter(std::fabs(b), kInf) - std::fabs(b);
  return std::fabs(a - b) / unit;
}

std::vector<double> arguments_of(const Function& f) {
  Numbers numbers;
  std::vector<double> out;
  for (int i = 0; i < 2000; ++i) {
    out.push_back(numbers.uniform(f.low, f.high));
    if (f.exponent == 0) continue;
    const double x = numbers.spread(-60, f.exponent);
    out.push_back(f.positive ? std::fabs(x) : x);
  }
  return out;
}

uint64_t hash_of(uint64_t hash, double value) { return (hash ^ std::bit_cast<uint64_t>(value)) * 1099511628211u; }

const Function kFunctions[] = {
    {"exp", maths::exp, std::exp, -745, 709, 9, false, 8967829146598652715u},
    {"expm1", maths::expm1, std::expm1, -40, 709, 5, false, 4517345567224299604u},
    {"log", maths::log, std::log, 0.5, 2, 1000, true, 7813237571463951382u},
    {"log1p", maths::log1p, std::log1p, -0.99, 1, 100, true, 10333511447370763380u},
    {"log10", maths::log10, std::log10, 0.5, 2, 1000, true, 15128711835213078281u},
    {"sin", maths::sin, std::sin, -10, 10, 1000, false, 18349772663326615433u},
    {"cos", maths::cos, std::cos, -10, 10, 1000, false, 2927267543672828353u},
    {"tan", maths::tan, std::tan, -10, 10, 1000, false, 7815824177420344745u},
    {"asin", maths::asin, std::asin, -1, 1, -1, false, 12155539165173743939u},
    {"acos", maths::acos, std::acos, -1, 1, -1, false, 4097299525716973547u},
    {"atan", maths::atan, std::atan, -10, 10, 100, false, 15289557743901847987u},
    {"sinh", maths::sinh, std::sinh, -10, 10, 9, false, 15202447546466060890u},
    {"cosh", maths::cosh, std::cosh, -10, 10, 9, false, 4291558921653112999u},
    {"tanh", maths::tanh, std::tanh, -10, 10, 9, false, 8453251873032756640u},
    {"asinh", maths::asinh, std::asinh, -10, 10, 100, false, 18340214644696426884u},
    {"acosh", maths::acosh, std::acosh, 1, 10, 0, true, 1388762007033955046u},
    {"atanh", maths::atanh, std::atanh, -1, 1, -1, false, 7262336943918849952u},
    {"erf", maths::erf, std::erf, -7, 7, 5, false, 14205323839752237898u},
};

}  // namespace

TEST_CASE("The functions agree with those of the C library, and their bits with the recorded hashes") {
  for (const Function& f : kFunctions) {
    CAPTURE(f.name);
    double most = 0, at = 0;
    uint64_t hash = kNoHash;
    for (const double x : arguments_of(f)) {
      const double ours = f.ours(x), apart = steps_apart(ours, f.theirs(x));
      if (!(apart <= most)) most = apart, at = x;
      hash = hash_of(hash, ours);
    }
    CAPTURE(at);
    CHECK(most <= kUlps);
    CHECK(hash == f.hash);
  }
}

TEST_CASE("pow agrees with the C library, its bits with the recorded hashes, and float with double") {
  Numbers numbers;
  double most = 0, most_float = 0;
  uint64_t hash = kNoHash;
  for (int i = 0; i < 4000; ++i) {
    const double x = std::fabs(numbers.spread(-900, 900)), y = numbers.uniform(-700, 700) / std::log(x);
    const double ours = maths::pow(x, y);
    most = std::fmax(most, steps_apart(ours, std::pow(x, y)));
    hash = hash_of(hash, ours);
    const auto fx = static_cast<float>(numbers.uniform(0.1, 10)), fy = static_cast<float>(numbers.uniform(-30, 30));
    const float narrow = maths::pow(fx, fy);
    const auto wide = static_cast<float>(std::pow(static_cast<double>(fx), static_cast<double>(fy)));
    most_float = std::fmax(most_float, std::fabs(static_cast<double>(narrow - wide) / static_cast<double>(wide)));
    hash = hash_of(hash, static_cast<double>(narrow));
  }
  CHECK(most <= kUlps);
  CHECK(most_float <= 0x1p-23);
  CHECK(hash == 10902166531367957181u);
}

TEST_CASE("Functions of float return the float nearest to the exact result, or its neighbour") {
  struct FloatFunction {
    const char* name;
    float (*ours)(float);
    double (*exact)(double);
    double low, high, exponent;
    uint64_t hash;
  };
  const FloatFunction functions[] = {{"expf", maths::exp, std::exp, -104, 89, 6, 1128986407346500645u},
                                     {"logf", maths::log, std::log, 0.5, 2, 120, 5353971094982358053u},
                                     {"sinf", maths::sin, std::sin, -10, 10, 120, 1553380186981004325u},
                                     {"cosf", maths::cos, std::cos, -10, 10, 120, 10209793848304071717u}};
  for (const FloatFunction& f : functions) {
    CAPTURE(f.name);
    Numbers numbers;
    float most = 0;
    uint64_t hash = kNoHash;
    for (int i = 0; i < 8000; ++i) {
      const double drawn = i % 2 == 0 ? numbers.uniform(f.low, f.high) : numbers.spread(-30, f.exponent);
      const auto x = static_cast<float>(f.low > 0 ? std::fabs(drawn) : drawn);
      const float ours = f.ours(x), exact = static_cast<float>(f.exact(static_cast<double>(x)));
      const float unit = std::nextafter(std::fabs(exact), 1e38f) - std::fabs(exact);
      if (ours != exact) most = std::fmax(most, std::fabs(ours - exact) / unit);
      hash = hash_of(hash, static_cast<double>(ours));
    }
    CHECK(most <= 1);
    CHECK(hash == f.hash);
  }
  for (const float x : {0.0f, -0.0f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN(), 1e-42f, -1.0f, 3e38f}) {
    for (const FloatFunction& f : functions) {
      const auto ours = static_cast<double>(f.ours(x)),
                 exact = static_cast<double>(static_cast<float>(f.exact(static_cast<double>(x))));
      INFO(f.name, "(", x, ") = ", ours, ", exactly ", exact);
      CHECK((exact != exact ? ours != ours : ours == exact && std::signbit(ours) == std::signbit(exact)));
    }
  }
}

TEST_CASE("Special arguments give the results of C99's annex F, with the sign of zeros") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double special[] = {0.0,        -0.0,        1,           -1,    2,      -2,    0.5,   -0.5, 3,
                            -3,         1e-310,      -1e-310,     1e308, -1e308, kInf,  -kInf, kNan, 0x1p53,
                            0x1p53 - 1, 1 - 0x1p-53, 1 + 0x1p-52, 710,   -746,   1e-17, -1e-17};
  const auto same = [](double ours, double theirs) {
    if (theirs != theirs) return ours != ours;
    return steps_apart(ours, theirs) <= 100 && std::signbit(ours) == std::signbit(theirs);
  };
  // zig's C library for Windows loses half of the digits of a subnormal number's logarithm.
  const bool knows_subnormals = std::log10(1e-310) == -310;
  for (const Function& f : kFunctions) {
    for (const double x : special) {
      if (std::fpclassify(x) == FP_SUBNORMAL && !knows_subnormals) continue;
      INFO(f.name, "(", x, ") = ", f.ours(x), ", of the C library: ", f.theirs(x));
      CHECK(same(f.ours(x), f.theirs(x)));
    }
  }
  for (const double x : special) {
    for (const double y : special) {
      INFO("pow(", x, ", ", y, ") = ", maths::pow(x, y), ", of the C library: ", std::pow(x, y));
      CHECK(same(maths::pow(x, y), std::pow(x, y)));
      const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
      if (std::fabs(y) < 100)
        CHECK(same(static_cast<double>(maths::pow(fx, fy)), static_cast<double>(std::pow(fx, fy))));
    }
  }
}

}  // namespace percale

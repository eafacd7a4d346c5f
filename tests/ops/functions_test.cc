// Portable kernels call the elementary functions of the C library, unless numerics are portable.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "core/maths/maths.h"
#include "core/plan/evaluate.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

template <class T>
std::vector<T> arguments() {
  std::vector<T> out;
  uint32_t state = 1;
  for (int i = 0; i < 4000; ++i) {
    state = state * 1664525u + 1013904223u;
    out.push_back(static_cast<T>(state >> 8) * static_cast<T>(0x1p-24));  // in [0, 1)
  }
  return out;
}

// Returns the number of elements of op(x) or op(x, x) on the portable kernel that differ from the
// function's.
template <class T, class F>
int differing(const Registry& registry, const std::string& op, size_t operands, const F& function) {
  const std::vector<T> x = arguments<T>();
  const Tensor tensor = Tensor::of<T>({static_cast<int64_t>(x.size())}, x);
  const auto got =
      evaluate_node(registry, "cpu", *registry.find_op("", op), op, {}, std::vector<Tensor>(operands, tensor), 1,
                    std::make_shared<MemoryPool>(), {}, "portable." + op);
  REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  int out = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    if (std::bit_cast<Bits>((*got)[0].span<T>()[i]) != std::bit_cast<Bits>(function(x[i]))) ++out;
  }
  return out;
}

struct OpFunctions {
  const char* op;
  double (*native)(double);
  double (*portable)(double);
  float (*native_of_float)(float);
  float (*portable_of_float)(float);
};
template <double (*kFunction)(double)>
float in_double(float x) {
  return static_cast<float>(kFunction(static_cast<double>(x)));
}
const OpFunctions kFunctions[] = {
    {"Exp", std::exp, maths::exp, std::exp, maths::exp},
    {"Log", std::log, maths::log, std::log, maths::log},
    {"Sin", std::sin, maths::sin, std::sin, maths::sin},
    {"Cos", std::cos, maths::cos, std::cos, maths::cos},
    {"Tanh", std::tanh, maths::tanh, std::tanh, maths::tanh},
    {"Erf", std::erf, maths::erf, std::erf, maths::erf},
    {"Tan", std::tan, maths::tan, in_double<std::tan>, in_double<maths::tan>},
    {"Asin", std::asin, maths::asin, in_double<std::asin>, in_double<maths::asin>},
    {"Acos", std::acos, maths::acos, in_double<std::acos>, in_double<maths::acos>},
    {"Atan", std::atan, maths::atan, in_double<std::atan>, in_double<maths::atan>},
    {"Sinh", std::sinh, maths::sinh, in_double<std::sinh>, in_double<maths::sinh>},
    {"Cosh", std::cosh, maths::cosh, in_double<std::cosh>, in_double<maths::cosh>},
    {"Asinh", std::asinh, maths::asinh, in_double<std::asinh>, in_double<maths::asinh>},
    {"Acosh", std::acosh, maths::acosh, in_double<std::acosh>, in_double<maths::acosh>},
    {"Atanh", std::atanh, maths::atanh, in_double<std::atanh>, in_double<maths::atanh>},
};

std::shared_ptr<Registry> registry_of(Numerics numerics) {
  EngineOptions options;
  options.numerics = numerics;
  const auto ops = make_test_ops(options);
  REQUIRE_MESSAGE(ops.ok(), ops.status().to_string());
  return ops->registry;
}

}  // namespace

TEST_CASE("by default, portable kernels have the bits of the C library's functions") {
  const auto registry = registry_of({});
  for (const OpFunctions& f : kFunctions) {
    CAPTURE(f.op);
    CHECK(differing<double>(*registry, f.op, 1, f.native) == 0);
    CHECK(differing<float>(*registry, f.op, 1, f.native_of_float) == 0);
  }
  CHECK(differing<double>(*registry, "Pow", 2, [](double x) { return std::pow(x, x); }) == 0);
  CHECK(differing<float>(*registry, "Pow", 2, [](float x) { return std::pow(x, x); }) == 0);
}

TEST_CASE("with portable numerics, they have the bits of our own functions") {
  if (make_test_ops()->isa == "none") return;
  const auto registry = registry_of({.portable = true});
  for (const OpFunctions& f : kFunctions) {
    CAPTURE(f.op);
    CHECK(differing<double>(*registry, f.op, 1, f.portable) == 0);
    CHECK(differing<float>(*registry, f.op, 1, f.portable_of_float) == 0);
  }
  CHECK(differing<double>(*registry, "Pow", 2, [](double x) { return maths::pow(x, x); }) == 0);
  CHECK(differing<float>(*registry, "Pow", 2, [](float x) { return maths::pow(x, x); }) == 0);
}

}  // namespace percale

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/graph/builder.h"
#include "core/graph/infer.h"
#include "core/plan/evaluate.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

Tensor draw(const Registry& registry, const char* op, const Tensor& input, const Attributes& attributes) {
  const auto out = evaluate_node(registry, "cpu", *registry.find_op("", op), "draw", attributes, {input}, 1,
                                 std::make_shared<MemoryPool>());
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return out->front();
}

std::shared_ptr<Registry> registry() {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  return ops->registry;
}

TEST_CASE("Bernoulli draws 1 as often as the input says, and the same for the same seed and id") {
  const auto r = registry();
  std::vector<float> p;
  for (int64_t i = 0; i < 40000; ++i) p.push_back(static_cast<float>(i % 4) / 3.0f);
  const Tensor input = Tensor::of<float>({200, 200}, p);
  const Tensor drawn = draw(*r, "Bernoulli", input, {{"id", 1}});
  CHECK(drawn.dtype() == DType::kF32);
  CHECK(drawn.shape() == input.shape());
  double sums[4] = {};
  for (size_t i = 0; i < p.size(); ++i) {
    const float v = drawn.span<float>()[i];
    REQUIRE((v == 0.0f || v == 1.0f));
    sums[i % 4] += static_cast<double>(v) / 10000;
  }
  for (int k = 0; k < 4; ++k) CHECK(std::fabs(sums[k] - k / 3.0) < (k % 3 == 0 ? 1e-12 : 0.02));

  const auto same = [&](const Attributes& attributes) {
    const Tensor other = draw(*r, "Bernoulli", input, attributes);
    return std::equal(drawn.span<float>().begin(), drawn.span<float>().end(), other.span<float>().begin());
  };
  CHECK(same({{"id", 1}}));
  CHECK_FALSE(same({{"id", 2}}));
  CHECK_FALSE(same({{"id", 1}, {"seed", 0.5}}));
}

TEST_CASE("Bernoulli gives every number type and bool, from every float") {
  const auto r = registry();
  for (DType given : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    const Tensor ones = scalar_tensor(given, 1), zeros = scalar_tensor(given, 0);
    CHECK(draw(*r, "Bernoulli", ones, {}).dtype() == given);
    for (int32_t to = 1; to < kNumDTypes; ++to) {
      const auto dtype = static_cast<DType>(to);
      if (!dtypes::kAny.contains(dtype)) continue;
      CAPTURE(std::string(dtype_name(dtype)));
      const auto equals = [&](const Tensor& got, double want) {
        const Tensor expected = scalar_tensor(dtype, want);
        return got.dtype() == dtype && std::memcmp(got.data(), expected.data(), static_cast<size_t>(got.bytes())) == 0;
      };
      CHECK(equals(draw(*r, "Bernoulli", ones, {{"dtype", dtype}}), 1));
      CHECK(equals(draw(*r, "Bernoulli", zeros, {{"dtype", dtype}}), 0));
    }
  }
  const auto refused = infer_node(*r->find_op("", "Bernoulli"), "n", {{DType::kF32, Shape{2}}}, {nullptr}, 1,
                                  {{"dtype", DType::kString}}, nullptr);
  CHECK(refused.status().code() == Code::kInvalidArgument);
}

TEST_CASE("Multinomial draws classes as often as their probabilities say, and never one of probability zero") {
  const auto r = registry();
  const float never = -std::numeric_limits<float>::infinity();
  // The second row is the first plus a constant, which must not change the result.
  const std::vector<float> rows = {std::log(0.5f),      never, std::log(0.3f),      std::log(0.2f),
                                   std::log(0.5f) + 40, never, std::log(0.3f) + 40, std::log(0.2f) + 40};
  constexpr int64_t kSamples = 20000;
  const Tensor logits = Tensor::of<float>({2, 4}, rows);
  const Tensor drawn = draw(*r, "Multinomial", logits, {{"sample_size", kSamples}, {"id", 7}});
  CHECK(drawn.dtype() == DType::kI32);
  REQUIRE(drawn.shape() == Shape{2, kSamples});
  const double wanted[] = {0.5, 0, 0.3, 0.2};
  for (size_t row = 0; row < 2; ++row) {
    double share[4] = {};
    for (size_t i = 0; i < kSamples; ++i) {
      const int32_t k = drawn.span<int32_t>()[row * kSamples + i];
      REQUIRE((k >= 0 && k < 4));
      share[k] += 1.0 / kSamples;
    }
    CHECK(share[1] == 0);
    for (int k = 0; k < 4; ++k) CHECK(std::fabs(share[k] - wanted[k]) < 0.015);
  }
  const Tensor wide = draw(*r, "Multinomial", logits, {{"dtype", DType::kI64}});
  CHECK(wide.dtype() == DType::kI64);
  CHECK(wide.shape() == Shape{2, 1});
}

TEST_CASE("Multinomial refuses inputs without classes and other types") {
  const auto r = registry();
  const OpSchema& schema = *r->find_op("", "Multinomial");
  const auto code = [&](const Shape& shape, const Attributes& attributes) {
    return infer_node(schema, "n", {{DType::kF32, shape}}, {nullptr}, 1, attributes, nullptr).status().code();
  };
  CHECK(code({2, 3}, {}) == Code::kOk);
  CHECK(code({2, 0}, {}) == Code::kInvalidArgument);
  CHECK(code({2}, {}) == Code::kInvalidArgument);
  CHECK(code({2, 3}, {{"dtype", DType::kF32}}) == Code::kInvalidArgument);
  CHECK(code({2, 3}, {{"sample_size", 0}}) == Code::kInvalidArgument);
}

}  // namespace
}  // namespace percale

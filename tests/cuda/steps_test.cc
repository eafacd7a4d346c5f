// Tests optimizers on the device: the steps of many parameters take few kernels and give the CPU's
// results.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/cuda/emulated.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"

namespace percale {
namespace {

Tensor random_tensor(std::mt19937& engine, int64_t size) {
  std::vector<float> values(static_cast<size_t>(size));
  for (float& v : values) v = std::uniform_real_distribution<float>(0.1f, 1)(engine);
  return Tensor::of<float>({size}, values);
}

// Parameters one after the other, all fetched. Each is updated by its gradient, or, in a chain, by
// the parameter before it.
struct Net {
  Builder builder;
  RunSpec spec;
  std::vector<Tensor> given;

  Net(const std::shared_ptr<Engine>& engine, std::string_view op, size_t slots, const std::vector<int64_t>& sizes,
      bool chain)
      : builder(engine->registry()) {
    std::mt19937 random(5);
    Emitter e(builder.main());
    const auto input = [&](int64_t size) {
      spec.feeds.push_back("x" + std::to_string(given.size()));
      given.push_back(random_tensor(random, size));
      return get(builder.main().add_input(spec.feeds.back(), DType::kF32, Shape{size}));
    };
    const ValueId rate = e.scalar(DType::kF32, 0.01), step = e.scalar(DType::kI64, 3);
    std::vector<ValueId> out;  // slots too, because unused outputs would all share one place
    for (const int64_t size : sizes) {
      const ValueId last = out.empty() ? kNoValue : out[out.size() - slots - 1];
      std::vector<ValueId> operands{input(size), chain && last != kNoValue ? last : input(size)};
      for (size_t i = 0; i < slots; ++i) operands.push_back(input(size));
      operands.push_back(rate);
      if (op.starts_with("ApplyAdam")) operands.push_back(step);
      for (ValueId made : e.emit_many("percale:" + std::string(op), operands, slots + 1, {})) out.push_back(made);
    }
    REQUIRE(e.status().ok());
    for (size_t i = 0; i < out.size(); ++i) {
      spec.fetches.push_back("y" + std::to_string(i));
      REQUIRE(builder.main().rename(out[i], spec.fetches.back()).ok());
    }
    REQUIRE(builder.main().set_outputs(out).ok());
  }

  std::vector<Tensor> run(const std::shared_ptr<Engine>& engine) {
    const auto session = get(Session::create(engine, get(builder.finish()), nullptr));
    return get(session->run(spec, given));
  }
};

TEST_CASE("steps of many parameters are a few kernels, and those of each") {
  EngineOptions options;
  options.devices = "cuda:0";
  const auto gpu = get(make_test_engine(options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
  options.devices = "cpu:0";
  const auto cpu = get(make_test_engine(options, {}));
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < 90; ++i) sizes.push_back(i % 7 == 0 ? 9000 + i : 1 + 13 * i);
  struct Case {
    std::string_view op;
    size_t slots;
  };
  for (const Case c : {Case{"ApplySGD", 0}, Case{"ApplyMomentum", 1}, Case{"ApplyAdam", 2}, Case{"ApplyAdagrad", 1}}) {
    for (const bool chain : {false, true}) {
      CAPTURE(c.op);
      CAPTURE(chain);
      const std::vector<int64_t> of_chain(20, 5000);
      const auto& all = chain ? of_chain : sizes;
      const auto want = Net(cpu, c.op, c.slots, all, chain).run(cpu);
      const uint64_t before = emulator_count("launches");
      const auto got = Net(gpu, c.op, c.slots, all, chain).run(gpu);
      const uint64_t count = emulator_count("launches") - before;
      for (size_t i = 0; i < want.size(); ++i) {
        const auto a = got[i].span<float>(), b = want[i].span<float>();
        bool near = a.size() == b.size();
        for (size_t k = 0; near && k < a.size(); ++k) near = std::abs(a[k] - b[k]) <= 1e-6f * (1 + std::abs(b[k]));
        CHECK_MESSAGE(near, i);
      }
      if (count > 0) CHECK(chain ? count >= all.size() : count <= 8);
    }
  }
}

}  // namespace
}  // namespace percale

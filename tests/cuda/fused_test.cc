// Tests groups of elementwise nodes on the device: one kernel that gives the bits of the nodes one
// by one.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/cuda/random.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"

namespace percale {
namespace {

// A random tree of nodes over inputs that broadcast in all ways that a group supports.
struct Tree {
  Builder builder;
  Emitter e;
  RunSpec spec;
  std::vector<Tensor> given;
  const DType dtype;

  Tree(const std::shared_ptr<Engine>& engine, Random& random, const Shape& shape, bool product, DType type)
      : builder(engine->registry()), e(builder.main()), dtype(type) {
    builder.main().set_device("cuda:0");
    std::vector<ValueId> values{input(random, shape)};
    if (product) {
      const ValueId w = input(random, {shape.back(), shape.back()});
      values[0] = e.emit("MatMul", {values[0], w});
    }
    ValueId y = values[0];
    const int64_t nodes = random.pick(2, 14);
    for (int64_t i = 0; i < nodes; ++i) {
      switch (random.pick(0, 11)) {
        case 0: y = e.emit("Add", {y, input(random, shape)}); break;
        case 1: y = e.emit("Mul", {input(random, {shape.back()}), y}); break;
        case 2: y = e.emit("Sub", {y, input(random, {shape[1], 1})}); break;
        case 3: y = e.emit("Max", {y, input(random, {1}), e.scalar(dtype, 0.25)}); break;
        case 4: y = e.emit("Clip", {y, e.scalar(dtype, -1.5), e.scalar(dtype, 1.25)}); break;
        case 5: y = e.emit("Mul", {y, e.emit("Sigmoid", {y})}); break;
        case 6: y = e.emit("Elu", {y}, {{"alpha", 0.5}}); break;
        case 7:  // a mean of three is not a single node in f16
          y = dtype == DType::kF16 ? through_f32(y) : e.emit("Mean", {y, e.emit("Tanh", {y}), e.emit("Neg", {y})});
          break;
        case 8: y = e.emit("Gelu", {y}); break;
        case 9: y = e.emit("Div", {y, e.emit("Add", {e.emit("Abs", {y}), e.scalar(dtype, 1.0)})}); break;
        case 10: y = e.emit("Sub", {e.emit("Exp", {e.emit("Clip", {y, kNoValue, e.scalar(dtype, 1.0)})}), y}); break;
        default: y = e.emit("LeakyRelu", {y}, {{"alpha", 0.1}}); break;
      }
    }
    REQUIRE(e.status().ok());
    REQUIRE(builder.main().rename(y, "y").ok());
    REQUIRE(builder.main().set_outputs({y}).ok());
    spec.fetches = {"y"};
  }

  ValueId input(Random& random, const Shape& shape) {
    spec.feeds.push_back("x" + std::to_string(given.size()));
    given.push_back(random.tensor(shape));
    const ValueId x = get(builder.main().add_input(spec.feeds.back(), DType::kF32, shape));
    return dtype == DType::kF32 ? x : e.emit("Cast", {x}, {{"to", dtype}});
  }
  // A value that overflows in the cast back to `dtype` stays infinite.
  ValueId through_f32(ValueId y) {
    const ValueId wide = e.emit("Mul", {e.emit("Cast", {y}, {{"to", DType::kF32}}), e.scalar(DType::kF32, 30000.0)});
    const ValueId back = e.emit("Cast", {wide}, {{"to", dtype}});
    return e.emit("Max", {e.emit("Tanh", {back}), y});
  }
};

size_t count_of(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_CASE("a group on the device gives the bits of its nodes one by one, in fewer kernels") {
  EngineOptions engine_options;
  engine_options.devices = "cpu:0,cuda:0";
  const auto engine = get(make_test_engine(engine_options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
  Random random(11);
  size_t fused = 0, behind_products = 0;
  for (int round = 0; round < 60; ++round) {
    const Shape shape{random.pick(1, 3), random.pick(1, 7), random.pick(1, 40)};
    const bool product = round % 4 == 0;
    CAPTURE(round);
    CAPTURE(shape.to_string());
    Tree tree(engine, random, shape, product, round % 4 == 1 ? DType::kF16 : DType::kF32);
    const auto graph = get(tree.builder.finish());
    const auto whole = get(Session::create(engine, graph, nullptr));
    SessionOptions options;
    options.compile.disabled_passes = {"fuse_elementwise"};
    const auto single = get(Session::create(engine, graph, nullptr, std::move(options)));
    const Tensor got = get(whole->run(tree.spec, tree.given))[0], want = get(single->run(tree.spec, tree.given))[0];
    CHECK(std::memcmp(got.data(), want.data(), static_cast<size_t>(want.bytes())) == 0);
    std::vector<ValueType> types;
    for (const Tensor& t : tree.given) types.push_back({t.dtype(), t.shape()});
    const size_t groups = count_of(get(whole->explain(tree.spec, types, "kernels")), "\"cuda.fused\"");
    fused += groups > 0 ? 1 : 0;
    behind_products += product && groups > 0 ? 1 : 0;
  }
  CHECK(fused > 50);
  CHECK(behind_products > 10);
}

TEST_CASE("a group in bf16 is as near to f32 as bf16 is") {
  EngineOptions engine_options;
  engine_options.devices = "cpu:0,cuda:0";
  const auto engine = get(make_test_engine(engine_options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
  Builder builder(engine->registry());
  Emitter e(builder.main());
  builder.main().set_device("cuda:0");
  const Shape shape{5, 33};
  const ValueId x = get(builder.main().add_input("x", DType::kF32, shape));
  const ValueId narrow = e.emit("Cast", {x}, {{"to", DType::kBF16}});
  const ValueId half = e.emit("Mul", {e.emit("Sigmoid", {narrow}), narrow});
  const ValueId y = e.emit("Add", {e.emit("Cast", {e.emit("Tanh", {half})}, {{"to", DType::kF32}}), x});
  REQUIRE(e.status().ok());
  REQUIRE(builder.main().rename(y, "y").ok());
  REQUIRE(builder.main().set_outputs({y}).ok());
  const auto session = get(Session::create(engine, get(builder.finish()), nullptr));
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
  Random random(3);
  const Tensor given = random.tensor(shape);
  const Tensor got = get(session->run(spec, std::vector<Tensor>{given}))[0];
  for (size_t i = 0; i < 5 * 33; ++i) {
    const float v = given.span<float>()[i];
    CHECK(got.span<float>()[i] == doctest::Approx(std::tanh(v / (1 + std::exp(-v))) + v).epsilon(0.02).scale(1));
  }
  const std::vector<ValueType> types{{DType::kF32, shape}};
  CHECK(count_of(get(session->explain(spec, types, "kernels")), "\"cuda.fused\"") == 1);
}

TEST_CASE("a long chain is groups, none of whose nodes runs by itself") {
  EngineOptions engine_options;
  engine_options.devices = "cpu:0,cuda:0";
  const auto engine = get(make_test_engine(engine_options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
  Builder builder(engine->registry());
  Emitter e(builder.main());
  builder.main().set_device("cuda:0");
  const Shape shape{16};
  const ValueId x = get(builder.main().add_input("x", DType::kF32, shape));
  ValueId y = x;
  for (int i = 0; i < 150; ++i) y = e.emit("Relu", {e.emit("Add", {y, x})});
  REQUIRE(e.status().ok());
  REQUIRE(builder.main().rename(y, "y").ok());
  REQUIRE(builder.main().set_outputs({y}).ok());
  const auto session = get(Session::create(engine, get(builder.finish()), nullptr));
  const std::vector<ValueType> types{{DType::kF32, shape}};
  const std::string kernels = get(session->explain({.feeds = {"x"}, .fetches = {"y"}}, types, "kernels"));
  CHECK(count_of(kernels, "\"kernel\":\"cuda.fused\"") == 5);
  CHECK(count_of(kernels, "\"kernel\":\"cuda.unary\"") + count_of(kernels, "\"kernel\":\"cuda.binary\"") == 0);
}

// A dense layer followed by other nodes: one product with its bias and activation as epilogue, then
// at most one kernel.
TEST_CASE("a product takes its bias and its activation along") {
  EngineOptions engine_options;
  engine_options.devices = "cpu:0,cuda:0";
  const auto engine = get(make_test_engine(engine_options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
  Random random(5);
  for (int round = 0; round < 48; ++round) {
    const bool gemm = round % 2 == 1, half = round % 4 >= 2, row = round % 3 != 0;
    const int end = round / 4 % 4;
    CAPTURE(round);
    Builder builder(engine->registry());
    Emitter e(builder.main());
    builder.main().set_device("cuda:0");
    RunSpec spec;
    std::vector<Tensor> given;
    const auto input = [&](const Shape& shape) {
      spec.feeds.push_back("x" + std::to_string(given.size()));
      given.push_back(random.tensor(shape));
      const ValueId in = get(builder.main().add_input(spec.feeds.back(), DType::kF32, shape));
      return half ? e.emit("Cast", {in}, {{"to", DType::kBF16}}) : in;
    };
    const ValueId x = input({6, 9}), w = input({9, 16}), b = row ? input({16}) : input({6, 16});
    ValueId y = gemm ? e.emit("Gemm", {x, w, b}) : e.emit("Add", {e.emit("MatMul", {x, w}), b});
    if (end == 1) y = e.emit("Relu", {y});
    if (end == 2) y = e.emit("Gelu", {y}, {{"approximate", "tanh"}});
    if (end == 3) y = e.emit("Mul", {e.emit("Sigmoid", {y}), y});
    if (round % 5 == 0) y = e.emit("Sub", {y, input({6, 16})});
    // A view keeps the Cast out of the group.
    if (half) y = e.emit("Cast", {e.emit("Reshape", {y, e.ints({96})})}, {{"to", DType::kF32}});
    REQUIRE(e.status().ok());
    REQUIRE(builder.main().rename(y, "y").ok());
    REQUIRE(builder.main().set_outputs({y}).ok());
    spec.fetches = {"y"};
    const auto graph = get(builder.finish());
    const auto whole = get(Session::create(engine, graph, nullptr));
    SessionOptions options;
    options.compile.disabled_passes = {"fuse_elementwise"};
    const auto single = get(Session::create(engine, graph, nullptr, std::move(options)));
    const Tensor got = get(whole->run(spec, given))[0], want = get(single->run(spec, given))[0];
    const auto a = got.span<float>(), c = want.span<float>();
    for (size_t i = 0; i < c.size(); ++i) {
      CHECK(static_cast<double>(a[i]) == doctest::Approx(static_cast<double>(c[i])).epsilon(half ? 0.03 : 1e-6));
    }
    std::vector<ValueType> types;
    for (const Tensor& t : given) types.push_back({t.dtype(), t.shape()});
    const std::string kernels = get(whole->explain(spec, types, "kernels"));
    const size_t named = count_of(kernels, "\"kernel\":\"cuda.product\""),
                 refused = count_of(kernels, "\"kernel\":\"cuda.product\",\"reason\""), products = named - refused;
    // A Gemm has its row as bias in any case; it gains only by an activation that cuBLASLt
    // supports.
    const bool known = end == 1 || (end == 2 && half);
    CHECK(products == (row && (!gemm || known) ? 1 : 0));
  }
}

}  // namespace
}  // namespace percale

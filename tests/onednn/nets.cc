#include "tests/onednn/nets.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/session/initialize.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

std::shared_ptr<Engine> engine_with(bool onednn, int32_t threads) {
  EngineOptions options;
  options.threads = threads;
  if (const char* isa = std::getenv("PERCALE_TEST_ISA")) options.isa = isa;
  std::vector<const percale_plugin_api*> plugins;
  if (onednn) plugins.push_back(get(open_plugin(PERCALE_ONEDNN_PLUGIN)));
  return get(make_test_engine(options, plugins));
}

template <class T>
std::vector<double> numbers(const Tensor& t) {
  const auto values = t.span<T>();
  return std::vector<double>(values.begin(), values.end());
}

std::vector<double> numbers_of(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kF32: return numbers<float>(t);
    case DType::kU8: return numbers<uint8_t>(t);
    case DType::kI8: return numbers<int8_t>(t);
    case DType::kI32: return numbers<int32_t>(t);
    default: FAIL("no such dtype here"); return {};
  }
}

}  // namespace

size_t count_of(const std::string& text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

size_t runs(const std::string& kernels, std::string_view kernel) {
  return count_of(kernels, str_cat("\"kernel\":\"", kernel, "\",\"runs\""));
}

bool computes_in_tiles() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("amx-bf16") != 0;
#else
  return false;
#endif
}

Tensor Random::tensor(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& v : values) v = std::uniform_real_distribution<float>(-1, 1)(engine_);
  return Tensor::of<float>(shape, values);
}

Tensor Random::integers(DType dtype, const Shape& shape, int64_t low, int64_t high) {
  const auto draw = [&]<class T>(T) {
    std::vector<T> values(static_cast<size_t>(shape.num_elements()));
    for (T& v : values) v = static_cast<T>(pick(low, high));
    return Tensor::of<T>(shape, values);
  };
  if (dtype == DType::kU8) return draw(uint8_t{});
  return dtype == DType::kI8 ? draw(int8_t{}) : draw(int32_t{});
}

Net::Net(const std::shared_ptr<Engine>& engine, Random& random, const Shape& shape, DType dtype)
    : random_(random), builder_(engine->registry()), e(builder_.main()) {
  x = get(builder_.main().add_input("x", dtype, shape));
}

ValueId Net::weight(const Shape& shape) {
  const std::string name = str_cat("w", variables_++);
  REQUIRE(builder_.add_variable({.name = name, .dtype = DType::kF32, .shape = shape, .initial = random_.tensor(shape)})
              .ok());
  return e.emit(
      "percale:ReadVariable", {},
      {{"variable", name}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>(shape.begin(), shape.end())}});
}

std::shared_ptr<const Graph> Net::finish(ValueId y) {
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder_.main().rename(y, "y").ok());
  REQUIRE(builder_.main().set_outputs({y}).ok());
  return get(builder_.finish());
}

ValueId follow(Net& net, ValueId y, int64_t kind, const Shape& shape) {
  Emitter& e = net.e;
  const auto number = [&](double v) { return e.scalar(DType::kF32, v); };
  switch (kind) {
    case 0: return y;
    case 1: return e.emit("Relu", {y});
    case 2: return e.emit("Clip", {y, number(-0.5), number(2)});
    case 3: return e.emit("Relu", {e.emit("Add", {y, net.weight(shape)})});
    case 4: return e.emit("Mul", {y, e.emit("Sigmoid", {y})});
    case 5: return e.emit("Mul", {y, e.emit("HardSigmoid", {y}, {{"alpha", 1.0 / 6}, {"beta", 0.5}})});
    case 6: return e.emit("Tanh", {e.emit("Sub", {number(1), e.emit("Mul", {y, number(0.25)})})});
    case 7: return e.emit("LeakyRelu", {e.emit("Sub", {net.weight(shape), y})}, {{"alpha", 0.2}});
    case 8: return e.emit("Gelu", {y});
    case 9: return e.emit("Max", {e.emit("Div", {y, net.weight(shape)}), number(-3)});
    default: return e.emit("Elu", {e.emit("Add", {e.emit("Mul", {y, net.weight({shape.back()})}), number(0.5)})});
  }
}

Engines::Engines()
    : core(engine_with(false, 2)), onednn{engine_with(true, 1), engine_with(true, 2), engine_with(true, 4)} {}

Outcome run(const std::shared_ptr<Engine>& engine, const std::shared_ptr<const Graph>& graph, const Tensor& x,
            const SessionOptions& options) {
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
  const auto session = get(Session::create(engine, graph, get(initialize_variables(engine, graph, 1)), options));
  const std::vector<ValueType> types{{x.dtype(), x.shape()}};
  return {get(session->run(spec, std::vector<Tensor>{x}))[0], get(session->explain(spec, types, "kernels"))};
}

std::string compare(const Engines& engines, const Tensor& x, const Build& build, double tolerance,
                    const SessionOptions& options) {
  const Outcome want = run(engines.core, build(engines.core), x);
  std::string kernels;
  Tensor first;
  for (const auto& engine : engines.onednn) {
    const Outcome got = run(engine, build(engine), x, options);
    kernels = got.kernels;
    CAPTURE(kernels);
    REQUIRE((got.y.shape() == want.y.shape()));
    REQUIRE((got.y.dtype() == want.y.dtype()));
    if (!first.defined()) first = got.y;
    CHECK(std::memcmp(got.y.data(), first.data(), static_cast<size_t>(first.bytes())) == 0);
    const std::vector<double> a = numbers_of(got.y), b = numbers_of(want.y);
    double largest = 1, off = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      if (want.y.dtype() == DType::kF32) largest = std::max(largest, std::fabs(b[i]));
      off = std::max(off, std::isnan(a[i]) == std::isnan(b[i]) ? std::fabs(a[i] - b[i]) : INFINITY);
    }
    CHECK(off <= tolerance * largest);
  }
  return kernels;
}

}  // namespace percale

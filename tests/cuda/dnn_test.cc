// Compares convolutions and attention by the emulated cuDNN with the CPU's. Checks which nodes are
// given to it, with which sizes, and that nodes without an engine are computed without it.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "core/tensor/half.h"
#include "tests/cuda/emulated.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

uint64_t convolutions() { return emulator_count("convolutions", "libcudnn.so.9"); }
uint64_t problems() { return emulator_count("problems"); }

std::shared_ptr<Engine> engine_of(const std::string& devices) {
  const auto plugin = open_plugin(PERCALE_CUDA_PLUGIN);
  REQUIRE_MESSAGE(plugin.ok(), plugin.status().to_string());
  EngineOptions options;
  options.threads = 1;
  options.devices = devices;
  const auto engine = make_test_engine(options, {*plugin});
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  return *engine;
}

struct Case {
  const char* what;
  Shape x, w;
  std::vector<int64_t> pads, strides, dilations;
  int64_t groups;
  bool taken;  // by cuDNN with channels first
};
const Case kCases[] = {
    {"plain", {2, 16, 7, 6}, {18, 16, 3, 3}, {1, 1, 1, 1}, {1, 1}, {1, 1}, 1, true},
    {"strides that leave a row over", {1, 17, 8, 9}, {16, 17, 3, 2}, {0, 0, 0, 0}, {2, 3}, {1, 1}, 1, true},
    {"dilations, pads of two sizes", {1, 16, 9, 9}, {16, 16, 3, 3}, {2, 0, 1, 3}, {1, 2}, {2, 1}, 1, true},
    {"groups", {2, 32, 5, 5}, {48, 16, 3, 3}, {1, 1, 1, 1}, {1, 1}, {1, 1}, 2, true},
    {"one dim", {2, 16, 11}, {16, 16, 4}, {1, 2}, {2}, {1}, 1, true},
    {"three dims", {1, 16, 4, 5, 3}, {16, 16, 2, 3, 2}, {0, 1, 0, 1, 1, 1}, {1, 2, 1}, {1, 1, 1}, 1, true},
    {"a channel for each group", {1, 32, 6, 6}, {32, 1, 3, 3}, {1, 1, 1, 1}, {1, 1}, {1, 1}, 32, false},
};

Tensor numbers(const Shape& shape, int seed) {
  std::vector<float> out(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>((static_cast<int>(i) * 7 + seed) % 13 - 6) / 8;
  return Tensor::of<float>(shape, out);
}

// Returns the results as f32: Conv with a bias, and the gradients of X and W.
std::vector<Tensor> run(const std::string& devices, const Case& c, DType dtype) {
  const auto engine = engine_of(devices);
  Builder builder(engine->registry());
  Emitter e(builder.main());
  if (devices != "cpu:0") builder.main().set_device("cuda:0");
  const auto value = [&](const char* name, const Shape& shape) {
    return e.emit("Cast", {*builder.main().add_input(name, DType::kF32, shape)}, {{"to", dtype}});
  };
  const Attributes attributes{
      {"pads", c.pads}, {"strides", c.strides}, {"dilations", c.dilations}, {"group", c.groups}};
  const ValueId x = value("x", c.x), w = value("w", c.w), b = value("b", Shape{c.w[0]});
  const ValueId y = e.emit("Conv", {x, w, b}, attributes);
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  const ValueId dy = e.emit("Neg", {y});
  Attributes of_x = attributes, of_w = attributes;
  of_x.set("spatial_shape", std::vector<int64_t>(c.x.begin() + 2, c.x.end()));
  of_w.set("kernel_shape", std::vector<int64_t>(c.w.begin() + 2, c.w.end()));
  const ValueId dx = e.emit("percale:ConvGradInput", {dy, w}, of_x);
  const std::vector<ValueId> dw = e.emit_many("percale:ConvGradWeight", {x, dy}, 2, of_w);
  std::vector<ValueId> outputs;
  for (ValueId v : {y, dx, dw[0], dw[1]}) outputs.push_back(e.emit("Cast", {v}, {{"to", DType::kF32}}));
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  RunSpec spec{.feeds = {"x", "w", "b"}};
  for (ValueId v : outputs) spec.fetches.push_back(builder.main().function().value(v).name);
  REQUIRE(builder.main().set_outputs(outputs).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto session = *Session::create(engine, *graph, nullptr);
  auto out = session->run(spec, std::vector{numbers(c.x, 1), numbers(c.w, 2), numbers(Shape{c.w[0]}, 3)});
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return *out;
}

TEST_CASE("convolutions and their gradients go to cuDNN, with the CPU's results") {
  problems();
  for (const Case& c : kCases) {
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
      CAPTURE(c.what);
      CAPTURE(dtype_name(dtype));
      const std::vector<Tensor> want = run("cpu:0", c, dtype);
      const uint64_t before = convolutions();
      const std::vector<Tensor> got = run("cpu:0,cuda:0", c, dtype);
      const bool half = dtype == DType::kF16 || dtype == DType::kBF16;  // uses channels last
      CHECK(convolutions() - before == (c.taken || half ? 3 : 0));
      const double tolerance = dtype == DType::kF32 || dtype == DType::kF64 ? 1e-6 : dtype == DType::kF16 ? 2e-3 : 2e-2;
      for (size_t k = 0; k < want.size(); ++k) {
        CAPTURE(k);
        const auto a = got[k].span<float>(), b = want[k].span<float>();
        REQUIRE(a.size() == b.size());
        double most = 0, scale = 1;
        for (size_t i = 0; i < a.size(); ++i) {
          most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
          scale = std::max(scale, std::abs(static_cast<double>(b[i])));
        }
        CHECK(most <= tolerance * scale);
      }
    }
  }
  CHECK(problems() == 0);
}

struct AttentionCase {
  const char* what;
  int64_t batch, heads, kv_heads, queries, keys, size, value_size;
  bool by_row;
  Shape mask;  // empty: none
  bool nan_is_zero;
  bool taken;  // by cuDNN
  // For a mask that is known before the run: the number that hides keys, and how many keys behind
  // its own number a query sees. With 0 the mask is fed.
  float hidden = 0;
  int64_t more = 0;
};
const AttentionCase kAttentions[] = {
    {"plain", 2, 4, 4, 96, 96, 16, 16, false, {}, false, true},
    {"by row, heads that are shared, sizes that differ", 1, 6, 2, 100, 112, 8, 24, true, {}, false, true},
    {"a mask for all heads, rows without a key", 2, 3, 3, 128, 96, 8, 8, true, {2, 1, 128, 96}, false, true},
    {"a mask of keys, 0 without a key", 3, 2, 2, 110, 100, 8, 8, false, {3, 1, 1, 100}, true, true},
    {"one query", 4, 8, 8, 1, 2049, 16, 16, true, {}, false, true},
    {"few scores", 1, 2, 2, 8, 8, 16, 16, false, {}, false, false},
    {"rows that are not packed", 2, 4, 4, 96, 96, 12, 12, false, {}, false, false},
    {"a causal mask", 2, 4, 4, 96, 96, 16, 8, true, {}, false, true, -std::numeric_limits<float>::infinity()},
    {"a causal mask of low numbers", 2, 4, 4, 96, 96, 16, 16, false, {}, true, true, -65504},
    {"a known mask that shows a key more", 2, 4, 4, 96, 96, 16, 16, false, {}, false, true, -65504, 1},
    {"a known mask of more keys", 2, 4, 4, 96, 104, 16, 16, false, {}, false, true, -65504},
};
// True if cuDNN makes the mask itself.
bool is_causal(const AttentionCase& c) { return c.hidden < 0 && c.more == 0 && c.queries == c.keys; }

ValueId known_mask(Builder& builder, const AttentionCase& c, DType dtype) {
  std::vector<float> mask;
  for (int64_t query = 0; query < c.queries; ++query) {
    for (int64_t key = 0; key < c.keys; ++key) mask.push_back(key <= query + c.more ? 0 : c.hidden);
  }
  const auto known = builder.main().add_constant(Tensor::of<float>({c.queries, c.keys}, mask));
  REQUIRE(known.ok());
  return Emitter(builder.main()).emit("Cast", {*known}, {{"to", dtype}});
}

uint64_t attentions() { return emulator_count("attentions", "libcudnn.so.9"); }
uint64_t causal_attentions() { return emulator_count("causal_attentions", "libcudnn.so.9"); }

std::vector<float> attend(const std::string& devices, const AttentionCase& c, DType dtype, DType mask_dtype) {
  const auto engine = engine_of(devices);
  Builder builder(engine->registry());
  Emitter e(builder.main());
  if (devices != "cpu:0") builder.main().set_device("cuda:0");
  RunSpec spec;
  std::vector<Tensor> given;
  const auto value = [&](const Tensor& t, DType type) {
    spec.feeds.push_back("x" + std::to_string(given.size()));
    given.push_back(t);
    return e.emit("Cast", {*builder.main().add_input(spec.feeds.back(), DType::kF32, t.shape())}, {{"to", type}});
  };
  const auto heads = [&](int64_t count, int64_t sequence, int64_t size, int seed) {
    const Shape shape = c.by_row ? Shape{c.batch, sequence, count, size} : Shape{c.batch, count, sequence, size};
    return value(numbers(shape, seed), dtype);
  };
  std::vector<ValueId> operands{heads(c.heads, c.queries, c.size, 1), heads(c.kv_heads, c.keys, c.size, 2),
                                heads(c.kv_heads, c.keys, c.value_size, 3)};
  if (c.mask.rank() > 0) {
    std::vector<float> mask(static_cast<size_t>(c.mask.num_elements()));
    for (size_t i = 0; i < mask.size(); ++i) {
      // The first rows are masked completely, and so is every third key.
      const bool out = i < 2 * static_cast<size_t>(c.keys) || i % 3 == 0;
      mask[i] = out ? -std::numeric_limits<float>::infinity() : static_cast<float>(i % 5) / 4;
    }
    operands.push_back(value(Tensor::of<float>(c.mask, mask), mask_dtype));
  }
  if (c.hidden < 0) operands.push_back(known_mask(builder, c, mask_dtype));
  const int64_t by_row = c.by_row ? 1 : 0;
  const ValueId y = e.emit("percale:FusedAttention", operands,
                           {{"scale", 0.5},
                            {"q_by_row", by_row},
                            {"k_by_row", by_row},
                            {"v_by_row", by_row},
                            {"y_by_row", by_row},
                            {"nan_is_zero", c.nan_is_zero ? 1 : 0}});
  const ValueId out = e.emit("Cast", {y}, {{"to", DType::kF32}});
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  spec.fetches = {builder.main().function().value(out).name};
  REQUIRE(builder.main().set_outputs({out}).ok());
  const auto session = *Session::create(engine, *builder.finish(), nullptr);
  auto got = session->run(spec, given);
  REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  const auto span = (*got)[0].span<float>();
  return {span.begin(), span.end()};
}

// Returns dQ, dK and dV concatenated, from attention that returns its statistics.
std::vector<float> attend_back(const std::string& devices, const AttentionCase& c, DType dtype, DType mask_dtype) {
  const auto engine = engine_of(devices);
  Builder builder(engine->registry());
  Emitter e(builder.main());
  if (devices != "cpu:0") builder.main().set_device("cuda:0");
  RunSpec spec;
  std::vector<Tensor> given;
  const auto value = [&](const Shape& shape, DType type, int seed) {
    spec.feeds.push_back("x" + std::to_string(given.size()));
    given.push_back(numbers(shape, seed));
    return e.emit("Cast", {*builder.main().add_input(spec.feeds.back(), DType::kF32, shape)}, {{"to", type}});
  };
  const auto heads = [&](int64_t sequence, int64_t size, int seed) {
    return value(c.by_row ? Shape{c.batch, sequence, c.heads, size} : Shape{c.batch, c.heads, sequence, size}, dtype,
                 seed);
  };
  const int64_t by_row = c.by_row ? 1 : 0;
  Attributes attributes{
      {"scale", 0.5}, {"q_by_row", by_row}, {"k_by_row", by_row}, {"v_by_row", by_row}, {"y_by_row", by_row}};
  std::vector<ValueId> operands{heads(c.queries, c.size, 1), heads(c.keys, c.size, 2), heads(c.keys, c.value_size, 3)};
  if (c.mask.rank() > 0) operands.push_back(value(c.mask, mask_dtype, 4));
  if (c.hidden < 0) operands.push_back(known_mask(builder, c, mask_dtype));
  const auto forward = e.emit_many("percale:FusedAttention", operands, 2, attributes);
  std::vector<ValueId> back{
      heads(c.queries, c.value_size, 5), operands[0], operands[1], operands[2], forward[0], forward[1]};
  if (operands.size() > 3) back.push_back(operands[3]);
  attributes.set("dy_by_row", by_row);
  std::vector<ValueId> outputs;
  for (ValueId grad : e.emit_many("percale:FusedAttentionGrad", back, 3, attributes)) {
    outputs.push_back(e.emit("Cast", {grad}, {{"to", DType::kF32}}));
    spec.fetches.push_back(builder.main().function().value(outputs.back()).name);
  }
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().set_outputs(outputs).ok());
  auto got = (*Session::create(engine, *builder.finish(), nullptr))->run(spec, given);
  REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  std::vector<float> out;
  for (const Tensor& t : *got) out.insert(out.end(), t.span<float>().begin(), t.span<float>().end());
  return out;
}

TEST_CASE("gradients of attention go to cuDNN, with the CPU's results; our own kernels have the same") {
  problems();
  for (const AttentionCase& c : kAttentions) {
    if (c.heads != c.kv_heads) continue;
    for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32}) {
      const bool half = dtype != DType::kF32;
      CAPTURE(c.what);
      CAPTURE(dtype_name(dtype));
      const uint64_t before = attentions(), causal = causal_attentions();
      const std::vector<float> got = attend_back("cpu:0,cuda:0", c, dtype, DType::kF32);
      CHECK(attentions() - before == (c.taken && half ? 2 : 0));
      CHECK(causal_attentions() - causal == (is_causal(c) && half ? 2 : 0));
      const std::vector<float> want = attend_back("cpu:0", c, dtype, DType::kF32);
      REQUIRE(got.size() == want.size());
      double most = 0, scale = 0;
      for (size_t i = 0; i < want.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])));
        scale = std::max(scale, std::abs(static_cast<double>(want[i])));
      }
      CHECK(scale > 0.01);
      CHECK(most < scale * (dtype == DType::kF32 ? 1e-5 : dtype == DType::kF16 ? 1e-2 : 6e-2));
    }
  }
  CHECK(problems() == 0);
}

TEST_CASE("attention goes to cuDNN, with the CPU's results, also for rows without a key") {
  problems();
  for (const AttentionCase& c : kAttentions) {
    for (const DType dtype : {DType::kF16, DType::kBF16}) {
      for (const DType mask : {dtype, DType::kF32}) {
        CAPTURE(c.what);
        CAPTURE(dtype_name(dtype));
        const uint64_t before = attentions(), causal = causal_attentions();
        const std::vector<float> got = attend("cpu:0,cuda:0", c, dtype, mask);
        CHECK(attentions() - before == (c.taken ? 1 : 0));
        CHECK(causal_attentions() - causal == (is_causal(c) ? 1 : 0));
        const std::vector<float> want = attend("cpu:0", c, dtype, mask);
        REQUIRE(got.size() == want.size());
        size_t nans = 0;
        double most = 0;
        for (size_t i = 0; i < want.size(); ++i) {
          CHECK(std::isnan(got[i]) == std::isnan(want[i]));
          if (std::isnan(want[i])) {
            ++nans;
          } else {
            most = std::max(most, std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])));
          }
        }
        CHECK(most < (dtype == DType::kF16 ? 4e-3 : 3e-2));
        CHECK((nans > 0) == (c.mask.rank() > 0 && !c.nan_is_zero));
      }
    }
  }
  CHECK(problems() == 0);
}

}  // namespace
}  // namespace percale

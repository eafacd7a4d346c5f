// Tests sizes that need many blocks, several tiles of a sort, and long rows: the device gives the
// results of the CPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "core/tensor/half.h"
#include "tests/cuda/emulated.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"

namespace percale {
namespace {

using Tensors = std::vector<Tensor>;

std::shared_ptr<Engine> both_devices() {
  const auto plugin = open_plugin(PERCALE_CUDA_PLUGIN);
  REQUIRE_MESSAGE(plugin.ok(), plugin.status().to_string());
  EngineOptions options;
  options.threads = 2;
  options.devices = "cpu:0,cuda:0";
  const auto engine = make_test_engine(options, {*plugin});
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  return *engine;
}

// Runs one node on the device. Inputs that determine shapes are constants, except for Range, which
// would have no work left.
Tensors run_node(const std::shared_ptr<Engine>& engine, const std::string& device, const std::string& op,
                 const Tensors& inputs, const Attributes& attributes, size_t outputs) {
  const size_t colon = op.find(':');
  const auto schema = engine->registry()->require_op(colon == std::string::npos ? "" : op.substr(0, colon),
                                                     colon == std::string::npos ? op : op.substr(colon + 1));
  REQUIRE_MESSAGE(schema.ok(), schema.status().to_string());
  Builder builder(engine->registry());
  FunctionBuilder& f = builder.main();
  std::vector<ValueId> operands;
  RunSpec spec;
  Tensors given;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) {
      operands.push_back(kNoValue);
      continue;
    }
    if ((*schema)->input(i).bounds == Bounds::kShape && op != "Range") {
      operands.push_back(*f.add_constant(inputs[i]));
      continue;
    }
    spec.feeds.push_back("x" + std::to_string(i));
    given.push_back(inputs[i]);
    operands.push_back(*f.add_input(spec.feeds.back(), inputs[i].dtype(), inputs[i].shape()));
  }
  f.set_device(device);
  const auto node = f.add_node(**schema, operands, attributes, outputs);
  REQUIRE_MESSAGE(node.ok(), node.status().to_string());
  const std::vector<ValueId> results = f.function().node(*node).outputs;
  for (size_t k = 0; k < outputs; ++k) {
    spec.fetches.push_back("y" + std::to_string(k));
    REQUIRE(f.rename(results[k], spec.fetches.back()).ok());
  }
  REQUIRE(f.set_outputs(results).ok());
  const auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto session = Session::create(engine, *graph, nullptr);
  REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  const auto got = (*session)->run(spec, given);
  REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  return *got;
}

// Converts a tensor of any type to f32.
std::vector<float> as_floats(const Tensor& t) {
  std::vector<float> out;
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    out.push_back(t.dtype() == DType::kF32   ? t.span<float>()[at]
                  : t.dtype() == DType::kF16 ? to_f32(t.span<F16>()[at])
                                             : to_f32(t.span<BF16>()[at]));
  }
  return out;
}

class Nodes {
 public:
  void same_bits(const std::string& op, const Tensors& inputs, const Attributes& attributes = {}, size_t outputs = 1) {
    const Tensors want = run_node(engine_, "cpu:0", op, inputs, attributes, outputs);
    const Tensors got = run_node(engine_, "cuda:0", op, inputs, attributes, outputs);
    for (size_t k = 0; k < outputs; ++k) {
      CAPTURE(op);
      CAPTURE(k);
      REQUIRE(got[k].shape() == want[k].shape());
      CHECK(std::memcmp(got[k].data(), want[k].data(), static_cast<size_t>(want[k].bytes())) == 0);
    }
  }
  // Where the CPU's fast kernels and the device round differently.
  void near(const std::string& op, const Tensors& inputs, const Attributes& attributes = {}, size_t outputs = 1) {
    const Tensors want = run_node(engine_, "cpu:0", op, inputs, attributes, outputs);
    const Tensors got = run_node(engine_, "cuda:0", op, inputs, attributes, outputs);
    for (size_t k = 0; k < outputs; ++k) {
      const std::vector<float> a = as_floats(got[k]), b = as_floats(want[k]);
      REQUIRE(a.size() == b.size());
      float worst = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        const float error = std::fabs(a[i] - b[i]) / std::max(1.0f, std::fabs(b[i]));
        worst = error <= worst ? worst : error;  // NaN counts as the worst
      }
      CAPTURE(op);
      CAPTURE(k);
      // 8e-3: the last bit of a bf16.
      CHECK(worst <= (want[k].dtype() == DType::kF32 ? 1e-5f : 8e-3f));
    }
  }

  Tensor floats(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (float& v : values) v = static_cast<float>(static_cast<int64_t>(random_() % 2001) - 1000) / 256.0f;
    return Tensor::of<float>(shape, values);
  }
  Tensor positive(const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (float& v : values) v = static_cast<float>(random_() % 1000) / 512.0f;
    return Tensor::of<float>(shape, values);
  }
  Tensor halves(const Shape& shape) {
    std::vector<F16> values(static_cast<size_t>(shape.num_elements()));
    for (F16& v : values) v = to_f16(static_cast<float>(random_() % 511) / 64.0f - 4.0f);
    return Tensor::of<F16>(shape, values);
  }
  // Small integers, whose sums of products are exact.
  Tensor digits(DType dtype, const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (float& v : values) v = static_cast<float>(random_() % 5) - 2.0f;
    if (dtype == DType::kF32) return Tensor::of<float>(shape, values);
    if (dtype == DType::kF16) return narrowed<F16>(shape, values, to_f16);
    return narrowed<BF16>(shape, values, to_bf16);
  }
  // Integers in [low, high).
  Tensor ints(const Shape& shape, int64_t low, int64_t high) {
    std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
    for (int64_t& v : values) v = low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low));
    return Tensor::of<int64_t>(shape, values);
  }

 private:
  template <class T>
  static Tensor narrowed(const Shape& shape, const std::vector<float>& values, T (*narrow)(float)) {
    std::vector<T> out(values.size());
    std::transform(values.begin(), values.end(), out.begin(), narrow);
    return Tensor::of<T>(shape, out);
  }

  std::shared_ptr<Engine> engine_ = both_devices();
  std::mt19937_64 random_{7};
};

Tensor dims(std::vector<int64_t> values) { return Tensor::vector(std::span<const int64_t>(values)); }

TEST_CASE("What many indices name is found, and comes back summed in their order") {
  Nodes n;
  n.same_bits("Gather", {n.halves({1000, 7}), n.ints({900}, -1000, 1000)});
  n.same_bits("Gather", {n.floats({3, 50, 8}), n.ints({40, 5}, -50, 50)}, {{"axis", 1}});
  n.same_bits("GatherElements", {n.floats({60, 70}), n.ints({60, 50}, -70, 70)}, {{"axis", 1}});
  n.same_bits("GatherND", {n.floats({30, 20, 9}), n.ints({700, 2}, 0, 20)});
  n.same_bits("percale:GatherGrad", {n.floats({6000, 5}), n.ints({6000}, -700, 700), dims({700, 5})});
  n.same_bits("percale:GatherGrad", {n.halves({3, 600, 2}), n.ints({600}, 0, 11), dims({3, 11, 2})}, {{"axis", 1}});
  n.same_bits("ScatterElements", {n.floats({300, 3}), n.ints({5000, 3}, -300, 300), n.floats({5000, 3})},
              {{"reduction", "add"}});
  n.same_bits("ScatterElements", {n.floats({70, 90}), n.ints({70, 80}, 0, 90), n.floats({70, 80})}, {{"axis", 1}});
  n.same_bits("ScatterND", {n.halves({97, 4}), n.ints({5000, 1}, -97, 97), n.halves({5000, 4})});
  n.same_bits("ScatterND", {n.ints({97, 4}, -9, 9), n.ints({5000, 1}, -97, 97), n.ints({5000, 4}, -9, 9)},
              {{"reduction", "mul"}});
}

TEST_CASE("Rows of any number are sorted and summed") {
  Nodes n;
  n.same_bits("percale:SumRows", {n.ints({9000}, -50, 800), n.floats({9000, 3})}, {}, 2);
  n.same_bits("percale:SumRows", {n.ints({500}, int64_t{1} << 40, int64_t{1} << 62), n.floats({500, 3})}, {}, 2);
  const Tensor rows = Tensor::vector(std::span<const int64_t>(std::vector<int64_t>{0, 3, 77, 200, 499, -1, -1}));
  const Tensor param = n.floats({500, 40}), m = n.floats({500, 40}), v = n.positive({500, 40});
  const Tensor rate = Tensor::scalar(0.01f), step = Tensor::scalar(int64_t{3});
  n.near("percale:SparseApplyAdam", {param, rows, n.floats({7, 40}), m, v, rate, step, Tensor()}, {}, 3);
  n.near("percale:ApplyLAMB", {param, n.floats({500, 40}), m, v, rate, step, Tensor()}, {{"weight_decay", 0.1}}, 3);
}

TEST_CASE("Equal slices of up to 64 elements are grouped") {
  Nodes n;
  const Tensor pairs = n.digits(DType::kF16, {2, 9000, 2}), rows = n.ints({4500, 7}, -2, 2);
  for (const int64_t sorted : {0, 1}) {
    n.same_bits("percale:DistinctSlices", {pairs}, {{"axis", 1}, {"sorted", sorted}}, 4);
    n.same_bits("percale:DistinctSlices", {rows}, {{"axis", 0}, {"sorted", sorted}}, 4);
  }
  n.same_bits("percale:DistinctSlices", {n.digits(DType::kF32, {64, 300})}, {{"axis", 1}}, 4);
  n.same_bits("percale:DistinctSlices", {n.digits(DType::kBF16, {9000})}, {}, 4);
}

TEST_CASE("Softmax and losses of lines of all lengths, with infinities and NaN in some") {
  const auto engine = both_devices();
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  std::mt19937 random(11);
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    const double most = dtype == DType::kF32 ? 2e-5 : dtype == DType::kF16 ? 4e-3 : 3e-2;
    for (const size_t size : {size_t{1}, size_t{5}, size_t{33}, size_t{257}, size_t{1029}, size_t{5003}}) {
      constexpr size_t kLines = 9;
      std::vector<float> x(kLines * size);
      for (float& v : x) v = std::uniform_real_distribution<float>(-8, 8)(random);
      for (size_t i = 0; i < size; ++i) x[2 * size + i] = -inf;
      for (size_t i = 0; i < size / 2; ++i) x[3 * size + i] = -inf;
      x[4 * size + size / 2] = inf;
      x[5 * size + size - 1] = nan;
      for (size_t i = 0; i < size; ++i) x[6 * size + i] = static_cast<float>(i) * 3;
      for (size_t i = 0; i < size; ++i) x[7 * size + i] = static_cast<float>(i) * -3;
      std::vector<F16> half(x.size());
      std::vector<BF16> brain(x.size());
      std::transform(x.begin(), x.end(), half.begin(), [](float v) { return to_f16(v); });
      std::transform(x.begin(), x.end(), brain.begin(), [](float v) { return to_bf16(v); });
      const Shape shape{kLines, static_cast<int64_t>(size)};
      const Tensor scores = dtype == DType::kF32   ? Tensor::of<float>(shape, x)
                            : dtype == DType::kF16 ? Tensor::of<F16>(shape, half)
                                                   : Tensor::of<BF16>(shape, brain);
      const Tensor labels = Tensor::of<int64_t>({kLines}, std::vector<int64_t>(kLines, static_cast<int64_t>(size) / 2));
      const Attributes each{{"reduction", "none"}};
      const auto near = [&](const std::string& op, const Tensors& inputs, const Attributes& how) {
        const std::vector<float> want = as_floats(run_node(engine, "cpu:0", op, inputs, how, 1)[0]),
                                 got = as_floats(run_node(engine, "cuda:0", op, inputs, how, 1)[0]);
        for (size_t i = 0; i < want.size(); ++i) {
          const double a = static_cast<double>(got[i]), b = static_cast<double>(want[i]);
          const bool same = std::isnan(b)   ? std::isnan(a)
                            : std::isinf(b) ? a == b
                                            : std::abs(a - b) <= most * std::max(1.0, std::abs(b));
          if (same) continue;
          CAPTURE(op);
          CAPTURE(dtype_name(dtype));
          CAPTURE(size);
          CAPTURE(i);
          CHECK(a == b);
        }
      };
      near("Softmax", {scores}, {});
      near("LogSoftmax", {scores}, {});
      near("Softmax", {scores}, {{"axis", 0}});
      near("SoftmaxCrossEntropyLoss", {scores, labels}, each);
      const Tensor slope = run_node(engine, "cpu:0", "SoftmaxCrossEntropyLoss", {scores, labels}, each, 1)[0];
      near("percale:SoftmaxCrossEntropyGrad", {slope, scores, labels}, each);
    }
  }
}

TEST_CASE("Long lines are ordered and summed up") {
  Nodes n;
  Tensor x = n.floats({3, 5000, 2});
  x.mutable_span<float>()[4321] = std::numeric_limits<float>::quiet_NaN();
  for (int64_t largest : {0, 1}) {
    n.same_bits("TopK", {x, dims({17})}, {{"axis", 1}, {"largest", largest}}, 2);
    n.same_bits("TopK", {n.ints({6, 900}, -99, 99), dims({900})}, {{"largest", largest}}, 2);
  }
  for (const char* op : {"ArgMax", "ArgMin"}) {
    n.same_bits(op, {x}, {{"axis", 1}});
    n.same_bits(op, {n.floats({40, 3000})}, {{"axis", 1}, {"select_last_index", 1}});
    n.same_bits(op, {n.halves({500, 60})}, {{"axis", 1}});
  }
  const Tensor lines = n.ints({3, 5000}, -9, 9), columns = n.ints({900, 700}, -9, 9);
  for (int64_t flag : {0, 1}) {
    n.same_bits("CumSum", {lines, Tensor::scalar(int64_t{1})}, {{"exclusive", flag}, {"reverse", 1 - flag}});
    n.same_bits("CumProd", {lines, Tensor::scalar(int64_t{1})}, {{"exclusive", flag}, {"reverse", flag}});
    n.same_bits("CumSum", {columns, Tensor::scalar(int64_t{0})}, {{"exclusive", flag}});
  }
}

TEST_CASE("Several blocks share a long line") {
  Nodes n;
  // Sums of these floats, and products of 1 and -1, are exact in any order.
  const Tensor floats = n.floats({2, 20001}), columns = n.floats({20001, 3}), halves = n.halves({20001});
  Tensor signs = n.floats({2, 20001});
  for (float& v : signs.mutable_span<float>()) v = v < 0 ? -1.0f : 1.0f;
  const Tensor first = Tensor::scalar(int64_t{0}), second = Tensor::scalar(int64_t{1});
  for (int64_t flag : {0, 1}) {
    n.same_bits("CumSum", {floats, second}, {{"exclusive", flag}, {"reverse", flag}});
    n.same_bits("CumSum", {columns, first}, {{"exclusive", flag}, {"reverse", 1 - flag}});
    n.same_bits("CumSum", {halves, first}, {{"exclusive", flag}});
    n.same_bits("CumProd", {signs, second}, {{"exclusive", flag}, {"reverse", flag}});
  }
  n.same_bits("percale:SumRows", {n.ints({20000}, -50, 9000), n.floats({20000, 2})}, {}, 2);
  // The numbers of keys in 35 tiles of a sort are a long line, too.
  n.same_bits("TopK", {n.halves({140000}), dims({1000})}, {}, 2);
}

TEST_CASE("Tensors are padded, cut and made from numbers") {
  Nodes n;
  for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
    n.same_bits("Pad", {n.floats({70, 90}), dims({5, 200, -3, 31})}, {{"mode", mode}});
    n.same_bits("percale:PadGrad", {n.floats({72, 321}), dims({5, 200, -3, 31}), dims({70, 90})}, {{"mode", mode}});
  }
  n.same_bits("Tile", {n.halves({30, 7}), dims({9, 11})});
  n.same_bits("percale:TileGrad", {n.floats({270, 77}), dims({9, 11}), dims({30, 7})});
  n.same_bits("percale:SliceGrad",
              {n.floats({31, 25}), dims({100, 99}), dims({90, 80}), dims({-200, 5}), dims({0, 1}), dims({-3, -3})});
  n.same_bits("Trilu", {n.floats({5, 120, 130}), Tensor::scalar(int64_t{-7})});
  n.same_bits("OneHot", {n.ints({2000}, -300, 300), Tensor::scalar(int64_t{50}), n.floats({2})}, {{"axis", 0}});
  n.same_bits("Range", {Tensor::scalar(int64_t{5}), Tensor::scalar(int64_t{300000}), Tensor::scalar(int64_t{3})});
}

// On the emulator without cuDNN. Each thread adds up its results in f32, and tensor cores do in 16
// bits.
TEST_CASE("Convolutions and their gradients span several tiles, groups and pieces of sums") {
  struct Case {
    Shape x, w, y;
    Attributes attributes;
  };
  const std::vector<Case> cases{
      {{3, 20, 9, 11}, {70, 20, 3, 3}, {3, 70, 9, 11}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}},
      {{2, 66, 21}, {130, 33, 5}, {2, 130, 9}, {{"strides", std::vector<int64_t>{2}}, {"group", 2}}},
      {{1, 17, 60, 61}, {18, 17, 2, 2}, {1, 18, 58, 59}, {{"dilations", std::vector<int64_t>{2, 2}}}},
      {{2, 16, 5, 6, 7}, {16, 16, 2, 3, 1}, {2, 16, 4, 4, 7}, {}},
  };
  Nodes n;
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const Case& c : cases) {
      const Tensor x = n.digits(dtype, c.x), w = n.digits(dtype, c.w), dy = n.digits(dtype, c.y);
      const auto spatial = [](const Shape& shape) {
        return std::vector<int64_t>(shape.dims().begin() + 2, shape.dims().end());
      };
      n.near("Conv", {x, w, n.digits(dtype, {c.w[0]})}, c.attributes);
      Attributes of_input = c.attributes, of_weight = c.attributes;
      of_input.set("spatial_shape", spatial(c.x));
      of_weight.set("kernel_shape", spatial(c.w));
      n.near("percale:ConvGradInput", {dy, w}, of_input);
      n.near("percale:ConvGradWeight", {x, dy}, of_weight, 2);
    }
  }
}

// Resize has no kernel on the device; it is expanded to gathers, products and sums.
TEST_CASE("Images are resized, and gradients taken back") {
  Nodes nodes;
  const Tensor x = nodes.floats({2, 3, 11, 7}),
               roi = Tensor::of<float>({8}, std::vector<float>{0, 0, 0.1f, 0.2f, 1, 1, 0.8f, 1.1f});
  for (const auto& scales : {std::vector<float>{1, 1, 2, 3}, {1, 1, 0.5f, 0.7f}, {1, 1, 3.3f, 0.2f}}) {
    const Tensor factors = Tensor::of<float>({4}, scales);
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      for (const char* coordinates : {"half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"}) {
        CAPTURE(mode);
        CAPTURE(coordinates);
        const Attributes attributes{
            {"mode", mode}, {"coordinate_transformation_mode", coordinates}, {"extrapolation_value", 9.0}};
        nodes.near("Resize", {x, roi, factors}, attributes);
      }
    }
    nodes.near("Resize", {x, Tensor(), factors}, {{"mode", "linear"}, {"antialias", 1}});
    const auto resized = [&](size_t d) { return static_cast<int64_t>(static_cast<float>(x.shape()[d]) * scales[d]); };
    const Tensor grad = nodes.floats({2, 3, resized(2), resized(3)});
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      nodes.near("percale:ResizeGrad", {grad, dims({2, 3, 11, 7}), Tensor(), factors, Tensor()}, {{"mode", mode}});
    }
  }
}

TEST_CASE("Random numbers are those of the CPU") {
  Nodes n;
  for (int64_t dtype : {1, 10, 11, 16}) {
    n.same_bits("percale:RandomUniform", {dims({70, 303})}, {{"dtype", dtype}, {"id", 5}, {"seed", 9}, {"low", -1.0}});
  }
  n.near("percale:RandomNormal", {dims({70, 303})}, {{"id", 5}, {"mean", 0.5}, {"scale", 2.0}});
  const Tensor train = Tensor::scalar(true);
  n.same_bits("Dropout", {n.floats({50, 333}), Tensor::scalar(0.3f), train}, {{"id", 3}}, 2);
  n.same_bits("Dropout", {n.halves({50, 333}), Tensor(), train}, {{"id", 4}}, 2);
}

// Gradients are copied out while the backward pass continues; the same holds for results of any
// program.
TEST_CASE("results leave the device while it works on what comes behind them, a bucket at a time") {
  EngineOptions options;
  options.devices = "cuda:0";
  const auto engine = get(make_test_engine(options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
  constexpr int kLayers = 5;
  const Shape shape{600, 1000};  // 2.4 MB: two of them fill a bucket
  Builder builder(engine->registry());
  Emitter e(builder.main());
  ValueId y = get(builder.main().add_input("x", DType::kF32, shape));
  std::vector<ValueId> outputs;
  for (int layer = 0; layer < kLayers; ++layer) {
    y = e.emit("Softmax", {e.emit("Mul", {y, e.scalar(DType::kF32, 3.0)})});
    outputs.push_back(y);
  }
  REQUIRE(e.status().ok());
  RunSpec spec{.feeds = {"x"}};
  for (ValueId v : outputs) spec.fetches.push_back(builder.main().function().value(v).name);
  REQUIRE(builder.main().set_outputs(outputs).ok());
  const auto session = get(Session::create(engine, get(builder.finish()), nullptr));
  std::vector<float> x(600000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 50;
  const std::vector<Tensor> given{Tensor::of<float>(shape, x)};
  for (int run = 0; run < 4; ++run) {  // later runs are replays
    CAPTURE(run);
    emulator_count("launches_at_copy");
    const uint64_t before = emulator_count("launches");
    const std::vector<Tensor> got = get(session->run(spec, given));
    const uint64_t at_first = emulator_count("launches_at_copy"), after = emulator_count("launches");
    if (is_emulated()) {
      CHECK(at_first > before);
      CHECK(at_first < after);
    }
    for (const Tensor& t : got) {
      double sum = 0;
      for (float v : t.span<float>()) sum += static_cast<double>(v);
      CHECK(sum == doctest::Approx(600).epsilon(1e-4));
    }
  }
}

}  // namespace
}  // namespace percale

// Compares image nets on the device with the CPU's: in 16 bits with channels last, and in f32 with
// channels first. cuDNN has an engine for each convolution in one run, and for none in the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/autodiff/gradients.h"
#include "core/graph/builder.h"
#include "core/session/session.h"
#include "core/tensor/half.h"
#include "tests/cuda/emulated.h"
#include "tests/cuda/random.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"

namespace percale {
namespace {

// A net of random layers with the gradients of all its inputs. The outputs are f32.
class Net {
 public:
  Net(const std::shared_ptr<Engine>& engine, const std::string& device, unsigned seed, DType dtype, bool trains)
      : random_(seed), dtype_(dtype), builder_(engine->registry()), e_(builder_.main()) {
    if (!device.empty()) builder_.main().set_device(device);
    const int64_t rank = random_.pick(0, 5) == 0 ? 3 : random_.pick(0, 7) == 0 ? 5 : 4;
    shape_ = {random_.pick(1, 3), random_.pick(1, 4)};
    for (int64_t d = 2; d < rank; ++d) shape_.push_back(random_.pick(5, 9));
    ValueId y = input(shape_, -1, 1);
    for (int64_t layers = random_.pick(3, 6); layers > 0; --layers) y = layer(y, trains);
    std::vector<ValueId> outputs{e_.emit("Cast", {e_.emit("GlobalAveragePool", {y})}, {{"to", DType::kF32}}),
                                 e_.emit("Cast", {y}, {{"to", DType::kF32}})};
    REQUIRE_MESSAGE(e_.status().ok(), e_.status().to_string());
    if (trains) {
      for (ValueId g : get(gradients(builder_.main(), outputs, inputs_))) outputs.push_back(g);
    }
    for (ValueId v : outputs) spec_.fetches.push_back(builder_.main().function().value(v).name);
    REQUIRE(builder_.main().set_outputs(outputs).ok());
    session_ = get(Session::create(engine, get(builder_.finish()), nullptr));
  }

  std::vector<Tensor> run() {
    auto out = session_->run(spec_, given_);
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    return *out;
  }
  std::string kernels() const {
    std::vector<ValueType> types;
    for (const Tensor& t : given_) types.push_back({t.dtype(), t.shape()});
    return get(session_->explain(spec_, types, "kernels"));
  }

 private:
  // Adds an f32 feed and casts it to the net's type.
  ValueId input(const std::vector<int64_t>& shape, float low, float high) {
    spec_.feeds.push_back("x" + std::to_string(given_.size()));
    given_.push_back(random_.tensor(Shape(shape), low, high));
    inputs_.push_back(get(builder_.main().add_input(spec_.feeds.back(), DType::kF32, Shape(shape))));
    return e_.emit("Cast", {inputs_.back()}, {{"to", dtype_}});
  }
  std::vector<int64_t> all(int64_t value) const { return std::vector<int64_t>(shape_.size() - 2, value); }
  std::vector<int64_t> per_channel() const {
    std::vector<int64_t> out(shape_.size() - 1, 1);
    out[0] = shape_[1];
    return out;
  }
  ValueId activation(ValueId y) {
    switch (random_.pick(0, 3)) {
      case 0: return e_.emit("Relu", {y});
      case 1: return e_.emit("Mul", {y, e_.emit("Sigmoid", {y})});
      case 2: return y;
      default: return e_.emit("Tanh", {y});
    }
  }

  ValueId conv(ValueId x, int64_t channels, int64_t groups) {
    std::vector<int64_t> w{channels, shape_[1] / groups};
    const int64_t kernel = random_.pick(0, 1) == 0 ? 1 : 3;
    for (size_t d = 2; d < shape_.size(); ++d) w.push_back(kernel);
    std::vector<ValueId> operands{x, input(w, -0.3f, 0.3f)};
    if (random_.pick(0, 3) > 0) operands.push_back(input({channels}, -1, 1));
    shape_[1] = channels;
    return e_.emit("Conv", operands,
                   {{"pads", std::vector<int64_t>(2 * (shape_.size() - 2), kernel / 2)}, {"group", groups}});
  }

  ValueId layer(ValueId x, bool trains) {
    switch (random_.pick(0, 9)) {
      case 8: {  // an op along the channels
        std::vector<int64_t> last(shape_.size()), back(shape_.size());
        for (size_t d = 0; d < last.size(); ++d) {
          last[d] = d == 0 ? 0 : d + 1 < last.size() ? static_cast<int64_t>(d) + 1 : 1;
          back[static_cast<size_t>(last[d])] = static_cast<int64_t>(d);
        }
        const ValueId moved = activation(e_.emit("Transpose", {x}, {{"perm", last}}));
        const ValueId softmax = e_.emit("Softmax", {e_.emit("Mul", {moved, input({shape_[1]}, 0.5f, 1.5f)})});
        return e_.emit("Transpose", {softmax}, {{"perm", back}});
      }
      case 0: return activation(conv(x, random_.pick(1, 24), 1));
      case 1: return activation(conv(x, random_.pick(16, 33), 1));
      case 2: {  // a residual connection
        const int64_t channels = random_.pick(16, 20);
        const ValueId before = conv(x, channels, 1);
        return activation(e_.emit("Add", {conv(e_.emit("Relu", {before}), channels, 1), before}));
      }
      case 3: return activation(conv(x, shape_[1], shape_[1]));  // a convolution per channel
      case 4: {
        const Attributes how{
            {"kernel_shape", all(3)}, {"strides", all(1)}, {"pads", std::vector<int64_t>(2 * (shape_.size() - 2), 1)}};
        return e_.emit(random_.pick(0, 1) == 0 ? "MaxPool" : "AveragePool", {x}, how);
      }
      case 5: {
        const int64_t c = shape_[1];
        const ValueId scale = input({c}, 0.5f, 1.5f), bias = input({c}, -1, 1), mean = input({c}, -0.5f, 0.5f),
                      variance = input({c}, 0.5f, 2);
        const Attributes how{{"training_mode", trains ? 1 : 0}};
        const ValueId y = e_.emit("BatchNormalization", {x, scale, bias, mean, variance}, how);
        // The following nodes may be fused with it.
        const int64_t then = random_.pick(0, 3);
        return then == 0 ? y : e_.emit("Relu", {then == 1 ? y : e_.emit("Add", {y, activation(x)})});
      }
      case 6: {  // channels weighted by their own contents
        const ValueId gate = e_.emit("Sigmoid", {conv_of_one(e_.emit("GlobalAveragePool", {x}))});
        return e_.emit("Mul", {x, gate});
      }
      case 7: {
        const ValueId more = e_.emit("Concat", {x, activation(x)}, {{"axis", 1}});
        shape_[1] *= 2;
        return more;
      }
      default: return e_.emit("Add", {e_.emit("Mul", {x, input(per_channel(), 0.5f, 1.5f)}), input({1}, -1, 1)});
    }
  }
  ValueId conv_of_one(ValueId x) {
    std::vector<int64_t> w(shape_.size(), 1);
    w[0] = w[1] = shape_[1];
    return e_.emit("Conv", {x, input(w, -0.5f, 0.5f), input({shape_[1]}, -1, 1)});
  }

  Random random_;
  const DType dtype_;
  Builder builder_;
  Emitter e_;
  std::vector<int64_t> shape_;
  RunSpec spec_;
  std::vector<Tensor> given_;
  std::vector<ValueId> inputs_;
  std::shared_ptr<Session> session_;
};

std::shared_ptr<Engine> engine_of(const std::string& devices) {
  EngineOptions options;
  options.threads = 1;
  options.devices = devices;
  return get(make_test_engine(options, {get(open_plugin(PERCALE_CUDA_PLUGIN))}));
}

double size_of(const Tensor& t) {  // root mean square
  double out = 0;
  for (float v : t.span<float>()) out += static_cast<double>(v) * static_cast<double>(v);
  return t.num_elements() == 0 ? 0 : std::sqrt(out / static_cast<double>(t.num_elements()));
}

// Returns the root mean square error, because 16-bit values are rounded at every node and single
// elements may differ much. It is relative to `want`, or to `least`, since gradients that cancel
// consist of rounding errors.
double distance(const Tensor& got, const Tensor& want, double least) {
  const auto a = got.span<float>(), b = want.span<float>();
  REQUIRE(a.size() == b.size());
  double off = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    off += (x - y) * (x - y);
  }
  return a.empty() ? 0 : std::sqrt(off / static_cast<double>(a.size())) / std::max(size_of(want), least);
}

TEST_CASE("nets of images have the CPU's results, however their channels lie") {
  const auto cpu = engine_of("cpu:0"), gpu = engine_of("cpu:0,cuda:0");
  emulator_count("problems");
  const uint64_t before = emulator_count("convolutions", "libcudnn.so.9");
  size_t moved = 0, nets = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    const DType dtype = seed % 3 == 0 ? DType::kF32 : seed % 3 == 1 ? DType::kBF16 : DType::kF16;
    const bool trains = seed % 2 == 0;
    CAPTURE(seed);
    CAPTURE(dtype_name(dtype));
    // The net in f64 is the reference; the CPU's net in the same type gives the error to expect of
    // that type.
    Net truth(cpu, "", seed, DType::kF64, trains), same(cpu, "", seed, dtype, trains),
        net(gpu, "cuda:0", seed, dtype, trains);
    const std::vector<Tensor> want = truth.run(), rounded = same.run(), got = net.run();
    REQUIRE(got.size() == want.size());
    double greatest = 0;
    for (const Tensor& t : want) greatest = std::max(greatest, size_of(t));
    for (size_t k = 0; k < want.size(); ++k) {
      CAPTURE(k);
      const double small = 0.02 * greatest;
      const double fair = distance(rounded[k], want[k], small), least = dtype == DType::kF32   ? 2e-5
                                                                        : dtype == DType::kF16 ? 4e-3
                                                                                               : 3e-2;
      CHECK(distance(got[k], want[k], small) <= 8 * fair + least);
    }
    ++nets;
    moved += net.kernels().find("cuda.reorder") != std::string::npos ? 1 : 0;
  }
  if (emulator_count("convolutions", "libcudnn.so.9") > before) {
    CHECK(moved > nets / 3);
    CHECK(emulator_count("epilogues", "libcudnn.so.9") > 20);
  }
  CHECK(emulator_count("problems") == 0);
}

TEST_CASE(
    "an op that others express runs on the device also where folding finds its sizes late, and where the CPU has a "
    "kernel for it") {
  std::vector<std::vector<float>> results;
  for (const char* devices : {"cpu:0", "cuda:0", "cpu:0,cuda:0"}) {
    CAPTURE(devices);
    const auto engine = engine_of(devices);
    Builder builder(engine->registry());
    Emitter e(builder.main());
    const Shape shape{1, 3, 5, 7};
    const ValueId x = get(builder.main().add_input("x", DType::kF32, shape));
    const ValueId places = e.emit("Slice", {e.emit("Shape", {x}), e.ints({2}), e.ints({4})});
    const ValueId sizes = e.emit("Concat", {e.ints({1, 3}), e.emit("Mul", {places, e.ints({2, 3})})}, {{"axis", 0}});
    const ValueId y = e.emit("Resize", {x, kNoValue, kNoValue, sizes}, {{"mode", std::string("linear")}});
    REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
    REQUIRE(builder.main().rename(y, "y").ok());
    REQUIRE(builder.main().set_outputs({y}).ok());
    const auto session = get(Session::create(engine, get(builder.finish()), nullptr));
    const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
    Random random(3);
    const std::vector<Tensor> given{random.tensor(shape, -1, 1)};
    const Tensor got = get(session->run(spec, given))[0];
    CHECK(got.shape() == Shape{1, 3, 10, 21});
    results.emplace_back(got.span<float>().begin(), got.span<float>().end());
    const std::string kernels = get(session->explain(spec, std::vector<ValueType>{{DType::kF32, shape}}, "kernels"));
    const bool whole = kernels.find("\"op\":\"Resize\"") != std::string::npos;
    CHECK(whole == (std::string(devices) == "cpu:0"));
  }
  for (size_t i = 0; i < results[0].size(); ++i) {
    for (size_t k : {1, 2}) {
      CHECK(static_cast<double>(results[k][i]) == doctest::Approx(static_cast<double>(results[0][i])).epsilon(1e-5));
    }
  }
}

// A value from another device may be needed before the part that sends it has ended, even if it is
// cast on the way.
TEST_CASE("parts of two devices that wait for each other in bf16 come to their end") {
  const auto engine = engine_of("cpu:0,cuda:0");
  Builder builder(engine->registry());
  Emitter e(builder.main());
  Random random(9);
  const Shape shape{64, 96};
  ValueId y = get(builder.main().add_input("x", DType::kF32, shape));
  for (int layer = 0; layer < 4; ++layer) {
    builder.main().set_device("cuda:0");
    y = e.emit("MatMul", {y, e.constant(random.tensor({96, 96}, -0.1f, 0.1f))});
    builder.main().set_device("cpu:0");
    y = e.emit("Softmax", {y});
  }
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().rename(y, "y").ok());
  REQUIRE(builder.main().set_outputs({y}).ok());
  SessionOptions options;
  options.compile.bf16 = true;
  const auto session = get(Session::create(engine, get(builder.finish()), nullptr, std::move(options)));
  RunOptions run;
  run.deadline_ns = now_ns() + 60'000'000'000;
  const auto got = session->run(RunSpec{.feeds = {"x"}, .fetches = {"y"}}, std::vector{random.tensor(shape)}, run);
  REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  double sum = 0;
  for (float v : (*got)[0].span<float>()) sum += static_cast<double>(v);
  CHECK(sum == doctest::Approx(64).epsilon(1e-3));
}

}  // namespace
}  // namespace percale

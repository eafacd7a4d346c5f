// Compares graphs in oneDNN's kernels and in the core's own: equal up to rounding, and the same
// bits on any number of threads.
#include <algorithm>

#include "tests/onednn/nets.h"

namespace percale {
namespace {

TEST_CASE("convolutions of all kinds, and what follows them, agree with the core's own") {
  const Engines engines;
  Random random(1);
  size_t taken = 0;
  for (int round = 0; round < 120; ++round) {
    const int64_t spatial = random.pick(1, 3), group = random.pick(0, 3) == 0 ? random.pick(1, 8) : 1;
    const bool depthwise = random.pick(0, 4) == 0;
    const int64_t in = depthwise ? random.pick(1, 40) : group * random.pick(1, 20);
    const int64_t groups = depthwise ? in : group;
    const int64_t out = groups * random.pick(1, depthwise ? 2 : 20);
    Shape x{random.pick(1, 3), in}, w{out, in / groups};
    std::vector<int64_t> strides, dilations, pads(static_cast<size_t>(2 * spatial));
    for (int64_t d = 0; d < spatial; ++d) {
      // Sometimes the second dim is 1; oneDNN then gets it as the first.
      const bool one = spatial == 2 && d == 1 && random.pick(0, 3) == 0;
      x.push_back(one ? 1 : random.pick(7, spatial == 3 ? 9 : 20));
      w.push_back(one ? 1 : random.pick(1, 3));
      strides.push_back(random.pick(1, 2));
      dilations.push_back(random.pick(1, 2));
    }
    for (int64_t& p : pads) p = random.pick(0, 1);
    Attributes attributes{{"group", groups}, {"strides", strides}};
    const int64_t padding = random.pick(0, 3);
    if (padding == 0) attributes.set("auto_pad", "SAME_UPPER");
    if (padding == 1) attributes.set("auto_pad", "SAME_LOWER");
    if (padding == 2) attributes.set("pads", pads);
    if (padding >= 2) attributes.set("dilations", dilations);
    const bool bias = random.coin();
    const int64_t kind = random.pick(0, kFollowers);
    const Tensor input = random.tensor(x);
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(w.to_string());
    CAPTURE(round);
    CAPTURE(kind);
    const std::string kernels = compare(engines, input, [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      std::vector<ValueId> inputs{net.x, net.weight(w)};
      if (bias) inputs.push_back(net.weight({out}));
      const ValueId y = net.e.emit("Conv", inputs, attributes);
      return net.finish(follow(net, y, kind, net.e.shape(y)));
    });
    taken += runs(kernels, "onednn.conv") > 0 ? size_t{1} : size_t{0};
  }
  CHECK(taken > 80);
}

TEST_CASE("products by weights, and what follows them, agree with the core's own") {
  const Engines engines;
  Random random(2);
  for (int round = 0; round < 80; ++round) {
    const bool gemm = random.coin(), transposed = gemm && random.coin();
    const int64_t k = random.pick(1, 300), n = random.pick(1, 300);
    Shape x;
    for (int64_t d = gemm ? 1 : random.pick(1, 3); d > 0; --d) x.push_back(random.pick(1, 12));
    x.push_back(k);
    const int64_t kind = random.pick(0, kFollowers);
    const bool bias = random.coin();
    const Tensor input = random.tensor(x);
    const auto seed = static_cast<unsigned>(random.pick(0, 1'000'000));
    CAPTURE(x.to_string());
    CAPTURE(n);
    CAPTURE(kind);
    CAPTURE(transposed);
    const std::string kernels = compare(engines, input, [&](const std::shared_ptr<Engine>& engine) {
      Random weights(seed);
      Net net(engine, weights, x);
      const ValueId w = net.weight(transposed ? Shape{n, k} : Shape{k, n});
      ValueId y = kNoValue;
      if (gemm) {
        y = net.e.emit("Gemm", bias ? std::vector{net.x, w, net.weight({n})} : std::vector{net.x, w},
                       {{"transB", transposed ? 1 : 0}});
      } else {
        y = net.e.emit("MatMul", {net.x, w});
        if (bias) y = net.e.emit("Add", {y, net.weight({n})});
      }
      return net.finish(follow(net, y, kind, net.e.shape(y)));
    });
    CAPTURE(kernels);
    // The core is faster for small products.
    const bool large = k * n > 65536 || 2 * (x.num_elements() / k) * k * n >= 2'000'000;
    CHECK(runs(kernels, gemm ? "onednn.gemm" : "onednn.matmul") == (large ? size_t{1} : size_t{0}));
  }
}

TEST_CASE("weights of one spatial dim and of groups are not taken for those of two") {
  struct Case {
    Shape x, w;
    int64_t group;
  };
  // Cases that kernels for tiles, for halves of images, or for Winograd would take if they mistook
  // the weights' dims for two channels and two spatial dims.
  const Case cases[] = {
      {{1, 512, 60}, {512, 32, 9}, 16}, {{1, 256, 400}, {256, 128, 3}, 2}, {{1, 48, 20}, {256, 3, 3}, 16}};
  const Engines engines;
  Random random(37);
  for (const Case& c : cases) {
    for (const bool narrow : {false, true}) {
      CAPTURE(c.x.to_string());
      CAPTURE(narrow);
      const auto build = [&](const std::shared_ptr<Engine>& engine) {
        Random weights(38);
        Net net(engine, weights, c.x);
        const auto as = [&](ValueId v, DType dtype) { return typed(net.e, narrow, v, dtype); };
        const ValueId y =
            net.e.emit("Conv", {as(net.x, DType::kBF16), as(net.weight(c.w), DType::kBF16)}, {{"group", c.group}});
        return net.finish(as(net.e.emit("Gelu", {y}), DType::kF32));
      };
      compare(engines, random.tensor(c.x), build, narrow ? 1e-2 : 2e-5);
    }
  }
}

TEST_CASE("a sum behind a convolution or a product leaves its addend alone where others read it") {
  const Engines engines;
  Random random(5);
  const Shape image{1, 24, 14, 14}, rows{48, 192};
  for (const bool conv : {true, false}) {
    for (const bool bf16 : {false, true}) {
      // A sum may reuse the addend's memory only if the addend is not needed any more. The cases:
      // the sum is its only reader; another node reads it later; the layer itself reads it; it is
      // the input of all; it is read again behind the sum.
      for (int64_t kind = 0; kind < 5; ++kind) {
        const Shape& x = conv ? image : rows;
        CAPTURE(conv);
        CAPTURE(bf16);
        CAPTURE(kind);
        const auto build = [&](const std::shared_ptr<Engine>& engine) {
          Random weights(77);
          Net net(engine, weights, x);
          Emitter& e = net.e;
          const auto layer = [&](ValueId from) {
            if (!conv) return e.emit("MatMul", {from, net.weight({192, 192})});
            return e.emit("Conv", {from, net.weight({24, 24, 3, 3})}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
          };
          const ValueId addend = kind == 3 ? net.x : e.emit("Relu", {layer(net.x)});
          const ValueId from = kind == 2 || kind == 3 ? addend : layer(net.x);
          const ValueId sum = e.emit("Relu", {e.emit("Add", {layer(from), addend})});
          if (kind == 4) return net.finish(e.emit("Mul", {sum, addend}));
          return net.finish(kind == 1 ? e.emit("Sub", {layer(sum), addend}) : sum);
        };
        SessionOptions options;
        options.compile.bf16 = bf16;
        const std::string kernels = compare(engines, random.tensor(x), build, bf16 ? 0.03 : 2e-5, options);
        CHECK(runs(kernels, conv ? "onednn.conv" : "onednn.matmul") >= 1);
      }
    }
  }
}

// bf16 tiles are so fast that halves of the pixels may be separate problems.
TEST_CASE("1 x 1 convolutions in bf16, and what follows them, agree with the core's own") {
  const Engines engines;
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    const bool few = random.pick(0, 3) == 0;  // few pixels, but enough work for two
    const int64_t in = few ? 512 : 8 * random.pick(2, 12), out = few ? 1024 : 8 * random.pick(1, 12);
    const Shape x{few ? 1 : random.pick(1, 2), in, few ? 1 : random.pick(1, 19),
                  few ? random.pick(1, 6) : random.pick(5, 19)};
    const Shape y{x[0], out, x[2], x[3]};
    const int64_t kind = random.pick(0, kFollowers);
    const bool bias = random.coin(), by_channel = random.coin();
    CAPTURE(x.to_string());
    CAPTURE(out);
    CAPTURE(kind);
    SessionOptions bf16;
    bf16.compile.bf16 = true;
    const auto build = [&](const std::shared_ptr<Engine>& engine) {
      Random weights(static_cast<unsigned>(round));
      Net net(engine, weights, x);
      std::vector<ValueId> inputs{net.x, net.weight({out, in, 1, 1})};
      if (bias) inputs.push_back(net.weight({out}));
      const ValueId sums = net.e.emit("Conv", inputs);
      return net.finish(follow(net, sums, kind, by_channel && kind != 10 ? Shape{out, 1, 1} : y));
    };
    compare(engines, random.tensor(x), build, 0.03, bf16);
  }
}

// Weights that decay in training become denormals, which would be a hundred times slower.
TEST_CASE("denormals are zero to oneDNN's kernels, on all threads") {
  const Engines engines;
  const Shape x{1, 32, 40, 40};
  const auto all = [](const Shape& shape, float value) {
    return Tensor::of<float>(shape, std::vector<float>(static_cast<size_t>(shape.num_elements()), value));
  };
  for (const int64_t size : {1, 3}) {
    for (const auto& engine : engines.onednn) {
      Builder builder(engine->registry());
      Emitter e(builder.main());
      const ValueId image = get(builder.main().add_input("x", DType::kF32, x));
      const ValueId weights = e.constant(all({32, 32, size, size}, 1e-20f));
      const ValueId y = e.emit("Conv", {image, weights}, {{"auto_pad", "SAME_UPPER"}});
      REQUIRE(builder.main().rename(y, "y").ok());
      REQUIRE(builder.main().set_outputs({y}).ok());
      const Outcome got = run(engine, get(builder.finish()), all(x, 1e-20f));
      CHECK(runs(got.kernels, size == 1 ? "onednn.conv" : "onednn.winograd") == 1);
      const auto values = got.y.span<float>();
      CHECK(std::all_of(values.begin(), values.end(), [](float v) { return v == 0; }));
    }
  }
}

TEST_CASE("a small net keeps oneDNN's format from its first convolution to its pool") {
  const Engines engines;
  Random random(3);
  const Shape x{2, 3, 33, 31};
  const Tensor input = random.tensor(x);
  const std::string kernels = compare(engines, input, [&](const std::shared_ptr<Engine>& engine) {
    Random weights(4);
    Net net(engine, weights, x);
    Emitter& e = net.e;
    const auto conv = [&](ValueId from, int64_t in, int64_t out, int64_t size) {
      return e.emit("Conv", {from, net.weight({out, in, size, size}), net.weight({out})}, {{"auto_pad", "SAME_UPPER"}});
    };
    const Attributes window{{"kernel_shape", std::vector<int64_t>{3, 3}}, {"strides", std::vector<int64_t>{2, 2}}};
    const ValueId first = e.emit("MaxPool", {e.emit("Relu", {conv(net.x, 3, 32, 3)})}, window);
    const ValueId left = conv(first, 32, 48, 1), right = e.emit("Relu", {conv(first, 32, 16, 3)});
    const ValueId joined = e.emit("Concat", {left, right}, {{"axis", 1}});
    const ValueId block = e.emit("Relu", {e.emit("Add", {conv(joined, 64, 64, 3), joined})});
    const ValueId pooled = e.emit("AveragePool", {e.emit("Sigmoid", {e.emit("HardSwish", {block})})}, window);
    const ValueId flat = e.emit("Flatten", {e.emit("GlobalAveragePool", {pooled})});
    return net.finish(e.emit("Gemm", {flat, net.weight({64, 10})}));
  });
  CAPTURE(kernels);
  CHECK(runs(kernels, "onednn.conv") + runs(kernels, "onednn.winograd") == 4);
  for (const char* kernel : {"onednn.pool", "onednn.concat"}) CHECK(runs(kernels, kernel) > 0);
  CHECK(count_of(kernels, "\"portable") == 0);
  // Counts one Reorder per weight and one for the image.
  size_t in_each_run = 0;
  for (size_t at = kernels.find("\"percale:Reorder\""); at != std::string::npos;
       at = kernels.find("\"percale:Reorder\"", at + 1)) {
    in_each_run += kernels.find("\"always\"", at) < kernels.find('}', at) ? size_t{1} : size_t{0};
  }
  CHECK(in_each_run <= 1);
}

}  // namespace
}  // namespace percale

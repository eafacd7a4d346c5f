// Measures the CPU device's own kernels on one thread, and the FMA peak of this machine at the same
// time:
//   kernels [auto|sse4|avx2|avx512|neon] [seconds per row]
// Each row is the best of many short trials. The peak is measured again between rows, and the best
// value kept.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "devices/cpu/simd/simd.h"

namespace {

using namespace percale;        // NOLINT
using namespace percale::simd;  // NOLINT

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Floats of a cheap generator in (-1, 1). Never zeros, which some machines add faster.
struct Floats {
  explicit Floats(int64_t n) : size(n), data(static_cast<float*>(std::aligned_alloc(64, bytes(n))), &std::free) {
    uint32_t state = 12345;
    for (int64_t i = 0; i < n; ++i) {
      state = state * 1664525u + 1013904223u;
      data[static_cast<size_t>(i)] = (static_cast<float>(state >> 8) + 0.5f) / 8388608.0f - 1.0f;
    }
  }
  static size_t bytes(int64_t n) { return (static_cast<size_t>(n) * 4 + 127) / 64 * 64; }
  float* get() const { return data.get(); }
  int64_t size;
  std::unique_ptr<float[], void (*)(void*)> data;
};

double g_seconds = 0.5;

double best_time(const std::function<void()>& body) {
  body();
  double best = 1e9;
  const double end = now() + g_seconds;
  while (now() < end) {
    const double start = now();
    body();
    best = std::min(best, now() - start);
  }
  return best;
}

struct Bench {
  const SimdTable* table;
  double roof = 0;  // FLOP per second of one thread

  void measure_roof() {
    constexpr int64_t kSteps = 200000;
    double flop = 0;
    const double saved = g_seconds;
    g_seconds = 0.05;
    const double time = best_time([&] { flop = table->roof->fma(kSteps); });
    g_seconds = saved;
    roof = std::max(roof, flop / time);
  }

  void row(const std::string& name, double flop, const std::function<void()>& body) {
    measure_roof();
    const double time = best_time(body);
    measure_roof();
    std::printf("%-44s %10.1f us %8.1f GFLOP/s %6.1f %% of %.1f\n", name.c_str(), time * 1e6, flop / time * 1e-9,
                100 * flop / time / roof, roof * 1e-9);
  }

  void gemm(const char* name, int64_t m, int64_t k, int64_t n, bool trans_a, bool trans_b, bool packed) {
    const Floats a(m * k), b(k * n), c(m * n);
    Gemm<float> g;
    g.m = m;
    g.n = n;
    g.k = k;
    g.a = a.get();
    g.lda = trans_a ? m : k;
    g.b = b.get();
    g.ldb = trans_b ? k : n;
    g.c = c.get();
    g.ldc = n;
    g.trans_a = trans_a;
    g.trans_b = trans_b;
    const GemmFnsOf<float>& fns = table->gemm->f32;
    const Floats pack(fns.packed_b_bytes(k, n) / 4 + 16);
    if (packed) {
      fns.pack_b(k, n, g.b, g.ldb, trans_b, pack.get(), ParallelFor());
      g.packed_b = pack.get();
    }
    const Floats scratch(fns.scratch_bytes(g) / 4 + 16);
    row(std::string("gemm ") + std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n) + " " + name,
        2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
        [&] { fns.run(g, scratch.get(), ParallelFor()); });
  }

  void conv(const char* name, const Conv2d& c, bool with_input_grad = true) {
    const int64_t weights = c.out_c * (c.in_c / c.groups) * c.kernel_h * c.kernel_w;
    const Floats x(c.batch * c.in_c * c.in_h * c.in_w), w(weights), bias(c.out_c);
    const Floats y(c.batch * c.out_c * c.out_h * c.out_w);
    const Floats scratch(std::max({table->conv->forward_scratch_bytes(c), table->conv->input_grad_scratch_bytes(c),
                                   table->conv_weight->scratch_bytes(c)}) /
                             4 +
                         16);
    const double flop = 2.0 * static_cast<double>(weights) * static_cast<double>(c.batch * c.out_h * c.out_w);
    const std::string title = std::string("conv ") + name + " batch " + std::to_string(c.batch);
    row(title + " forward", flop, [&] {
      table->conv->forward(c, x.get(), w.get(), nullptr, bias.get(), Act::kRelu, y.get(), scratch.get(), ParallelFor());
    });
    const Floats dy(y.size), dx(x.size), dw(weights);
    if (with_input_grad) {
      row(title + " input grad", flop,
          [&] { table->conv->input_grad(c, dy.get(), w.get(), dx.get(), scratch.get(), ParallelFor()); });
    }
    row(title + " weight grad", flop,
        [&] { table->conv_weight->weight_grad(c, x.get(), dy.get(), dw.get(), scratch.get(), ParallelFor()); });
  }

  // Measures functions that are bound by memory. `bytes` must be read and written once.
  void memory_row(const char* name, double bytes, const std::function<void()>& body) {
    const double time = best_time(body);
    std::printf("%-44s %10.1f us %8.1f GB/s\n", name, time * 1e6, bytes / time * 1e-9);
  }

  void memory_rows() {
    constexpr int64_t kCount = 1 << 16;  // 256 KiB a span: L2
    const Floats x(kCount), y(kCount), z(kCount), w(kCount);
    const double span = 4.0 * kCount;
    const auto unary = [&](const char* name, Unary op) {
      memory_row(name, 2 * span, [&, op] {
        table->elementwise->unary_f32[static_cast<int>(op)](x.get(), y.get(), kCount, 0.1f, 0.2f);
      });
    };
    unary("copy 64k", Unary::kCopy);
    unary("relu 64k", Unary::kRelu);
    unary("exp 64k", Unary::kExp);
    unary("log 64k", Unary::kLog);
    unary("tanh 64k", Unary::kTanh);
    unary("sigmoid 64k", Unary::kSigmoid);
    unary("gelu 64k", Unary::kGelu);
    memory_row("add 64k", 3 * span, [&] {
      table->elementwise->binary_f32[static_cast<int>(Binary::kAdd)](x.get(), false, y.get(), false, z.get(), kCount,
                                                                     0);
    });
    memory_row("adam 64k", 7 * span, [&] {
      Adam o;
      o.lr = 1e-6;
      table->optimizer->adam(o, x.get(), y.get(), z.get(), w.get(), kCount);
    });
    for (float* state = w.get(); state < w.get() + kCount; ++state) *state = 0.5f;
    memory_row("softmax 512 x 128", 2 * span,
               [&] { table->softmax->softmax(x.get(), 512, 128, y.get(), ParallelFor()); });
    float sum = 0;
    const Floats scratch(kCount);
    memory_row("sum 64k", span,
               [&] { table->reduce->f32.all(Reduce::kSum, x.get(), kCount, &sum, scratch.get(), ParallelFor()); });
    memory_row("sum of columns 512 x 128", span, [&] {
      table->reduce->f32.along_cols(Reduce::kSum, x.get(), 512, 128, 128, RowOrder::kFastest, y.get(), scratch.get(),
                                    ParallelFor());
    });
    memory_row("transpose 256 x 256", 2 * span,
               [&] { table->transpose->transpose32(x.get(), 1, 256, 256, y.get(), ParallelFor()); });
    Pool2d p;
    p.planes = 64, p.in_h = p.in_w = 32, p.out_h = p.out_w = 16, p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = 2;
    memory_row("max pool 2x2 64 x 32x32", 1.25 * span,
               [&] { table->pool->max(p, x.get(), y.get(), nullptr, ParallelFor()); });
    memory_row("max pool 2x2 gradient", 2.25 * span,
               [&] { table->pool->max_grad(p, x.get(), nullptr, y.get(), z.get(), ParallelFor()); });
    memory_row("average pool 2x2 gradient", 1.25 * span,
               [&] { table->pool->average_grad(p, y.get(), z.get(), ParallelFor()); });
  }
};

// A square convolution with `same` padding.
Conv2d square(int64_t batch, int64_t in_c, int64_t size, int64_t out_c, int64_t kernel, int64_t stride = 1,
              int64_t groups = 1) {
  Conv2d c;
  c.batch = batch;
  c.in_c = in_c;
  c.in_h = c.in_w = size;
  c.out_c = out_c;
  c.kernel_h = c.kernel_w = kernel;
  c.stride_h = c.stride_w = stride;
  c.pad_top = c.pad_left = kernel / 2;
  c.out_h = c.out_w = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  c.groups = groups;
  return c;
}

}  // namespace

int main(int argc, char** argv) {
  const auto cap = parse_isa_cap(argc > 1 ? argv[1] : "auto");
  if (!cap) {
    std::fprintf(stderr, "usage: kernels [auto|sse4|avx2|avx512|neon] [seconds per row]\n");
    return 2;
  }
  if (argc > 2) g_seconds = std::atof(argv[2]);
  const Isa isa = capped(detect_isa(), *cap);
  Bench bench{simd_table(isa)};
  if (!bench.table) {
    std::fprintf(stderr, "this machine has no SIMD kernels\n");
    return 77;
  }
  bench.measure_roof();
  std::printf("isa %s, fp32 FMA roof of one thread %.1f GFLOP/s\n", isa_name(isa), bench.roof * 1e-9);

  bench.gemm("nn", 1024, 1024, 1024, false, false, false);
  bench.gemm("nt", 1024, 1024, 1024, false, true, false);
  bench.gemm("tn", 1024, 1024, 1024, true, false, false);
  bench.gemm("nn", 64, 784, 512, false, false, false);
  bench.gemm("nt", 64, 784, 512, false, true, false);
  bench.gemm("nn packed", 64, 784, 512, false, false, true);
  bench.gemm("tn (its weight gradient)", 512, 64, 784, true, false, false);
  bench.gemm("nn (its input gradient)", 64, 512, 784, false, false, false);
  bench.gemm("nt", 64, 512, 10, false, true, false);
  bench.gemm("nn", 1, 784, 512, false, false, false);
  bench.gemm("nt", 1, 784, 512, false, true, false);
  bench.gemm("packed", 1, 784, 512, false, false, true);
  bench.conv("LeNet 1-16 5x5 28x28", square(64, 1, 28, 16, 5), false);
  bench.conv("LeNet 16-32 5x5 14x14", square(64, 16, 14, 32, 5));
  bench.conv("3x3 64-64 56x56", square(1, 64, 56, 64, 3));
  bench.conv("3x3 64-64 56x56", square(16, 64, 56, 64, 3));
  bench.conv("1x1 64-256 56x56", square(1, 64, 56, 256, 1));
  bench.conv("3x3/2 128-128 56x56", square(1, 128, 56, 128, 3, 2));
  bench.conv("3x3 512-512 7x7", square(1, 512, 7, 512, 3));
  bench.conv("7x7/2 3-64 224x224", square(1, 3, 224, 64, 7, 2), false);
  bench.conv("depthwise 3x3 96 112x112", square(1, 96, 112, 96, 3, 1, 96));
  bench.conv("depthwise 3x3/2 96 112x112", square(1, 96, 112, 96, 3, 2, 96));
  bench.memory_rows();
  return 0;
}

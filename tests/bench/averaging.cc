// Compares the speed of adding gradients on the host with that of copying: averaging [MEGABYTES]
// Prints a line per number of threads: GB/s of memcpy (bytes read and written), GB/s of a += b
// (bytes of a read, of b read, of a written).
#include "core/train/shards/averaging.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/engine/trace.h"

using percale::now_ns;
using percale::Tensor;

namespace {

// Returns many tensors of different sizes, like a model's gradients.
std::vector<Tensor> make_tensors(const std::shared_ptr<percale::MemoryPool>& pool, int64_t bytes) {
  std::vector<Tensor> out;
  for (int64_t size = bytes / 4 / 8; bytes > 0; size = size * 5 / 4 % (1 << 20) + 1000) {
    size = std::min(size, bytes / 4);
    auto tensor = Tensor::allocate(pool, percale::DType::kF32, percale::Shape{size});
    if (!tensor.ok()) std::exit(1);
    std::fill_n(tensor->mutable_span<float>().data(), size, 0.5f);
    out.push_back(*std::move(tensor));
    bytes = size < 64 ? 0 : bytes - 4 * size;
  }
  return out;
}

template <class F>
double least_ns(F&& f) {
  double best = 1e18;
  for (int i = 0; i < 15; ++i) {
    const int64_t begin = now_ns();
    f();
    best = std::min(best, static_cast<double>(now_ns() - begin));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t bytes = (argc > 1 ? std::atoll(argv[1]) : 64) << 20;
  for (const int32_t threads : {1, 2}) {
    const auto workers = percale::ThreadPool::create(threads);
    if (!workers.ok()) return 1;
    const percale::ParallelFor parallel = (*workers)->parallel();
    const auto pool = std::make_shared<percale::MemoryPool>();
    const auto a = make_tensors(pool, bytes), b = make_tensors(pool, bytes);
    double total = 0;
    for (const Tensor& t : a) total += static_cast<double>(t.bytes());
    const double copy = least_ns([&] {
      parallel(static_cast<int64_t>(a.size()), [&](int64_t i) {
        const auto k = static_cast<size_t>(i);
        std::memcpy(a[k].data(), b[k].data(), static_cast<size_t>(b[k].bytes()));
      });
    });
    const double add = least_ns([&] { percale::add_tensors(a, b, parallel); });
    std::printf("%d threads: copy %.2f GB/s, average %.2f GB/s, ratio %.3f\n", threads, 2 * total / copy,
                3 * total / add, 1.5 * copy / add);
  }
  return 0;
}

// The interface through which kernels run parallel loops. A loop is cut into pieces whose number
// depends on the problem only, never on the number of threads. This makes results independent of
// the thread count.
#ifndef PERCALE_CORE_BASE_PARALLEL_H_
#define PERCALE_CORE_BASE_PARALLEL_H_

#include <cstdint>
#include <type_traits>

namespace percale {

// A borrowed handle to whatever runs loops: the engine's thread pool, a scheduler of the host, or
// the calling thread.
// Each piece runs exactly once, in any order, on any thread. The call returns after all pieces have
// run. Calls may be nested. A body may throw only bad_alloc, which ends the loop and is rethrown by
// the call.
struct ParallelFor {
  using Body = void (*)(void* arg, int64_t piece);

  void (*call)(void* pool, int64_t pieces, Body body, void* arg) = &run_inline;
  void* pool = nullptr;

  template <class F>
  void operator()(int64_t pieces, F&& f) const {
    using Fn = std::remove_reference_t<F>;
    if (pieces == 1) return f(int64_t{0});
    call(
        pool, pieces, [](void* arg, int64_t piece) { (*static_cast<Fn*>(arg))(piece); },
        const_cast<void*>(static_cast<const void*>(&f)));
  }

  static void run_inline(void*, int64_t pieces, Body body, void* arg) {
    for (int64_t i = 0; i < pieces; ++i) body(arg, i);
  }
};

// The half-open range of `total` items that piece `piece` of `pieces` handles. Every range starts
// at a multiple of `align`; the last one ends at `total`. Requires pieces >= 1 and align >= 1.
struct PieceRange {
  int64_t begin, end;
};
inline PieceRange piece_range(int64_t total, int64_t pieces, int64_t piece, int64_t align = 1) {
  const int64_t blocks = (total + align - 1) / align;
  const int64_t base = blocks / pieces, extra = blocks % pieces;
  const int64_t first = piece * base + (piece < extra ? piece : extra);
  const int64_t count = base + (piece < extra ? 1 : 0);
  const int64_t begin = first * align, end = (first + count) * align;
  return {begin < total ? begin : total, end < total ? end : total};
}

}  // namespace percale

#endif  // PERCALE_CORE_BASE_PARALLEL_H_

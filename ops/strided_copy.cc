#include "ops/strided_copy.h"

#include <cstring>

namespace percale {
namespace {

template <class T>
void copy_run(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t n) {
  constexpr auto kItem = static_cast<int64_t>(sizeof(T));
  const T* x = reinterpret_cast<const T*>(from);
  T* y = reinterpret_cast<T*>(to);
  const int64_t sx = from_stride / kItem, sy = to_stride / kItem;
  if (sx == 1 && sy == 1) {
    if (x != y) std::memmove(y, x, static_cast<size_t>(n) * sizeof(T));
  } else if (sy == 1) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i * sx];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i * sy] = x[i * sx];
  }
}

}  // namespace

StridedCopy StridedCopy::make(const Shape& shape, int64_t item, const std::array<int64_t, kMaxRank>& to_strides,
                              const std::array<int64_t, kMaxRank>& from_strides, int64_t to_base, int64_t from_base) {
  return {StridedLoop::make(shape, std::array{to_strides, from_strides}), to_base, from_base, item};
}

void StridedCopy::run(const ParallelFor& parallel, const char* from, char* to) const {
  const auto& strides = loop.strides[loop.rank - 1];
  loop.run_parallel(parallel, [&](const StridedLoop::Offsets& offsets, int64_t n, int64_t) {
    const char* x = from + from_base + offsets[1];
    char* y = to + to_base + offsets[0];
    switch (item) {
      case 1: return copy_run<uint8_t>(x, strides[1], y, strides[0], n);
      case 2: return copy_run<uint16_t>(x, strides[1], y, strides[0], n);
      case 4: return copy_run<uint32_t>(x, strides[1], y, strides[0], n);
      default: return copy_run<uint64_t>(x, strides[1], y, strides[0], n);
    }
  });
}

Result<ViewPlan> plan_view(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(node.dtype(0), node.shape(0)));
  return ViewPlan{bytes};
}

void run_view(const ViewPlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  char* y = launch.out<char>(0);
  if (x == y) return;
  const int64_t pieces = pieces_for(plan.bytes, 4 * kGrain);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.bytes, pieces, piece, 64);
    std::memcpy(y + range.begin, x + range.begin, static_cast<size_t>(range.end - range.begin));
  });
}

}  // namespace percale

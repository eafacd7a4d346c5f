#include "ops/support/strided_copy.h"

#include <cstring>

namespace percale {
namespace {

// Uses memcpy, because items of several elements need not be aligned to their size.
template <size_t kItem>
void copy_run(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t n) {
  constexpr auto kStep = static_cast<int64_t>(kItem);
  if (from_stride == kStep && to_stride == kStep) {
    if (from != to) std::memmove(to, from, static_cast<size_t>(n) * kItem);
  } else if (to_stride == kStep) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * kStep, from + i * from_stride, kItem);
  } else {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, kItem);
  }
}

}  // namespace

StridedCopy StridedCopy::make(const Shape& shape, int64_t item, const std::array<int64_t, kMaxRank>& to_strides,
                              const std::array<int64_t, kMaxRank>& from_strides, int64_t to_base, int64_t from_base) {
  StridedCopy out{StridedLoop::make(shape, std::array{to_strides, from_strides}), to_base, from_base, item};
  // Treat a short contiguous row as one item, so that the loop runs over rows instead of elements.
  StridedLoop& loop = out.loop;
  const int64_t row = loop.row_length(), bytes = row * item;
  const auto& last = loop.strides[loop.rank - 1];
  const bool together = last[0] == item && last[1] == item;
  if (loop.rank > 1 && together && (bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16)) {
    out.item = bytes;
    loop.total /= row;
    --loop.rank;
  }
  return out;
}

void StridedCopy::run(const ParallelFor& parallel, const char* from, char* to) const {
  const auto& strides = loop.strides[loop.rank - 1];
  loop.run_parallel(parallel, [&](const StridedLoop::Offsets& offsets, int64_t n, int64_t) {
    const char* x = from + from_base + offsets[1];
    char* y = to + to_base + offsets[0];
    switch (item) {
      case 1: return copy_run<1>(x, strides[1], y, strides[0], n);
      case 2: return copy_run<2>(x, strides[1], y, strides[0], n);
      case 4: return copy_run<4>(x, strides[1], y, strides[0], n);
      case 8: return copy_run<8>(x, strides[1], y, strides[0], n);
      default: return copy_run<16>(x, strides[1], y, strides[0], n);
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

// Reductions over any dims. A sum is cut into pieces by its size only. The pieces are summed and
// combined in a fixed order, so every run gives the same bits.
#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {
namespace {

template <class T>
__device__ Wide<T> join_two(ReduceOp op, Wide<T> a, Wide<T> b) {
  switch (op) {
    case ReduceOp::kMax: return JoinMax()(a, b);
    case ReduceOp::kMin: return a < b || a != a ? a : b;
    case ReduceOp::kProd: return a * b;
    default: return a + b;
  }
}

// Returns the initial value of a thread: the empty sum or product, or, for extremes, some element.
template <class T>
__device__ Wide<T> start_of(ReduceOp op, Wide<T> any) {
  if (op == ReduceOp::kMax || op == ReduceOp::kMin) return any;
  return static_cast<Wide<T>>(op == ReduceOp::kProd ? 1 : 0);
}

template <class T>
__device__ T finish(const ReduceArgs& a, Wide<T> sum) {
  if (a.op == ReduceOp::kMean) sum = static_cast<Wide<T>>(sum / static_cast<Wide<T>>(a.count));
  return narrow<T>(sum);
}

// Returns element `r` of an output's sum: from the input, or from the accumulators of the first
// step.
template <class T>
__device__ Wide<T> load(const ReduceArgs& a, int64_t output, int64_t base, int64_t r) {
  if (a.last) return at<const Wide<T>>(a.partial)[output * a.pieces + r];
  int64_t offset;
  locate(a.reduced, r, &offset);
  return widen(at<const T>(a.x)[base + offset]);
}

template <class T>
__device__ void store(const ReduceArgs& a, int64_t output, int64_t piece, Wide<T> sum) {
  if (a.pieces == 1 || a.last) {
    at<T>(a.y)[output] = finish<T>(a, sum);
  } else {
    at<Wide<T>>(a.partial)[output * a.pieces + piece] = sum;
  }
}

// One row of threads for each output and piece, for sums along the innermost dim. Blocks: x over
// outputs, y over pieces.
template <class T>
__device__ void reduce_rows(const ReduceArgs& a) {
  __shared__ Wide<T> lanes[32];
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  const int64_t piece = blockIdx.y;
  const Range range = a.last ? Range{0, a.pieces} : piece_of(a.count, a.pieces, piece);
  // All threads of a block continue as long as one has work, because they share barriers.
  for (int64_t begin = first; begin < a.outputs; begin += step) {
    const int64_t output = begin + threadIdx.y;
    const bool works = output < a.outputs;
    int64_t base = 0;
    if (works && !a.last) locate(a.kept, output, &base);
    Wide<T> sum = start_of<T>(a.op, static_cast<Wide<T>>(0));
    if (works && range.begin < range.end) {
      const bool extreme = a.op == ReduceOp::kMax || a.op == ReduceOp::kMin;
      if (extreme) sum = load<T>(a, output, base, range.begin);
      for (int64_t r = range.begin + threadIdx.x; r < range.end; r += blockDim.x) {
        sum = join_two<T>(a.op, sum, load<T>(a, output, base, r));
      }
    }
    sum = join_row(sum, lanes, [&](Wide<T> x, Wide<T> y) { return join_two<T>(a.op, x, y); });
    if (works && threadIdx.x == 0) store<T>(a, output, piece, sum);
  }
}

// One thread for each output and piece, for sums over outer dims, where neighbouring outputs are
// contiguous.
template <class T>
__device__ void reduce_columns(const ReduceArgs& a) {
  const int64_t piece = blockIdx.y;
  const Range range = a.last ? Range{0, a.pieces} : piece_of(a.count, a.pieces, piece);
  for (int64_t output = thread_number(); output < a.outputs; output += thread_count()) {
    int64_t base = 0;
    if (!a.last) locate(a.kept, output, &base);
    Wide<T> sum = start_of<T>(a.op, static_cast<Wide<T>>(0));
    if (range.begin < range.end) {
      const bool extreme = a.op == ReduceOp::kMax || a.op == ReduceOp::kMin;
      if (extreme) sum = load<T>(a, output, base, range.begin);
      for (int64_t r = range.begin + (extreme ? 1 : 0); r < range.end; ++r) {
        sum = join_two<T>(a.op, sum, load<T>(a, output, base, r));
      }
    }
    store<T>(a, output, piece, sum);
  }
}

}  // namespace

#define PERCALE_REDUCE(name, T)                                                             \
  PERCALE_KERNEL(percale_reduce_rows_##name, ReduceArgs, 256) { reduce_rows<T>(a); }         \
  PERCALE_KERNEL(percale_reduce_columns_##name, ReduceArgs, 256) { reduce_columns<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_REDUCE)
PERCALE_REDUCE(i8, int8_t)
PERCALE_REDUCE(i32, int32_t)
PERCALE_REDUCE(i64, int64_t)
PERCALE_REDUCE(u8, uint8_t)
PERCALE_REDUCE(u32, uint32_t)
PERCALE_REDUCE(u64, uint64_t)

}  // namespace percale::cuda

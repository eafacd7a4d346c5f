// Combines the embeddings of each bag. A thread computes one column of a bag. Sums are doubles, in
// the order of the indices, as on the CPU.
#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {
namespace {

__device__ int64_t integer_at(Ptr from, int32_t wide, int64_t i) {
  return wide ? at<const int64_t>(from)[i] : at<const int32_t>(from)[i];
}

// Returns false and fails the run if offsets descend or leave the range of indices.
__device__ bool find_bag(const BagArgs& a, int64_t bag, int64_t* begin, int64_t* end) {
  if (a.length >= 0) {
    *begin = bag * a.length;
    *end = *begin + a.length;
    return true;
  }
  *begin = integer_at(a.offsets, a.wide_offsets, bag);
  *end = bag + 1 < a.bags || a.ends ? integer_at(a.offsets, a.wide_offsets, bag + 1) : a.count;
  if (*begin >= 0 && *begin <= *end && *end <= a.count) return true;
  fail(a.errors, kIndexOutOfRange, *begin < 0 || *begin > a.count ? *begin : *end);
  return false;
}

// Returns the row that index i selects, or -1 if it is skipped.
__device__ int64_t row_of(const BagArgs& a, int64_t i) {
  const int64_t row = integer_at(a.indices, a.wide_indices, i);
  if (row < 0 || row >= a.rows) {
    fail(a.errors, kIndexOutOfRange, row);
    return -1;
  }
  return row == a.padding ? -1 : row;
}

// The result for one column of a bag.
template <class T>
struct Found {
  double sum = 0;
  int64_t counted = 0;
  Wide<T> best{};  // the first largest value; NaN counts as larger than all others
  int64_t from = -1;  // the index of `best`
};

template <class T>
__device__ Found<T> look_up(const BagArgs& a, int64_t begin, int64_t end, int64_t column) {
  const T *table = at<const T>(a.table), *weights = at<const T>(a.weights);
  Found<T> out;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = row_of(a, i);
    if (row < 0) continue;
    const Wide<T> value = widen(table[row * a.width + column]);
    const double weight = a.weights.address != 0 ? static_cast<double>(widen(weights[i])) : 1.0;
    out.sum += weight * static_cast<double>(value);
    ++out.counted;
    if (out.from < 0 || (out.best == out.best && !(value <= out.best))) {
      out.best = value;
      out.from = i;
    }
  }
  return out;
}

template <class T>
__device__ void join_bags(const BagArgs& a) {
  T* y = at<T>(a.y);
  for (int64_t n = thread_number(); n < a.bags * a.width; n += thread_count()) {
    const Divided of = divide(n, a.width);
    int64_t begin = 0, end = 0;
    if (!find_bag(a, of.quotient, &begin, &end)) end = begin = 0;
    const Found<T> found = look_up<T>(a, begin, end, of.rest);
    if (a.mode == BagMode::kMax) {
      y[n] = narrow<T>(found.best);
    } else {
      const double by = a.mode == BagMode::kMean && found.counted > 0 ? static_cast<double>(found.counted) : 1.0;
      y[n] = narrow<T>(static_cast<Wide<T>>(found.sum / by));
    }
  }
}

// y must be zero before.
template <class T>
__device__ void spread_bags(const BagArgs& a) {
  const T *grad = at<const T>(a.grad), *weights = at<const T>(a.weights);
  T* y = at<T>(a.y);
  for (int64_t n = thread_number(); n < a.bags * a.width; n += thread_count()) {
    const Divided of = divide(n, a.width);
    int64_t begin = 0, end = 0;
    if (!find_bag(a, of.quotient, &begin, &end)) continue;
    const Found<T> found = look_up<T>(a, begin, end, of.rest);
    if (a.mode == BagMode::kMax) {
      if (found.from >= 0) y[found.from * a.width + of.rest] = grad[n];
      continue;
    }
    const Wide<T> by = static_cast<Wide<T>>(a.mode == BagMode::kMean ? found.counted : 1);
    for (int64_t i = begin; i < end; ++i) {
      if (row_of(a, i) < 0) continue;
      const Wide<T> weight = a.weights.address != 0 ? widen(weights[i]) : static_cast<Wide<T>>(1);
      y[i * a.width + of.rest] = narrow<T>(widen(grad[n]) * weight / by);
    }
  }
}

}  // namespace

#define PERCALE_BAG(name, T)                                          \
  PERCALE_KERNEL(percale_bag_##name, BagArgs, 256) { join_bags<T>(a); } \
  PERCALE_KERNEL(percale_bag_rows_##name, BagArgs, 256) { spread_bags<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_BAG)

}  // namespace percale::cuda

// Gathers elements by indices, and scatters them back; combines the embeddings of bags. Updates of
// one destination are combined in the order of their indices: the list of updates is sorted by
// destination with a stable sort, and the thread of the first update of each destination applies
// all of them.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/move_args.h"

namespace percale::cuda {
namespace {

template <class T>
__device__ void gather(const GatherArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  for (int64_t n = thread_number(); n < a.outer * a.count * a.inner; n += thread_count()) {
    const Divided row = divide(n, a.inner), of = divide(row.quotient, a.count);
    const int64_t index = read_index(a.indices, a.wide, of.rest, a.size, a.errors);
    y[n] = index < 0 ? static_cast<T>(0) : x[(of.quotient * a.size + index) * a.inner + row.rest];
  }
}

template <class T>
__device__ void gather_elements(const GatherElementsArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    int64_t base;
    locate(a.walk, i, &base);
    const int64_t index = read_index(a.indices, a.wide, i, a.size, a.errors);
    y[i] = index < 0 ? static_cast<T>(0) : x[base + index * a.step];
  }
}

// Returns the number of the slice that tuple t names, or -1 if it is out of range.
__device__ int64_t slice_of(const TuplesArgs& a, int64_t t) {
  int64_t slice = divide(t, a.batch).quotient * a.slices;
  for (int d = 0; d < a.length; ++d) {
    const int64_t index = read_index(a.indices, 1, t * a.length + d, a.dims[d], a.errors);
    if (index < 0) return -1;
    slice += index * a.strides[d];
  }
  return slice;
}

template <class T>
__device__ void gather_tuples(const TuplesArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  for (int64_t n = thread_number(); n < a.count * a.slice; n += thread_count()) {
    const Divided of = divide(n, a.slice);
    const int64_t slice = slice_of(a, of.quotient);
    y[n] = slice < 0 ? static_cast<T>(0) : x[slice * a.slice + of.rest];
  }
}

template <class T>
struct Joined {
  using W = Wide<T>;
  __device__ static W of(JoinOp op, W a, W b) {
    if constexpr (IsFloat<W>::value) {
      switch (op) {
        case JoinOp::kAdd: return a + b;
        case JoinOp::kMul: return a * b;
        case JoinOp::kMax: return a > b || a != a ? a : b;
        case JoinOp::kMin: return a < b || a != a ? a : b;
        default: return b;
      }
    } else {
      switch (op) {
        case JoinOp::kAdd: return static_cast<W>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
        case JoinOp::kMul: return static_cast<W>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
        case JoinOp::kMax: return a > b ? a : b;
        case JoinOp::kMin: return a < b ? a : b;
        default: return b;
      }
    }
  }
};

template <class T>
__device__ void join(const JoinArgs& a) {
  using W = Wide<T>;
  const uint64_t* keys = at<const uint64_t>(a.keys);
  const int64_t* places = at<const int64_t>(a.places);
  for (int64_t n = thread_number(); n < a.outer * a.count * a.width; n += thread_count()) {
    const Divided row = divide(n, a.width), of = divide(row.quotient, a.count);
    const int64_t first = of.rest;
    const uint64_t key = keys[first];
    if (key >= static_cast<uint64_t>(a.none) || (first > 0 && keys[first - 1] == key)) continue;
    const int64_t slice = a.numbers.address != 0 ? at<const int64_t>(a.numbers)[first] : static_cast<int64_t>(key);
    const T* from = at<const T>(a.updates) + of.quotient * a.count * a.width + row.rest;
    T* to = at<T>(a.y) + of.quotient * a.y_step + slice * a.width + row.rest;
    W value = a.fresh ? static_cast<W>(0) : widen(*to);
    for (int64_t i = first; i < a.count && keys[i] == key; ++i) {
      value = Joined<T>::of(a.op, value, widen(from[places[i] * a.width]));
      if (a.rounds) value = widen(narrow<T>(value));
    }
    *to = narrow<T>(value);
  }
}

// ---- Bags of embeddings. A thread computes one column of a bag. Sums are doubles, in the order of
// the indices, as on the CPU.

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

PERCALE_KERNEL(percale_index_keys, KeysArgs, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    int64_t key = a.none;
    if (a.rows) {
      const int64_t row = at<const int64_t>(a.indices)[i];
      if (row >= 0) key = row;
    } else {
      int64_t base;
      locate(a.walk, i, &base);
      const int64_t index = read_index(a.indices, a.wide, i, a.size, a.errors);
      if (index >= 0) key = base + index * a.step;
    }
    at<int64_t>(a.keys)[i] = key;
    at<int64_t>(a.places)[i] = i;
  }
}

PERCALE_KERNEL(percale_tuple_keys, TuplesArgs, 256) {
  for (int64_t t = thread_number(); t < a.count; t += thread_count()) {
    const int64_t slice = slice_of(a, t);
    at<int64_t>(a.keys)[t] = slice < 0 ? a.none : slice;
    at<int64_t>(a.places)[t] = t;
  }
}

PERCALE_KERNEL(percale_unpool_keys, UnpoolKeysArgs, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    const int64_t index = at<const int64_t>(a.indices)[i];
    int64_t key = a.none, rest = index;
    if (index < 0 || index >= a.size) {
      fail(a.errors, kIndexOutOfRange, index);
    } else {
      key = 0;
      for (int d = a.rank - 1; d >= 0; --d) {
        const Divided of = divide(rest, a.inner[d]);
        key += of.rest * a.strides[d];
        rest = of.quotient;
      }
    }
    at<int64_t>(a.keys)[i] = key;
    at<int64_t>(a.places)[i] = i;
  }
}

PERCALE_KERNEL(percale_heads, HeadsArgs, 256) {
  const int64_t* keys = at<const int64_t>(a.keys);
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    at<int64_t>(a.numbers)[i] = keys[i] < a.none && (i == 0 || keys[i - 1] != keys[i]) ? 1 : 0;
  }
}

PERCALE_KERNEL(percale_unique, HeadsArgs, 256) {
  const int64_t* keys = at<const int64_t>(a.keys);
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    if (keys[i] >= a.none || (i > 0 && keys[i - 1] == keys[i])) continue;
    at<int64_t>(a.unique)[at<const int64_t>(a.numbers)[i]] = keys[i];
  }
}

#define PERCALE_INDEX_SIZES(F) F(1, uint8_t) F(2, uint16_t) F(4, uint32_t) F(8, uint64_t)
#define PERCALE_GATHER(name, T)                                                                  \
  PERCALE_KERNEL(percale_gather_##name, GatherArgs, 256) { gather<T>(a); }                        \
  PERCALE_KERNEL(percale_gather_elements_##name, GatherElementsArgs, 256) { gather_elements<T>(a); } \
  PERCALE_KERNEL(percale_gather_tuples_##name, TuplesArgs, 256) { gather_tuples<T>(a); }
PERCALE_INDEX_SIZES(PERCALE_GATHER)
// JoinOp::kPut needs no arithmetic, so it uses the kernels of unsigned integers of the element's
// size for every type.
#define PERCALE_JOIN(name, T) \
  PERCALE_KERNEL(percale_join_##name, JoinArgs, 256) { join<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_JOIN)

#define PERCALE_BAG(name, T)                                          \
  PERCALE_KERNEL(percale_bag_##name, BagArgs, 256) { join_bags<T>(a); } \
  PERCALE_KERNEL(percale_bag_rows_##name, BagArgs, 256) { spread_bags<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_BAG)

}  // namespace percale::cuda

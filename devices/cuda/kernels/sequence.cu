// Reverses rows of sequences, writes rows into a cache, and selects slices by a mask. Elements are
// moved by size, whatever their type.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/move_args.h"

namespace percale::cuda {
namespace {

template <class T>
__device__ void reverse(const ReverseArgs& a) {
  const int64_t batch = a.time_first ? a.second : a.first, time = a.time_first ? a.first : a.second;
  const int64_t* lengths = at<const int64_t>(a.lengths);
  for (int64_t b = thread_number(); b < batch; b += thread_count()) {
    if (lengths[b] < 0 || lengths[b] > time) fail(a.errors, kIndexOutOfRange, lengths[b]);
  }
  for (int64_t n = thread_number(); n < a.first * a.second * a.inner; n += thread_count()) {
    const Divided row = divide(n, a.inner), of = divide(row.quotient, a.second);
    const int64_t t = a.time_first ? of.quotient : of.rest, length = lengths[a.time_first ? of.rest : of.quotient];
    const int64_t source = t < length && length <= time ? length - 1 - t : t;
    const int64_t from = a.time_first ? source * a.second + of.rest : of.quotient * a.second + source;
    at<T>(a.y)[n] = at<const T>(a.x)[from * a.inner + row.rest];
  }
}

// Returns where the update of batch b begins, or -1 if it does not fit.
__device__ int64_t place_of(const TensorScatterArgs& a, int64_t b) {
  if (a.places.address == 0) return 0;
  const int64_t place = at<const int64_t>(a.places)[b];
  const bool fits = a.circular || a.update == 0 || place <= a.cache - a.update;
  if (place < 0 || !fits) return -1;
  return a.circular && a.cache > 0 ? place % a.cache : place;
}

template <class T>
__device__ void tensor_scatter(const TensorScatterArgs& a) {
  for (int64_t b = thread_number(); b < a.batch; b += thread_count()) {
    if (place_of(a, b) < 0) fail(a.errors, kIndexOutOfRange, at<const int64_t>(a.places)[b]);
  }
  for (int64_t n = thread_number(); n < a.batch * a.middle * a.update * a.inner; n += thread_count()) {
    const Divided row = divide(n, a.inner), of = divide(row.quotient, a.update);
    const int64_t first = place_of(a, divide(of.quotient, a.middle).quotient);
    if (first < 0) continue;
    const int64_t place = first + of.rest < a.cache ? first + of.rest : first + of.rest - a.cache;
    at<T>(a.y)[(of.quotient * a.cache + place) * a.inner + row.rest] = at<const T>(a.updates)[n];
  }
}

template <class T>
__device__ void compress(const CompressArgs& a) {
  const uint8_t* mask = at<const uint8_t>(a.mask);
  for (int64_t n = thread_number(); n < a.outer * a.count * a.inner; n += thread_count()) {
    const Divided row = divide(n, a.inner), of = divide(row.quotient, a.count);
    if (mask[of.rest] == 0) continue;
    const int64_t to = of.quotient * a.chosen + at<const int64_t>(a.numbers)[of.rest];
    at<T>(a.y)[to * a.inner + row.rest] = at<const T>(a.x)[(of.quotient * a.size + of.rest) * a.inner + row.rest];
  }
}

}  // namespace

// Sets numbers to 1 where the mask is true, else to 0.
PERCALE_KERNEL(percale_mask_numbers, CompressArgs, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    at<int64_t>(a.numbers)[i] = at<const uint8_t>(a.mask)[i] != 0 ? 1 : 0;
  }
}

#define PERCALE_SEQUENCE(name, T)                                                                    \
  PERCALE_KERNEL(percale_reverse_##name, ReverseArgs, 256) { reverse<T>(a); }                        \
  PERCALE_KERNEL(percale_tensor_scatter_##name, TensorScatterArgs, 256) { tensor_scatter<T>(a); }    \
  PERCALE_KERNEL(percale_compress_##name, CompressArgs, 256) { compress<T>(a); }
PERCALE_SEQUENCE(1, uint8_t)
PERCALE_SEQUENCE(2, uint16_t)
PERCALE_SEQUENCE(4, uint32_t)
PERCALE_SEQUENCE(8, uint64_t)

}  // namespace percale::cuda

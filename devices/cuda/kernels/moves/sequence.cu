// Reverses rows of sequences, writes rows into a cache, and finds nonzero elements and distinct
// slices.
// Elements are moved by size, whatever their type.
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
__device__ bool is_nonzero(T x) {
  return widen(x) != static_cast<Wide<T>>(0);
}

template <class T>
__device__ void mark_nonzero(const PlacesArgs& a) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    at<int64_t>(a.before)[i] = is_nonzero(at<const T>(a.x)[i]) ? 1 : 0;
  }
}

template <class T>
__device__ void write_places(const PlacesArgs& a) {
  const T* x = at<const T>(a.x);
  const int64_t* before = at<const int64_t>(a.before);
  int64_t* places = at<int64_t>(a.places);
  const int64_t number = before[a.count - 1] + (is_nonzero(x[a.count - 1]) ? 1 : 0);
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    if (is_nonzero(x[i])) places[before[i]] = i;
    if (i >= number) places[i] = 0;
    if (i == 0) *at<int64_t>(a.number) = number;
  }
}

// True if a group of equal slices begins at element i of the list.
__device__ bool begins_group(const DistinctArgs& a, int64_t i) { return at<const int64_t>(a.marks)[i] != 0; }
// The group of element i, in the order of the list.
__device__ int64_t group_of(const DistinctArgs& a, int64_t i) {
  return at<const int64_t>(a.before)[i] - (begins_group(a, i) ? 0 : 1);
}

}  // namespace

// Notes where each group begins in the list, and marks the places of their first slices.
PERCALE_KERNEL(percale_note_groups, DistinctArgs, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    const bool begins = begins_group(a, i);
    if (begins) at<int64_t>(a.begins)[group_of(a, i)] = i;
    if (!a.sorted) at<int64_t>(a.first_before)[at<const int64_t>(a.places)[i]] = begins ? 1 : 0;
  }
}

PERCALE_KERNEL(percale_write_groups, DistinctArgs, 256) {
  const int64_t *places = at<const int64_t>(a.places), *begins = at<const int64_t>(a.begins);
  int64_t *first = at<int64_t>(a.first), *counts = at<int64_t>(a.counts);
  const int64_t groups = group_of(a, a.count - 1) + 1;
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    const int64_t group = group_of(a, i);
    const int64_t number = a.sorted ? group : at<const int64_t>(a.first_before)[places[begins[group]]];
    at<int64_t>(a.inverse)[places[i]] = number;
    if (begins[group] == i) {
      first[number] = places[i];
      counts[number] = (group + 1 < groups ? begins[group + 1] : a.count) - i;
    }
    if (i >= groups) first[i] = counts[i] = 0;
    if (i == 0) *at<int64_t>(a.number) = groups;
  }
}

#define PERCALE_SEQUENCE(name, T)                                             \
  PERCALE_KERNEL(percale_reverse_##name, ReverseArgs, 256) { reverse<T>(a); } \
  PERCALE_KERNEL(percale_tensor_scatter_##name, TensorScatterArgs, 256) { tensor_scatter<T>(a); }
PERCALE_SEQUENCE(1, uint8_t)
PERCALE_SEQUENCE(2, uint16_t)
PERCALE_SEQUENCE(4, uint32_t)
PERCALE_SEQUENCE(8, uint64_t)

#define PERCALE_PLACES(name, T)                                                        \
  PERCALE_KERNEL(percale_mark_nonzero_##name, PlacesArgs, 256) { mark_nonzero<T>(a); } \
  PERCALE_KERNEL(percale_write_places_##name, PlacesArgs, 256) { write_places<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_PLACES)

}  // namespace percale::cuda

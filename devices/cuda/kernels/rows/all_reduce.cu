// Sums across GPUs that can access each other's memory. Each GPU sums its own part of every buffer
// and writes the result to all buffers. No GPU reads or writes the part of another one.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/row_args.h"

namespace percale::cuda {
namespace {

// The elements that a thread loads at once.
template <class T>
struct alignas(16) Lane {
  T element[16 / sizeof(T)];
};

__device__ void add(float& a, float b) { a += b; }
__device__ void add(double& a, double b) { a += b; }
template <class T>
__device__ void add(Lane<T>& a, const Lane<T>& b) {
  for (size_t k = 0; k < 16 / sizeof(T); ++k) a.element[k] += b.element[k];
}

// Sums over GPUs `begin` to `end` as a tree. If the count is odd, the left half is larger.
template <class Item, int begin, int end>
__device__ Item tree_sum(const AllReduceArgs& a, int64_t i) {
  if constexpr (end - begin == 1) {
    return at<const Item>(a.buffers[begin])[i];
  } else {
    constexpr int middle = begin + (end - begin + 1) / 2;
    Item sum = tree_sum<Item, begin, middle>(a, i);
    add(sum, tree_sum<Item, middle, end>(a, i));
    return sum;
  }
}

template <class Item, int count>
__device__ void sum_items(const AllReduceArgs& a, int64_t begin, int64_t end) {
  for (int64_t i = begin + thread_number(); i < end; i += thread_count()) {
    const Item sum = tree_sum<Item, 0, count>(a, i);
    for (int k = 0; k < count; ++k) at<Item>(a.buffers[k])[i] = sum;
  }
}

template <class T, int count>
__device__ void sum_across(const AllReduceArgs& a) {
  constexpr int64_t per_lane = 16 / sizeof(T);
  const int64_t lanes_end = a.end / per_lane;
  sum_items<Lane<T>, count>(a, a.begin / per_lane, lanes_end);
  sum_items<T, count>(a, lanes_end * per_lane, a.end);
}

template <class T>
__device__ void sum_across(const AllReduceArgs& a) {
  switch (a.count) {
    case 2: return sum_across<T, 2>(a);
    case 3: return sum_across<T, 3>(a);
    case 4: return sum_across<T, 4>(a);
    case 5: return sum_across<T, 5>(a);
    case 6: return sum_across<T, 6>(a);
    case 7: return sum_across<T, 7>(a);
    case 8: return sum_across<T, 8>(a);
  }
}

}  // namespace

PERCALE_KERNEL(percale_all_reduce_f32, AllReduceArgs, 256) { sum_across<float>(a); }
PERCALE_KERNEL(percale_all_reduce_f64, AllReduceArgs, 256) { sum_across<double>(a); }

}  // namespace percale::cuda

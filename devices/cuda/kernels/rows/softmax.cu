// Softmax and log-softmax, the losses of scores against class indices, and their gradients. A line
// is the elements along one axis. One warp or one block processes a line.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/row_args.h"

namespace percale::cuda {
namespace {

// The lines of a row of threads: `begin` and every step-th line after it. All threads of a block
// continue as long as one has a line.
struct Lines {
  int64_t begin, step;
};
__device__ Lines lines_of_block() {
  return {static_cast<int64_t>(blockIdx.x) * blockDim.y, static_cast<int64_t>(gridDim.x) * blockDim.y};
}

// ---- A line is processed by the threads of a row. Its elements are `step` apart; if they are
// contiguous, 16 bytes are loaded at once.

// Returns the number of elements before the first one that is aligned to 16 bytes.
template <class T>
__device__ int64_t head_of(const T* x, int64_t size) {
  const int64_t head = static_cast<int64_t>((16 - reinterpret_cast<uint64_t>(x) % 16) % 16 / sizeof(T));
  return head < size ? head : size;
}

// Calls f(element) for each element of the line.
template <class T, class F>
__device__ void for_line(const T* x, int64_t size, int64_t step, F f) {
  constexpr int kEach = kPackOf<T>;
  const int64_t head = step == 1 ? head_of(x, size) : size, packs = (size - head) / kEach;
  for (int64_t i = threadIdx.x; i < head; i += blockDim.x) f(widen(x[i * step]));
  const auto* all = reinterpret_cast<const Pack<T, kEach>*>(x + head);
  for (int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
    const Pack<T, kEach> pack = all[i];
    for (int k = 0; k < kEach; ++k) f(widen(pack.items[k]));
  }
  for (int64_t i = head + packs * kEach + threadIdx.x; i < size; i += blockDim.x) f(widen(x[i]));
}

// Computes y = f(index, element). The lines of x and y must have the same alignment.
template <class T, class F>
__device__ void map_line(const T* x, T* y, int64_t size, int64_t step, F f) {
  constexpr int kEach = kPackOf<T>;
  const int64_t head = step == 1 ? head_of(x, size) : size, packs = (size - head) / kEach;
  for (int64_t i = threadIdx.x; i < head; i += blockDim.x) y[i * step] = narrow<T>(f(i, widen(x[i * step])));
  const auto* from = reinterpret_cast<const Pack<T, kEach>*>(x + head);
  auto* to = reinterpret_cast<Pack<T, kEach>*>(y + head);
  for (int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
    Pack<T, kEach> pack = from[i];
    for (int k = 0; k < kEach; ++k) pack.items[k] = narrow<T>(f(head + i * kEach + k, widen(pack.items[k])));
    to[i] = pack;
  }
  for (int64_t i = head + packs * kEach + threadIdx.x; i < size; i += blockDim.x) y[i] = narrow<T>(f(i, widen(x[i])));
}

template <class W>
struct LogSum {
  W most, sum;  // the maximum, and the sum of exp(x - most)
};

// Computes both in one pass: the sum is scaled down when a larger element comes (Milakov and
// Gimelshein 2018). Every thread of the row must call it; `works` is true if there is a line. The
// sum of a line of -inf is 0. A line with NaN or +inf has the sum NaN.
template <class T>
__device__ LogSum<Wide<T>> log_sum(const T* x, int64_t size, int64_t step, bool works, Wide<T>* lanes) {
  using W = Wide<T>;
  W own = static_cast<W>(sizeof(W) == 8 ? -1.7976931348623157e308 : -3.4028234663852886e38), sum = 0;
  if (works) {
    for_line(x, size, step, [&](W v) {
      if (v <= own) {
        sum += exp(v - own);
      } else {
        sum = sum * exp(own - v) + exp(v - v);
        own = v;
      }
    });
  }
  const W most = join_row(own, lanes, JoinMax());
  return {most, join_row(sum * exp(own - most), lanes, JoinSum())};
}

template <class T>
__device__ void softmax(const SoftmaxArgs& a) {
  using W = Wide<T>;
  __shared__ W lanes[32];
  const Lines lines = lines_of_block();
  const int64_t count = a.outer * a.inner;
  for (int64_t begin = lines.begin; begin < count; begin += lines.step) {
    const int64_t line = begin + threadIdx.y;
    const bool works = line < count;
    const int64_t start = works ? line / a.inner * a.size * a.inner + line % a.inner : 0;
    const T* x = at<const T>(a.x) + start;
    T* y = at<T>(a.y) + start;
    const LogSum<W> s = log_sum(x, a.size, a.inner, works, lanes);
    if (!works) continue;
    const W log_of_sum = log(s.sum);
    map_line(x, y, a.size, a.inner,
             [&](int64_t, W v) { return a.log ? v - s.most - log_of_sum : exp(v - s.most) / s.sum; });
  }
}

__device__ int64_t label_of(Ptr labels, int32_t wide, int64_t line) {
  return wide ? at<const int64_t>(labels)[line] : at<const int32_t>(labels)[line];
}

// The label of a line: whether the line counts, and with which weight. A label that is not a class
// fails the run.
struct Label {
  int64_t index;
  bool counts;
  double weight;
};
template <class T, class Args>
__device__ Label read_label(const Args& a, int64_t line) {
  Label out{label_of(a.labels, a.wide_labels, line), false, 0};
  if (a.ignores && out.index == a.ignore_index) return out;
  if (out.index < 0 || out.index >= a.classes) {
    if (threadIdx.x == 0) fail(a.errors, kIndexOutOfRange, out.index);
    return out;
  }
  out.counts = true;
  out.weight = a.weights.address == 0 ? 1 : static_cast<double>(widen(at<const T>(a.weights)[out.index]));
  return out;
}

template <class T>
__device__ void class_loss(const ClassLossArgs& a) {
  using W = Wide<T>;
  __shared__ W lanes[32];
  const Lines lines = lines_of_block();
  for (int64_t begin = lines.begin; begin < a.lines; begin += lines.step) {
    const int64_t line = begin + threadIdx.y;
    const bool works = line < a.lines;
    const int64_t start = works ? line / a.inner * a.classes * a.inner + line % a.inner : 0;
    const T* x = at<const T>(a.scores) + start;
    LogSum<W> s{0, 1};
    if (a.softmax) s = log_sum(x, a.classes, a.inner, works && a.classes > 0, lanes);
    if (!works) continue;
    const W shift = a.softmax ? s.most + log(s.sum) : static_cast<W>(0);
    if (a.log_prob.address != 0) {
      const W log_of_sum = log(s.sum);
      map_line(x, at<T>(a.log_prob) + start, a.classes, a.inner, [&](int64_t, W v) { return v - s.most - log_of_sum; });
    }
    const Label label = read_label<T>(a, line);
    if (threadIdx.x != 0) continue;
    at<double>(a.losses)[line] =
        label.counts ? label.weight * static_cast<double>(shift - widen(x[label.index * a.inner])) : 0;
    at<double>(a.line_weights)[line] = label.weight;
  }
}

// Computes the weights of all lines, for the gradient of a mean.
template <class T>
__device__ void line_weights(const ClassGradArgs& a) {
  for (int64_t line = thread_number(); line < a.lines; line += thread_count()) {
    const Label label = read_label<T>(a, line);
    at<double>(a.line_weights)[line] = label.weight;
  }
}

template <class T>
__device__ void class_grad(const ClassGradArgs& a) {
  using W = Wide<T>;
  __shared__ W lanes[32];
  const Lines lines = lines_of_block();
  for (int64_t begin = lines.begin; begin < a.lines; begin += lines.step) {
    const int64_t line = begin + threadIdx.y;
    const bool works = line < a.lines;
    const int64_t start = works ? line / a.inner * a.classes * a.inner + line % a.inner : 0;
    const T* x = at<const T>(a.scores) + start;
    T* to = at<T>(a.dscores) + start;
    LogSum<W> s{0, 1};
    if (a.softmax) s = log_sum(x, a.classes, a.inner, works && a.classes > 0, lanes);
    if (!works) continue;
    const Label label = read_label<T>(a, line);
    double factor = label.weight * read_float(a.dloss, a.dloss_dtype, a.per_line ? line : 0);
    if (a.total.address != 0) factor /= *at<const double>(a.total);
    const W scale = static_cast<W>(factor);
    map_line(x, to, a.classes, a.inner, [&](int64_t i, W v) {
      const bool hit = label.counts && i == label.index;
      if (a.softmax && label.counts) return scale * (exp(v - s.most) / s.sum - static_cast<W>(hit ? 1 : 0));
      return hit ? -scale : static_cast<W>(0);
    });
  }
}

// Sums over all lines with one block, in an order that depends on their number only.
__device__ double sum_lines(Ptr values, int64_t lines, double* lanes) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < lines; i += blockDim.x) sum += at<const double>(values)[i];
  return join_row(sum, lanes, JoinSum());
}

}  // namespace

#define PERCALE_SOFTMAX(name, T)                                                            \
  PERCALE_KERNEL(percale_softmax_##name, SoftmaxArgs, 256) { softmax<T>(a); }                \
  PERCALE_KERNEL(percale_class_loss_##name, ClassLossArgs, 256) { class_loss<T>(a); }        \
  PERCALE_KERNEL(percale_line_weights_##name, ClassGradArgs, 256) { line_weights<T>(a); }    \
  PERCALE_KERNEL(percale_class_grad_##name, ClassGradArgs, 256) { class_grad<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_SOFTMAX)

// One block computes the sum or mean of the losses, or copies the loss of each line.
PERCALE_KERNEL(percale_loss_sum, LossSumArgs, 256) {
  __shared__ double lanes[32];
  if (a.reduction == 0) {
    for (int64_t i = thread_number(); i < a.lines; i += thread_count()) write_float(a.y, a.dtype, i, at<const double>(a.losses)[i]);
    return;
  }
  double out = sum_lines(a.losses, a.lines, lanes);
  if (a.reduction == 2) out /= sum_lines(a.line_weights, a.lines, lanes);
  if (threadIdx.x == 0) write_float(a.y, a.dtype, 0, out);
}

// One block computes the divisor of a mean.
PERCALE_KERNEL(percale_sum_weights, LossSumArgs, 256) {
  __shared__ double lanes[32];
  const double out = sum_lines(a.line_weights, a.lines, lanes);
  if (threadIdx.x == 0) *at<double>(a.y) = out;
}

}  // namespace percale::cuda

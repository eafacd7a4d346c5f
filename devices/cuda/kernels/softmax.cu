// Softmax and its logarithm, the losses of scores against the index of a class, and their gradients. A line is the elements along one
// axis; a warp or a block takes a line.
#include "devices/cuda/kernels/device.cuh"

namespace percale::cuda {
namespace {

// The lines that a row of threads takes: first, then every step-th. All threads of a block go on as long as one has a line.
struct Lines {
  int64_t begin, step;
};
__device__ Lines lines_of_block() {
  return {static_cast<int64_t>(blockIdx.x) * blockDim.y, static_cast<int64_t>(gridDim.x) * blockDim.y};
}

template <class W>
struct LogSum {
  W most, sum;  // the maximum, and the sum of exp(x - most)
};

// x: the line's first element, `step` apart. Every thread of the row must call it; `works` says whether there is a line.
template <class T>
__device__ LogSum<Wide<T>> log_sum(const T* x, int64_t size, int64_t step, bool works, Wide<T>* lanes) {
  using W = Wide<T>;
  W most = works ? widen(x[0]) : static_cast<W>(0);
  if (works) {
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) most = JoinMax()(most, widen(x[i * step]));
  }
  most = join_row(most, lanes, JoinMax());
  W sum = 0;
  if (works) {
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) sum += exp(widen(x[i * step]) - most);
  }
  return {most, join_row(sum, lanes, JoinSum())};
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
    for (int64_t i = threadIdx.x; i < a.size; i += blockDim.x) {
      const W shifted = widen(x[i * a.inner]) - s.most;
      y[i * a.inner] = narrow<T>(a.log ? shifted - log_of_sum : exp(shifted) / s.sum);
    }
  }
}

__device__ int64_t label_of(Ptr labels, int32_t wide, int64_t line) {
  return wide ? at<const int64_t>(labels)[line] : at<const int32_t>(labels)[line];
}

// What a line's label says: whether it counts, and how much. One that is no class fails the run.
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
      T* to = at<T>(a.log_prob) + start;
      const W log_of_sum = log(s.sum);
      for (int64_t i = threadIdx.x; i < a.classes; i += blockDim.x) {
        to[i * a.inner] = narrow<T>(widen(x[i * a.inner]) - s.most - log_of_sum);
      }
    }
    const Label label = read_label<T>(a, line);
    if (threadIdx.x != 0) continue;
    at<double>(a.losses)[line] =
        label.counts ? label.weight * static_cast<double>(shift - widen(x[label.index * a.inner])) : 0;
    at<double>(a.line_weights)[line] = label.weight;
  }
}

// The weights of all lines, for the gradient of a mean.
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
    for (int64_t i = threadIdx.x; i < a.classes; i += blockDim.x) {
      W value = 0;
      if (label.counts) {
        const W hit = static_cast<W>(i == label.index ? 1 : 0);
        value = a.softmax ? scale * (exp(widen(x[i * a.inner]) - s.most) / s.sum - hit)
                          : (i == label.index ? -scale : static_cast<W>(0));
      }
      to[i * a.inner] = narrow<T>(value);
    }
  }
}

// The sum over all lines by one block, in an order that their number decides.
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

// One block: the sum or mean of the losses; or, one after the other, the loss of each line.
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

// One block: what a mean is divided by.
PERCALE_KERNEL(percale_sum_weights, LossSumArgs, 256) {
  __shared__ double lanes[32];
  const double out = sum_lines(a.line_weights, a.lines, lanes);
  if (threadIdx.x == 0) *at<double>(a.y) = out;
}

}  // namespace percale::cuda

// The steps of the optimizers, with the formulas of ops/optimizer/optimizer_step.cc. They compute
// in the element type, or in f32 for f16 and bf16.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/row_args.h"

namespace percale::cuda {
namespace {

// Values that all elements share.
template <class W>
struct Numbers {
  W rate, scale, step_size, mean, root, shrink, ridge;
  double full_rate;
  bool ok;
};

template <class W>
__device__ Numbers<W> read_numbers(const StepArgs& a) {
  Numbers<W> out{};
  const double rate = a.wide_rate ? *at<const double>(a.rate) : static_cast<double>(*at<const float>(a.rate));
  double scale = 1;
  if (a.scale.address != 0) {
    scale = a.wide_scale ? *at<const double>(a.scale) : static_cast<double>(*at<const float>(a.scale));
  }
  double first = 1, second = 1;
  out.ok = true;
  if (a.rule == StepRule::kFtrl && !(rate > 0)) {
    fail(a.errors, kNotPositive, a.rate_input);
    out.ok = false;
  }
  if (a.step.address != 0) {
    const int64_t step = *at<const int64_t>(a.step);
    if (step < 1) {
      fail(a.errors, kBadSize, step);
      out.ok = false;
    } else {
      first = 1 - pow(a.beta1, static_cast<double>(step));
      second = 1 - pow(a.beta2, static_cast<double>(step));
    }
  }
  out.full_rate = rate;
  out.rate = static_cast<W>(rate);
  out.mean = static_cast<W>(first);
  out.scale = static_cast<W>(scale);
  out.step_size = static_cast<W>(rate / first);
  out.root = static_cast<W>(sqrt(second));
  out.shrink = static_cast<W>(1 - rate * a.weight_decay);
  out.ridge = static_cast<W>(a.beta / rate + 2 * a.l2);
  return out;
}

// One thread of each block computes the shared values, because powers of doubles are slow.
template <class W>
__device__ Numbers<W> numbers_of_block(const StepArgs& a) {
  __shared__ Numbers<W> numbers;
  if (threadIdx.x == 0) numbers = read_numbers<W>(a);
  __syncthreads();
  return numbers;
}

// Returns the element of the parameter that gradient `i` is for, or -1 if there is none. Fails the
// run if a row is out of range or the rows do not ascend.
__device__ int64_t element_of(const StepArgs& a, int64_t i) {
  if (a.rows.address == 0) return i;
  const Divided of = divide(i, a.width);
  const int64_t* rows = at<const int64_t>(a.rows);
  const int64_t row = rows[of.quotient];
  if (row < 0) return -1;
  const int64_t last = of.quotient > 0 ? rows[of.quotient - 1] : 0;
  if (row < a.most && (of.quotient == 0 || (last >= 0 && last < row))) return row * a.width + of.rest;
  fail(a.errors, kIndexOutOfRange, row);
  return -1;
}

// The rules of the optimizers. Each returns the new parameter and stores the new slots.
template <class T>
struct Rules {
  using W = Wide<T>;

  __device__ Rules(const StepArgs& args, const Numbers<W>& numbers)
      : a(args),
        n(numbers),
        slot0(at<const T>(args.slot0)),
        slot1(at<const T>(args.slot1)),
        new_slot0(at<T>(args.new_slot0)),
        new_slot1(at<T>(args.new_slot1)),
        mu(static_cast<W>(args.momentum)),
        b1(static_cast<W>(args.beta1)),
        b2(static_cast<W>(args.beta2)),
        c1(static_cast<W>(1 - args.beta1)),
        c2(static_cast<W>(1 - args.beta2)),
        epsilon(static_cast<W>(args.epsilon)) {}

  __device__ W momentum(int64_t i, W w, W g) const {
    const W buffer = mu * widen(slot0[i]) + g;
    new_slot0[i] = narrow<T>(buffer);
    return w - n.rate * (a.nesterov ? g + mu * buffer : buffer);
  }

  __device__ W adam(int64_t i, W w, W g) const {
    const W m = b1 * widen(slot0[i]) + c1 * g, v = b2 * widen(slot1[i]) + c2 * g * g;
    new_slot0[i] = narrow<T>(m);
    new_slot1[i] = narrow<T>(v);
    return w - n.step_size * (m / (sqrt(v) / n.root + epsilon));
  }

  __device__ W rms_prop(int64_t i, W w, W g) const {
    const W square = static_cast<W>(a.alpha) * widen(slot0[i]) + static_cast<W>(1 - a.alpha) * g * g;
    W d = g / (sqrt(square) + epsilon);
    if (a.slot1.address != 0) {
      d = mu * widen(slot1[i]) + d;
      if (a.new_slot1.address != 0) new_slot1[i] = narrow<T>(d);
    }
    new_slot0[i] = narrow<T>(square);
    return w - n.rate * d;
  }

  __device__ W adagrad(int64_t i, W w, W g) const {
    const W square = widen(slot0[i]) + g * g;
    new_slot0[i] = narrow<T>(square);
    return w - n.rate * (g / (sqrt(square) + epsilon));
  }

  __device__ W ftrl(int64_t i, W w, W g) const {
    const W l1 = static_cast<W>(a.l1), shrinkage = static_cast<W>(2 * a.l2_shrinkage), power = static_cast<W>(a.power);
    const W before = widen(slot0[i]), square = before + g * g;
    const W now = pow(square, power), sigma = (now - pow(before, power)) / n.rate;
    const W z = widen(slot1[i]) + g + shrinkage * w - sigma * w;
    new_slot0[i] = narrow<T>(square);
    new_slot1[i] = narrow<T>(z);
    return fabs(z) <= l1 ? static_cast<W>(0) : (copysign(l1, z) - z) / (now / n.rate + n.ridge);
  }

  __device__ W lion(int64_t i, W w, W g) const {
    const W m = widen(slot0[i]), c = b1 * m + c1 * g;
    const W sign = c > static_cast<W>(0) ? static_cast<W>(1) : c < static_cast<W>(0) ? static_cast<W>(-1) : c;
    new_slot0[i] = narrow<T>(b2 * m + c2 * g);
    return w * n.shrink - n.rate * sign;
  }

  // LAMB has its own kernels.
  __device__ W apply(int64_t i, W w, W g) const {
    switch (a.rule) {
      case StepRule::kSgd: return w - n.rate * g;
      case StepRule::kMomentum: return momentum(i, w, g);
      case StepRule::kAdam: return adam(i, w, g);
      case StepRule::kAdamW: return adam(i, w * n.shrink, g);
      case StepRule::kRmsProp: return rms_prop(i, w, g);
      case StepRule::kAdagrad: return adagrad(i, w, g);
      case StepRule::kFtrl: return ftrl(i, w, g);
      case StepRule::kLion: return lion(i, w, g);
      default: return w;
    }
  }

  const StepArgs& a;
  const Numbers<W>& n;
  const T *slot0, *slot1;
  T *new_slot0, *new_slot1;
  W mu, b1, b2, c1, c2, epsilon;
};

// Processes every `every`-th gradient from `begin` to `end`.
template <class T>
__device__ void step(const StepArgs& a, const Numbers<Wide<T>>& n, int64_t begin, int64_t end, int64_t every) {
  using W = Wide<T>;
  const T *param = at<const T>(a.param), *grad = at<const T>(a.grad);
  T* new_param = at<T>(a.new_param);
  const W decay = static_cast<W>(a.weight_decay);
  const bool decays = a.rule != StepRule::kAdamW && a.rule != StepRule::kLion && decay != static_cast<W>(0);
  const Rules<T> rules(a, n);
  for (int64_t k = begin; k < end; k += every) {
    const int64_t i = element_of(a, k);
    if (i < 0) continue;
    const W w = widen(param[i]);
    W g = widen(grad[k]) * n.scale;
    if (decays) g += decay * w;
    new_param[i] = narrow<T>(rules.apply(i, w, g));
  }
}

template <class T>
__device__ void step_rows(const StepArgs& a) {
  const Numbers<Wide<T>> n = numbers_of_block<Wide<T>>(a);
  if (n.ok) step<T>(a, n, thread_number(), a.row_count * a.width, thread_count());
}

// Each block processes one piece of one parameter.
template <class T>
__device__ void steps(const StepsArgs& a) {
  const Numbers<Wide<T>> n = numbers_of_block<Wide<T>>(a.step);
  if (!n.ok) return;
  for (int64_t piece = blockIdx.x; piece < a.pieces; piece += gridDim.x) {
    int64_t i = 0;
    while (i + 1 < a.count && a.items[i + 1].first_piece <= piece) ++i;
    const StepItem& item = a.items[i];
    StepArgs one = a.step;
    one.param = item.param, one.grad = item.grad, one.slot0 = item.slot0, one.slot1 = item.slot1;
    one.new_param = item.new_param, one.new_slot0 = item.new_slot0, one.new_slot1 = item.new_slot1;
    const int64_t begin = (piece - item.first_piece) * kStepPiece;
    const int64_t end = begin + kStepPiece < item.size ? begin + kStepPiece : item.size;
    step<T>(one, n, begin + threadIdx.x, end, blockDim.x);
  }
}

// ---- LAMB: first the moments and the norms of all elements, then the step.

template <class W>
__device__ W lamb_direction(const StepArgs& a, const Numbers<W>& n, W w, W m, W v) {
  return m / n.mean / (sqrt(v) / n.root + static_cast<W>(a.epsilon)) + static_cast<W>(a.weight_decay) * w;
}

// Each block processes one piece. The pieces depend on the size only.
template <class T>
__device__ void lamb_moments(const StepArgs& a) {
  using W = Wide<T>;
  __shared__ double lanes[32];
  const Numbers<W> n = numbers_of_block<W>(a);
  if (!n.ok) return;
  const T *param = at<const T>(a.param), *grad = at<const T>(a.grad);
  const T *slot0 = at<const T>(a.slot0), *slot1 = at<const T>(a.slot1);
  T *new_slot0 = at<T>(a.new_slot0), *new_slot1 = at<T>(a.new_slot1);
  const W b1 = static_cast<W>(a.beta1), b2 = static_cast<W>(a.beta2);
  const W c1 = static_cast<W>(1 - a.beta1), c2 = static_cast<W>(1 - a.beta2);
  const int64_t each = (a.size + a.pieces - 1) / a.pieces;
  for (int64_t piece = blockIdx.x; piece < a.pieces; piece += gridDim.x) {
    const int64_t end = (piece + 1) * each < a.size ? (piece + 1) * each : a.size;
    double of_param = 0, of_direction = 0;
    for (int64_t i = piece * each + threadIdx.x; i < end; i += blockDim.x) {
      const W w = widen(param[i]), g = widen(grad[i]) * n.scale;
      const W m = b1 * widen(slot0[i]) + c1 * g, v = b2 * widen(slot1[i]) + c2 * g * g;
      new_slot0[i] = narrow<T>(m);
      new_slot1[i] = narrow<T>(v);
      const double x = static_cast<double>(w), u = static_cast<double>(lamb_direction(a, n, w, m, v));
      of_param += x * x;
      of_direction += u * u;
    }
    of_param = join_row(of_param, lanes, JoinSum());
    of_direction = join_row(of_direction, lanes, JoinSum());
    if (threadIdx.x == 0) {
      at<double>(a.sums)[2 * piece] = of_param;
      at<double>(a.sums)[2 * piece + 1] = of_direction;
    }
  }
}

template <class T>
__device__ void lamb_step(const StepArgs& a) {
  using W = Wide<T>;
  __shared__ double lanes[32];
  const Numbers<W> n = numbers_of_block<W>(a);
  if (!n.ok) return;
  double of_param = 0, of_direction = 0;
  for (int64_t piece = threadIdx.x; piece < a.pieces; piece += blockDim.x) {
    of_param += at<const double>(a.sums)[2 * piece];
    of_direction += at<const double>(a.sums)[2 * piece + 1];
  }
  of_param = join_row(of_param, lanes, JoinSum());
  of_direction = join_row(of_direction, lanes, JoinSum());
  const bool zero = of_param == 0 || of_direction == 0;
  const W length = static_cast<W>(zero ? n.full_rate : n.full_rate * (sqrt(of_param) / sqrt(of_direction)));
  const T *param = at<const T>(a.param), *m = at<const T>(a.new_slot0), *v = at<const T>(a.new_slot1);
  T* new_param = at<T>(a.new_param);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    const W w = widen(param[i]);
    new_param[i] = narrow<T>(w - length * lamb_direction(a, n, w, widen(m[i]), widen(v[i])));
  }
}

}  // namespace

#define PERCALE_STEP(name, T)                                                        \
  PERCALE_KERNEL(percale_steps_##name, StepsArgs, 256) { steps<T>(a); }              \
  PERCALE_KERNEL(percale_step_rows_##name, StepArgs, 256) { step_rows<T>(a); }       \
  PERCALE_KERNEL(percale_lamb_moments_##name, StepArgs, 256) { lamb_moments<T>(a); } \
  PERCALE_KERNEL(percale_lamb_step_##name, StepArgs, 256) { lamb_step<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_STEP)

}  // namespace percale::cuda

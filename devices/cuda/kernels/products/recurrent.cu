// The elementwise part of recurrent cells, one step at a time, between matrix products: LSTM, GRU
// and RNN, forward and backward. Steps are counted in the order of computation: in a reversed
// direction, step 0 is the last time of a row. From its length on, a row rests: its state is
// unchanged and its gradients are 0.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/product_args.h"

namespace percale::cuda {
namespace {

__device__ int64_t length_of(const RecurrentArgs& a, int64_t row) {
  if (a.lengths.address == 0) return a.steps;
  const int64_t length = at<const int32_t>(a.lengths)[row];
  if (length >= 0 && length <= a.steps) return length;
  fail(a.errors, kBadSize, length);
  return 0;
}
__device__ bool rests(const RecurrentArgs& a, int64_t step, int64_t row) { return step >= length_of(a, row); }
__device__ int64_t time_of(const RecurrentArgs& a, int64_t step, int64_t row) {
  const int64_t length = length_of(a, row);
  return a.reversed && step < length ? length - 1 - step : step;
}
// Row numbers in X [time, batch] or [batch, time], in Y [time, direction, batch] or [batch, time,
// direction], and in states [direction, batch] or [batch, direction].
__device__ int64_t x_row(const RecurrentArgs& a, int64_t time, int64_t row) {
  return a.batch_first ? row * a.steps + time : time * a.batch + row;
}
__device__ int64_t y_row(const RecurrentArgs& a, int64_t time, int64_t row) {
  return a.batch_first ? x_row(a, time, row) * a.directions + a.direction
                       : (time * a.directions + a.direction) * a.batch + row;
}
__device__ int64_t state_row(const RecurrentArgs& a, int64_t row) {
  return a.batch_first ? row * a.directions + a.direction : a.direction * a.batch + row;
}

template <class T>
__device__ T logistic(T x) {
  const T e = exp(-fabs(x));
  return (x < T{0} ? e : T{1}) / (T{1} + e);
}
template <class T>
__device__ T activate(const CellActivation& c, T x) {
  const T alpha = static_cast<T>(c.alpha), beta = static_cast<T>(c.beta);
  switch (c.fn) {
    case CellFn::kRelu: return x < T{0} ? T{0} : x;
    case CellFn::kSigmoid: return logistic(x);
    case CellFn::kSoftplus: return (x > T{0} || x != x ? x : T{0}) + log1p(exp(-fabs(x)));
    case CellFn::kSoftsign: return x / (T{1} + fabs(x));
    case CellFn::kAffine: return alpha * x + beta;
    case CellFn::kElu: return x < T{0} ? alpha * expm1(x) : x;
    case CellFn::kHardSigmoid: {
      const T y = alpha * x + beta;
      return y < T{0} ? T{0} : y > T{1} ? T{1} : y;
    }
    case CellFn::kLeakyRelu: return x < T{0} ? alpha * x : x;
    case CellFn::kScaledTanh: return alpha * tanh(beta * x);
    case CellFn::kThresholdedRelu: return x > alpha ? x : x == x ? T{0} : x;
    default: return tanh(x);
  }
}
template <class T>
__device__ T held(const RecurrentArgs& a, T x) {
  const T limit = static_cast<T>(a.clip);
  if (!(a.clip > 0)) return x;
  return x < -limit ? -limit : x > limit ? limit : x;
}
// Returns the derivative at x, where the function's value is y.
template <class T>
__device__ T slope(const CellActivation& c, T x, T y) {
  const T alpha = static_cast<T>(c.alpha), beta = static_cast<T>(c.beta);
  switch (c.fn) {
    case CellFn::kRelu: return x > T{0} ? T{1} : T{0};
    case CellFn::kSigmoid: return y * (T{1} - y);
    case CellFn::kSoftplus: return logistic(x);
    case CellFn::kSoftsign: return T{1} / ((T{1} + fabs(x)) * (T{1} + fabs(x)));
    case CellFn::kAffine: return alpha;
    case CellFn::kElu: return x < T{0} ? y + alpha : T{1};
    case CellFn::kHardSigmoid: return y > T{0} && y < T{1} ? alpha : T{0};
    case CellFn::kLeakyRelu: return x < T{0} ? alpha : T{1};
    case CellFn::kScaledTanh: {
      const T t = tanh(beta * x);
      return alpha * beta * (T{1} - t * t);
    }
    case CellFn::kThresholdedRelu: return x > alpha ? T{1} : T{0};
    default: return T{1} - y * y;
  }
}
// Returns the derivative after clipping by held().
template <class T>
__device__ T held_slope(const RecurrentArgs& a, const CellActivation& fn, T x, T y) {
  return a.clip > 0 && fabs(x) > static_cast<T>(a.clip) ? T{0} : slope(fn, x, y);
}

// The location of one unit of one row at one step. The sums of GRU's candidate are stored apart
// from those of its gates.
template <class T>
struct Unit {
  const RecurrentArgs& a;
  int64_t row, unit, line;  // line: the row, counted over all steps
  __device__ Unit(const RecurrentArgs& args, int64_t i) : a(args) {
    const Divided of = divide(i, a.hidden);
    row = of.quotient, unit = of.rest, line = a.step * a.batch + row;
  }
  __device__ int64_t sum_at(int64_t gate) const {
    if (a.cell != Cell::kGru) return (line * (a.cell == Cell::kLstm ? 4 : 1) + gate) * a.hidden + unit;
    if (gate < 2) return (line * 2 + gate) * a.hidden + unit;
    return a.steps * a.batch * 2 * a.hidden + line * a.hidden + unit;
  }
  __device__ T& sum(int64_t gate) const { return at<T>(a.sums)[sum_at(gate)]; }
  __device__ T& gate(int64_t g) const { return at<T>(a.gates)[sum_at(g)]; }
  // States before the step (0) and after it (1).
  __device__ T& h(int64_t later) const { return at<T>(a.h)[(line + later * a.batch) * a.hidden + unit]; }
  __device__ T& c(int64_t later) const { return at<T>(a.c)[(line + later * a.batch) * a.hidden + unit]; }
  __device__ T& extra() const { return at<T>(a.extra)[line * a.hidden + unit]; }
  __device__ T& of_row(Ptr p) const { return at<T>(p)[row * a.hidden + unit]; }
  __device__ T peephole(int64_t i) const {
    return at<const T>(a.peepholes)[(a.direction * 3 + i) * a.hidden + unit];  // 0: i, 1: o, 2: f
  }
  __device__ bool resting() const { return rests(a, a.step, row); }
};

// Copies the rows of X in the order of the steps. Resting rows become 0.
template <class T>
__device__ void gather_x(const RecurrentArgs& a) {
  const int64_t size = a.steps * a.batch * a.input;
  for (int64_t i = thread_number(); i < size; i += thread_count()) {
    const Divided of = divide(i, a.input), line = divide(of.quotient, a.batch);
    const int64_t step = line.quotient, row = line.rest;
    at<T>(a.gathered)[i] =
        rests(a, step, row) ? T{0} : at<const T>(a.x)[x_row(a, time_of(a, step, row), row) * a.input + of.rest];
  }
}

// Scatters the gradients of X back. The first direction sets them, the second one adds to them.
template <class T>
__device__ void scatter_x(const RecurrentArgs& a) {
  const int64_t size = a.steps * a.batch * a.input;
  for (int64_t i = thread_number(); i < size; i += thread_count()) {
    const Divided of = divide(i, a.input), line = divide(of.quotient, a.batch);
    const int64_t to = x_row(a, time_of(a, line.quotient, line.rest), line.rest) * a.input + of.rest;
    const T given = at<const T>(a.gathered)[i];
    at<T>(a.x)[to] = a.direction == 0 ? given : at<T>(a.x)[to] + given;
  }
}

// Initialises the sums with the biases, to which the products are added. Two biases of the same sum
// are added first.
template <class T>
__device__ void begin_sums(const RecurrentArgs& a) {
  const int64_t gates = a.cell == Cell::kLstm ? 4 : a.cell == Cell::kGru ? 3 : 1, width = gates * a.hidden;
  const T* bias = a.bias.address == 0 ? nullptr : at<const T>(a.bias) + a.direction * 2 * width;
  const int64_t joined = a.linear_before_reset ? 2 * a.hidden : width, size = a.steps * a.batch * width;
  for (int64_t i = thread_number(); i < size; i += thread_count()) {
    const Divided of = divide(i, width);
    const int64_t j = of.rest, gate = divide(j, a.hidden).quotient;
    T sum{0};
    if (bias != nullptr) sum = j < joined ? bias[j] + bias[width + j] : bias[j];
    Unit<T> unit(a, 0);
    unit.line = of.quotient, unit.unit = j - gate * a.hidden;
    unit.sum(gate) = sum;
    if (a.linear_before_reset && gate == 2) unit.extra() = bias != nullptr ? bias[width + j] : T{0};
  }
}

// Loads the states before the first step. In the backward pass, loads the gradients of the states
// after the last step.
template <class T>
__device__ void load_states(const RecurrentArgs& a) {
  for (int64_t i = thread_number(); i < a.batch * a.hidden; i += thread_count()) {
    const Divided of = divide(i, a.hidden);
    const int64_t from = state_row(a, of.quotient) * a.hidden + of.rest;
    at<T>(a.h)[i] = a.h_given.address == 0 ? T{0} : at<const T>(a.h_given)[from];
    if (a.cell == Cell::kLstm) at<T>(a.c)[i] = a.c_given.address == 0 ? T{0} : at<const T>(a.c_given)[from];
  }
}
template <class T>
__device__ void store_states(const RecurrentArgs& a) {
  const int64_t last = a.steps * a.batch * a.hidden;
  for (int64_t i = thread_number(); i < a.batch * a.hidden; i += thread_count()) {
    const Divided of = divide(i, a.hidden);
    const int64_t to = state_row(a, of.quotient) * a.hidden + of.rest;
    if (a.h_out.address != 0) at<T>(a.h_out)[to] = at<const T>(a.h)[last + i];
    if (a.c_out.address != 0) at<T>(a.c_out)[to] = at<const T>(a.c)[last + i];
  }
}

template <class T>
__device__ void end_step(const Unit<T>& u, T h, T c) {
  const RecurrentArgs& a = u.a;
  const bool resting = u.resting();
  u.h(1) = resting ? u.h(0) : h;
  if (a.cell == Cell::kLstm) u.c(1) = resting ? u.c(0) : c;
  if (a.y.address == 0) return;
  at<T>(a.y)[y_row(a, time_of(a, a.step, u.row), u.row) * a.hidden + u.unit] = resting ? T{0} : h;
}

template <class T>
__device__ void lstm_step(const Unit<T>& u) {
  const RecurrentArgs& a = u.a;
  const bool peeps = a.peepholes.address != 0;
  const T old = u.c(0);
  if (peeps) {
    u.sum(0) += u.peephole(0) * old;
    u.sum(2) += u.peephole(2) * old;
  }
  const T in = activate(a.f, held(a, u.sum(0))), candidate = activate(a.g, held(a, u.sum(3)));
  const T forget = a.input_forget ? T{1} - in : activate(a.f, held(a, u.sum(2)));
  const T state = forget * old + in * candidate;
  if (peeps) u.sum(1) += u.peephole(1) * state;
  const T out = activate(a.f, held(a, u.sum(1)));
  if (a.keeps) u.gate(0) = in, u.gate(1) = out, u.gate(2) = forget, u.gate(3) = candidate;
  end_step(u, activate(a.h_fn, state) * out, state);
}

// GRU has two parts. If the reset gate is applied first, the product for the candidate runs between
// them.
template <class T>
__device__ void gru_gates(const Unit<T>& u) {
  const RecurrentArgs& a = u.a;
  const T r = activate(a.f, held(a, u.sum(1)));
  u.gate(0) = activate(a.f, held(a, u.sum(0)));
  u.gate(1) = r;
  if (!a.linear_before_reset) u.extra() = r * u.h(0);
}
template <class T>
__device__ void gru_state(const Unit<T>& u) {
  const RecurrentArgs& a = u.a;
  const T z = u.gate(0);
  if (a.linear_before_reset) u.sum(2) += u.gate(1) * u.extra();
  const T candidate = activate(a.g, held(a, u.sum(2)));
  if (a.keeps) u.gate(2) = candidate;
  end_step(u, (T{1} - z) * candidate + z * u.h(0), T{0});
}

template <class T>
__device__ void step_forwards(const RecurrentArgs& a) {
  for (int64_t i = thread_number(); i < a.batch * a.hidden; i += thread_count()) {
    const Unit<T> u(a, i);
    if (a.cell == Cell::kLstm) {
      lstm_step(u);
    } else if (a.cell == Cell::kGru) {
      a.second ? gru_state(u) : gru_gates(u);
    } else {
      const T h = activate(a.f, held(a, u.sum(0)));
      if (a.keeps) u.gate(0) = h;
      end_step(u, h, T{0});
    }
  }
}

// Returns the gradient of the state after the step: the one from the next step (or the unchanged
// one, for rows that rest there), plus the gradient of Y.
template <class T>
__device__ T gradient_of_state(const Unit<T>& u, bool resting) {
  const RecurrentArgs& a = u.a;
  const bool kept = a.step + 1 == a.steps || rests(a, a.step + 1, u.row);
  T dh = kept ? u.of_row(a.dh) : u.of_row(a.room);
  if (!resting && a.y.address != 0) {
    dh += at<const T>(a.y)[y_row(a, time_of(a, a.step, u.row), u.row) * a.hidden + u.unit];
  }
  u.of_row(a.dh) = dh;
  return dh;
}

template <class T>
__device__ void lstm_back(const Unit<T>& u) {
  const RecurrentArgs& a = u.a;
  const bool resting = u.resting(), peeps = a.peepholes.address != 0;
  const T dh = gradient_of_state(u, resting);
  if (resting) {
    for (int64_t gate = 0; gate < 4; ++gate) u.sum(gate) = T{0};
    return;
  }
  const T in = u.gate(0), out = u.gate(1), forget = u.gate(2), candidate = u.gate(3), old = u.c(0), state = u.c(1);
  const T squashed = activate(a.h_fn, state);
  T d = u.of_row(a.dc) + dh * out * slope(a.h_fn, state, squashed);
  const T d_out = dh * squashed * held_slope(a, a.f, u.sum(1), out);
  if (peeps) d += d_out * u.peephole(1);
  const T of_forget = d * old, of_in = a.input_forget ? d * candidate - of_forget : d * candidate;
  const T d_in = of_in * held_slope(a, a.f, u.sum(0), in);
  const T d_forget = a.input_forget ? T{0} : of_forget * held_slope(a, a.f, u.sum(2), forget);
  const T d_candidate = d * in * held_slope(a, a.g, u.sum(3), candidate);
  u.sum(0) = d_in, u.sum(1) = d_out, u.sum(2) = d_forget, u.sum(3) = d_candidate;
  T dc = d * forget;
  if (peeps) dc += d_in * u.peephole(0) + d_forget * u.peephole(2);
  u.of_row(a.dc) = dc;
}

// `room` becomes the gradient of the previous state, as far as it is known. If the reset gate is
// applied first, a product between the two parts sets `more` to the gradient of r * h.
template <class T>
__device__ void gru_back(const Unit<T>& u) {
  const RecurrentArgs& a = u.a;
  const bool resting = u.resting();
  const T dh = gradient_of_state(u, resting);
  if (resting) {
    for (int64_t gate = 0; gate < 3; ++gate) u.sum(gate) = T{0};
    u.of_row(a.room) = T{0};
    if (a.linear_before_reset) u.extra() = T{0};
    return;
  }
  const T z = u.gate(0), r = u.gate(1), candidate = u.gate(2);
  const T d_candidate = dh * (T{1} - z) * held_slope(a, a.g, u.sum(2), candidate);
  u.sum(0) = dh * (u.h(0) - candidate) * held_slope(a, a.f, u.sum(0), z);
  u.sum(2) = d_candidate;
  u.of_row(a.room) = dh * z;
  if (!a.linear_before_reset) return;
  u.sum(1) = d_candidate * u.extra() * held_slope(a, a.f, u.sum(1), r);
  u.extra() = d_candidate * r;
}
template <class T>
__device__ void gru_back_reset(const Unit<T>& u) {
  const RecurrentArgs& a = u.a;
  if (u.resting()) return;
  const T r = u.gate(1), d = u.of_row(a.more);
  u.sum(1) = d * u.h(0) * held_slope(a, a.f, u.sum(1), r);
  u.of_row(a.room) += d * r;
}

template <class T>
__device__ void step_backwards(const RecurrentArgs& a) {
  for (int64_t i = thread_number(); i < a.batch * a.hidden; i += thread_count()) {
    const Unit<T> u(a, i);
    if (a.cell == Cell::kLstm) {
      lstm_back(u);
    } else if (a.cell == Cell::kGru) {
      a.second ? gru_back_reset(u) : gru_back(u);
    } else {
      const bool resting = u.resting();
      const T dh = gradient_of_state(u, resting);
      u.sum(0) = resting ? T{0} : dh * held_slope(a, a.f, u.sum(0), u.gate(0));
    }
  }
}

// Stores the gradients of the states before the first step.
template <class T>
__device__ void store_gradients(const RecurrentArgs& a) {
  for (int64_t i = thread_number(); i < a.batch * a.hidden; i += thread_count()) {
    const Divided of = divide(i, a.hidden);
    const int64_t to = state_row(a, of.quotient) * a.hidden + of.rest;
    if (a.h_out.address != 0) at<T>(a.h_out)[to] = at<const T>(rests(a, 0, of.quotient) ? a.dh : a.room)[i];
    if (a.c_out.address != 0) at<T>(a.c_out)[to] = at<const T>(a.dc)[i];
  }
}

// One block for each unit of each gate sums over all rows of all steps, in f64.
template <class T>
__device__ void bias_gradient(const RecurrentArgs& a) {
  __shared__ double lanes[32];
  const int64_t gates = a.cell == Cell::kLstm ? 4 : a.cell == Cell::kGru ? 3 : 1, width = gates * a.hidden;
  for (int64_t j = blockIdx.x; j < width; j += gridDim.x) {
    const int64_t gate = divide(j, a.hidden).quotient;
    double sum = 0, linear = 0;
    for (int64_t line = threadIdx.x; line < a.steps * a.batch; line += blockDim.x) {
      Unit<T> u(a, 0);
      u.line = line, u.unit = j - gate * a.hidden;
      sum += static_cast<double>(u.sum(gate));
      if (a.linear_before_reset && gate == 2) linear += static_cast<double>(u.extra());
    }
    sum = join_row(sum, lanes, JoinSum());
    if (a.linear_before_reset && gate == 2) linear = join_row(linear, lanes, JoinSum());
    if (threadIdx.x != 0) continue;
    T* to = at<T>(a.y) + a.direction * 2 * width;
    to[j] = static_cast<T>(sum);
    to[width + j] = static_cast<T>(a.linear_before_reset && gate == 2 ? linear : sum);
  }
}
template <class T>
__device__ void peephole_gradient(const RecurrentArgs& a) {
  __shared__ double lanes[32];
  for (int64_t j = blockIdx.x; j < 3 * a.hidden; j += gridDim.x) {
    const int64_t gate = divide(j, a.hidden).quotient;
    double sum = 0;
    for (int64_t line = threadIdx.x; line < a.steps * a.batch; line += blockDim.x) {
      Unit<T> u(a, 0);
      u.line = line, u.unit = j - gate * a.hidden;
      sum += static_cast<double>(u.sum(gate)) * static_cast<double>(u.c(gate == 1 ? 1 : 0));
    }
    sum = join_row(sum, lanes, JoinSum());
    if (threadIdx.x == 0) at<T>(a.y)[a.direction * 3 * a.hidden + j] = static_cast<T>(sum);
  }
}

}  // namespace

#define PERCALE_CELL(part, name, T) \
  PERCALE_KERNEL(percale_cell_##part##_##name, RecurrentArgs, 256) { part<T>(a); }
#define PERCALE_CELLS(part) PERCALE_CELL(part, f32, float) PERCALE_CELL(part, f64, double)
PERCALE_CELLS(gather_x)
PERCALE_CELLS(scatter_x)
PERCALE_CELLS(begin_sums)
PERCALE_CELLS(load_states)
PERCALE_CELLS(store_states)
PERCALE_CELLS(step_forwards)
PERCALE_CELLS(step_backwards)
PERCALE_CELLS(store_gradients)
PERCALE_CELLS(bias_gradient)
PERCALE_CELLS(peephole_gradient)

}  // namespace percale::cuda

// Backward pass of recurrent cells. It processes the scratch of cell_forward() from the last step
// to the first. Each step computes the gradients of the activations' inputs and passes those of the
// states on. The gradients of the weights are computed from all steps at once.
#include <algorithm>

#include "ops/recurrent/recurrent_cell.h"

namespace percale {
namespace {

// C = op(A) B, or C += op(A) B if `adds`. lda, ldb and ldc are the row strides.
template <class T>
void times(const CellPass<T>& c, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, bool trans_a, const T* b,
           int64_t ldb, T* to, int64_t ldc, bool adds) {
  simd::Gemm<T> g;
  g.m = m;
  g.n = n;
  g.k = k;
  g.a = a;
  g.lda = lda;
  g.trans_a = trans_a;
  g.b = b;
  g.ldb = ldb;
  g.c = to;
  g.ldc = ldc;
  g.accumulate = adds;
  cell_product(c, g);
}

// The rows that are kept between steps: gradients of the state after the step, [batch, hidden], and
// temporaries.
template <class T>
struct Rows {
  T *dh, *dc, *room, *more;
  explicit Rows(const CellPass<T>& c) : dh(c.row(0)), dc(c.row(1)), room(c.row(2)), more(c.row(3)) {}
};

// Each step function sets pre(s) to the gradients of the activations' inputs, zero for resting
// rows, and dh and dc to those of the states before the step.
template <class T>
void keep_resting(const CellPass<T>& c, int64_t s, const T* from, T* to) {
  const int64_t hidden = c.plan.hidden;
  for (int64_t n = 0; n < c.plan.batch; ++n) {
    if (!c.rests(s, n)) std::copy_n(from + n * hidden, hidden, to + n * hidden);
  }
}

template <class T>
void rnn_step(const CellPass<T>& c, int64_t s, const Rows<T>& rows) {
  const RecurrentPlan& p = c.plan;
  const int64_t hidden = p.hidden;
  for (int64_t n = 0; n < p.batch; ++n) {
    T* sum = c.pre(s, n);
    const T *y = c.gate(s, n), *dh = rows.dh + n * hidden;
    const bool rests = c.rests(s, n);
    for (int64_t i = 0; i < hidden; ++i) {
      sum[i] = rests ? T{0} : dh[i] * cell_slope(p, c.activation(0), true, sum[i], y[i]);
    }
  }
  times(c, p.batch, hidden, hidden, c.pre(s), hidden, false, c.r(), hidden, rows.room, hidden, false);
  keep_resting(c, s, rows.room, rows.dh);
}

template <class T>
void gru_step(const CellPass<T>& c, int64_t s, const Rows<T>& rows) {
  const RecurrentPlan& p = c.plan;
  const int64_t hidden = p.hidden, width = p.width();
  const T* r_candidate = c.r() + 2 * hidden * hidden;
  // `room` becomes the gradient of the state before the step. `more` becomes that of r * h if the
  // reset is applied first.
  for (int64_t n = 0; n < p.batch; ++n) {
    T *sum = c.pre(s, n), *linear = c.extra(s, n), *room = rows.room + n * hidden;
    const T *z = c.gate(s, n), *r = z + hidden, *candidate = r + hidden, *h = c.h(s, n), *dh = rows.dh + n * hidden;
    if (c.rests(s, n)) {
      std::fill_n(sum, width, T{0});
      std::fill_n(room, hidden, T{0});
      if (p.linear_before_reset) std::fill_n(linear, hidden, T{0});
      continue;
    }
    for (int64_t i = 0; i < hidden; ++i) {
      const T dz = dh[i] * (h[i] - candidate[i]);
      const T slope = cell_slope(p, c.activation(1), true, sum[2 * hidden + i], candidate[i]);
      const T d_candidate = dh[i] * (T{1} - z[i]) * slope;
      room[i] = dh[i] * z[i];
      sum[i] = dz * cell_slope(p, c.activation(0), true, sum[i], z[i]);
      sum[2 * hidden + i] = d_candidate;
      if (p.linear_before_reset) {
        sum[hidden + i] = d_candidate * linear[i] * cell_slope(p, c.activation(0), true, sum[hidden + i], r[i]);
        linear[i] = d_candidate * r[i];
      }
    }
  }
  if (p.linear_before_reset) {
    times(c, p.batch, hidden, hidden, c.extra(s), hidden, false, r_candidate, hidden, rows.room, hidden, true);
  } else {
    times(c, p.batch, hidden, hidden, c.pre(s) + 2 * hidden, width, false, r_candidate, hidden, rows.more, hidden,
          false);
    for (int64_t n = 0; n < p.batch; ++n) {
      if (c.rests(s, n)) continue;
      T *sum = c.pre(s, n) + hidden, *room = rows.room + n * hidden;
      const T *r = c.gate(s, n) + hidden, *h = c.h(s, n), *d = rows.more + n * hidden;
      for (int64_t i = 0; i < hidden; ++i) {
        sum[i] = d[i] * h[i] * cell_slope(p, c.activation(0), true, sum[i], r[i]);
        room[i] += d[i] * r[i];
      }
    }
  }
  times(c, p.batch, hidden, 2 * hidden, c.pre(s), width, false, c.r(), hidden, rows.room, hidden, true);
  keep_resting(c, s, rows.room, rows.dh);
}

template <class T>
void lstm_step(const CellPass<T>& c, int64_t s, const Rows<T>& rows) {
  const RecurrentPlan& p = c.plan;
  const int64_t hidden = p.hidden, width = p.width();
  const CellActivation &f = c.activation(0), &g = c.activation(1), &h = c.activation(2);
  for (int64_t n = 0; n < p.batch; ++n) {
    T *sum = c.pre(s, n), *dc = rows.dc + n * hidden, *squashed = rows.room + n * hidden;
    if (c.rests(s, n)) {
      std::fill_n(sum, width, T{0});
      continue;
    }
    const T *in = c.gate(s, n), *out = in + hidden, *forget = out + hidden, *candidate = forget + hidden;
    const T *old = c.c(s, n), *state = c.c(s + 1, n), *dh = rows.dh + n * hidden;
    cell_activate(p, h, false, state, hidden, squashed);
    for (int64_t i = 0; i < hidden; ++i) {
      T *d_in = sum + i, *d_out = d_in + hidden, *d_forget = d_out + hidden, *d_candidate = d_forget + hidden;
      T d = dc[i] + dh[i] * out[i] * cell_slope(p, h, false, state[i], squashed[i]);
      *d_out = dh[i] * squashed[i] * cell_slope(p, f, true, *d_out, out[i]);
      if (c.o.p != nullptr) d += *d_out * c.peephole(1)[i];
      const T of_forget = d * old[i];
      const T of_in = p.input_forget ? d * candidate[i] - of_forget : d * candidate[i];
      *d_in = of_in * cell_slope(p, f, true, *d_in, in[i]);
      *d_forget = p.input_forget ? T{0} : of_forget * cell_slope(p, f, true, *d_forget, forget[i]);
      *d_candidate = d * in[i] * cell_slope(p, g, true, *d_candidate, candidate[i]);
      dc[i] = d * forget[i];
      if (c.o.p != nullptr) dc[i] += *d_in * c.peephole(0)[i] + *d_forget * c.peephole(2)[i];
    }
  }
  times(c, p.batch, hidden, width, c.pre(s), width, false, c.r(), hidden, rows.room, hidden, false);
  keep_resting(c, s, rows.room, rows.dh);
}

template <class T>
void add_dy(const CellPass<T>& c, int64_t s, T* dh) {
  if (c.o.dy == nullptr) return;
  const RecurrentPlan& p = c.plan;
  for (int64_t n = 0; n < p.batch; ++n, dh += p.hidden) {
    if (c.rests(s, n)) continue;
    const T* dy = c.o.dy + p.y_row(c.time(s, n), c.direction, n) * p.hidden;
    for (int64_t i = 0; i < p.hidden; ++i) dh[i] += dy[i];
  }
}

// sums[i] = the sum of from[row][i] over rows with stride `ld`, in f64.
template <class T>
void sum_rows(const T* from, int64_t rows, int64_t columns, int64_t ld, double* sums) {
  std::fill_n(sums, columns, 0.0);
  for (int64_t row = 0; row < rows; ++row, from += ld) {
    for (int64_t i = 0; i < columns; ++i) sums[i] += static_cast<double>(from[i]);
  }
}

template <class T>
void bias_gradient(const CellPass<T>& c) {
  const RecurrentPlan& p = c.plan;
  const int64_t width = p.width(), rows = p.steps * p.batch;
  double* sums = reinterpret_cast<double*>(c.scratch + p.scratch.sums);
  sum_rows(c.pre(0), rows, width, width, sums);
  T* db = c.o.db + c.direction * 2 * width;
  for (int64_t i = 0; i < width; ++i) db[i] = db[width + i] = static_cast<T>(sums[i]);
  if (p.cell != RecurrentCell::kGru || !p.linear_before_reset) return;
  sum_rows(c.extra(0), rows, p.hidden, p.hidden, sums);
  for (int64_t i = 0; i < p.hidden; ++i) db[width + 2 * p.hidden + i] = static_cast<T>(sums[i]);
}

template <class T>
void peephole_gradient(const CellPass<T>& c) {
  const RecurrentPlan& p = c.plan;
  const int64_t hidden = p.hidden;
  double* sums = reinterpret_cast<double*>(c.scratch + p.scratch.sums);
  std::fill_n(sums, 3 * hidden, 0.0);
  for (int64_t s = 0; s < p.steps; ++s) {
    for (int64_t n = 0; n < p.batch; ++n) {
      const T *d = c.pre(s, n), *old = c.c(s, n), *state = c.c(s + 1, n);
      for (int64_t i = 0; i < hidden; ++i) {
        sums[i] += static_cast<double>(d[i]) * static_cast<double>(old[i]);
        sums[hidden + i] += static_cast<double>(d[hidden + i]) * static_cast<double>(state[i]);
        sums[2 * hidden + i] += static_cast<double>(d[2 * hidden + i]) * static_cast<double>(old[i]);
      }
    }
  }
  T* dp = c.o.dp + c.direction * 3 * hidden;
  for (int64_t i = 0; i < 3 * hidden; ++i) dp[i] = static_cast<T>(sums[i]);
}

}  // namespace

template <class T>
void cell_backward(const CellPass<T>& c) {
  const RecurrentPlan& p = c.plan;
  const int64_t hidden = p.hidden, width = p.width(), rows = p.steps * p.batch;
  const Rows<T> state(c);
  cell_load_state(c, c.o.dy_h, state.dh);
  cell_load_state(c, c.o.dy_c, state.dc);
  for (int64_t s = p.steps; s-- > 0;) {
    add_dy(c, s, state.dh);
    switch (p.cell) {
      case RecurrentCell::kRnn: rnn_step(c, s, state); break;
      case RecurrentCell::kGru: gru_step(c, s, state); break;
      case RecurrentCell::kLstm: lstm_step(c, s, state); break;
    }
  }
  cell_store_state(c, state.dh, c.o.dh0);
  cell_store_state(c, state.dc, c.o.dc0);
  if (c.o.dw != nullptr) {
    times(c, width, p.input, rows, c.pre(0), width, true, c.x(), p.input, c.o.dw + c.direction * width * p.input,
          p.input, false);
  }
  if (c.o.dr != nullptr) {
    T* dr = c.o.dr + c.direction * width * hidden;
    const int64_t first = p.cell == RecurrentCell::kGru ? 2 * hidden : width;
    times(c, first, hidden, rows, c.pre(0), width, true, c.h(0), hidden, dr, hidden, false);
    if (p.cell == RecurrentCell::kGru && p.linear_before_reset) {
      times(c, hidden, hidden, rows, c.extra(0), hidden, true, c.h(0), hidden, dr + first * hidden, hidden, false);
    } else if (p.cell == RecurrentCell::kGru) {
      times(c, hidden, hidden, rows, c.pre(0) + first, width, true, c.extra(0), hidden, dr + first * hidden, hidden,
            false);
    }
  }
  if (c.o.db != nullptr) bias_gradient(c);
  if (c.o.dp != nullptr) peephole_gradient(c);
}

template <class T>
void cell_backward_x(const CellPass<T>& c) {
  const RecurrentPlan& p = c.plan;
  const int64_t rows = p.steps * p.batch, width = p.width(), input = p.input;
  const bool first = c.direction == 0;
  if (!p.gathers(c.direction)) {
    times(c, rows, input, width, c.pre(0), width, false, c.w(), input, c.o.dx, input, !first);
    return;
  }
  const T* from = c.scratch + p.scratch.dx;
  times(c, rows, input, width, c.pre(0), width, false, c.w(), input, c.scratch + p.scratch.dx, input, false);
  for (int64_t s = 0; s < p.steps; ++s) {
    for (int64_t n = 0; n < p.batch; ++n, from += input) {
      T* to = c.o.dx + p.x_row(c.time(s, n), n) * input;
      for (int64_t i = 0; i < input; ++i) to[i] = first ? from[i] : to[i] + from[i];
    }
  }
}

template void cell_backward(const CellPass<float>&);
template void cell_backward(const CellPass<double>&);
template void cell_backward_x(const CellPass<float>&);
template void cell_backward_x(const CellPass<double>&);

}  // namespace percale

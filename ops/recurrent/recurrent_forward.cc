// Forward pass of recurrent cells. The contribution of the input is one product for all steps, that
// of the state one product per step.
#include <algorithm>

#include "ops/recurrent/recurrent_cell.h"

namespace percale {
namespace {

// Copies the rows of X in the order of the steps. Resting rows are 0, so that they do not enter the
// gradients.
template <class T>
void gather_x(const CellPass<T>& c) {
  const RecurrentPlan& p = c.plan;
  if (!p.gathers(c.direction)) return;
  T* to = c.scratch + p.scratch.x;
  for (int64_t s = 0; s < p.steps; ++s) {
    for (int64_t n = 0; n < p.batch; ++n, to += p.input) {
      if (c.rests(s, n)) {
        std::fill_n(to, p.input, T{0});
      } else {
        std::copy_n(c.o.x + p.x_row(c.time(s, n), n) * p.input, p.input, to);
      }
    }
  }
}

// Adds up the biases that are added to the same sum.
template <class T>
void join_biases(const CellPass<T>& c, T* bias) {
  const RecurrentPlan& p = c.plan;
  const int64_t width = p.width();
  if (c.o.b == nullptr) {
    std::fill_n(bias, width + p.hidden, T{0});
    return;
  }
  const T *of_w = c.o.b + c.direction * 2 * width, *of_r = of_w + width;
  const int64_t joined = p.cell == RecurrentCell::kGru && p.linear_before_reset ? 2 * p.hidden : width;
  for (int64_t i = 0; i < width; ++i) bias[i] = i < joined ? of_w[i] + of_r[i] : of_w[i];
  if (p.cell == RecurrentCell::kGru) std::copy_n(of_r + 2 * p.hidden, p.hidden, bias + width);
}

template <class T>
void pack_r(const CellPass<T>& c) {
  const RecurrentPlan& p = c.plan;
  if (!p.pack) return;
  const auto pack = [&](int64_t rows, const T* from, int64_t to) {
    if constexpr (std::is_same_v<T, double>) {
      p.simd->gemm->f64.pack_b(p.hidden, rows, from, p.hidden, true, c.scratch + to, c.parallel);
    } else {
      p.simd->gemm->f32.pack_b(p.hidden, rows, from, p.hidden, true, c.scratch + to, c.parallel);
    }
  };
  const int64_t first = p.cell == RecurrentCell::kGru ? 2 * p.hidden : p.width();
  pack(first, c.r(), p.scratch.packed);
  if (p.cell == RecurrentCell::kGru) pack(p.hidden, c.r() + first * p.hidden, p.scratch.packed_candidate);
}

// Product for one step: to [batch, rows] = from [batch, hidden] times the transpose of rows [first,
// first + rows) of R. With `adds` it is added to `to`.
template <class T>
void times_r(const CellPass<T>& c, int64_t step, const T* from, int64_t first, int64_t rows, T* to, int64_t ld,
             bool adds, const T* bias = nullptr) {
  const RecurrentPlan& p = c.plan;
  simd::Gemm<T> g;
  g.m = p.batch;
  g.n = rows;
  g.k = p.hidden;
  g.a = from;
  g.lda = p.hidden;
  g.b = c.r() + first * p.hidden;
  g.ldb = p.hidden;
  g.trans_b = true;
  g.c = to;
  g.ldc = ld;
  g.accumulate = adds;
  g.bias_n = bias;
  g.backwards = step % 2 == 1;
  if (p.pack) g.packed_b = c.scratch + (first == 0 ? p.scratch.packed : p.scratch.packed_candidate);
  cell_product(c, g);
}

template <class T>
void rnn_step(const CellPass<T>& c, int64_t s) {
  const RecurrentPlan& p = c.plan;
  times_r(c, s, c.h(s), 0, p.hidden, c.pre(s), p.hidden, true);
  const int64_t count = p.batch * p.hidden;
  cell_activate(p, c.activation(0), true, c.pre(s), count, c.gate(s));
  std::copy_n(c.gate(s), count, c.h(s + 1));
}

template <class T>
void gru_step(const CellPass<T>& c, int64_t s) {
  const RecurrentPlan& p = c.plan;
  const int64_t hidden = p.hidden, width = p.width();
  times_r(c, s, c.h(s), 0, 2 * hidden, c.pre(s), width, true);
  for (int64_t n = 0; n < p.batch; ++n) {
    cell_activate(p, c.activation(0), true, c.pre(s, n), 2 * hidden, c.gate(s, n));
  }
  if (p.linear_before_reset) {
    times_r(c, s, c.h(s), 2 * hidden, hidden, c.extra(s), hidden, false, c.scratch + p.scratch.bias + width);
  } else {
    for (int64_t n = 0; n < p.batch; ++n) {
      const T *r = c.gate(s, n) + hidden, *h = c.h(s, n);
      T* to = c.extra(s, n);
      for (int64_t i = 0; i < hidden; ++i) to[i] = r[i] * h[i];
    }
    times_r(c, s, c.extra(s), 2 * hidden, hidden, c.pre(s) + 2 * hidden, width, true);
  }
  for (int64_t n = 0; n < p.batch; ++n) {
    const T *z = c.gate(s, n), *r = z + hidden, *h = c.h(s, n), *linear = c.extra(s, n);
    T *sum = c.pre(s, n) + 2 * hidden, *candidate = c.gate(s, n) + 2 * hidden, *next = c.h(s + 1, n);
    if (p.linear_before_reset) {
      for (int64_t i = 0; i < hidden; ++i) sum[i] += r[i] * linear[i];
    }
    cell_activate(p, c.activation(1), true, sum, hidden, candidate);
    for (int64_t i = 0; i < hidden; ++i) next[i] = (T{1} - z[i]) * candidate[i] + z[i] * h[i];
  }
}

// to[i] += weight[i] * state[i]
template <class T>
void add_peephole(const T* weight, const T* state, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] += weight[i] * state[i];
}

template <class T>
void lstm_step(const CellPass<T>& c, int64_t s) {
  const RecurrentPlan& p = c.plan;
  const int64_t hidden = p.hidden;
  const CellActivation &f = c.activation(0), &g = c.activation(1), &h = c.activation(2);
  times_r(c, s, c.h(s), 0, p.width(), c.pre(s), p.width(), true);
  for (int64_t n = 0; n < p.batch; ++n) {
    T *sum = c.pre(s, n), *gate = c.gate(s, n), *next_c = c.c(s + 1, n), *next_h = c.h(s + 1, n);
    T *in = gate, *out = gate + hidden, *forget = gate + 2 * hidden;
    const T *candidate = gate + 3 * hidden, *old = c.c(s, n);
    if (c.o.p != nullptr) {
      add_peephole(c.peephole(0), old, hidden, sum);
      add_peephole(c.peephole(2), old, hidden, sum + 2 * hidden);
      cell_activate(p, f, true, sum, hidden, in);
      cell_activate(p, f, true, sum + 2 * hidden, hidden, forget);
    } else {
      cell_activate(p, f, true, sum, 3 * hidden, gate);
    }
    cell_activate(p, g, true, sum + 3 * hidden, hidden, gate + 3 * hidden);
    if (p.input_forget) {
      for (int64_t i = 0; i < hidden; ++i) forget[i] = T{1} - in[i];
    }
    for (int64_t i = 0; i < hidden; ++i) next_c[i] = forget[i] * old[i] + in[i] * candidate[i];
    if (c.o.p != nullptr) {
      add_peephole(c.peephole(1), next_c, hidden, sum + hidden);
      cell_activate(p, f, true, sum + hidden, hidden, out);
    }
    cell_activate(p, h, false, next_c, hidden, next_h);
    for (int64_t i = 0; i < hidden; ++i) next_h[i] *= out[i];
  }
}

// Resting rows keep their state. Y receives the step's output, and zeros where a row rests.
template <class T>
void end_step(const CellPass<T>& c, int64_t s) {
  const RecurrentPlan& p = c.plan;
  for (int64_t n = 0; n < p.batch; ++n) {
    const bool rests = c.rests(s, n);
    if (rests) {
      std::copy_n(c.h(s, n), p.hidden, c.h(s + 1, n));
      if (p.cell == RecurrentCell::kLstm) std::copy_n(c.c(s, n), p.hidden, c.c(s + 1, n));
    }
    if (c.o.y == nullptr) continue;
    T* y = c.o.y + p.y_row(c.time(s, n), c.direction, n) * p.hidden;
    if (rests) {
      std::fill_n(y, p.hidden, T{0});
    } else {
      std::copy_n(c.h(s + 1, n), p.hidden, y);
    }
  }
}

}  // namespace

template <class T>
void cell_forward(const CellPass<T>& c) {
  const RecurrentPlan& p = c.plan;
  T* bias = c.scratch + p.scratch.bias;
  gather_x(c);
  join_biases(c, bias);
  pack_r(c);
  simd::Gemm<T> g;
  g.m = p.steps * p.batch;
  g.n = p.width();
  g.k = p.input;
  g.a = c.x();
  g.lda = p.input;
  g.b = c.w();
  g.ldb = p.input;
  g.trans_b = true;
  g.c = c.pre(0);
  g.ldc = p.width();
  g.bias_n = bias;
  cell_product(c, g);
  cell_load_state(c, c.o.h0, c.h(0));
  if (p.cell == RecurrentCell::kLstm) cell_load_state(c, c.o.c0, c.c(0));
  for (int64_t s = 0; s < p.steps; ++s) {
    switch (p.cell) {
      case RecurrentCell::kRnn: rnn_step(c, s); break;
      case RecurrentCell::kGru: gru_step(c, s); break;
      case RecurrentCell::kLstm: lstm_step(c, s); break;
    }
    end_step(c, s);
  }
  cell_store_state(c, c.h(p.steps), c.o.y_h);
  if (p.cell == RecurrentCell::kLstm) cell_store_state(c, c.c(p.steps), c.o.y_c);
}

template void cell_forward(const CellPass<float>&);
template void cell_forward(const CellPass<double>&);

}  // namespace percale

// Forward and backward pass of one direction of a recurrent op. Steps are counted in order of
// computation, so step 0 of a reversed direction is the last time of a row. After its length a row
// rests: its state is unchanged, and its gradients are 0.
#ifndef PERCALE_OPS_RECURRENT_RECURRENT_CELL_H_
#define PERCALE_OPS_RECURRENT_RECURRENT_CELL_H_

#include <algorithm>

#include "ops/recurrent/recurrent.h"

namespace percale {

// Pointers to the operands, null if absent.
template <class T>
struct CellOperands {
  const T *x = nullptr, *w = nullptr, *r = nullptr, *b = nullptr, *h0 = nullptr, *c0 = nullptr, *p = nullptr;
  const int32_t* lengths = nullptr;  // each within [0, steps]
  T *y = nullptr, *y_h = nullptr, *y_c = nullptr;
  const T *dy = nullptr, *dy_h = nullptr, *dy_c = nullptr;
  T *dx = nullptr, *dw = nullptr, *dr = nullptr, *db = nullptr, *dh0 = nullptr, *dc0 = nullptr, *dp = nullptr;
};

template <class T>
struct CellPass {
  const RecurrentPlan& plan;
  const CellOperands<T>& o;
  int64_t direction;
  T* scratch;  // the part of this direction
  const ParallelFor& parallel;

  const CellActivation& activation(size_t i) const { return plan.activations[static_cast<size_t>(direction)][i]; }
  int64_t length(int64_t n) const { return o.lengths != nullptr ? o.lengths[n] : plan.steps; }
  bool rests(int64_t step, int64_t n) const { return step >= length(n); }
  int64_t time(int64_t step, int64_t n) const {
    return plan.reversed(direction) && !rests(step, n) ? length(n) - 1 - step : step;
  }
  const T* w() const { return o.w + direction * plan.width() * plan.input; }
  const T* r() const { return o.r + direction * plan.width() * plan.hidden; }
  // 0: i, 1: o, 2: f
  const T* peephole(int64_t i) const { return o.p + (direction * 3 + i) * plan.hidden; }
  const T* x() const { return plan.gathers(direction) ? scratch + plan.scratch.x : o.x; }
  T* pre(int64_t step, int64_t n = 0) const {
    return scratch + plan.scratch.pre + (step * plan.batch + n) * plan.width();
  }
  T* gate(int64_t step, int64_t n = 0) const {
    return scratch + plan.scratch.gate + (step * plan.batch + n) * plan.width();
  }
  // Return the states before a step.
  T* h(int64_t step, int64_t n = 0) const { return scratch + plan.scratch.h + (step * plan.batch + n) * plan.hidden; }
  T* c(int64_t step, int64_t n = 0) const { return scratch + plan.scratch.c + (step * plan.batch + n) * plan.hidden; }
  // Returns a value of GRU's reset gate: r * h or, with linear_before_reset, the gate's operand h
  // R^T + bias.
  T* extra(int64_t step, int64_t n = 0) const {
    return scratch + plan.scratch.extra + (step * plan.batch + n) * plan.hidden;
  }
  T* row(int64_t i, int64_t n = 0) const { return scratch + plan.scratch.row + (i * plan.batch + n) * plan.hidden; }
};

// Copies the rows [batch, hidden] of this direction from a tensor of all directions' states, or
// zeros if it is absent; cell_store_state() copies them into one.
template <class T>
void cell_load_state(const CellPass<T>& pass, const T* from, T* to) {
  const int64_t hidden = pass.plan.hidden;
  for (int64_t n = 0; n < pass.plan.batch; ++n, to += hidden) {
    if (from == nullptr) {
      std::fill_n(to, hidden, T{0});
    } else {
      std::copy_n(from + pass.plan.state_row(pass.direction, n) * hidden, hidden, to);
    }
  }
}
template <class T>
void cell_store_state(const CellPass<T>& pass, const T* from, T* to) {
  if (to == nullptr) return;
  const int64_t hidden = pass.plan.hidden;
  for (int64_t n = 0; n < pass.plan.batch; ++n, from += hidden) {
    std::copy_n(from, hidden, to + pass.plan.state_row(pass.direction, n) * hidden);
  }
}

// Runs all steps. Fills the scratch and, if they are wanted, Y, Y_h and Y_c.
template <class T>
void cell_forward(const CellPass<T>& pass);
// Computes all gradients but dX. Must follow cell_forward() with a gradient plan. `pre` becomes the
// gradients with respect to the activations' inputs.
template <class T>
void cell_backward(const CellPass<T>& pass);
// Computes dX. Must follow cell_backward(). Direction 0 sets dX, direction 1 adds to it.
template <class T>
void cell_backward_x(const CellPass<T>& pass);

// Computes the product that `gemm` describes, with the plan's SIMD kernels or in plain loops with
// f64 sums.
template <class T>
void cell_product(const CellPass<T>& pass, simd::Gemm<T> gemm);
// Computes y[i] = a(x[i]). With `clips`, x is first clamped to the plan's clip. y may be x.
template <class T>
void cell_activate(const RecurrentPlan& plan, const CellActivation& a, bool clips, const T* x, int64_t count, T* y);
// Returns the slope of cell_activate() at x, where y is its result.
template <class T>
T cell_slope(const RecurrentPlan& plan, const CellActivation& a, bool clips, T x, T y);

}  // namespace percale

#endif  // PERCALE_OPS_RECURRENT_RECURRENT_CELL_H_

// Kernels of LSTM, GRU, RNN and their gradients. They run the directions and their passes.
#include "ops/recurrent/recurrent_cell.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

template <class T>
CellOperands<T> operands_of(const RecurrentPlan& p, const Launch& l) {
  const bool lstm = p.cell == RecurrentCell::kLstm;
  const auto in = [&](size_t i) { return i < p.num_inputs && p.has_input[i] ? l.in<T>(i) : nullptr; };
  const auto out = [&](size_t i) { return i < p.num_outputs && p.has_output[i] ? l.out<T>(i) : nullptr; };
  CellOperands<T> o;
  o.x = in(0);
  o.w = in(1);
  o.r = in(2);
  o.b = in(3);
  o.lengths = p.has_input[4] ? l.in<int32_t>(4) : nullptr;
  o.h0 = in(5);
  if (lstm) {
    o.c0 = in(6);
    o.p = in(7);
  }
  if (!p.gradient) {
    o.y = out(0);
    o.y_h = out(1);
    if (lstm) o.y_c = out(2);
    return o;
  }
  const size_t first = lstm ? 8 : 6;
  o.dy = in(first);
  o.dy_h = in(first + 1);
  if (lstm) o.dy_c = in(first + 2);
  o.dx = out(0);
  o.dw = out(1);
  o.dr = out(2);
  o.db = out(3);
  o.dh0 = out(4);
  if (lstm) {
    o.dc0 = out(5);
    o.dp = out(6);
  }
  return o;
}

Status accepts_f32_and_f64(const NodeView& v) {
  if (v.dtype(0) == DType::kF32 || v.dtype(0) == DType::kF64) return {};
  return unimplemented("requires f32 or f64");
}

}  // namespace

void run_recurrent(const RecurrentPlan& p, const Launch& l) {
  const int32_t* lengths = p.has_input[4] ? l.in<int32_t>(4) : nullptr;
  for (int64_t n = 0; lengths != nullptr && n < p.batch; ++n) {
    if (lengths[n] < 0 || lengths[n] > p.steps) return l.fail(RunError::kBadSize, lengths[n]);
  }
  with_float(p.dtype, [&]<class T>() {
    const CellOperands<T> operands = operands_of<T>(p, l);
    const auto pass = [&](int64_t d) {
      return CellPass<T>{p, operands, d, l.scratch<T>() + d * p.scratch.size, l.parallel()};
    };
    l.parallel()(p.directions, [&](int64_t d) {
      cell_forward(pass(d));
      if (p.gradient) cell_backward(pass(d));
    });
    for (int64_t d = 0; operands.dx != nullptr && d < p.directions; ++d) cell_backward_x(pass(d));
  });
}

Status register_recurrent_kernels(Registry& registry, const simd::SimdTable* simd) {
  constexpr const char* kOurs = "percale";
  if (simd != nullptr) {
    const auto kernel = [&](const char* name, OpName op, const char* domain) __attribute__((always_inline)) {
      return make_kernel<&accepts_f32_and_f64, &plan_recurrent, &run_recurrent>(name, op, domain, simd);
    };
    for (const Kernel& k : {kernel("simd.lstm", "LSTM", ""), kernel("simd.gru", "GRU", ""),
                            kernel("simd.rnn", "RNN", ""), kernel("simd.lstm_grad", "LSTMGrad", kOurs),
                            kernel("simd.gru_grad", "GRUGrad", kOurs), kernel("simd.rnn_grad", "RNNGrad", kOurs)}) {
      PERCALE_RETURN_IF_ERROR(registry.add_kernel("cpu", k));
    }
  }
  const auto add = [&](OpName op, const char* domain, const char* portable, const char* widened)
      __attribute__((always_inline)) {
    return add_float_kernels<&plan_recurrent, &run_recurrent>(registry, op, domain, portable, widened);
  };
  PERCALE_RETURN_IF_ERROR(add("LSTM", "", "portable.lstm", "portable.lstm_widened"));
  PERCALE_RETURN_IF_ERROR(add("GRU", "", "portable.gru", "portable.gru_widened"));
  PERCALE_RETURN_IF_ERROR(add("RNN", "", "portable.rnn", "portable.rnn_widened"));
  PERCALE_RETURN_IF_ERROR(add("LSTMGrad", kOurs, "portable.lstm_grad", "portable.lstm_grad_widened"));
  PERCALE_RETURN_IF_ERROR(add("GRUGrad", kOurs, "portable.gru_grad", "portable.gru_grad_widened"));
  return add("RNNGrad", kOurs, "portable.rnn_grad", "portable.rnn_grad_widened");
}

}  // namespace percale

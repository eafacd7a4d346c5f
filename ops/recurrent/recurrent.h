// LSTM, GRU, RNN and their gradients as their kernels want them.
#ifndef PERCALE_OPS_RECURRENT_RECURRENT_H_
#define PERCALE_OPS_RECURRENT_RECURRENT_H_

#include <array>

#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

enum class Cell : uint8_t { kRnn, kGru, kLstm };

// What sets the three ops apart, and where their gradients have what. Inputs 0 to 5 are X, W, R, B, sequence_lens, initial_h;
// LSTM has initial_c and P behind them. A gradient has the inputs of its op, then the gradients of the op's outputs; its outputs
// are the gradients of X, W, R, B, initial_h, and of LSTM initial_c and P.
struct CellKind {
  Cell cell;
  int64_t gates;       // rows of W and R per unit
  size_t activations;  // per direction
  size_t num_inputs;   // of the op
  size_t num_outputs;  // of the op: Y, Y_h and, of LSTM, Y_c
};
// By the name of the op or of its gradient.
const CellKind& cell_kind(std::string_view op);

enum class CellFn : uint8_t {
  kAffine,
  kElu,
  kHardSigmoid,
  kLeakyRelu,
  kRelu,
  kScaledTanh,
  kSigmoid,
  kSoftplus,
  kSoftsign,
  kTanh,
  kThresholdedRelu,
};
struct CellActivation {
  CellFn fn = CellFn::kTanh;
  double alpha = 0, beta = 0;
};
using CellActivations = std::array<std::array<CellActivation, 3>, 2>;  // [direction][f, g, h]

// The attributes 'activations', 'activation_alpha' and 'activation_beta' of a node with so many directions. Names are taken
// without regard to case; alphas and betas are handed out in order to the functions that have one.
Result<CellActivations> cell_activations(const Attributes& attributes, const CellKind& kind, int64_t directions);
// 1 or 2; an error for a 'direction' that is none.
Result<int64_t> direction_count(const Attributes& attributes);

// Where the values of one direction lie within its part of the scratch, in elements.
struct CellScratch {
  int64_t x = 0;      // rows of X in the order of the steps; not there where X has that order itself
  int64_t pre = 0;    // [steps, batch, gates * hidden]: before the activations
  int64_t gate = 0;   // the same behind them; the same place where nothing needs what was before
  int64_t h = 0;      // [steps + 1, batch, hidden]
  int64_t c = 0;      // the same, of LSTM
  int64_t extra = 0;  // [steps, batch, hidden], of GRU: what the reset gate worked on, see recurrent_cell.h
  int64_t bias = 0;   // [gates * hidden], then GRU's of R for the candidate, [hidden]
  int64_t row = 0;    // [4, batch, hidden]: what one step needs
  int64_t sums = 0;   // f64 [4 * hidden + hidden], of gradients
  int64_t dx = 0;     // as x
  int64_t packed = 0, packed_candidate = 0;  // R, packed for products; not there where few steps share it
  int64_t gemm = 0;
  int64_t size = 0;  // of one direction
};

struct RecurrentPlan {
  Cell cell = Cell::kRnn;
  DType dtype = DType::kInvalid;
  int64_t steps = 0, batch = 0, input = 0, hidden = 0, directions = 1, gates = 1;
  bool gradient = false;
  bool batch_first = false, reverse = false, input_forget = false, linear_before_reset = false;
  double clip = 0;  // 0: none
  CellActivations activations;
  size_t num_inputs = 0, num_outputs = 0;  // of the node
  std::array<bool, 12> has_input{}, has_output{};
  const simd::SimdTable* simd = nullptr;  // null: portable
  CellScratch scratch;
  bool pack = false;

  int64_t width() const { return gates * hidden; }
  bool reversed(int64_t direction) const { return reverse || direction == 1; }
  // Whether direction d reads a copy of X in the order of its steps.
  bool gathers(int64_t direction) const { return batch_first || reversed(direction) || (gradient && has_input[4]); }
  bool gathers() const { return gathers(directions - 1); }
  // Rows of X [time, batch] or, with layout 1, [batch, time].
  int64_t x_row(int64_t time, int64_t n) const { return batch_first ? n * steps + time : time * batch + n; }
  // Rows of Y, [time, direction, batch] or [batch, time, direction].
  int64_t y_row(int64_t time, int64_t d, int64_t n) const {
    return batch_first ? (n * steps + time) * directions + d : (time * directions + d) * batch + n;
  }
  // Rows of initial and last states, [direction, batch] or [batch, direction].
  int64_t state_row(int64_t d, int64_t n) const { return batch_first ? n * directions + d : d * batch + n; }
};

// What a node says of its sizes; no scratch is booked.
Result<RecurrentPlan> read_recurrent(const NodeView& view);
Result<RecurrentPlan> plan_recurrent(const NodeView& view, KernelPlan& plan);

// The op or its gradient, f32 and f64. Directions run side by side; what they share is added in order.
void run_recurrent(const RecurrentPlan& plan, const Launch& launch);

// The LSTM of one sequence whose weights are packed, and the Reorder that packs them.
Status register_lstm_row(Registry& registry, const simd::SimdTable* simd);
Status register_lstm_packing(Registry& registry);
// Kernels of the family; without a table the portable ones alone.
Status register_recurrent_kernels(Registry& registry, const simd::SimdTable* simd);

}  // namespace percale

#endif  // PERCALE_OPS_RECURRENT_RECURRENT_H_

// Plans of LSTM, GRU, RNN and their gradients, shared by their kernels.
#ifndef PERCALE_OPS_RECURRENT_RECURRENT_H_
#define PERCALE_OPS_RECURRENT_RECURRENT_H_

#include <array>

#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

enum class RecurrentCell : uint8_t { kRnn, kGru, kLstm };

// Properties that differ between the three ops. Inputs 0 to 5 are X, W, R, B, sequence_lens,
// initial_h; LSTM also has initial_c and P. A gradient op has the inputs of its op, then the
// gradients of the op's outputs. Its outputs are the gradients of X, W, R, B, initial_h and, for
// LSTM, of initial_c and P.
struct RecurrentCellKind {
  RecurrentCell cell;
  int64_t gates;       // rows of W and R per unit
  size_t activations;  // per direction
  size_t num_inputs;   // of the op
  size_t num_outputs;  // of the op: Y, Y_h and, for LSTM, Y_c
};
// Returns the properties for the name of an op or of its gradient.
const RecurrentCellKind& cell_kind(std::string_view op);

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

// Reads the attributes 'activations', 'activation_alpha' and 'activation_beta' of a node with the
// given number of directions. Names are case-insensitive. Alphas and betas are assigned in order to
// the functions that have one.
Result<CellActivations> cell_activations(const Attributes& attributes, const RecurrentCellKind& kind,
                                         int64_t directions);
// Returns 1 or 2. An invalid 'direction' is an error.
Result<int64_t> direction_count(const Attributes& attributes);

// Offsets in elements of the values of one direction within its part of the scratch.
struct CellScratch {
  int64_t x = 0;    // rows of X in the order of the steps; unused if X already has that order
  int64_t pre = 0;  // [steps, batch, gates * hidden]: before the activations
  // the same after the activations; equal to `pre` if nothing needs the values before them
  int64_t gate = 0;
  int64_t h = 0;      // [steps + 1, batch, hidden]
  int64_t c = 0;      // the same, for LSTM
  int64_t extra = 0;  // [steps, batch, hidden], for GRU: see CellPass::extra() in recurrent_cell.h
  int64_t bias = 0;   // [gates * hidden], then GRU's candidate bias of R, [hidden]
  int64_t row = 0;    // [4, batch, hidden]: temporary rows of one step
  int64_t sums = 0;   // f64 [4 * hidden + hidden], for gradients
  int64_t dx = 0;     // like x
  // R packed for products; unused if too few steps share it
  int64_t packed = 0, packed_candidate = 0;
  int64_t gemm = 0;
  int64_t size = 0;  // size for one direction
};

struct RecurrentPlan {
  RecurrentCell cell = RecurrentCell::kRnn;
  DType dtype = DType::kInvalid;
  int64_t steps = 0, batch = 0, input = 0, hidden = 0, directions = 1, gates = 1;
  bool gradient = false;
  bool batch_first = false, reverse = false, input_forget = false, linear_before_reset = false;
  double clip = 0;  // 0: no clipping
  CellActivations activations;
  size_t num_inputs = 0, num_outputs = 0;  // of the node
  std::array<bool, 12> has_input{}, has_output{};
  const simd::SimdTable* simd = nullptr;  // null: portable kernels
  Numerics numerics;
  CellScratch scratch;
  bool pack = false;

  int64_t width() const { return gates * hidden; }
  bool reversed(int64_t direction) const { return reverse || direction == 1; }
  // True if direction d reads a copy of X in the order of its steps.
  bool gathers(int64_t direction) const { return batch_first || reversed(direction) || (gradient && has_input[4]); }
  bool gathers() const { return gathers(directions - 1); }
  // Returns the row of X [time, batch] or, with layout 1, [batch, time].
  int64_t x_row(int64_t time, int64_t n) const { return batch_first ? n * steps + time : time * batch + n; }
  // Returns the row of Y, [time, direction, batch] or [batch, time, direction].
  int64_t y_row(int64_t time, int64_t d, int64_t n) const {
    return batch_first ? (n * steps + time) * directions + d : (time * directions + d) * batch + n;
  }
  // Returns the row of the initial and last states, [direction, batch] or [batch, direction].
  int64_t state_row(int64_t d, int64_t n) const { return batch_first ? n * directions + d : d * batch + n; }
};

// Reads the sizes and attributes of a node. Reserves no scratch.
Result<RecurrentPlan> read_recurrent(const NodeView& view);
Result<RecurrentPlan> plan_recurrent(const NodeView& view, KernelPlan& plan);

// Runs the op or its gradient in f32 or f64. Directions run in parallel; results that they share
// are added in order.
void run_recurrent(const RecurrentPlan& plan, const Launch& launch);

// The LSTM kernel for one sequence with packed weights, and the Reorder kernel that packs them.
Status register_lstm_row(Registry& registry, const simd::SimdTable* simd);
Status register_lstm_packing(Registry& registry);
// Registers the kernels of the family. If `simd` is null, only the portable ones are registered.
Status register_recurrent_kernels(Registry& registry, const simd::SimdTable* simd);

}  // namespace percale

#endif  // PERCALE_OPS_RECURRENT_RECURRENT_H_

// LSTM, GRU, RNN and their gradients: schemas, shape functions and gradient functions.
#include "ops/recurrent/recurrent.h"

#include "core/graph/emit/gradient.h"
#include "core/registry/flops_context.h"
#include "ops/support/families.h"

namespace percale {
namespace {

Status recurrent_shape(ShapeContext& c);
Status recurrent_grad_shape(ShapeContext& c);
Status recurrent_grad(GradContext& g);

constexpr DTypeSet kI32 = DTypeSet::of(DType::kI32);
constexpr InputSpec in_float(std::string_view name) { return in(name, 'T', dtypes::kFloat); }
constexpr InputSpec in_float_opt(std::string_view name) { return in_opt(name, 'T', dtypes::kFloat); }
constexpr InputSpec kLengths = {"sequence_lens", 0, kI32, Presence::kOptional, Bounds::kChecked};
constexpr InputSpec kX = in_float("X"), kW = in_float("W"), kR = in_float("R"), kB = in_float_opt("B"),
                    kH0 = in_float_opt("initial_h"), kC0 = in_float_opt("initial_c"), kP = in_float_opt("P"),
                    kDY = in_float_opt("dY"), kDYH = in_float_opt("dY_h"), kDYC = in_float_opt("dY_c");
constexpr OutputSpec kY = out_opt("Y", 'T'), kYH = out_opt("Y_h", 'T'), kYC = out_opt("Y_c", 'T'),
                     kDX = out_opt("dX", 'T'), kDW = out_opt("dW", 'T'), kDR = out_opt("dR", 'T'),
                     kDB = out_opt("dB", 'T'), kDH0 = out_opt("dinitial_h", 'T'), kDC0 = out_opt("dinitial_c", 'T'),
                     kDP = out_opt("dP", 'T');
constexpr AttrSpec kAlpha = attr_optional("activation_alpha", AttrKind::kFloats),
                   kBeta = attr_optional("activation_beta", AttrKind::kFloats),
                   kActivations = attr_optional("activations", AttrKind::kStrings),
                   kClip = attr_optional("clip", AttrKind::kFloat, 0), kDirection = attr_string("direction", "forward"),
                   kHidden = attr_optional("hidden_size", AttrKind::kInt, 1),
                   kInputForget = attr_int("input_forget", 0, 0, 1), kLayout = attr_int("layout", 0, 0, 1),
                   kLinear = attr_int("linear_before_reset", 0);

// Each step multiplies the weights W and R with the rows of its batch.
double recurrent_flops(const FlopsContext& c) {
  const Shape& x = c.input(0);
  const double rows = x.is_static() && x.rank() == 3 ? static_cast<double>(x[0] * x[1]) : 1;
  return 2 * rows * (FlopsContext::elements(c.input(1)) + FlopsContext::elements(c.input(2)));
}

constexpr OpRow kSchemas[] = {
    {.name = "LSTM",
     .since = 22,
     .doc = "Long short-term memory over X [time,batch,input] (layout 1: batch first): i,o,f = f(X W^T + H R^T + B + P "
            "C), C = f C + i g(X W^T + H R^T + B), H = o h(C). W, R and B hold the gates in the order i,o,f,c.",
     .inputs = {kX, kW, kR, kB, kLengths, kH0, kC0, kP},
     .attributes = {kAlpha, kBeta, kActivations, kClip, kDirection, kHidden, kInputForget, kLayout},
     .outputs = {kY, kYH, kYC},
     .shape = &recurrent_shape,
     .grad = &recurrent_grad,
     .traits = {.role = Role::kRecurrent, .bf16 = {Bf16Rule::Kind::kProduct}, .flops = &recurrent_flops}},
    {.name = "GRU",
     .since = 22,
     .doc = "Gated recurrent unit over X [time,batch,input] (layout 1: batch first): z,r = f(X W^T + H R^T + B), H = "
            "(1 - z) g(X W^T + (r H) R^T + B) + z H; with linear_before_reset, r (H R^T + B) replaces (r H) R^T + B. "
            "W, R and B hold the gates in the order z,r,h.",
     .inputs = {kX, kW, kR, kB, kLengths, kH0},
     .attributes = {kAlpha, kBeta, kActivations, kClip, kDirection, kHidden, kLayout, kLinear},
     .outputs = {kY, kYH},
     .shape = &recurrent_shape,
     .grad = &recurrent_grad,
     .traits = {.role = Role::kRecurrent, .flops = &recurrent_flops}},
    {.name = "RNN",
     .since = 22,
     .doc = "Elman network over X [time,batch,input] (layout 1: batch first): H = f(X W^T + H R^T + B).",
     .inputs = {kX, kW, kR, kB, kLengths, kH0},
     .attributes = {kAlpha, kBeta, kActivations, kClip, kDirection, kHidden, kLayout},
     .outputs = {kY, kYH},
     .shape = &recurrent_shape,
     .grad = &recurrent_grad,
     .traits = {.role = Role::kRecurrent, .flops = &recurrent_flops}},
    {.domain = "percale",
     .name = "LSTMGrad",
     .doc = "Gradients of LSTM with respect to X, W, R, B, initial_h, initial_c and P, from the inputs of LSTM and the "
            "gradients of its outputs. The forward pass is recomputed. The op has no gradient.",
     .inputs = {kX, kW, kR, kB, kLengths, kH0, kC0, kP, kDY, kDYH, kDYC},
     .attributes = {kAlpha, kBeta, kActivations, kClip, kDirection, kHidden, kInputForget, kLayout},
     .outputs = {kDX, kDW, kDR, kDB, kDH0, kDC0, kDP},
     .shape = &recurrent_grad_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "GRUGrad",
     .doc = "Gradients of GRU with respect to X, W, R, B and initial_h, from the inputs of GRU and the gradients of "
            "its outputs. The forward pass is recomputed. The op has no gradient.",
     .inputs = {kX, kW, kR, kB, kLengths, kH0, kDY, kDYH},
     .attributes = {kAlpha, kBeta, kActivations, kClip, kDirection, kHidden, kLayout, kLinear},
     .outputs = {kDX, kDW, kDR, kDB, kDH0},
     .shape = &recurrent_grad_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "RNNGrad",
     .doc = "Gradients of RNN with respect to X, W, R, B and initial_h, from the inputs of RNN and the gradients of "
            "its outputs. The forward pass is recomputed. The op has no gradient.",
     .inputs = {kX, kW, kR, kB, kLengths, kH0, kDY, kDYH},
     .attributes = {kAlpha, kBeta, kActivations, kClip, kDirection, kHidden, kLayout},
     .outputs = {kDX, kDW, kDR, kDB, kDH0},
     .shape = &recurrent_grad_shape,
     .grad = grad::none},
};

// The dims that the operands of a node determine, and the shapes that follow from them.
struct Dims {
  int64_t steps = kUnknownDim, batch = kUnknownDim, input = kUnknownDim, hidden = kUnknownDim, directions = 1,
          gates = 1;
  bool batch_first = false;

  int64_t times_hidden(int64_t n) const { return hidden < 0 ? kUnknownDim : n * hidden; }
  Shape x() const { return batch_first ? Shape{batch, steps, input} : Shape{steps, batch, input}; }
  Shape w() const { return {directions, times_hidden(gates), input}; }
  Shape r() const { return {directions, times_hidden(gates), hidden}; }
  Shape b() const { return {directions, times_hidden(2 * gates)}; }
  Shape p() const { return {directions, times_hidden(3)}; }
  Shape state() const { return batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden}; }
  Shape y() const {
    return batch_first ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden};
  }
};

// Sets a dim if `given` is known. It is an error if the dim already has another value.
Status take(std::string_view what, int64_t given, int64_t& dim) {
  if (given < 0) return {};
  if (dim >= 0 && dim != given) return invalid_argument(what, " is ", given, " in one input and ", dim, " in another");
  dim = given;
  return {};
}

Result<Dims> read_dims(const ShapeContext& c) {
  const RecurrentCellKind& kind = cell_kind(c.schema.name);
  Dims d;
  d.gates = kind.gates;
  d.batch_first = c.attributes.get_int("layout") != 0;
  PERCALE_ASSIGN_OR_RETURN(d.directions, direction_count(c.attributes));
  PERCALE_RETURN_IF_ERROR(cell_activations(c.attributes, kind, d.directions).status());
  for (size_t i = 0; i < 3; ++i) {
    if (c.shape(i).known_rank() && c.shape(i).rank() != 3) {
      return invalid_argument("'", c.schema.input(i).name, "' must have rank 3, it has shape ", c.shape(i));
    }
  }
  const auto dim = [&](size_t i, size_t axis) { return c.shape(i).known_rank() ? c.shape(i)[axis] : kUnknownDim; };
  d.steps = dim(0, d.batch_first ? 1 : 0);
  d.batch = dim(0, d.batch_first ? 0 : 1);
  PERCALE_RETURN_IF_ERROR(take("the input size", dim(0, 2), d.input));
  PERCALE_RETURN_IF_ERROR(take("the input size", dim(1, 2), d.input));
  PERCALE_RETURN_IF_ERROR(take("hidden_size", dim(2, 2), d.hidden));
  PERCALE_RETURN_IF_ERROR(take("hidden_size", c.attributes.get_int("hidden_size", kUnknownDim), d.hidden));
  if (d.hidden < 0 && dim(1, 1) >= 0) d.hidden = dim(1, 1) / kind.gates;
  if (d.hidden > kMaxDim / 8) return invalid_argument("hidden_size is too large: ", d.hidden);

  const auto want = [&](size_t i, const Shape& shape) -> Status {
    if (!c.has_input(i) || compatible(c.shape(i), shape)) return {};
    return invalid_argument("'", c.schema.input(i).name, "' has shape ", c.shape(i), ", wanted ", shape);
  };
  PERCALE_RETURN_IF_ERROR(want(1, d.w()));
  PERCALE_RETURN_IF_ERROR(want(2, d.r()));
  PERCALE_RETURN_IF_ERROR(want(3, d.b()));
  PERCALE_RETURN_IF_ERROR(want(4, Shape{d.batch}));
  PERCALE_RETURN_IF_ERROR(want(5, d.state()));
  if (kind.cell == RecurrentCell::kLstm) {
    PERCALE_RETURN_IF_ERROR(want(6, d.state()));
    PERCALE_RETURN_IF_ERROR(want(7, d.p()));
  }
  for (size_t i = kind.num_inputs; i < c.num_inputs(); ++i) {
    PERCALE_RETURN_IF_ERROR(want(i, i == kind.num_inputs ? d.y() : d.state()));
  }
  return d;
}

Status recurrent_shape(ShapeContext& c) {
  const auto d = read_dims(c);
  if (!d.ok()) return c.error(d.status());
  c.set_output(0, c.dtype(0), d->y());
  c.set_output(1, c.dtype(0), d->state());
  c.set_output(2, c.dtype(0), d->state());
  return {};
}

Status recurrent_grad_shape(ShapeContext& c) {
  const auto d = read_dims(c);
  if (!d.ok()) return c.error(d.status());
  const Shape shapes[] = {d->x(), d->w(), d->r(), d->b(), d->state(), d->state(), d->p()};
  for (size_t i = 0; i < std::size(shapes); ++i) c.set_output(i, c.dtype(0), shapes[i]);
  return {};
}

Status recurrent_grad(GradContext& g) {
  const RecurrentCellKind& kind = cell_kind(g.node().op->name);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < kind.num_inputs; ++i) inputs.push_back(g.input(i));
  bool any = false;
  for (size_t i = 0; i < kind.num_outputs; ++i) {
    inputs.push_back(g.grad(i));
    any = any || g.grad(i) != kNoValue;
  }
  if (!any) return {};
  while (inputs.back() == kNoValue) inputs.pop_back();
  // The lengths, input 4, have no gradient.
  const auto output_of = [](size_t input) { return input < 4 ? input : input - 1; };
  size_t count = 0;
  for (size_t i = 0; i < kind.num_inputs; ++i) {
    if (i != 4 && g.wants(i)) count = output_of(i) + 1;
  }
  if (count == 0) return {};
  const std::vector<ValueId> grads =
      g.emit_many(str_cat("percale:", g.node().op->name, "Grad"), inputs, count, g.node().attributes);
  for (size_t i = 0; i < kind.num_inputs; ++i) {
    if (i != 4 && g.wants(i)) g.set(i, grads[output_of(i)]);
  }
  return g.status();
}

}  // namespace

Status register_recurrent(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR(register_lstm_row(registry, simd));
  return register_recurrent_kernels(registry, simd);
}

}  // namespace percale

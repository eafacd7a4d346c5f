// LSTM, GRU, SimpleRNN. Kernels have Keras' shapes, [in, gates * units], and Keras' order of gates
// (i, f, c, o and z, r, h). The ops expect them transposed, and LSTM's gates in the order i, o, f,
// c.
#include <array>
#include <limits>

#include "core/train/layers/initializers.h"
#include "core/train/layers/layer_attributes.h"
#include "core/train/layers/layers.h"

namespace percale {
namespace {

struct CellWords {
  std::string_view op;
  std::vector<int64_t> gates;  // positions of the op's gates in Keras' order
  std::vector<std::string_view> activations;
  bool has_cell_state = false;  // a second state besides h: c of LSTM
  bool reset_after = false;     // the reset gate applies after the product
};

// ONNX's activation functions of a cell by Keras' names, with their parameters.
struct CellFunction {
  std::string_view keras, onnx;
  bool has_alpha = false, has_beta = false;
  double alpha = 0, beta = 0;
};
constexpr std::array<CellFunction, 9> kFunctions = {{{"tanh", "Tanh"},
                                                     {"sigmoid", "Sigmoid"},
                                                     {"relu", "Relu"},
                                                     {"linear", "Affine", true, true, 1, 0},
                                                     {"hard_sigmoid", "HardSigmoid", true, true, 1.0 / 6, 0.5},
                                                     {"elu", "Elu", true, false, 1},
                                                     {"leaky_relu", "LeakyRelu", true, false, 0.2},
                                                     {"softplus", "Softplus"},
                                                     {"softsign", "Softsign"}}};

std::string cell_function_names() {
  std::string out;
  for (const CellFunction& f : kFunctions) out += str_cat(out.empty() ? "" : ", ", f.keras);
  return out;
}

bool set_activations(LayerContext& l, const std::vector<std::string_view>& words, Attributes& attributes) {
  std::vector<std::string> names;
  std::vector<double> alphas, betas;
  for (std::string_view word : words) {
    const CellFunction* found = nullptr;
    for (const CellFunction& f : kFunctions) {
      if (f.keras == word) found = &f;
    }
    if (found == nullptr) {
      l.activate(l.input(), word);  // reports an unknown name
      if (l.status().ok()) {
        l.not_implemented("activation '", word, "' is not implemented in recurrent layers; use one of ",
                          cell_function_names());
      }
      return false;
    }
    names.emplace_back(found->onnx);
    if (found->has_alpha) alphas.push_back(found->alpha);
    if (found->has_beta) betas.push_back(found->beta);
  }
  attributes.set("activations", names);
  if (!alphas.empty()) attributes.set("activation_alpha", alphas);
  if (!betas.empty()) attributes.set("activation_beta", betas);
  return true;
}

// Converts [in, gates * units] to the op's [1, gates * units, in].
ValueId operand(LayerContext& l, ValueId kernel, const CellWords& cell, int64_t in, int64_t units) {
  const auto gates = static_cast<int64_t>(cell.gates.size());
  const ValueId parts = l.emit("Reshape", {kernel, l.ints({in, gates, units})});
  const ValueId ordered = gates == 1 ? parts : l.emit("Gather", {parts, l.ints(cell.gates)}, {{"axis", 1}});
  return l.emit("Reshape", {l.transpose(ordered, {1, 2, 0}), l.ints({1, gates * units, in})});
}

// Makes the op's bias from one that applies to the input only: the part for the state is zeros.
ValueId bias_operand(LayerContext& l, ValueId bias, const CellWords& cell, int64_t units) {
  const auto gates = static_cast<int64_t>(cell.gates.size());
  const ValueId parts = l.emit("Reshape", {bias, l.ints({gates, units})});
  const ValueId ordered = gates == 1 ? parts : l.emit("Gather", {parts, l.ints(cell.gates)}, {{"axis", 0}});
  const ValueId zeros = l.emit("Expand", {l.scalar(l.dtype(bias), 0), l.ints({1, gates * units})});
  return l.emit("Concat", {l.emit("Reshape", {ordered, l.ints({1, gates * units})}), zeros}, {{"axis", 1}});
}

// Drops inputs. The same inputs of a row are dropped at all time steps: the mask is Dropout applied
// to ones [batch, 1, in].
ValueId drop_inputs(LayerContext& l, ValueId x, int64_t in) {
  if (l.number("dropout") == 0) return x;
  const ValueId batch = l.emit("Shape", {x}, {{"start", 0}, {"end", 1}});
  const ValueId ones =
      l.emit("Expand", {l.scalar(l.dtype(x), 1), l.emit("Concat", {batch, l.ints({1, in})}, {{"axis", 0}})});
  return l.emit("Mul",
                {x, l.emit("Dropout", {ones, l.scalar(DType::kF32, l.number("dropout")), l.scalar(DType::kBool, 0)})});
}

ValueId recurrent(LayerContext& l, const CellWords& cell) {
  if (l.flag("stateful")) return l.refuse("stateful");
  if (l.number("recurrent_dropout") > 0) return l.refuse("recurrent_dropout");
  const int64_t in = l.known_dim(3, -1), units = l.integer("units"), gates = static_cast<int64_t>(cell.gates.size());
  Attributes attributes{{"hidden_size", units}};
  if (!l.status().ok() || !set_activations(l, cell.activations, attributes)) return kNoValue;
  if (cell.reset_after) attributes.set("linear_before_reset", 1);
  const bool forget = cell.has_cell_state && l.flag("use_bias") && l.flag("unit_forget_bias");
  if (forget && l.text("bias_initializer") != "zeros") {
    return l.not_implemented("'unit_forget_bias' with bias_initializer '", l.text("bias_initializer"),
                             "' is not implemented; set 'unit_forget_bias' to false");
  }

  const ValueId kernel = l.parameter("kernel", Shape{in, gates * units}, l.text("kernel_initializer"));
  const ValueId recurrent_kernel =
      l.parameter("recurrent_kernel", Shape{units, gates * units}, l.text("recurrent_initializer"));
  ValueId bias = kNoValue;
  if (l.flag("use_bias")) {
    const Shape shape = cell.reset_after ? Shape{2, gates * units} : Shape{gates * units};
    const ValueId own = l.parameter("bias", shape, forget ? kUnitForgetBias : l.text("bias_initializer"));
    bias =
        cell.reset_after ? l.emit("Reshape", {own, l.ints({1, 2 * gates * units})}) : bias_operand(l, own, cell, units);
  }
  ValueId x = drop_inputs(l, l.input(), in);
  if (l.flag("go_backwards")) {
    x = l.emit("Slice", {x, l.ints({-1}), l.ints({std::numeric_limits<int64_t>::min()}), l.ints({1}), l.ints({-1})});
  }
  std::vector<ValueId> operands = {l.transpose(x, {1, 0, 2}), operand(l, kernel, cell, in, units),
                                   operand(l, recurrent_kernel, cell, units, units), bias};
  const size_t states = cell.has_cell_state ? 2 : 1;
  if (l.inputs().size() > 1) {
    if (l.inputs().size() != 1 + states) {
      return l.error(static_cast<uint64_t>(l.inputs().size() - 1), " initial states, wanted ",
                     static_cast<uint64_t>(states));
    }
    operands.push_back(kNoValue);  // lengths of the sequences
    for (size_t i = 0; i < states; ++i) operands.push_back(l.emit("Unsqueeze", {l.inputs()[1 + i], l.ints({0})}));
  }
  const auto out = l.emit_many(cell.op, operands, l.flag("return_state") ? 1 + states : 2, attributes);
  if (l.flag("return_state")) {
    // The outputs are named NAME/state_h and NAME/state_c.
    l.emit("Squeeze", {out[1], l.ints({0})}, {}, "state_h");
    if (cell.has_cell_state) l.emit("Squeeze", {out[2], l.ints({0})}, {}, "state_c");
  }
  if (!l.flag("return_sequences")) return l.emit("Squeeze", {out[1], l.ints({0})});
  return l.transpose(l.emit("Squeeze", {out[0], l.ints({1})}), {1, 0, 2});
}

ValueId lstm(LayerContext& l) {
  return recurrent(
      l, {"LSTM", {0, 3, 1, 2}, {l.text("recurrent_activation"), l.text("activation"), l.text("activation")}, true});
}
ValueId gru(LayerContext& l) {
  return recurrent(
      l, {"GRU", {0, 1, 2}, {l.text("recurrent_activation"), l.text("activation")}, false, l.flag("reset_after")});
}
ValueId simple_rnn(LayerContext& l) { return recurrent(l, {"RNN", {0}, {l.text("activation")}}); }

constexpr AttrSpec kUnits{.name = "units", .kind = AttrKind::kInt, .required = true, .min = 1, .max = 1 << 24};
constexpr AttrSpec kCellActivation = attr_string("activation", "tanh"),
                   kRecurrentActivation = attr_string("recurrent_activation", "sigmoid"),
                   kRecurrentInit = attr_string("recurrent_initializer", "orthogonal"),
                   kDropout = attr_float("dropout", 0, 0, 0.999999),
                   kRecurrentDropout = attr_float("recurrent_dropout", 0, 0, 1),
                   kSequences = attr_int("return_sequences", 0, 0, 1), kState = attr_int("return_state", 0, 0, 1),
                   kBackwards = attr_int("go_backwards", 0, 0, 1), kStateful = attr_int("stateful", 0, 0, 1),
                   kUnroll = attr_int("unroll", 0, 0, 1);  // affects how it runs, not the result

constexpr std::array<LayerRow, 3> kRecurrentLayers = {{
    {.name = "LSTM",
     .variable = "lstm",
     .doc = "Long short-term memory over the steps of [batch, steps, features].",
     .max_inputs = 3,
     .op = "LSTM",
     .attributes = {kUnits, kCellActivation, kRecurrentActivation, kUseBias, kKernelInit, kRecurrentInit, kBiasInit,
                    attr_int("unit_forget_bias", 1, 0, 1), kDropout, kRecurrentDropout, kSequences, kState, kBackwards,
                    kStateful, kUnroll},
     .emit = lstm},
    {.name = "GRU",
     .variable = "gru",
     .doc = "Gated recurrent unit over the steps of [batch, steps, features].",
     .max_inputs = 2,
     .op = "GRU",
     .attributes = {kUnits, kCellActivation, kRecurrentActivation, kUseBias, kKernelInit, kRecurrentInit, kBiasInit,
                    attr_int("reset_after", 1, 0, 1), kDropout, kRecurrentDropout, kSequences, kState, kBackwards,
                    kStateful, kUnroll},
     .emit = gru},
    {.name = "SimpleRNN",
     .variable = "simple_rnn",
     .doc =
         "Simple recurrent layer over the steps of [batch, steps, features]: each output is an input of the next step.",
     .max_inputs = 2,
     .op = "RNN",
     .attributes = {kUnits, kCellActivation, kUseBias, kKernelInit, kRecurrentInit, kBiasInit, kDropout,
                    kRecurrentDropout, kSequences, kState, kBackwards, kStateful, kUnroll},
     .emit = simple_rnn},
}};

}  // namespace

std::span<const Layer> recurrent_layers() { return kLayerTable<kRecurrentLayers>; }

}  // namespace percale

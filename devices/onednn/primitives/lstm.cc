// LSTM in bf16 on a CPU with AMX, which multiplies a row by recurrent weights twice as fast as
// vectors do. In f32 and without AMX, the core's own kernel reads the weights as fast as memory
// delivers them.
#include <bit>
#include <iterator>
#include <vector>

#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::lstm_forward;

enum Input { kX, kW, kR, kB, kLengths, kH, kC, kPeepholes };
enum Output { kY, kLastH, kLastC };
enum Slot { kFirstC, kFinalC, kAllH, kFinalH };

constexpr int64_t kGates = 4;
// oneDNN's order i, f, c, o in terms of ONNX's i, o, f, c
constexpr int64_t kOnnxGate[kGates] = {0, 2, 3, 1};

// The prefix of the formats of weights, whose gates are in oneDNN's order, and the format of B: the
// sum of both biases of a gate, in f32.
constexpr std::string_view kWeights = "onednn:lstm ", kBias = "onednn:lstm_bias";

std::string weights_format(const MemoryDesc& desc, const MemoryDesc& given) {
  const std::string text = encode({desc, given});
  return std::string(kWeights) + text.substr(text.find(':') + 1);
}

// Returns W and R, [1, 4 * hidden, k], as oneDNN defines them except for the order of the gates.
MemoryDesc weights_of(int64_t hidden, int64_t k) {
  const int64_t all = hidden * kGates * k;
  return MemoryDesc({1, 1, k, kGates, hidden}, DataType::bf16, {all, all, 1, hidden * k, k});
}

// Converts a state to another type, from an operand to a slot of scratch, or from a slot to an
// operand.
Made cast(const MemoryDesc& from, const MemoryDesc& to) {
  const dnnl::reorder::primitive_desc primitive(cpu_engine(), from, cpu_engine(), to, attributes());
  return {[primitive] { return dnnl::reorder(primitive); }, primitive.scratchpad_desc(), {}};
}
Made cast_of(Input from, const MemoryDesc& given, Slot to, const MemoryDesc& wanted) {
  Made made = cast(given, wanted);
  made.add(DNNL_ARG_FROM, from, given, given.get_dims());
  made.add_scratch(DNNL_ARG_TO, to, wanted);
  return made;
}
Made cast_of(Slot from, const MemoryDesc& given, int to, const MemoryDesc& wanted) {
  Made made = cast(given, wanted);
  made.add_scratch(DNNL_ARG_FROM, from, given);
  made.add(DNNL_ARG_TO, to, wanted, wanted.get_dims());
  return made;
}

bool has_default_activations(const Node& node) {
  constexpr std::string_view kDefault[] = {"Sigmoid", "Tanh", "Tanh"};
  if (node.attribute_string("activations", 0) == nullptr) return true;
  for (size_t i = 0; i < std::size(kDefault); ++i) {
    const char* const given = node.attribute_string("activations", i);
    if (given == nullptr || given != kDefault[i]) return false;
  }
  return true;
}

// Throws a Refusal for an LSTM that oneDNN does not support or does not run faster.
void refuse_others(const Node& node) {
  refuse_if(float_type(node.dtype(kX)) != DataType::bf16 || !has_amx(),
            "without bf16 and AMX the core's own kernel is faster");
  for (size_t weights : {size_t{kW}, size_t{kR}, size_t{kB}}) {
    refuse_if(node.has(weights) && (!node.is_precomputed(weights) || node.layout(weights) != nullptr),
              "the weights are not constant");
  }
  refuse_if(node.has(kLengths) || node.has(kPeepholes), "sequence_lens and peepholes are not supported");
  refuse_if(node.attribute("clip", 0.0) != 0 || node.attribute("input_forget", int64_t{0}) != 0 ||
                node.attribute("layout", int64_t{0}) != 0 || !has_default_activations(node),
            "supports only the default activations and layout, without clip and input_forget");
  const std::string_view direction = node.attribute("direction", std::string_view("forward"));
  refuse_if(direction != "forward" && direction != "reverse", "supports only one direction");
  refuse_if(is_empty(node.dims(kX)) || node.dims(kR)[2] == 0, "an operand has no elements");
  refuse_if(node.has(kH) != node.has(kC), "only one of the two initial states is given");
}

// The operands of an LSTM as oneDNN describes them.
struct LstmDescs {
  explicit LstmDescs(const Node& node)
      : x(node.dims(kX)),
        hidden(node.dims(kR)[2]),
        y{x[0], x[1], hidden},
        state{1, 1, x[1], hidden},
        w(weights_of(hidden, x[2])),
        r(weights_of(hidden, hidden)),
        h(row_major(state, DataType::bf16)),
        cell(row_major(state, DataType::f32)),
        bias(row_major({1, 1, kGates, hidden}, DataType::f32)),
        backward(node.attribute("direction", std::string_view("forward")) == "reverse"),
        begins(node.has(kH)),
        lasts(node.gives(kLastH) || node.gives(kLastC)) {}

  lstm_forward::primitive_desc describe() const {
    const MemoryDesc none;
    const auto if_there = [&](bool there, const MemoryDesc& desc) { return there ? desc : none; };
    return lstm_forward::primitive_desc(
        cpu_engine(), dnnl::prop_kind::forward_inference,
        backward ? dnnl::rnn_direction::unidirectional_right2left : dnnl::rnn_direction::unidirectional_left2right,
        row_major(x, DataType::bf16), if_there(begins, h), if_there(begins, cell),
        any_format(w.get_dims(), DataType::bf16), any_format(r.get_dims(), DataType::bf16), bias,
        row_major(y, DataType::bf16), if_there(lasts, h), if_there(lasts, cell), attributes());
  }

  Dims x;
  int64_t hidden;
  Dims y, state;
  MemoryDesc w, r, h, cell, bias;
  bool backward, begins, lasts;  // begins: from a given state; lasts: the last state is an output
};

void require_formats(Plan& plan, const LstmDescs& descs, const lstm_forward::primitive_desc& primitive) {
  const auto ask = [&](size_t operand, const MemoryDesc& desc, const MemoryDesc& given) {
    plan.require_format(operand, weights_format(desc, given), desc.get_size());
  };
  ask(kW, primitive.weights_layer_desc(), descs.w);
  ask(kR, primitive.weights_iter_desc(), descs.r);
  if (plan.node().has(kB)) plan.require_format(kB, std::string(kBias), descs.bias.get_size());
}

// Returns the LSTM and the casts around it: cell states are bf16 in operands and f32 in the
// primitive.
std::vector<Made> make_steps(const Node& node, const LstmDescs& d, const lstm_forward::primitive_desc& primitive) {
  std::vector<Made> all;
  const auto output = [&](size_t k) { return static_cast<int>(node.inputs() + k); };
  if (d.begins) all.push_back(cast_of(kC, d.h, kFirstC, d.cell));
  Made& made = all.emplace_back();
  made.create = [primitive] { return lstm_forward(primitive); };
  made.scratchpad = primitive.scratchpad_desc();
  made.add(DNNL_ARG_SRC_LAYER, kX, primitive.src_layer_desc(), d.x);
  made.add(DNNL_ARG_WEIGHTS_LAYER, kW, primitive.weights_layer_desc(), d.w.get_dims());
  made.add(DNNL_ARG_WEIGHTS_ITER, kR, primitive.weights_iter_desc(), d.r.get_dims());
  if (node.has(kB)) {
    made.add(DNNL_ARG_BIAS, kB, d.bias, d.bias.get_dims());
  } else {
    const std::vector<float> zeros(static_cast<size_t>(kGates * d.hidden));
    made.add_own(DNNL_ARG_BIAS, d.bias, zeros.data());
  }
  if (d.begins) {
    made.add(DNNL_ARG_SRC_ITER, kH, d.h, d.state);
    made.add_scratch(DNNL_ARG_SRC_ITER_C, kFirstC, d.cell);
  }
  const auto give = [&](int name, size_t k, Slot slot, const MemoryDesc& desc, const Dims& dims) {
    if (node.gives(k)) return made.add(name, output(k), desc, dims);
    made.add_scratch(name, slot, desc);
  };
  give(DNNL_ARG_DST_LAYER, kY, kAllH, primitive.dst_layer_desc(), d.y);
  if (d.lasts) {
    give(DNNL_ARG_DST_ITER, kLastH, kFinalH, d.h, d.state);
    made.add_scratch(DNNL_ARG_DST_ITER_C, kFinalC, d.cell);
  }
  if (node.gives(kLastC)) all.push_back(cast_of(kFinalC, d.cell, output(kLastC), d.h));
  return all;
}

}  // namespace

void prepare_lstm(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  refuse_others(node);
  const LstmDescs descs(node);
  // of one step
  const double flops = 2.0 * static_cast<double>(descs.x[1] * kGates * descs.hidden * descs.hidden);
  plan.add_as_given(steps, pieces_for(flops, DataType::bf16), [&] {
    const lstm_forward::primitive_desc primitive = descs.describe();
    refuse_reference(primitive);
    if (plan.is_taken()) require_formats(plan, descs, primitive);
    return make_steps(node, descs, primitive);
  });
}

void prepare_lstm_pack(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const char* const text = node.output_layout(0);
  const std::string_view to = text == nullptr ? "" : text;
  refuse_if(to != kBias && !to.starts_with(kWeights), "the format is not an LSTM format");
  refuse_if(node.layout(0) != nullptr, "the weights are not row-major");
  if (to == kBias) {
    const int64_t hidden = node.dims(0)[1] / (2 * kGates);
    steps.function = [hidden](const percale_launch& launch) {
      const auto* const given = static_cast<const uint16_t*>(launch.operands[0]);
      auto* const sums = static_cast<float*>(launch.operands[1]);
      const auto number = [&](int64_t i) { return std::bit_cast<float>(static_cast<uint32_t>(given[i]) << 16); };
      for (int64_t g = 0; g < kGates; ++g) {
        for (int64_t u = 0; u < hidden; ++u) {
          const int64_t at = kOnnxGate[g] * hidden + u;
          sums[g * hidden + u] = number(at) + number(kGates * hidden + at);
        }
      }
    };
    return;
  }
  const Format format = decode(text);
  plan.add_as_given(steps, pieces_for(32.0 * static_cast<double>(elements(node.dims(0)))), [&] {
    Dims one = format.row_major.get_dims();
    const int64_t gate = one[2] * one[4];
    one[3] = 1;
    std::vector<Made> all;
    for (int64_t g = 0; g < kGates; ++g) {
      const MemoryDesc from(one, DataType::bf16, format.row_major.get_strides());
      const MemoryDesc part = format.in_format.submemory_desc(one, {0, 0, 0, g, 0});
      const dnnl::reorder::primitive_desc primitive(cpu_engine(), from, cpu_engine(), part, attributes());
      Made& made = all.emplace_back();
      made.create = [primitive] { return dnnl::reorder(primitive); };
      made.scratchpad = primitive.scratchpad_desc();
      const auto offset = static_cast<size_t>(kOnnxGate[g] * gate) * sizeof(uint16_t);
      made.operands.push_back({{DNNL_ARG_FROM, 0, offset, from}, from});
      made.operands.push_back({{DNNL_ARG_TO, 1, 0, part}, part});
    }
    return all;
  });
}

}  // namespace percale::onednn

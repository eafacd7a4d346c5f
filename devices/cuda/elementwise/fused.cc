// Fused: a group of elementwise nodes in one pass over memory. NVRTC compiles the code of a new
// group. Without NVRTC, the device interprets a small program for each element; all threads take
// the same branches.
#include "devices/cuda/elementwise/fused.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>

#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

FusedType type_of(percale_dtype dtype) {
  refuse_if(!is_float(dtype) || dtype == PERCALE_DTYPE_F64, "groups must be f32, bf16 or f16");
  return dtype == PERCALE_DTYPE_BF16  ? FusedType::kBF16
         : dtype == PERCALE_DTYPE_F16 ? FusedType::kF16
                                      : FusedType::kF32;
}

float number_of(FusedType type, const void* bytes) {
  float number = 0;
  uint16_t half = 0;
  if (type == FusedType::kF32) {
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }
  std::memcpy(&half, bytes, sizeof half);
  if (type == FusedType::kBF16) {
    const uint32_t bits = static_cast<uint32_t>(half) << 16;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  if (exponent == 31) {
    number = fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else {
    number = std::ldexp(static_cast<float>(exponent == 0 ? fraction : 1024 + fraction), std::max(exponent, 1) - 25);
  }
  return half >> 15 != 0 ? -number : number;
}

// Describes how an input repeats within the whole: as one element; as some of its dims, with 1 for
// the dims before and after them; or as one row for each outermost block, like numbers per image
// and channel with channels last.
FusedInput find_input(percale_dtype dtype, const Dims& x, const Dims& y) {
  FusedInput out{};
  out.type = type_of(dtype);
  out.period = out.each = 1;
  out.block = elements(y);
  if (elements(x) == 1) return out;
  size_t first = 0, end = x.size();
  while (first < end && x[first] == 1) ++first;
  while (end > first && x[end - 1] == 1) --end;
  const bool rows = x.size() == y.size() && x.size() > 2 && end == x.size() && x[0] == y[0] && x.back() == y.back() &&
                    elements(x) == y[0] * y.back() && elements(x) != elements(y);
  if (rows && y[0] > 1) {
    out.period = out.step = y.back();
    out.block = elements(y) / y[0];
    return out;
  }
  const size_t behind = x.size() - end, rank = x.size() - first;
  refuse_if(
      rank > y.size() || !std::equal(x.begin() + static_cast<ptrdiff_t>(first), x.begin() + static_cast<ptrdiff_t>(end),
                                     y.end() - static_cast<ptrdiff_t>(rank)),
      "an operand does not repeat by rows or columns");
  for (size_t d = y.size() - behind; d < y.size(); ++d) out.each *= y[d];
  out.period = elements(x) * out.each;
  return out;
}

// The body as steps. Values are the numbers of the body.
class Program {
 public:
  Program(const Node& whole, size_t first) : whole_(whole), first_(first), last_use_(find_last_uses()) {
    args_.size = elements(whole.output_dims());
    for (size_t i = first; i < whole.body_size(); ++i) add_node(i);
    refuse_if(args_.steps == 0, "the group has no steps");
  }
  const FusedArgs& args() const { return args_; }
  // The input of the whole node for each input of the program; -1: the result of the node before
  // the first.
  const std::vector<int>& inputs() const { return inputs_; }

 private:
  std::map<int, size_t> find_last_uses() const {
    std::map<int, size_t> out;
    std::map<int, int> same;  // The output of a Cast has the same value as its input.
    for (size_t i = 0; i < whole_.body_size(); ++i) {
      const Node node = whole_.body_node(i);
      for (size_t j = 0; j < node.inputs(); ++j) {
        int value = whole_.body_input(i, j);
        out[value] = i;
        for (auto it = same.find(value); it != same.end(); it = same.find(value)) out[value = it->second] = i;
      }
      if (is_cast(node)) same[whole_.body_output(i)] = whole_.body_input(i, 0);
    }
    return out;
  }
  static bool is_cast(const Node& node) { return node.op() == "Cast" || node.op() == "Identity"; }

  void add_node(size_t i) {
    const Node node = whole_.body_node(i);
    const FusedType type = type_of(node.output_dtype());
    const size_t inputs = node.inputs();
    const int before = args_.steps;
    std::vector<uint8_t> operands;
    for (size_t j = 0; j < inputs; ++j) operands.push_back(node.has(j) ? operand(i, j) : kNone);
    if (is_cast(node) && (type != FusedType::kF16 || node.dtype(0) == node.output_dtype())) {
      places_[whole_.body_output(i)] = operands[0];
    } else if (is_cast(node)) {
      places_[whole_.body_output(i)] = add_unary({UnaryOp::kCopy}, operands[0]);
    } else if (node.op() == "Clip") {
      uint8_t value = operands[0];
      const bool low = inputs > 1 && operands[1] != kNone, high = inputs > 2 && operands[2] != kNone;
      if (low) value = add_binary(BinaryOp::kAtLeast, value, operands[1]);
      if (high) value = add_binary(BinaryOp::kAtMost, value, operands[2]);
      places_[whole_.body_output(i)] = value;
    } else if (const auto binary = binary_code(node)) {
      refuse_if(inputs < 2, "the op requires at least two operands");
      uint8_t value = add_binary(*binary, operands[0], operands[1]);
      for (size_t j = 2; j < inputs; ++j) value = add_binary(*binary, value, operands[j]);
      if (node.op() == "Mean") value = add_unary({UnaryOp::kScale, 1.0 / static_cast<double>(inputs)}, value);
      places_[whole_.body_output(i)] = value;
    } else if (const auto unary = unary_code(node)) {
      places_[whole_.body_output(i)] = add_unary(*unary, operands[0]);
    } else {
      throw Refusal("no step for op " + std::string(node.op()));
    }
    // Rounds as the node alone would: a sum of several operands is rounded once.
    if (args_.steps > before) args_.step[args_.steps - 1].f16 = type == FusedType::kF16 ? 1 : 0;
    // Values that no later node reads free their slots.
    for (auto it = places_.begin(); it != places_.end();) {
      const auto use = last_use_.find(it->first);
      const bool over = it->first != whole_.body_output(i) && (use == last_use_.end() || use->second <= i);
      it = over ? places_.erase(it) : std::next(it);
    }
  }

  uint8_t operand(size_t i, size_t j) {
    const int value = whole_.body_input(i, j);
    if (value >= 0 && static_cast<size_t>(value) < whole_.inputs()) return input(value);
    if (first_ > 0 && value == whole_.body_output(first_ - 1)) return input(-1);
    if (const auto place = places_.find(value); place != places_.end()) return place->second;
    const Node node = whole_.body_node(i);
    const void* bytes = node.constant(j);
    refuse_if(bytes == nullptr || elements(node.dims(j)) != 1,
              "an operand is neither an input nor a constant with one element");
    refuse_if(numbers_ == kMostFusedNumbers, "the group has too many constants");
    args_.number[numbers_] = number_of(type_of(node.dtype(j)), bytes);
    return static_cast<uint8_t>(kFusedNumber + numbers_++);
  }

  uint8_t input(int which) {
    const auto found = std::find(inputs_.begin(), inputs_.end(), which);
    if (found != inputs_.end()) return static_cast<uint8_t>(kFusedInput + (found - inputs_.begin()));
    const size_t number = inputs_.size();
    refuse_if(number == static_cast<size_t>(kMostFusedInputs), "the group has too many inputs");
    const auto i = static_cast<size_t>(which);
    args_.input[number] = which < 0 ? find_input(whole_.output_dtype(), whole_.output_dims(), whole_.output_dims())
                                    : find_input(whole_.dtype(i), whole_.dims(i), whole_.output_dims());
    inputs_.push_back(which);
    return static_cast<uint8_t>(kFusedInput + number);
  }

  uint8_t add_binary(BinaryOp op, uint8_t a, uint8_t b) {
    FusedStep step{};
    step.binary = 1;
    step.op = static_cast<uint8_t>(op);
    step.a = a;
    step.b = b;
    return add(step);
  }
  uint8_t add_unary(const UnaryCode& code, uint8_t a) {
    FusedStep step{};
    step.op = static_cast<uint8_t>(code.op);
    step.a = a;
    step.alpha = static_cast<float>(code.alpha);
    step.beta = static_cast<float>(code.beta);
    return add(step);
  }
  // Adds a step. Its slot holds no value that later steps of this node or later nodes read.
  uint8_t add(FusedStep& step) {
    refuse_if(args_.steps == kMostFusedSteps, "the group has too many nodes");
    int slot = 0;
    const auto taken = [&](int s) {
      return std::any_of(places_.begin(), places_.end(), [&](const auto& p) { return p.second == kFusedSlot + s; });
    };
    while (slot < kMostFusedSlots && taken(slot)) ++slot;
    refuse_if(slot == kMostFusedSlots, "the group has too many live values");
    step.slot = static_cast<uint8_t>(slot);
    args_.step[args_.steps++] = step;
    return static_cast<uint8_t>(kFusedSlot + slot);
  }

  static constexpr uint8_t kNone = 255;
  const Node& whole_;
  const size_t first_;
  const std::map<int, size_t> last_use_;
  std::map<int, uint8_t> places_;  // the operand code of each value
  int numbers_ = 0;
  std::vector<int> inputs_;
  FusedArgs args_{};
};

Run prepare_fused(Plan& plan) {
  const auto chain = std::make_shared<const Chain>(plan, 0);
  return [=](const Launch& launch) { chain->run(launch); };
}

}  // namespace

Chain::Chain(Plan& plan, size_t first) {
  const Node& node = plan.node();
  const Program program(node, first);
  args_ = program.args();
  inputs_ = program.inputs();
  for (int i : inputs_) {
    const auto input = static_cast<size_t>(i);
    const bool fits = i >= 0 && node.dtype(input) == node.output_dtype() && node.dims(input) == node.output_dims();
    if (fits && first == 0) plan.may_replace(0, input);
  }
  code_ = code_of(args_, static_cast<int>(inputs_.size()), type_of(node.output_dtype()));
  kernel_ = {Family::elementwise, std::string("percale_fused_") + suffix(node.output_dtype())};
}

void Chain::run(const Launch& launch) const {
  if (args_.size == 0) return;
  FusedArgs now = args_;
  for (size_t k = 0; k < inputs_.size(); ++k) {
    now.input[k].x = inputs_[k] < 0 ? launch.out(0) : launch.in(static_cast<size_t>(inputs_[k]));
  }
  now.y = launch.out(0);
  const FusedCodeArgs small = code_args(now, static_cast<int>(inputs_.size()));
  if (!launch.try_run(code_.source, grid_for(args_.size, code_.each), small)) {
    launch.run(kernel_, grid_for(args_.size), now);
  }
}

void add_fused(Entries& entries) { entries.push_back({"cuda.fused", "percale", "Fused", prepare_fused, kAllImages}); }

}  // namespace percale::cuda

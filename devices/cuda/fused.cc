// Fused: a group of elementwise nodes in one pass over memory, as code that NVRTC compiles when the group is new. Where there is no NVRTC
// the device goes through a small program for each element; it is the same for all threads, which take every branch of it together.
#include <algorithm>
#include <cstring>
#include <map>

#include "devices/cuda/fused_code.h"
#include "devices/cuda/kernels.h"

namespace percale::cuda {
namespace {

bool fits(percale_dtype dtype) { return dtype == PERCALE_DTYPE_F32 || dtype == PERCALE_DTYPE_BF16; }

// How an input repeats within the whole: one element, or some of its dims side by side, with 1 for those before and behind them.
FusedInput find_input(const Node& whole, size_t i) {
  refuse_if(!fits(whole.dtype(i)), "groups are f32 and bf16");
  const Dims y = whole.output_dims(), x = whole.dims(i);
  FusedInput out{};
  out.bf16 = whole.dtype(i) == PERCALE_DTYPE_BF16 ? 1 : 0;
  out.period = out.each = 1;
  if (elements(x) == 1) return out;
  size_t first = 0, end = x.size();
  while (first < end && x[first] == 1) ++first;
  while (end > first && x[end - 1] == 1) --end;
  const size_t behind = x.size() - end, rank = x.size() - first;
  refuse_if(
      rank > y.size() || !std::equal(x.begin() + static_cast<ptrdiff_t>(first), x.begin() + static_cast<ptrdiff_t>(end),
                                     y.end() - static_cast<ptrdiff_t>(rank)),
      "an operand repeats in another way than as a row or a column");
  for (size_t d = y.size() - behind; d < y.size(); ++d) out.each *= y[d];
  out.period = elements(x) * out.each;
  return out;
}

// The body as steps. Values are the body's numbers.
class Program {
 public:
  explicit Program(const Node& whole) : whole_(whole), last_use_(find_last_uses()) {
    refuse_if(!fits(whole.output_dtype()), "groups are f32 and bf16");
    refuse_if(whole.inputs() > static_cast<size_t>(kMostFusedInputs), "so many inputs");
    args_.size = elements(whole.output_dims());
    for (size_t i = 0; i < whole.inputs(); ++i) args_.input[i] = find_input(whole, i);
    for (size_t i = 0; i < whole.body_size(); ++i) add_node(i);
    refuse_if(args_.steps == 0, "nothing to compute");
  }
  const FusedArgs& args() const { return args_; }

 private:
  std::map<int, size_t> find_last_uses() const {
    std::map<int, size_t> out;
    std::map<int, int> same;  // what a Cast gives is what it takes
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
    refuse_if(!fits(node.output_dtype()), "groups are f32 and bf16");
    const size_t inputs = node.inputs();
    std::vector<uint8_t> operands;
    for (size_t j = 0; j < inputs; ++j) operands.push_back(node.has(j) ? operand(i, j) : kNone);
    if (is_cast(node)) {
      places_[whole_.body_output(i)] = operands[0];
    } else if (node.op() == "Clip") {
      uint8_t value = operands[0];
      const bool low = inputs > 1 && operands[1] != kNone, high = inputs > 2 && operands[2] != kNone;
      if (low) value = add_binary(BinaryOp::kMax, value, operands[1]);
      if (high) value = add_binary(BinaryOp::kMin, value, operands[2]);
      places_[whole_.body_output(i)] = value;
    } else if (const auto binary = binary_code(node)) {
      refuse_if(inputs < 2, "one operand of what joins several");
      uint8_t value = add_binary(*binary, operands[0], operands[1]);
      for (size_t j = 2; j < inputs; ++j) value = add_binary(*binary, value, operands[j]);
      if (node.op() == "Mean") value = add_unary({UnaryOp::kScale, 1.0 / static_cast<double>(inputs)}, value);
      places_[whole_.body_output(i)] = value;
    } else if (const auto unary = unary_code(node)) {
      places_[whole_.body_output(i)] = add_unary(*unary, operands[0]);
    } else {
      throw Refusal("no step for " + std::string(node.op()));
    }
    for (auto it = places_.begin(); it != places_.end();) {  // what nobody reads any more leaves its slot
      const auto use = last_use_.find(it->first);
      const bool over = it->first != whole_.body_output(i) && (use == last_use_.end() || use->second <= i);
      it = over ? places_.erase(it) : std::next(it);
    }
  }

  uint8_t operand(size_t i, size_t j) {
    const int value = whole_.body_input(i, j);
    if (value >= 0 && static_cast<size_t>(value) < whole_.inputs()) return static_cast<uint8_t>(kFusedInput + value);
    if (const auto place = places_.find(value); place != places_.end()) return place->second;
    const Node node = whole_.body_node(i);
    const void* bytes = node.constant(j);
    refuse_if(bytes == nullptr || elements(node.dims(j)) != 1 || !fits(node.dtype(j)),
              "an operand that it has no way to");
    refuse_if(numbers_ == kMostFusedNumbers, "so many constants");
    float number = 0;
    if (node.dtype(j) == PERCALE_DTYPE_F32) {
      std::memcpy(&number, bytes, sizeof number);
    } else {
      uint16_t half = 0;
      std::memcpy(&half, bytes, sizeof half);
      const uint32_t bits = static_cast<uint32_t>(half) << 16;
      std::memcpy(&number, &bits, sizeof number);
    }
    args_.number[numbers_] = number;
    return static_cast<uint8_t>(kFusedNumber + numbers_++);
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
  // Into a slot that holds nothing which this node's later steps, or later nodes, read.
  uint8_t add(FusedStep& step) {
    refuse_if(args_.steps == kMostFusedSteps, "so many nodes");
    int slot = 0;
    const auto taken = [&](int s) {
      return std::any_of(places_.begin(), places_.end(), [&](const auto& p) { return p.second == kFusedSlot + s; });
    };
    while (slot < kMostFusedSlots && taken(slot)) ++slot;
    refuse_if(slot == kMostFusedSlots, "so many values at once");
    step.slot = static_cast<uint8_t>(slot);
    args_.step[args_.steps++] = step;
    return static_cast<uint8_t>(kFusedSlot + slot);
  }

  static constexpr uint8_t kNone = 255;
  const Node& whole_;
  const std::map<int, size_t> last_use_;
  std::map<int, uint8_t> places_;  // of what nodes have given
  int numbers_ = 0;
  FusedArgs args_{};
};

Run prepare_fused(Plan& plan) {
  const Node& node = plan.node();
  const FusedArgs args = Program(node).args();
  const size_t inputs = node.inputs();
  for (size_t i = 0; i < inputs; ++i) {
    if (node.dtype(i) == node.output_dtype() && node.dims(i) == node.output_dims()) plan.may_replace(0, i);
  }
  const DeviceKernel kernel{Family::elementwise, std::string("percale_fused_") + suffix(node.output_dtype())};
  const FusedCode code = code_of(args, static_cast<int>(inputs), node.output_dtype() == PERCALE_DTYPE_BF16);
  const Grid grid = grid_for(args.size), code_grid = grid_for(args.size, code.each);
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    FusedArgs now = args;
    for (size_t i = 0; i < inputs; ++i) now.input[i].x = launch.in(i);
    now.y = launch.out(0);
    if (!launch.try_run(code.source, code_grid, code_args(now, static_cast<int>(inputs))))
      launch.run(kernel, grid, now);
  };
}

}  // namespace

void add_fused(Entries& entries) { entries.push_back({"cuda.fused", "percale", "Fused", prepare_fused}); }

}  // namespace percale::cuda

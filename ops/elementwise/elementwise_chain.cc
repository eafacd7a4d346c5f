#include "ops/elementwise/elementwise_chain.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "ops/support/kernel_util.h"

namespace percale {
namespace {

using simd::Binary;
using simd::ChainOperand;
using simd::Unary;

constexpr size_t kMaxSources = 96;
constexpr int64_t kShortest = 1024;  // shorter rows are expanded; four tiles of run_chain
constexpr int64_t kFewest = 256;     // values that cover fewer elements are expanded; one tile
constexpr int64_t kMostWritten = 1 << 18;

// Returns how an operand of shape `shape` repeats within `whole`. `period` is 0 if it repeats in an
// unsupported way.
ChainSource source_within(const Shape& shape, const Shape& whole) {
  if (shape.num_elements() == 1) return {};
  size_t first = 0, end = shape.rank();
  while (first < end && shape[first] == 1) ++first;
  while (end > first && shape[end - 1] == 1) --end;
  const size_t rank = shape.rank() - first;
  if (rank > whole.rank()) return {.period = 0};
  if (!std::equal(shape.begin() + first, shape.begin() + end, whole.end() - rank)) return {.period = 0};
  const size_t behind = shape.rank() - end;
  const int64_t each = whole.product(whole.rank() - behind, whole.rank());
  return {.period = shape.num_elements() * each, .each = each};
}

struct UnaryOf {
  std::string_view op;
  Unary step;
};
// Ops that are one function of one operand.
constexpr UnaryOf kPlainUnary[] = {{"Abs", Unary::kAbs},         {"Ceil", Unary::kCeil},
                                   {"Erf", Unary::kErf},         {"Exp", Unary::kExp},
                                   {"Floor", Unary::kFloor},     {"Log", Unary::kLog},
                                   {"Neg", Unary::kNeg},         {"Reciprocal", Unary::kReciprocal},
                                   {"Relu", Unary::kRelu},       {"Round", Unary::kRound},
                                   {"Sigmoid", Unary::kSigmoid}, {"Sqrt", Unary::kSqrt},
                                   {"Tanh", Unary::kTanh},       {"HardSwish", Unary::kHardSwish}};

struct BinaryOf {
  std::string_view op;
  Binary step;
};
// Ops that combine their operands from left to right.
constexpr BinaryOf kPlainBinary[] = {{"Add", Binary::kAdd}, {"Sub", Binary::kSub}, {"Mul", Binary::kMul},
                                     {"Div", Binary::kDiv}, {"Max", Binary::kMax}, {"Min", Binary::kMin},
                                     {"Sum", Binary::kAdd}, {"Mean", Binary::kAdd}};

float number(const Attributes& attributes, std::string_view name) {
  return static_cast<float>(attributes.get_float(name));
}

}  // namespace

ChainBuilder::Ref ChainBuilder::add_source(const ChainSource& source) {
  items_.push_back({Kind::kInput, static_cast<int32_t>(sources_.size())});
  sources_.push_back(source);
  return static_cast<Ref>(items_.size()) - 1;
}

Result<ChainBuilder::Ref> ChainBuilder::operand(size_t index, const ValueType& type) {
  if (type.dtype != DType::kF32) return unimplemented("requires f32");
  ChainSource source = source_within(type.shape, whole_);
  if (source.period == 0 && whole_.num_elements() > 0) {
    return unimplemented("an operand of shape ", type.shape, " does not repeat within ", whole_, " by rows or columns");
  }
  if (source.each > 1 && source.each < kFewest && source.period > kMostWritten) {
    return unimplemented("an operand of shape ", type.shape, " would be expanded to ", source.period, " elements");
  }
  source.operand = static_cast<int32_t>(index);
  return add_source(source);
}

ChainBuilder::Ref ChainBuilder::constant(float value) { return add_source({.constant = value}); }

ChainBuilder::Ref ChainBuilder::output_before() {
  items_.push_back({Kind::kOutputBefore, 0});
  return static_cast<Ref>(items_.size()) - 1;
}

ChainBuilder::Ref ChainBuilder::unary(Unary op, Ref x, float a, float b) {
  items_.push_back({Kind::kStep, static_cast<int32_t>(steps_.size())});
  steps_.push_back({{.unary_op = op, .x = {}, .y = {}, .to = {}, .a = a, .b = b}, x, kAbsent});
  return static_cast<Ref>(items_.size()) - 1;
}

ChainBuilder::Ref ChainBuilder::binary(Binary op, Ref x, Ref y, float a) {
  items_.push_back({Kind::kStep, static_cast<int32_t>(steps_.size())});
  steps_.push_back({{.binary = true, .binary_op = op, .x = {}, .y = {}, .to = {}, .a = a}, x, y});
  return static_cast<Ref>(items_.size()) - 1;
}

ChainBuilder::Ref ChainBuilder::reduce(Binary op, std::span<const Ref> inputs) {
  if (inputs.size() == 1) return unary(Unary::kCopy, inputs[0]);
  Ref so_far = inputs[0];
  for (const Ref next : inputs.subspan(1)) so_far = binary(op, so_far, next);
  return so_far;
}

const float* ChainBuilder::constant_of(Ref ref) const {
  const Item& item = items_[static_cast<size_t>(ref)];
  if (item.kind != Kind::kInput) return nullptr;
  const ChainSource& source = sources_[static_cast<size_t>(item.index)];
  return source.operand < 0 ? &source.constant : nullptr;
}

Result<ChainBuilder::Ref> ChainBuilder::node(const OpSchema& op, const Attributes& attributes,
                                             std::span<const Ref> inputs) {
  const std::string_view name = op.name;
  if (op.domain == "percale" && name == "ReluGrad") return binary(Binary::kReluGrad, inputs[1], inputs[0]);
  if (!op.domain.empty()) return unimplemented("has no step for op ", op.domain, ":", name);
  for (const UnaryOf& u : kPlainUnary) {
    if (u.op == name) return unary(u.step, inputs[0]);
  }
  for (const BinaryOf& b : kPlainBinary) {
    if (b.op != name) continue;
    const Ref all = reduce(b.step, inputs);
    return name == "Mean" ? binary(Binary::kDiv, all, constant(static_cast<float>(inputs.size()))) : all;
  }
  if (name == "Gelu") {
    const bool tanh = attributes.get_string("approximate") == "tanh";
    return unary(tanh ? Unary::kGeluTanh : Unary::kGelu, inputs[0]);
  }
  if (name == "Swish") return unary(Unary::kSilu, inputs[0], number(attributes, "alpha"));
  if (name == "LeakyRelu") return unary(Unary::kLeakyRelu, inputs[0], number(attributes, "alpha"));
  if (name == "HardSigmoid") {
    return unary(Unary::kHardSigmoid, inputs[0], number(attributes, "alpha"), number(attributes, "beta"));
  }
  if (name == "Clip") {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    std::array<float, 2> limits = {-kInf, kInf};
    for (size_t i = 1; i < inputs.size(); ++i) {
      if (inputs[i] == kAbsent) continue;
      const float* known = constant_of(inputs[i]);
      if (known == nullptr) return unimplemented("requires constant limits of Clip");
      limits[i - 1] = *known;
    }
    return unary(Unary::kClip, inputs[0], limits[0], limits[1]);
  }
  if (name == "Pow") {
    const float* exponent = constant_of(inputs[1]);
    if (exponent != nullptr && *exponent == 2) return unary(Unary::kSquare, inputs[0]);
    return unimplemented("requires Pow with the constant exponent 2");
  }
  return unimplemented("has no step for op ", name);
}

// Assigns a temporary to every result but the last, from its step to its last reader. A result that
// only the next step reads needs none if both steps are arithmetic.
ChainBuilder::Readers ChainBuilder::find_readers() const {
  Readers out{std::vector<size_t>(items_.size(), steps_.size()), std::vector<size_t>(items_.size(), 0)};
  for (size_t i = 0; i < steps_.size(); ++i) {
    for (const Ref r : {steps_[i].x, steps_[i].y}) {
      if (r == kAbsent) continue;
      out.first[static_cast<size_t>(r)] = std::min(out.first[static_cast<size_t>(r)], i);
      out.last[static_cast<size_t>(r)] = i;
    }
  }
  return out;
}

simd::ChainOperand ChainBuilder::operand_of(const Item& item) const {
  if (item.kind == Kind::kOutputBefore) return {ChainOperand::kOutput, 0};
  if (item.kind == Kind::kStep) return {};
  const ChainSource& source = sources_[static_cast<size_t>(item.index)];
  const bool one = source.period == 1 || source.each >= kFewest;
  return {one ? ChainOperand::kScalarInput : ChainOperand::kInput, static_cast<uint8_t>(item.index)};
}

Status ChainBuilder::place(Ref result, std::vector<simd::ChainStep>& out) const {
  const Readers readers = find_readers();
  // number of consecutive steps before this one whose results are in a register, not a temporary
  int in_registers = 0;
  const auto stays_in_register = [&](size_t i, size_t item) {
    return i + 1 < steps_.size() && readers.first[item] == i + 1 && readers.last[item] == i + 1 &&
           item != static_cast<size_t>(result) && in_registers + 1 < simd::kMaxRegisterSteps &&
           is_arithmetic(steps_[i].step) && is_arithmetic(steps_[i + 1].step);
  };
  std::vector<ChainOperand> where(items_.size());
  std::vector<size_t> item_of_step(steps_.size());
  for (size_t i = 0; i < items_.size(); ++i) {
    where[i] = operand_of(items_[i]);
    if (items_[i].kind == Kind::kStep) item_of_step[static_cast<size_t>(items_[i].index)] = i;
  }
  std::vector<uint8_t> free;
  for (int t = simd::kMaxChainTemporaries; t-- > 0;) free.push_back(static_cast<uint8_t>(t));
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    simd::ChainStep step = s.step;
    step.x = where[static_cast<size_t>(s.x)];
    if (s.y != kAbsent) step.y = where[static_cast<size_t>(s.y)];
    for (const Ref r : {s.x, s.y == s.x ? kAbsent : s.y}) {
      if (r == kAbsent || readers.last[static_cast<size_t>(r)] != i) continue;
      const ChainOperand& o = where[static_cast<size_t>(r)];
      if (o.kind == ChainOperand::kTemporary) free.push_back(o.index);
    }
    const size_t item = item_of_step[i];
    const bool stays = stays_in_register(i, item);
    in_registers = stays ? in_registers + 1 : 0;
    if (stays) {
      step.to = {ChainOperand::kRegister, 0};
    } else if (item == static_cast<size_t>(result)) {
      step.to = {ChainOperand::kOutput, 0};
    } else {
      if (free.empty()) return unimplemented("needs more than ", simd::kMaxChainTemporaries, " temporaries");
      step.to = {ChainOperand::kTemporary, free.back()};
      free.pop_back();
    }
    where[item] = step.to;
    out.push_back(step);
  }
  return {};
}

Result<Chain> ChainBuilder::finish(Ref result) {
  if (sources_.size() > kMaxSources) {
    return unimplemented("supports at most ", static_cast<uint64_t>(kMaxSources),
                         " inputs and constants, the group has ", static_cast<uint64_t>(sources_.size()));
  }
  Chain chain;
  chain.total = whole_.num_elements();
  PERCALE_RETURN_IF_ERROR(place(result, chain.steps));
  chain.inputs = sources_;
  int64_t floats = 0;
  for (ChainSource& s : chain.inputs) {
    if (s.each >= kFewest) continue;
    s.stretched = s.period;
    if (s.period == 0) continue;  // the output is empty
    if (s.each == 1 && (s.period <= 1 || s.period >= kShortest || s.period == chain.total)) continue;
    const int64_t most = (chain.total + s.period - 1) / s.period;
    s.stretched =
        s.period * std::max<int64_t>(1, std::min(most, (kShortest + s.period - 1) / std::max<int64_t>(s.period, 1)));
    s.scratch_offset = floats;
    floats += (s.stretched + 15) / 16 * 16;
  }
  chain.scratch_bytes = floats * static_cast<int64_t>(sizeof(float));
  return chain;
}

void run_elementwise_chain(const simd::SimdTable& simd, const Chain& chain, const Launch& launch, float* out,
                           void* scratch) {
  if (chain.total == 0) return;
  std::array<const float*, kMaxSources> bases;
  for (size_t k = 0; k < chain.inputs.size(); ++k) {
    const ChainSource& s = chain.inputs[k];
    bases[k] = s.operand < 0 ? &s.constant : launch.in<float>(static_cast<size_t>(s.operand));
    if (s.steps() || (s.stretched == s.period && s.each == 1)) continue;
    float* row = static_cast<float*>(scratch) + s.scratch_offset;
    int64_t written = 0;
    if (s.each > 1) {
      for (; written < s.period; written += s.each) std::fill_n(row + written, s.each, bases[k][written / s.each]);
      bases[k] = row;
    }
    for (; written < s.stretched; written += s.period) {
      std::memcpy(row + written, bases[k], static_cast<size_t>(s.period) * sizeof(float));
    }
    bases[k] = row;
  }
  const int64_t pieces = pieces_for(chain.total);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(chain.total, pieces, piece, 16);
    std::array<const float*, kMaxSources> inputs;
    // Advance at most to the next point where a row repeats.
    for (int64_t at = range.begin, n = 0; at < range.end; at += n) {
      n = range.end - at;
      for (size_t k = 0; k < chain.inputs.size(); ++k) {
        const ChainSource& source = chain.inputs[k];
        if (source.steps()) {
          inputs[k] = bases[k] + at % source.period / source.each;
          n = std::min(n, source.each - at % source.each);
          continue;
        }
        const int64_t period = source.stretched;
        const int64_t within = period == 1 ? 0 : period == chain.total ? at : at % period;
        inputs[k] = bases[k] + within;
        if (period > 1) n = std::min(n, period - within);
      }
      float* to = out + at;
      simd.elementwise->run_chain(chain.steps.data(), static_cast<int64_t>(chain.steps.size()), inputs.data(), &to, n);
    }
  });
}

// ---- One node

namespace {

Result<Chain> chain_of(const NodeView& node) {
  if (node.outputs[0].dtype != DType::kF32) return unimplemented("requires f32");
  ChainBuilder builder(node.output_shape(0));
  std::vector<ChainBuilder::Ref> refs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Tensor* known = node.value(i);
    if (!node.has_input(i)) {
      refs.push_back(ChainBuilder::kAbsent);
    } else if (known != nullptr && known->num_elements() == 1 && known->dtype() == DType::kF32) {
      refs.push_back(builder.constant(*known->span<float>().data()));
    } else {
      PERCALE_ASSIGN_OR_RETURN(const ChainBuilder::Ref ref, builder.operand(i, node.inputs[i]));
      refs.push_back(ref);
    }
  }
  PERCALE_ASSIGN_OR_RETURN(const ChainBuilder::Ref result, builder.node(node.schema, node.attributes, refs));
  return builder.finish(result);
}

struct NodePlan {
  const simd::SimdTable* simd;
  Chain chain;
};
Status accepts_node(const NodeView& node) { return chain_of(node).status(); }
Result<NodePlan> plan_node(const NodeView& node, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(Chain chain, chain_of(node));
  plan.scratch_bytes = chain.scratch_bytes;
  return NodePlan{static_cast<const simd::SimdTable*>(plan.user), std::move(chain)};
}
void run_node(const NodePlan& plan, const Launch& launch) {
  run_elementwise_chain(*plan.simd, plan.chain, launch, launch.out<float>(0), launch.scratch<void>());
}

}  // namespace

Kernel chain_kernel(KernelName name, const simd::SimdTable& simd, const char* domain) {
  return make_kernel<&accepts_node, &plan_node, &run_node>(name.text, name.op, domain, &simd);
}

}  // namespace percale

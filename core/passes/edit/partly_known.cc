#include "core/passes/edit/partly_known.h"

#include <algorithm>

namespace percale {
namespace {

constexpr int64_t kMaxElements = 64;
constexpr int64_t kIsKnown = 0, kNotKnown = 1, kFirstDim = 2;

int64_t code_of(ValueId value, size_t dim) {
  return kFirstDim + int64_t{value} * static_cast<int64_t>(kMaxRank) + static_cast<int64_t>(dim);
}

bool moves_elements(const OpSchema& op) {
  return op.has(kView) || op.is(Role::kConcat) || op.is(Role::kGather) || op.is(Role::kSlice);
}

// True if the op moves the elements of this input. Indices and axes are not moved.
bool is_moved(const OpSchema& op, size_t input) {
  return input == 0 || (op.input(input).group != 0 && op.input(input).group == op.input(0).group);
}

}  // namespace

const PartlyKnown::Part* PartlyKnown::find(ValueId id) const {
  const auto found = parts_.find(id);
  return found == parts_.end() ? nullptr : &found->second;
}

Result<Tensor> PartlyKnown::compute(const Node& node) {
  const bool followed = node.op->domain.empty() && node.op->has(kPure) && !node.op->has(kRandom);
  if (!followed || node.outputs.size() != 1 || node.outputs[0] == kNoValue) return Tensor();
  const Shape& shape = f_.type(node.outputs[0]).shape;
  if (!shape.is_static() || shape.num_elements() > kMaxElements) return Tensor();
  PERCALE_ASSIGN_OR_RETURN(Part part, follow(node));
  const auto count = std::count(part.codes.begin(), part.codes.end(), kIsKnown);
  if (part.numbers.defined() && count == part.numbers.num_elements()) return part.numbers;
  if (part.numbers.defined()) parts_[node.outputs[0]] = std::move(part);
  return Tensor();
}

Result<PartlyKnown::Part> PartlyKnown::follow(const Node& node) const {
  if (node.op->is(Role::kShape)) return dims_of(node);
  if (node.op->is(Role::kSize)) {
    const Shape& x = f_.type(node.inputs[0]).shape;
    return x.is_static() ? Part{Tensor::scalar(x.num_elements()), {kIsKnown}} : Part{};
  }
  const bool moves = moves_elements(*node.op);
  if (!evaluate_ || (!moves && !node.op->has(kElementwise))) return Part{};
  bool partly = false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (id == kNoValue || known_(id) != nullptr) continue;
    if (find(id) == nullptr || (moves && !is_moved(*node.op, i))) return Part{};
    partly = true;
  }
  if (!partly) return Part{};
  return moves ? moved(node) : combined(node);
}

PartlyKnown::Part PartlyKnown::dims_of(const Node& node) const {
  const Shape& x = f_.type(node.inputs[0]).shape;
  if (!x.known_rank()) return {};
  const auto rank = static_cast<int64_t>(x.rank());
  const auto place = [&](int64_t i) { return std::clamp(i < 0 ? i + rank : i, int64_t{0}, rank); };
  const int64_t end = place(node.attributes.get_int("end", rank));
  std::vector<int64_t> numbers, codes;
  for (int64_t i = place(node.attributes.get_int("start", 0)); i < end; ++i) {
    const auto d = static_cast<size_t>(i);
    numbers.push_back(x[d] < 0 ? 1 : x[d]);
    codes.push_back(x[d] < 0 ? code_of(node.inputs[0], d) : kIsKnown);
  }
  return {Tensor::vector(std::span<const int64_t>(numbers)), codes};
}

// Unknown elements are 1, so that a Div can divide by them.
std::vector<Tensor> PartlyKnown::numbers_of(const Node& node) const {
  std::vector<Tensor> out;
  for (ValueId id : node.inputs) {
    const Part* part = find(id);
    out.push_back(id == kNoValue ? Tensor() : part != nullptr ? part->numbers : *known_(id));
  }
  return out;
}

// Runs the node on the numbers and on the codes, so that the codes move with the numbers.
Result<PartlyKnown::Part> PartlyKnown::moved(const Node& node) const {
  const std::vector<Tensor> numbers = numbers_of(node);
  std::vector<Tensor> codes = numbers;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (!codes[i].defined() || !is_moved(*node.op, i)) continue;
    const Part* part = find(node.inputs[i]);
    const std::vector<int64_t> known(static_cast<size_t>(codes[i].num_elements()), kIsKnown);
    codes[i] = Tensor::of(codes[i].shape(), std::span<const int64_t>(part != nullptr ? part->codes : known));
  }
  PERCALE_ASSIGN_OR_RETURN(const Tensor moved_numbers, evaluate(node, numbers));
  PERCALE_ASSIGN_OR_RETURN(const Tensor moved_codes, evaluate(node, codes));
  if (!moved_numbers.defined() || !moved_codes.defined()) return Part{};
  const auto all = moved_codes.span<int64_t>();
  return Part{moved_numbers, {all.begin(), all.end()}};
}

// An element of the result is known if all elements that it is computed from are known.
Result<PartlyKnown::Part> PartlyKnown::combined(const Node& node) const {
  PERCALE_ASSIGN_OR_RETURN(Tensor result, evaluate(node, numbers_of(node)));
  if (!result.defined()) return Part{};
  std::vector<int64_t> codes(static_cast<size_t>(result.num_elements()), kIsKnown);
  for (ValueId id : node.inputs) {
    const Part* part = find(id);
    if (part == nullptr) continue;
    const bool aligned = part->codes.size() == codes.size();  // otherwise the input is broadcast
    for (size_t k = 0; k < codes.size(); ++k) {
      if (!aligned || part->codes[k] != kIsKnown) codes[k] = kNotKnown;
    }
  }
  return Part{std::move(result), std::move(codes)};
}

// Returns an undefined tensor if the op fails. The run reports that error.
Result<Tensor> PartlyKnown::evaluate(const Node& node, const std::vector<Tensor>& operands) const {
  auto results = evaluate_(*node.op, node.name, node.attributes, operands, 1);
  if (results.ok()) return results->front();
  if (results.status().code() == Code::kResourceExhausted) return results.status();
  return Tensor();
}

std::vector<Tensor> PartlyKnown::inputs(const Node& node) const {
  std::vector<Tensor> out;
  if (parts_.empty()) return out;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Part* part = find(node.inputs[i]);
    if (part == nullptr || part->numbers.dtype() != DType::kI64) continue;
    const bool copies = node.op->is(Role::kReshape) && node.attributes.get_int("allowzero", 0) == 0;
    std::vector<int64_t> numbers;
    for (size_t k = 0; k < part->codes.size(); ++k) {
      const bool stays = copies && part->codes[k] == code_of(node.inputs[0], k);
      const int64_t unknown = stays ? 0 : kUnknownNumber;
      numbers.push_back(part->codes[k] == kIsKnown ? part->numbers.span<int64_t>()[k] : unknown);
    }
    out.resize(node.inputs.size());
    out[i] = Tensor::of(part->numbers.shape(), std::span<const int64_t>(numbers));
  }
  return out;
}

}  // namespace percale

// Rewrites here must not change a bit of any result, including NaN and the sign of zero. So x + 0
// stays (it turns -0 into +0), while x - 0, x + -0 and x * 1 are dropped, and x * 0 stays.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/graph/effects.h"
#include "core/passes/edit/rewrite.h"
#include "core/passes/simplify/idle_dropout.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

bool is_onnx(const Node& node, std::string_view name) { return node.op->name == name && node.op->domain.empty(); }

// Returns the number in a one-element float or integer tensor. Returns NaN, which equals no number,
// for any other tensor.
double single(const Tensor& t) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (t.num_elements() != 1) return kNone;
  switch (t.dtype()) {
    case DType::kF32: return t.span<float>()[0];
    case DType::kF64: return t.span<double>()[0];
    case DType::kI32: return t.span<int32_t>()[0];
    // A large i64 is rounded here. That is harmless, because callers only compare with 0 and 1.
    case DType::kI64: return static_cast<double>(t.span<int64_t>()[0]);
    default: return kNone;
  }
}

class Algebra {
 public:
  explicit Algebra(Function& f) : f_(f), rewrite_(f), used_(used_values(f)) {}

  void run() {
    for (Node& node : f_.nodes) {
      for (ValueId& v : node.inputs) v = rewrite_.now(v);
      if (is_idle_dropout(f_, node, used_)) rewrite_.replace(node.outputs[0], node.inputs[0]);
      if (!node.op->has(kPure) || carries_functions(node.attributes) || node.inputs.empty()) continue;
      shorten(node);
      const ValueId same = same_as(node);
      if (same != kNoValue) rewrite_.replace(node.outputs[0], same);
    }
    rewrite_.apply();
  }

 private:
  // Returns the node that computes a value; null for inputs and constants.
  const Node* maker(ValueId id) const {
    if (id == kNoValue || f_.value(id).kind != ValueKind::kNode) return nullptr;
    return &f_.node(f_.value(id).def);
  }

  bool same_type(ValueId a, ValueId b) const {
    const ValueType &x = f_.type(a), &y = f_.type(b);
    return x.dtype == y.dtype && x.shape.is_static() && x.shape == y.shape;
  }

  // True if every element equals `number`: a one-element constant, or an Expand of one.
  bool is_all(ValueId id, double number) const {
    const Node* node = maker(id);
    if (node != nullptr && is_onnx(*node, "Expand")) id = node->inputs[0];
    const Tensor* t = f_.constant(id);
    if (t == nullptr) return false;
    const double value = single(*t);
    return value == number && std::signbit(value) == std::signbit(number);
  }

  // Returns an input that equals the node's only output bit for bit, else kNoValue.
  ValueId same_as(const Node& node) {
    if (node.outputs.size() != 1 || node.outputs[0] == kNoValue) return kNoValue;
    const ValueId x = node.inputs[0], out = node.outputs[0];
    if (x == kNoValue) return kNoValue;
    const std::string_view op = node.op->name;
    const bool ours = node.op->domain == "percale";
    if (ours) return op == "SumToShape" && same_type(x, out) ? x : kNoValue;
    if (!node.op->domain.empty()) return kNoValue;
    if (op == "Identity") return node.control.empty() ? x : kNoValue;
    if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div") return neutral(node);
    if (op == "Transpose") return is_identity(permutation(node)) ? x : kNoValue;
    if (op == "Neg" || op == "Not") return involution(node);
    if (keeps_order(node) && same_type(x, out)) return x;
    return joins(node) && node.inputs.size() == 1 ? x : kNoValue;
  }

  // True if the elements of the result have the order of those of the first input.
  bool keeps_order(const Node& node) const {
    const std::string_view op = node.op->name;
    return op == "Reshape" || op == "Expand" || op == "Cast" || op == "Flatten" ||
           (op == "Slice" && goes_forward(node));
  }

  // True for an op of any number of inputs that returns a single input unchanged.
  static bool joins(const Node& node) {
    const std::string_view op = node.op->name;
    return op == "Concat" || op == "Max" || op == "Min" || op == "Sum";
  }

  ValueId neutral(const Node& node) const {
    const std::string_view op = node.op->name;
    const ValueId a = node.inputs[0], b = node.inputs[1], out = node.outputs[0];
    const bool real = is_float(f_.type(out).dtype);
    const double right = op == "Mul" || op == "Div" ? 1.0 : op == "Add" && real ? -0.0 : 0.0;
    if (same_type(a, out) && is_all(b, right)) return a;
    const bool swaps = op == "Add" || op == "Mul";
    return swaps && same_type(b, out) && is_all(a, right) ? b : kNoValue;
  }

  ValueId involution(const Node& node) const {
    const Node* inner = maker(node.inputs[0]);
    return inner != nullptr && inner->op == node.op ? inner->inputs[0] : kNoValue;
  }

  // Returns the axes of a Transpose; empty if the rank is not known.
  std::vector<int64_t> permutation(const Node& node) const {
    std::vector<int64_t> perm = node.attributes.get_ints("perm");
    const Shape& shape = f_.type(node.inputs[0]).shape;
    if (perm.empty() && shape.known_rank()) {
      for (auto i = static_cast<int64_t>(shape.rank()); i-- > 0;) perm.push_back(i);
    }
    return perm;
  }

  // True for a Slice without negative steps. If it keeps all elements, it also keeps their order.
  bool goes_forward(const Node& node) const {
    if (node.inputs.size() < 5 || node.inputs[4] == kNoValue) return true;
    const Tensor* const steps = f_.constant(node.inputs[4]);
    if (steps == nullptr) return false;
    const std::vector<int64_t> each = to_int64s(*steps);
    return std::all_of(each.begin(), each.end(), [](int64_t step) { return step > 0; });
  }

  bool is_identity(const std::vector<int64_t>& perm) const {
    for (size_t i = 0; i < perm.size(); ++i) {
      if (perm[i] != static_cast<int64_t>(i)) return false;
    }
    return !perm.empty();
  }

  // Lets a node read past an input node that it makes superfluous.
  void shorten(Node& node) {
    const Node* inner = maker(node.inputs[0]);
    if (inner == nullptr || !node.op->domain.empty() || !inner->op->domain.empty()) return;
    if (is_onnx(node, "Transpose") && is_onnx(*inner, "Transpose")) {
      const std::vector<int64_t> first = permutation(*inner), second = permutation(node);
      if (first.empty() || first.size() != second.size()) return;
      std::vector<int64_t> both;
      for (int64_t axis : second) both.push_back(first[static_cast<size_t>(axis)]);
      node.attributes.set("perm", std::move(both));
      node.inputs[0] = inner->inputs[0];
    }
    const std::string_view op = inner->op->name;
    const bool reshapes = op == "Reshape" || op == "Flatten" || op == "Squeeze" || op == "Unsqueeze";
    if (is_onnx(node, "Reshape") && reshapes && !copies_dims(node)) node.inputs[0] = inner->inputs[0];
  }

  // True if the target shape may contain a 0, which copies a dim of the input.
  bool copies_dims(const Node& node) const {
    const Tensor* target = f_.constant(node.inputs[1]);
    if (target == nullptr) return true;
    for (int64_t dim : to_int64s(*target)) {
      if (dim == 0) return true;
    }
    return false;
  }

  Function& f_;
  Rewrite rewrite_;
  const std::vector<bool> used_;  // from before any replacement
};

}  // namespace

Status algebra(const Graph&, Function& f, PassContext&) {
  Algebra(f).run();
  return {};
}

}  // namespace percale

#include "core/passes/device/narrow.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/graph/flops.h"
#include "core/passes/edit/rewrite.h"
#include "core/tensor/half.h"

namespace percale {
namespace {

// Minimum operations of a product per element that is rounded (and perhaps copied to another
// layout) for it alone. A smaller product is faster in f32 than the rounding. A convolution of one
// channel stays f32 as long as its input is f32.
constexpr double kFlopsPerRounding = 64;
// Minimum uses of each element of a bias, or of a scale per channel, for it to be rounded for one
// node alone.
constexpr int64_t kMeets = 8;

bool is_product(const Node& node) { return node.op->traits.bf16.kind == Bf16Rule::Kind::kProduct; }

// True if the node only moves elements.
bool moves_elements(const Node& node) {
  const Bf16Rule::Kind kind = node.op->traits.bf16.kind;
  return node.op->has(kView) || kind == Bf16Rule::Kind::kMoves ||
         (kind == Bf16Rule::Kind::kMovesNearest && node.attributes.get_string("mode", "nearest") == "nearest");
}

class Narrowing {
 public:
  Narrowing(const Graph& graph, Function& f, const NarrowOptions& options)
      : graph_(graph), f_(f), options_(options), names_(f), twin_(f.values.size(), kNoValue) {}

  Status run() {
    PERCALE_ASSIGN_OR_RETURN(cast_, graph_.registry->require_op("", "Cast"));
    find_exact();
    std::vector<Node> nodes = std::move(f_.nodes);
    f_.nodes.clear();
    std::vector<NodeId> number;
    for (Node& node : nodes) {
      for (NodeId& before : node.control) before = number[static_cast<size_t>(before)];
      const bool exact = is_cast(node) && exact_[static_cast<size_t>(node.outputs[0])];
      if (exact) node.attributes.set("to", DType::kBF16);
      const bool narrow = exact || is_narrow(node);
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        ValueId& id = node.inputs[i];
        if (id != kNoValue) id = narrow && narrows_input(node, i) ? in_bf16(id) : in_f32(id);
      }
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId id = node.outputs[i];
        if (id == kNoValue || !narrow || f_.type(id).dtype != DType::kF32 || !narrows_output(node, i)) continue;
        f_.value(id).type.dtype = DType::kBF16;
        native_.resize(f_.values.size(), false);
        native_[static_cast<size_t>(id)] = true;
      }
      const std::vector<ValueId> made = node.outputs;
      number.push_back(add(std::move(node)));
      // The Cast of a value that another part of the run waits for follows its maker directly. At
      // the end of this part it could deadlock, because this part may wait for the other one.
      for (ValueId id : made) {
        if (std::find(f_.outputs.begin(), f_.outputs.end(), id) != f_.outputs.end()) in_f32(id);
      }
    }
    for (ValueId& id : f_.outputs) {
      const ValueId given = id;
      id = in_f32(given);
      if (id == given) continue;
      std::string name = names_.value(str_cat(f_.value(given).name, "/bf16"));
      std::swap(f_.value(given).name, name);
      f_.value(id).name = std::move(name);
    }
    return {};
  }

 private:
  bool is_cast(const Node& node) const { return node.op == cast_; }

  // Finds Casts to f32 from 8-bit integers or booleans whose results only products read. bf16
  // represents these values exactly.
  void find_exact() {
    exact_.resize(f_.values.size(), false);
    for (const Node& node : f_.nodes) {
      if (!is_cast(node) || f_.type(node.outputs[0]).dtype != DType::kF32) continue;
      const DType from = f_.type(node.inputs[0]).dtype;
      exact_[static_cast<size_t>(node.outputs[0])] = from == DType::kBool || from == DType::kU8 || from == DType::kI8;
    }
    for (const Node& node : f_.nodes) {
      if (is_product(node)) continue;
      for (ValueId id : node.inputs) {
        if (id != kNoValue) exact_[static_cast<size_t>(id)] = false;
      }
    }
    for (ValueId id : f_.outputs) exact_[static_cast<size_t>(id)] = false;
  }

  bool is_native(ValueId id) const {
    return static_cast<size_t>(id) < native_.size() && native_[static_cast<size_t>(id)];
  }
  bool is_precomputed(ValueId id) const {
    return static_cast<size_t>(id) < options_.precomputed.size() && options_.precomputed[static_cast<size_t>(id)];
  }

  // Returns the value that a view shows, through any number of views.
  ValueId shown(ValueId id) const {
    for (const Value* v = &f_.value(id); v->kind == ValueKind::kNode; v = &f_.value(id)) {
      const Node& maker = f_.node(v->def);
      if (!maker.op->has(kView) || maker.outputs.size() != 1) break;
      id = maker.inputs[0];
    }
    return id;
  }

  bool is_small_parameter(ValueId id, const Node& node) const {
    const auto variable = static_cast<size_t>(shown(id));
    return variable < options_.variables.size() && options_.variables[variable] &&
           kMeets * f_.type(id).shape.num_elements() <= f_.type(node.outputs[0]).shape.num_elements();
  }

  struct Operands {
    bool any_native = false;
    double rounded = 0;  // number of elements that are rounded for this node
  };

  // Examines the inputs that would be bf16. Returns nullopt if one of them keeps the node in f32.
  std::optional<Operands> operands_of(const Node& node, bool product) const {
    Operands out;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue || !narrows_input(node, i)) continue;
      const DType dtype = f_.type(id).dtype;
      const bool native = is_native(id), precomputed = is_precomputed(id);
      out.any_native = out.any_native || native;
      if (product && dtype != DType::kF32 && !native) return std::nullopt;
      const bool is_rounded = precomputed || twin_[static_cast<size_t>(shown(id))] != kNoValue;
      if (!native && !is_rounded) out.rounded += static_cast<double>(f_.type(id).shape.num_elements());
      if (product) continue;
      // The operand would be rounded for this node alone.
      if (dtype == DType::kF32 && !precomputed && !is_small_parameter(id, node)) return std::nullopt;
      if (dtype == DType::kF64) return std::nullopt;
    }
    return out;
  }

  bool gives_f32(const Node& node) const {
    return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
      return id == kNoValue || !is_float(f_.type(id).dtype) || f_.type(id).dtype == DType::kF32;
    });
  }

  bool is_narrow(const Node& node) const {
    if (node.op->has(kRuntime) || node.op->has(kStateful) || node.op->has(kRandom)) return false;
    const bool moves = moves_elements(node), product = is_product(node);
    const bool follows = moves || node.op->traits.bf16.kind == Bf16Rule::Kind::kFollows ||
                         (node.op->has(kElementwise) && !is_cast(node));
    if (!follows && !product) return false;
    const std::optional<Operands> operands = operands_of(node, product);
    if (!operands || !gives_f32(node)) return false;
    const double flops = product && !operands->any_native ? product_flops(f_, node) : 0;
    if (flops > 0 && flops < kFlopsPerRounding * operands->rounded) return false;
    return (product || operands->any_native) && (moves || options_.gains(node));
  }

  NodeId add(Node node) {
    const auto id = static_cast<NodeId>(f_.nodes.size());
    for (ValueId output : node.outputs) {
      if (output != kNoValue) f_.value(output).def = id;
    }
    f_.nodes.push_back(std::move(node));
    return id;
  }

  ValueId in_bf16(ValueId id) { return f_.type(id).dtype == DType::kF32 ? cast(id, DType::kBF16) : id; }
  ValueId in_f32(ValueId id) { return is_native(id) ? cast(id, DType::kF32) : id; }

  // Emits one Cast per value, which all users share.
  ValueId cast(ValueId id, DType to) {
    if (twin_[static_cast<size_t>(id)] != kNoValue) return twin_[static_cast<size_t>(id)];
    const Tensor* constant = f_.constant(id);
    // Kernels inspect numbers such as the bounds of Clip, so a one-element constant is rounded
    // here.
    if (constant != nullptr && constant->num_elements() == 1) return narrowed_number(id, *constant);
    Node node;
    // The source of a view is rounded once for all its users.
    if (to == DType::kBF16 && shown(id) != id) {
      node = f_.node(f_.value(id).def);
      node.inputs[0] = cast(ValueId(node.inputs[0]), to);
      node.control.clear();
    } else {
      node.op = cast_;
      node.inputs = {id};
      node.attributes.set("to", to);
      if (f_.value(id).kind == ValueKind::kNode) node.device = f_.node(f_.value(id).def).device;
    }
    const auto made = static_cast<ValueId>(f_.values.size());
    node.name = names_.node(str_cat(f_.value(id).name, "/", dtype_name(to)));
    node.outputs = {made};
    Value value{names_.value(node.name), {to, f_.type(id).shape}, ValueKind::kNode, 0, 0};
    f_.values.push_back(std::move(value));
    twin_.push_back(id);
    twin_[static_cast<size_t>(id)] = made;
    add(std::move(node));
    return made;
  }

  ValueId narrowed_number(ValueId id, const Tensor& number) {
    const auto made = static_cast<ValueId>(f_.values.size());
    // A copy, because `number` is in f_.constants, which may reallocate.
    const Shape shape = number.shape();
    f_.constants.push_back(narrowed(number));
    Value value{names_.value(str_cat(f_.value(id).name, "/bf16")),
                {DType::kBF16, shape},
                ValueKind::kConstant,
                static_cast<int32_t>(f_.constants.size()) - 1,
                0};
    f_.values.push_back(std::move(value));
    twin_.push_back(id);
    twin_[static_cast<size_t>(id)] = made;
    return made;
  }

  const Graph& graph_;
  Function& f_;
  const NarrowOptions& options_;
  FreeNames names_;
  const OpSchema* cast_ = nullptr;
  std::vector<ValueId> twin_;  // per value: its counterpart in the other type
  std::vector<bool> exact_;    // per value that existed before the pass
  std::vector<bool> native_;   // per value: was f32 and is computed in bf16
};

}  // namespace

bool narrows_input(const Node& node, size_t input) { return input < node.op->traits.bf16.inputs; }

bool narrows_output(const Node& node, size_t output) { return output < node.op->traits.bf16.outputs; }

Tensor narrowed(const Tensor& number) {
  const BF16 value = to_bf16(number.span<float>()[0]);
  return Tensor::copy_of(DType::kBF16, number.shape(), &value, sizeof(value));
}

Status narrow(const Graph& graph, Function& f, const NarrowOptions& options) {
  return Narrowing(graph, f, options).run();
}

}  // namespace percale

// Replaces layer normalisation and root-mean-square normalisation that exporters write out in
// arithmetic by LayerNormalization and RMSNormalization. With d = x - mean(x) over the last dims,
// the patterns are
//   d / sqrt(mean(d^2) + epsilon) [* scale] [+ bias]
//   x / sqrt(mean(x^2) + epsilon) * scale
#include <algorithm>

#include "core/graph/device_hint.h"
#include "core/passes/edit/edit.h"
#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

class NormRecognition {
 public:
  NormRecognition(const Graph& graph, Function& f, const PassContext& context)
      : f_(f), context_(context), edit_(*graph.registry, f), taken_(f.nodes.size(), false) {}

  Result<bool> run() {
    // Users come before makers, so that a match includes the bias and the scale if they exist.
    for (size_t i = f_.nodes.size(); i-- > 0;) {
      if (!taken_[i]) match(static_cast<NodeId>(i));
    }
    PERCALE_RETURN_IF_ERROR(edit_.finish());
    return edit_.changed();
  }

 private:
  // A match of d / deviation or x / deviation.
  struct Core {
    ValueId x = kNoValue;
    bool centred = false;
    int64_t axis = 0;
    double epsilon = 0;
    std::vector<NodeId> nodes;
  };

  const Node* maker(ValueId v, std::string_view op) const { return edit_.maker(v, op); }

  // Returns the first axis if a ReduceMean runs over the last dims and keeps them, else nullopt.
  std::optional<int64_t> mean_axis(const Node& node) const {
    const Shape& shape = f_.type(node.inputs[0]).shape;
    if (!shape.known_rank() || node.attributes.get_int("keepdims", 1) == 0 || node.inputs.size() != 2) return {};
    const auto rank = static_cast<int64_t>(shape.rank());
    std::vector<int64_t> axes = edit_.integers(node.inputs[1]);
    if (axes.empty()) return {};
    for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
    std::sort(axes.begin(), axes.end());
    const int64_t first = rank - static_cast<int64_t>(axes.size());
    for (size_t k = 0; k < axes.size(); ++k) {
      if (axes[k] != first + static_cast<int64_t>(k)) return {};
    }
    return first;
  }

  // Returns the value that `v` is the square of, and records its node.
  ValueId squared(ValueId v, Core& core) const {
    const Node* node = maker(v, "Pow");
    if (node != nullptr && !edit_.is_number(node->inputs[1], 2)) return kNoValue;
    if (node == nullptr) {
      node = maker(v, "Mul");
      if (node == nullptr || node->inputs[0] != node->inputs[1]) return kNoValue;
    }
    core.nodes.push_back(edit_.id_of(*node));
    return node->inputs[0];
  }

  // Returns x if d = x - mean(x), else kNoValue.
  ValueId centre_of(ValueId d, int64_t axis, Core& core) const {
    const Node* minus = maker(d, "Sub");
    if (minus == nullptr) return kNoValue;
    const Node* mean = maker(minus->inputs[1], "ReduceMean");
    if (mean == nullptr || mean->inputs[0] != minus->inputs[0] || mean_axis(*mean) != axis) return kNoValue;
    core.nodes.push_back(edit_.id_of(*minus));
    core.nodes.push_back(edit_.id_of(*mean));
    return minus->inputs[0];
  }

  // Matches sqrt(mean(d^2) + epsilon) and returns d.
  ValueId deviation(ValueId v, Core& core) const {
    const Node* root = maker(v, "Sqrt");
    return root == nullptr ? kNoValue : variance(root->inputs[0], edit_.id_of(*root), core);
  }
  ValueId variance(ValueId v, NodeId user, Core& core) const {
    core.nodes.push_back(user);
    const Node* sum = maker(v, "Add");
    if (sum == nullptr) return kNoValue;
    for (size_t i = 0; i < 2; ++i) {
      const auto epsilon = edit_.number(sum->inputs[i]);
      const Node* mean = maker(sum->inputs[1 - i], "ReduceMean");
      if (!epsilon || !(*epsilon >= 0) || mean == nullptr) continue;
      const auto axis = mean_axis(*mean);
      if (!axis) return kNoValue;
      core.epsilon = *epsilon;
      core.axis = *axis;
      core.nodes.push_back(edit_.id_of(*sum));
      core.nodes.push_back(edit_.id_of(*mean));
      return squared(mean->inputs[0], core);
    }
    return kNoValue;
  }

  // Matches 1 / deviation and returns d.
  ValueId inverse(ValueId v, Core& core) const {
    if (const Node* one = maker(v, "Reciprocal")) {
      core.nodes.push_back(edit_.id_of(*one));
      return deviation(one->inputs[0], core);
    }
    if (const Node* one = maker(v, "Div"); one != nullptr && edit_.is_number(one->inputs[0], 1)) {
      core.nodes.push_back(edit_.id_of(*one));
      return deviation(one->inputs[1], core);
    }
    if (const Node* power = maker(v, "Pow"); power != nullptr && edit_.is_number(power->inputs[1], -0.5)) {
      return variance(power->inputs[0], edit_.id_of(*power), core);
    }
    return kNoValue;
  }

  // Checks that the numerator `d` and the deviation `of` belong to the same input.
  bool settle(ValueId d, ValueId of, Core& core) const {
    if (of == kNoValue) return false;
    const ValueId x = centre_of(d, core.axis, core);
    core.centred = x != kNoValue;
    core.x = core.centred ? x : d;
    if (of == d) return true;
    // Some exporters compute the difference twice.
    return core.centred && centre_of(of, core.axis, core) == x;
  }

  std::optional<Core> normalized(ValueId v) const {
    if (const Node* div = maker(v, "Div")) {
      Core core;
      core.nodes.push_back(edit_.id_of(*div));
      const ValueId of = deviation(div->inputs[1], core);
      if (settle(div->inputs[0], of, core)) return core;
    }
    if (const Node* mul = maker(v, "Mul")) {
      for (size_t i = 0; i < 2; ++i) {
        Core core;
        core.nodes.push_back(edit_.id_of(*mul));
        const ValueId of = inverse(mul->inputs[i], core);
        if (settle(mul->inputs[1 - i], of, core)) return core;
      }
    }
    return std::nullopt;
  }

  // Returns a scale or bias with exactly the normalised dims, reshaped to drop leading dims of 1.
  // Returns kNoValue for other shapes.
  ValueId lined_up(NodeId at, ValueId v, const Core& core) {
    const Shape& x = f_.type(core.x).shape;
    const Shape want(x.dims().subspan(static_cast<size_t>(core.axis)));
    const Shape have = f_.type(v).shape;
    if (!have.is_static() || !want.is_static() || f_.type(v).dtype != f_.type(core.x).dtype) return kNoValue;
    if (have == want) return v;
    if (have.rank() < want.rank() || have.rank() > x.rank() || have.num_elements() != want.num_elements())
      return kNoValue;
    if (!std::equal(want.begin(), want.end(), have.end() - want.rank())) return kNoValue;
    return edit_.emit(at, "Reshape", {v, edit_.ints({want.begin(), want.end()})}, {{"allowzero", 1}});
  }
  static bool has_shape(const Shape& have, const Shape& x, int64_t axis) {
    const auto rank = x.rank() - static_cast<size_t>(axis);
    return have.is_static() && have.rank() >= rank && have.rank() <= x.rank() &&
           std::equal(x.end() - rank, x.end(), have.end() - rank) &&
           have.num_elements() == x.product(static_cast<size_t>(axis), x.rank());
  }

  // Returns the operands of `op`: number `i` as `rest`, which may be normalised, and the other one
  // as `other`.
  bool scaled(ValueId v, std::string_view op, ValueId& rest, ValueId& other, size_t i) const {
    const Node* node = maker(v, op);
    if (node == nullptr) return false;
    rest = node->inputs[i];
    other = node->inputs[1 - i];
    return true;
  }

  struct Found {
    Core core;
    ValueId scale = kNoValue, bias = kNoValue;
  };
  bool fits(ValueId v, const Core& core) const {
    return has_shape(f_.type(v).shape, f_.type(core.x).shape, core.axis) && f_.type(v).dtype == f_.type(core.x).dtype;
  }
  std::optional<Found> find_scaled(ValueId v) const {
    for (size_t i = 0; i < 2; ++i) {
      ValueId rest, scale;
      if (!scaled(v, "Mul", rest, scale, i)) break;
      auto core = normalized(rest);
      if (!core || !fits(scale, *core)) continue;
      core->nodes.push_back(f_.value(v).def);
      return Found{*core, scale, kNoValue};
    }
    return std::nullopt;
  }
  std::optional<Found> find(ValueId v) const {
    for (size_t i = 0; i < 2; ++i) {
      ValueId rest, bias;
      if (!scaled(v, "Add", rest, bias, i)) break;
      auto found = find_scaled(rest);
      if (!found || !found->core.centred || !fits(bias, found->core)) continue;
      found->bias = bias;
      return found;
    }
    if (auto found = find_scaled(v)) return found;
    auto core = normalized(v);
    if (core) return Found{*core, kNoValue, kNoValue};
    return std::nullopt;
  }

  void match(NodeId id) {
    const Node& node = f_.node(id);
    if (names_device(node.device) || !node.op->domain.empty() || node.outputs.size() != 1) return;
    const std::string_view op = node.op->name;
    if (op != "Add" && op != "Mul" && op != "Div") return;
    const ValueType type = f_.type(node.outputs[0]);
    if ((type.dtype != DType::kF32 && type.dtype != DType::kF64) || !type.shape.is_static()) return;
    const auto found = find(node.outputs[0]);
    if (!found || !(f_.type(found->core.x) == type) || !edit_.closed(found->core.nodes, id)) return;
    const Core& core = found->core;
    const Shape normal(type.shape.dims().subspan(static_cast<size_t>(core.axis)));
    // A scale of ones is emitted only if it is small.
    if (found->scale == kNoValue && normal.num_elements() * (dtype_bits(type.dtype) / 8) > context_.max_folded_bytes)
      return;
    const std::string_view wanted = core.centred ? "LayerNormalization" : "RMSNormalization";
    Attributes attributes{{"axis", core.axis - static_cast<int64_t>(type.shape.rank())}, {"epsilon", core.epsilon}};
    if (!claimed(id, wanted, {core.x, found->scale, found->bias}, attributes)) return;
    const ValueId scale = found->scale != kNoValue ? lined_up(id, found->scale, core) : ones(type.dtype, normal);
    std::vector<ValueId> inputs{core.x, scale};
    if (found->bias != kNoValue) inputs.push_back(lined_up(id, found->bias, core));
    edit_.become(id, wanted, std::move(inputs), std::move(attributes));
    for (NodeId part : core.nodes) taken_[static_cast<size_t>(part)] = true;
  }

  // True if a kernel takes the op whole. Otherwise a composite op would be expanded again.
  bool claimed(NodeId id, std::string_view op, std::vector<ValueId> inputs, const Attributes& attributes) {
    if (!context_.claims) return false;
    Node asked = f_.node(id);
    const OpSchema* schema = edit_.schema(op);
    if (schema == nullptr) return false;
    // The input stands for the ones, since the kernel only looks at the dtype.
    if (inputs[1] == kNoValue) inputs[1] = inputs[0];
    while (inputs.back() == kNoValue) inputs.pop_back();
    asked.op = schema;
    asked.inputs = std::move(inputs);
    asked.attributes = attributes;
    return context_.claims(f_, asked);
  }

  ValueId ones(DType dtype, const Shape& shape) {
    const auto count = static_cast<size_t>(shape.num_elements());
    if (dtype == DType::kF64)
      return edit_.constant(Tensor::of(shape, std::span<const double>(std::vector<double>(count, 1))), "ones");
    return edit_.constant(Tensor::of(shape, std::span<const float>(std::vector<float>(count, 1))), "ones");
  }

  Function& f_;
  const PassContext& context_;
  Edit edit_;
  std::vector<bool> taken_;
};

}  // namespace

Status recognize_norm(const Graph& graph, Function& f, PassContext& context) {
  if constexpr (!is_built("LayerNormalization") && !is_built("RMSNormalization")) return {};
  if (!context.claims || trains(graph, f)) return {};
  PERCALE_ASSIGN_OR_RETURN(const bool changed, NormRecognition(graph, f, context).run());
  return changed ? dead_code(graph, f, context) : Status();
}

}  // namespace percale

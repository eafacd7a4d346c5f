// BatchNormalization with given statistics is y = r x + t per channel, with r = scale / sqrt(var +
// epsilon) and t = B - mean r. Behind a product, or before a convolution without padding, r and t
// are folded into its weights and bias. Elsewhere the node becomes a Mul and an Add, which fuse
// with their neighbours. Mul, Add, Sub and Div by one number per channel, which exporters write
// instead, are folded the same way. Emitted values depend only on constants and variables, so they
// are computed once: by fold_constants or in the precompute step.
//
// The fold changes result bits, deterministically. It is part of what inference computes by default
// and can be disabled by name. Training steps are left alone, because their parameters change.
#include <algorithm>
#include <numeric>
#include <optional>

#include "core/passes/edit/edit.h"
#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

std::vector<int64_t> count_from(int64_t first, size_t count) {
  std::vector<int64_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

class BatchNormFolding {
 public:
  BatchNormFolding(const Registry& registry, Function& f)
      : edit_(registry, f), f_(f), fixed_(fixed_values(f)), num_nodes_(f.nodes.size()) {}

  Result<bool> run() {
    for (size_t i = 0; i < num_nodes_; ++i) into_next(static_cast<NodeId>(i));
    for (size_t i = 0; i < num_nodes_; ++i) {
      const auto id = static_cast<NodeId>(i);
      if (const Map map = map_of(id); map.x != kNoValue && !into_product(id, map)) stand_alone(id, map);
    }
    PERCALE_RETURN_IF_ERROR(edit_.finish());
    return edit_.changed();
  }

 private:
  // y = r x + t; either may be absent. Each is a single number, or a vector with one number per
  // channel.
  struct Map {
    ValueId x = kNoValue, r = kNoValue, t = kNoValue;
    bool batch_norm = false;
  };

  bool fixed(ValueId v) const { return v == kNoValue || fixed_[static_cast<size_t>(v)]; }
  // Emits a node that depends only on fixed values.
  ValueId emit(NodeId at, std::string_view op, const std::vector<ValueId>& inputs, std::string_view name) {
    const ValueId v = edit_.emit(at, op, inputs, {}, str_cat(f_.node(at).name, "/", name));
    fixed_.resize(f_.values.size(), true);
    return v;
  }
  ValueId number(DType dtype, double value) {
    const ValueId v = edit_.constant(
        dtype == DType::kF64 ? Tensor::scalar(value) : Tensor::scalar(static_cast<float>(value)), "number");
    fixed_.resize(f_.values.size(), true);
    return v;
  }
  ValueId ints(const std::vector<int64_t>& values) {
    const ValueId v = edit_.ints(values);
    fixed_.resize(f_.values.size(), true);
    return v;
  }
  // Reshapes a vector to have `before` dims of 1 before it and `behind` dims of 1 behind it.
  ValueId lined_up(NodeId at, ValueId vector, size_t before, size_t behind) {
    if (f_.type(vector).shape.rank() != 1 || before + behind == 0) return vector;
    std::vector<int64_t> axes = count_from(0, before);
    const std::vector<int64_t> more = count_from(static_cast<int64_t>(before) + 1, behind);
    axes.insert(axes.end(), more.begin(), more.end());
    return emit(at, "Unsqueeze", {vector, ints(axes)}, "unsqueezed");
  }

  bool is_f32_or_f64(ValueId v) const { return f_.type(v).dtype == DType::kF32 || f_.type(v).dtype == DType::kF64; }

  bool is_batch_norm(const Node& node) const {
    if (!node.op->domain.empty() || node.op->name != "BatchNormalization" || node.outputs.size() != 1) return false;
    if (node.attributes.get_int("training_mode") != 0 || !is_f32_or_f64(node.inputs[0])) return false;
    const ValueType& x = f_.type(node.inputs[0]);
    if (!x.shape.known_rank() || x.shape.rank() < 2) return false;
    for (size_t i = 1; i < 5; ++i) {
      const ValueType& type = f_.type(node.inputs[i]);
      if (!fixed(node.inputs[i]) || type.dtype != x.dtype || !type.shape.is_static()) return false;
    }
    return true;
  }

  // Computes r and t of a BatchNormalization as vectors.
  Map batch_norm(NodeId id) {
    const std::vector<ValueId> in = f_.node(id).inputs;
    const DType dtype = f_.type(in[0]).dtype;
    const double epsilon = f_.node(id).attributes.get_float("epsilon", 1e-5);
    const ValueId wide = emit(id, "Add", {in[4], number(dtype, epsilon)}, "variance");
    const ValueId r = emit(id, "Div", {in[1], emit(id, "Sqrt", {wide}, "deviation")}, "scale");
    const ValueId t = emit(id, "Sub", {in[2], emit(id, "Mul", {in[3], r}, "mean")}, "shift");
    return {in[0], r, t, true};
  }

  // Returns a fixed operand of a binary op as one number per channel of x, where the channel is dim
  // `channel`. Returns kNoValue if the operand has another form.
  ValueId per_channel(NodeId id, ValueId v, ValueId x, size_t channel) {
    const ValueType &type = f_.type(v), &whole = f_.type(x);
    if (!fixed(v) || type.dtype != whole.dtype || !type.shape.is_static() || !whole.shape.is_static()) return kNoValue;
    if (type.shape.rank() > whole.shape.rank()) return kNoValue;
    const int64_t channels = whole.shape[channel], count = type.shape.num_elements();
    // may wrap around; then it is out of range
    const size_t place = channel + type.shape.rank() - whole.shape.rank();
    if (count == 1) return emit(id, "Reshape", {v, ints({1})}, "number");
    if (count != channels || place >= type.shape.rank() || type.shape[place] != channels) return kNoValue;
    return type.shape.rank() == 1 ? v : emit(id, "Reshape", {v, ints({channels})}, "vector");
  }

  // Describes the effect of a node on an operand that a product makes as a map.
  Map map_of(NodeId id) {
    const Node& node = f_.node(id);
    if (is_batch_norm(node)) return batch_norm(id);
    const std::string_view op = node.op->name;
    const bool swaps = op == "Add" || op == "Mul";
    if (!node.op->domain.empty() || !(swaps || op == "Sub" || op == "Div") || node.inputs.size() != 2) return {};
    for (size_t i = 0; i < (swaps ? 2u : 1u); ++i) {
      const ValueId x = node.inputs[i], other = node.inputs[1 - i];
      const Node* product = is_f32_or_f64(x) ? edit_.maker(x) : nullptr;
      if (product == nullptr || !product->op->domain.empty() || fixed(x)) continue;
      if (!(f_.type(x) == f_.type(node.outputs[0])) || !fixed(other)) continue;
      if (!takes(*product, op) || !may_fold(*product, id)) continue;
      const ValueId value = per_channel(id, other, x, convolves(*product) ? 1 : f_.type(x).shape.rank() - 1);
      if (value == kNoValue) continue;
      if (op == "Add") return {x, kNoValue, value};
      if (op == "Sub") return {x, kNoValue, emit(id, "Neg", {value}, "shift")};
      if (op == "Mul") return {x, value, kNoValue};
      return {x, emit(id, "Reciprocal", {value}, "scale"), kNoValue};
    }
    return {};
  }

  static bool convolves(const Node& product) {
    return product.op->name == "Conv" || product.op->name == "ConvTranspose";
  }

  // True if the product can absorb the binary op. A product of matrices adds a row while it stores
  // its result, so only factors are folded there.
  static bool takes(const Node& product, std::string_view op) {
    return convolves(product) || (product.op->name == "MatMul" && (op == "Mul" || op == "Div"));
  }

  bool may_fold(const Node& product, NodeId id) const {
    const NodeId before[] = {edit_.id_of(product)};
    const bool known =
        std::all_of(product.inputs.begin() + 1, product.inputs.end(), [&](ValueId v) { return fixed(v); });
    const Shape& w = f_.type(product.inputs[1]).shape;
    const bool weights =
        w.is_static() && w.rank() >= 2 && f_.type(product.inputs[1]).dtype == f_.type(product.inputs[0]).dtype;
    return known && weights && edit_.used_once(product.outputs[0]) && edit_.closed(before, id);
  }

  // Returns the dim of the weights that corresponds to the output channels; nullopt if the weights
  // cannot be scaled.
  static std::optional<size_t> output_dim(const Node& product, const Shape& x, const Shape& weights) {
    const std::string_view op = product.op->name;
    if (op == "Conv") return 0;
    if (op == "ConvTranspose" && product.attributes.get_int("group", 1) == 1) return 1;
    if (op == "Gemm") return product.attributes.get_int("transB") != 0 ? 0 : 1;
    if (op == "MatMul" && weights.rank() == 2 && x.known_rank() && x.rank() >= 2) return 1;
    return std::nullopt;
  }

  // Folds the map into the product before it: the node becomes that product with other weights.
  bool into_product(NodeId id, const Map& map) {
    const Node* product = edit_.maker(map.x);
    if (product == nullptr || !product->op->domain.empty() || product->inputs.size() < 2) return false;
    const std::string_view op = product->op->name;
    const Shape x = f_.type(product->inputs[0]).shape, weights = f_.type(product->inputs[1]).shape;
    const auto dim = output_dim(*product, x, weights);
    if (!dim || fixed(map.x) || !may_fold(*product, id)) return false;
    // The channels of a BatchNormalization are dim 1.
    if (map.batch_norm && op == "MatMul" && x.rank() != 2) return false;
    const bool gemm = op == "Gemm";
    const bool has_bias = product->inputs.size() > 2 && product->inputs[2] != kNoValue;
    if (gemm && has_bias && map.t != kNoValue && product->attributes.get_float("beta", 1) != 1) return false;
    const NodeId old = edit_.id_of(*product);
    Attributes attributes = product->attributes;
    std::vector<ValueId> inputs = product->inputs;
    if (map.r != kNoValue) {
      const ValueId r = lined_up(id, map.r, *dim, weights.rank() - 1 - *dim);
      inputs[1] = emit(id, "Mul", {inputs[1], r}, "weights");
    }
    inputs.resize(3, kNoValue);
    if (has_bias && map.r != kNoValue) inputs[2] = emit(id, "Mul", {inputs[2], map.r}, "bias");
    if (map.t != kNoValue) {
      inputs[2] = has_bias ? emit(id, "Add", {inputs[2], map.t}, "bias_shifted") : whole_bias(id, map.t, weights[*dim]);
      if (gemm && !has_bias) attributes.erase("beta");
    }
    std::string_view becomes = op;
    if (op == "MatMul" && inputs[2] != kNoValue) becomes = "Gemm";
    edit_.become(id, becomes, std::move(inputs), std::move(attributes));
    // The new product takes the old one's name, so that traces show it. The old node is dropped.
    std::swap(f_.node(id).name, f_.node(old).name);
    return true;
  }

  // Expands a single number to a bias with one number per channel.
  ValueId whole_bias(NodeId id, ValueId t, int64_t channels) {
    return f_.type(t).shape.num_elements() == channels ? t : emit(id, "Expand", {t, ints({channels})}, "bias");
  }

  // Folds a BatchNormalization into the Conv behind it. The sum over a window of w (r x + t) equals
  // the sum of (w r) x plus a constant, provided that no window reaches into padding.
  void into_next(NodeId id) {
    const Node& conv = f_.node(id);
    if (!conv.op->domain.empty() || conv.op->name != "Conv" || conv.attributes.get_int("group", 1) != 1) return;
    const Node* norm = edit_.maker(conv.inputs[0]);
    if (norm == nullptr || !is_batch_norm(*norm) || !edit_.used_once(norm->outputs[0])) return;
    const std::vector<int64_t>& pads = conv.attributes.get_ints("pads");
    const std::string_view mode = conv.attributes.get_string("auto_pad", "NOTSET");
    const bool padded = std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p != 0; });
    if (mode != "VALID" && (mode != "NOTSET" || padded)) return;
    const Node* before = edit_.maker(norm->inputs[0]);
    // it is folded into that product instead
    if (before != nullptr && output_dim(*before, Shape(), Shape()).has_value()) return;
    const NodeId parts[] = {edit_.id_of(*norm)};
    std::vector<ValueId> inputs = conv.inputs;
    inputs.resize(3, kNoValue);
    const ValueType weights = f_.type(inputs[1]);
    if (!fixed(inputs[1]) || !fixed(inputs[2]) || !weights.shape.is_static() || !edit_.closed(parts, id)) return;
    const size_t rank = weights.shape.rank();
    const Map map = batch_norm(parts[0]);
    const ValueId moved = emit(id, "Mul", {inputs[1], lined_up(id, map.t, 1, rank - 2)}, "shifts");
    const ValueId sums = edit_.emit(id, "ReduceSum", {moved, ints(count_from(1, rank - 1))}, {{"keepdims", 0}},
                                    str_cat(conv.name, "/shift"));
    fixed_.resize(f_.values.size(), true);
    inputs[2] = inputs[2] == kNoValue ? sums : emit(id, "Add", {inputs[2], sums}, "bias");
    inputs[1] = emit(id, "Mul", {inputs[1], lined_up(id, map.r, 1, rank - 2)}, "weights");
    inputs[0] = map.x;
    edit_.become(id, "Conv", std::move(inputs), Attributes(conv.attributes));
  }

  // Replaces a BatchNormalization without a neighbour to fold into by a Mul and an Add.
  void stand_alone(NodeId id, const Map& map) {
    if (!map.batch_norm) return;
    const size_t behind = f_.type(map.x).shape.rank() - 2;
    const ValueId r = lined_up(id, map.r, 0, behind), t = lined_up(id, map.t, 0, behind);
    const ValueId scaled = emit(id, "Mul", {map.x, r}, "scaled");
    if (scaled != kNoValue) fixed_[static_cast<size_t>(scaled)] = false;
    edit_.become(id, "Add", {scaled, t});
  }

  Edit edit_;
  Function& f_;
  std::vector<bool> fixed_;
  const size_t num_nodes_;
};

}  // namespace

Status fold_batch_norm(const Graph& graph, Function& f, PassContext& context) {
  if (trains(graph, f)) return {};
  PERCALE_ASSIGN_OR_RETURN(const bool changed, BatchNormFolding(*graph.registry, f).run());
  if (!changed) return {};
  if (!context.disabled.contains("fold_constants")) PERCALE_RETURN_IF_ERROR(fold_constants(graph, f, context));
  return dead_code(graph, f, context);
}

}  // namespace percale

// Dense, Flatten, Reshape, Dropout, Activation, Add, Concatenate.
#include <array>

#include "core/train/layers/layer_attributes.h"
#include "core/train/layers/layers.h"

namespace percale {
namespace {

ValueId dense(LayerContext& l) {
  const ValueId x = l.input();
  const Shape& s = l.shape(x);
  if (!s.known_rank() || s.rank() < 2) return l.error("the input must have rank 2 or more, it has shape ", s);
  const size_t rank = s.rank();
  const int64_t units = l.integer("units"), depth = l.known_dim(rank, -1);
  const ValueId kernel = l.parameter("kernel", Shape{depth, units}, l.text("kernel_initializer"));
  const ValueId bias = l.flag("use_bias") ? l.parameter("bias", Shape{units}, l.text("bias_initializer")) : kNoValue;
  ValueId y = kNoValue;
  if (rank == 2) {
    y = l.emit("Gemm", {x, kernel, bias});
  } else {
    y = l.emit("MatMul", {x, kernel});
    if (bias != kNoValue) y = l.emit("Add", {y, bias});
  }
  return l.activate(y, l.text("activation"));
}

ValueId flatten(LayerContext& l) {
  const Shape& s = l.shape(l.input());
  if (s.known_rank() && s.rank() == 2) return l.input();
  return l.emit("Flatten", {l.input()}, {{"axis", 1}});
}

ValueId reshape(LayerContext& l) {
  std::vector<int64_t> target = {0};  // 0 keeps the batch dim
  for (int64_t dim : l.attributes().get_ints("target_shape")) {
    if (dim == 0) return l.error("'target_shape' must not contain 0");
    target.push_back(dim);
  }
  if (target.size() > kMaxRank) return l.error("'target_shape' has too many dims");
  return l.emit("Reshape", {l.input(), l.ints(target)});
}

ValueId dropout(LayerContext& l) {
  if (l.number("rate") == 0) return l.input();
  return l.emit("Dropout", {l.input(), l.scalar(DType::kF32, l.number("rate")), l.scalar(DType::kBool, 0)});
}

ValueId activation(LayerContext& l) {
  return l.before_transposes(-1, [&](const std::vector<ValueId>& inputs, int64_t axis) {
    return l.activate(inputs[0], l.text("activation"), axis);
  });
}

ValueId add(LayerContext& l) {
  return l.before_transposes(-1, [&](const std::vector<ValueId>& inputs, int64_t) {
    ValueId sum = inputs[0];
    for (size_t i = 1; i < inputs.size(); ++i) sum = l.emit("Add", {sum, inputs[i]});
    return sum;
  });
}

ValueId concatenate(LayerContext& l) {
  return l.before_transposes(l.integer("axis"), [&](const std::vector<ValueId>& inputs, int64_t axis) {
    return l.emit("Concat", inputs, {{"axis", axis}});
  });
}

constexpr std::array<LayerRow, 7> kCoreLayers = {{
    {.name = "Dense",
     .variable = "dense",
     .doc = "Product of the last axis with a kernel, with optional bias and activation.",
     .attributes = {AttrSpec{.name = "units", .kind = AttrKind::kInt, .required = true, .min = 1},
                    attr_string("activation", "linear"), kUseBias, kKernelInit, kBiasInit},
     .emit = dense},
    {.name = "Flatten",
     .variable = "flatten",
     .doc = "Flattens each row of the batch to one axis.",
     .op = "Flatten",
     .emit = flatten},
    {.name = "Reshape",
     .variable = "reshape",
     .doc = "Reshapes each row of the batch to a shape with as many elements.",
     .op = "Reshape",
     .attributes = {AttrSpec{.name = "target_shape", .kind = AttrKind::kInts, .required = true, .min = -1}},
     .emit = reshape},
    {.name = "Dropout",
     .variable = "dropout",
     .doc = "In training, drops random elements and scales up the others; otherwise returns the input.",
     .attributes = {AttrSpec{.name = "rate", .kind = AttrKind::kFloat, .required = true, .min = 0, .max = 0.999999}},
     .emit = dropout},
    {.name = "Activation",
     .variable = "activation",
     .doc = "Applies an activation to each element, or to each row of the last axis.",
     .attributes = {attr_required("activation", AttrKind::kString)},
     .emit = activation},
    {.name = "Add",
     .variable = "add",
     .doc = "Sum of the inputs, which must have the same shape.",
     .min_inputs = 2,
     .max_inputs = 64,
     .op = "Add",
     .emit = add},
    {.name = "Concatenate",
     .variable = "concatenate",
     .doc = "Concatenates the inputs along an axis.",
     .min_inputs = 2,
     .max_inputs = 64,
     .op = "Concat",
     .attributes = {attr_int("axis", -1, -8, 7)},
     .emit = concatenate},
}};

}  // namespace

std::span<const Layer> core_layers() { return kLayerTable<kCoreLayers>; }

}  // namespace percale

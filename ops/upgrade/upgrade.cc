// Upgrades nodes of opsets from 7 on to their current meaning: attributes that became inputs, and
// defaults and meanings that changed. Source: the change log of ONNX's operators. upgrade_first.cc
// covers older opsets.
#include "core/graph/emit/upgrade.h"

#include "ops/support/families.h"

namespace percale {
namespace {

// Turns a list attribute into input `input`. If the attribute is absent, the input is absent too.
Status list_to_input(UpgradeContext& c, std::string_view attribute, size_t input) {
  if (!c.attributes.contains(attribute)) return {};
  c.set_input(input, c.ints(c.take_ints(attribute)));
  return {};
}

Status axes_to_input(UpgradeContext& c) {
  // an empty list means all axes, like an absent one
  if (c.attributes.get_ints("axes").empty()) c.attributes.erase("axes");
  return list_to_input(c, "axes", 1);
}

// Turns a number attribute into an input of the data's dtype.
void number_to_input(UpgradeContext& c, std::string_view attribute, size_t input) {
  if (!c.attributes.contains(attribute)) return;
  const double value = c.take_float(attribute, 0);
  c.set_input(input, c.scalar(c.dtype(c.input(0)), value));
}

Status check_data(const UpgradeContext& c) {
  return c.input(0) == kNoValue ? c.error("its first input is missing") : Status();
}

Status clip_before_11(UpgradeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_data(c));
  number_to_input(c, "min", 1);
  number_to_input(c, "max", 2);
  return {};
}

Status pad_before_11(UpgradeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_data(c));
  PERCALE_RETURN_IF_ERROR(list_to_input(c, "pads", 1));
  number_to_input(c, "value", 2);
  if (c.attributes.get_string("mode", "constant") != "constant" && c.input(2) != kNoValue) c.inputs.resize(2);
  return {};
}

Status slice_before_10(UpgradeContext& c) {
  PERCALE_RETURN_IF_ERROR(list_to_input(c, "starts", 1));
  PERCALE_RETURN_IF_ERROR(list_to_input(c, "ends", 2));
  return list_to_input(c, "axes", 3);
}

Status split_before_13(UpgradeContext& c) { return list_to_input(c, "split", 1); }

// Before, the number of outputs alone gave the number of parts.
Status split_before_18(UpgradeContext& c) {
  if (c.input(1) == kNoValue) c.attributes.set("num_outputs", static_cast<int64_t>(c.num_outputs));
  return {};
}

// Before, the input was flattened to a matrix at `axis`, 1 by default. The op worked on its rows.
Status softmax_before_13(UpgradeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_data(c));
  const int64_t axis = c.take_int("axis", 1);
  const ValueId x = c.input(0);
  const Shape& shape = c.shape(x);
  const int64_t rank = shape.known_rank() ? static_cast<int64_t>(shape.rank()) : -1;
  if (axis == -1 || (rank > 0 && axis == rank - 1)) {
    c.attributes.set("axis", int64_t{-1});
    return {};
  }
  const ValueId rows = c.emit("Flatten", {x}, {{"axis", axis}}, str_cat(c.name, "/rows"));
  const ValueId y = c.emit(c.op, {rows}, {{"axis", int64_t{-1}}}, str_cat(c.name, "/of_rows"));
  const ValueId dims = c.emit("Shape", {x}, {}, str_cat(c.name, "/shape"));
  c.replace({c.emit("Reshape", {y, dims}, {{"allowzero", int64_t{1}}}, c.name)});
  return {};
}

// Before, the ratio was an attribute, and nodes never ran in training mode.
Status dropout_before_12(UpgradeContext& c) {
  const double ratio = c.take_float("ratio", 0.5);
  c.set_input(1, c.scalar(DType::kF32, ratio));
  return {};
}

// Before, the mask had the data's dtype.
Status dropout_before_10(UpgradeContext& c) {
  if (c.num_outputs < 2) return {};
  PERCALE_RETURN_IF_ERROR(check_data(c));
  PERCALE_RETURN_IF_ERROR(dropout_before_12(c));
  const std::vector<ValueId> out = c.emit_many(c.op, c.inputs, 2, c.attributes, c.name);
  c.replace({out[0], c.emit("Cast", {out[1]}, {{"to", c.dtype(c.input(0))}}, str_cat(c.name, "/mask"))});
  return {};
}

// Before, more than one output meant training mode.
Status batch_normalization_before_14(UpgradeContext& c) {
  if (c.num_outputs > 3) {
    return unimplemented("BatchNormalization '", c.name, "' of opset ", c.version,
                         ": its outputs saved_mean and saved_var are not supported");
  }
  if (!c.attributes.contains("training_mode") && c.num_outputs > 1) c.attributes.set("training_mode", int64_t{1});
  return {};
}

Status batch_normalization_before_9(UpgradeContext& c) {
  if (c.take_int("spatial", 1) != 0) return {};
  return unimplemented("BatchNormalization '", c.name, "' of opset ", c.version,
                       ": statistics per element (spatial 0) are not supported");
}

// Before, the axis was an attribute.
Status dft_before_20(UpgradeContext& c) {
  c.set_input(2, c.scalar(DType::kI64, static_cast<double>(c.take_int("axis", 1))));
  return {};
}

// Before, the modes had two-dimensional names.
Status grid_sample_before_20(UpgradeContext& c) {
  const std::string_view mode = c.attributes.get_string("mode", "bilinear");
  const std::string today = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : std::string(mode);
  c.attributes.set("mode", today);
  return {};
}

// Before, coordinates referred to the elements' corners.
Status roi_align_before_16(UpgradeContext& c) {
  c.attributes.set("coordinate_transformation_mode", "output_half_pixel");
  return {};
}

// Before, only scales existed, and coordinates were what is now 'asymmetric'.
Status resize_before_11(UpgradeContext& c) {
  c.set_input(2, c.input(1));
  c.set_input(1, kNoValue);
  c.attributes.set("coordinate_transformation_mode", "asymmetric");
  c.attributes.set("nearest_mode", "floor");
  return {};
}

// Before, empty tensors stood for absent inputs.
Status resize_before_18(UpgradeContext& c) {
  for (size_t i = 1; i < c.inputs.size(); ++i) {
    const ValueId id = c.input(i);
    if (id == kNoValue || !c.shape(id).is_static()) continue;
    if (c.shape(id).num_elements() == 0) c.inputs[i] = kNoValue;
  }
  return {};
}

// Before, k was an attribute.
Status topk_before_10(UpgradeContext& c) {
  if (!c.attributes.contains("k")) return c.error("needs the attribute 'k'");
  c.set_input(1, c.ints({c.take_int("k", 0)}));
  return {};
}

// Before, there was one scale and bias per group.
Status group_normalization_before_21(UpgradeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_data(c));
  const Shape& x = c.shape(c.input(0));
  const int64_t groups = c.attributes.get_int("num_groups");
  if (!x.known_rank() || x.rank() < 2 || x[1] < 0 || groups < 1 || x[1] % groups != 0) {
    return c.error("num_groups = ", groups, " must divide the channels of ", x, ", which must be known");
  }
  const int64_t channels = x[1];
  for (size_t i = 1; i <= 2; ++i) {
    const ValueId column = c.emit("Unsqueeze", {c.input(i), c.ints({1})}, {}, str_cat(c.name, "/column"));
    const ValueId wide = c.emit("Expand", {column, c.ints({groups, channels / groups})}, {}, str_cat(c.name, "/wide"));
    c.set_input(i, c.emit("Reshape", {wide, c.ints({channels})}, {}, str_cat(c.name, "/per_channel")));
  }
  return {};
}

Status upsample_before_9(UpgradeContext& c) {
  std::vector<float> scales;
  for (double scale : c.attributes.get_floats("scales")) scales.push_back(static_cast<float>(scale));
  c.attributes.erase("scales");
  if (scales.empty()) return c.error("needs the attribute 'scales'");
  c.set_input(1, c.constant(Tensor::vector(std::span<const float>(scales))));
  return {};
}

Status upsample_is_resize(UpgradeContext& c) {
  c.op = "Resize";
  return {};
}

Status scatter_is_scatter_elements(UpgradeContext& c) {
  c.op = "ScatterElements";
  return {};
}

constexpr OpUpgrade kUpgrades[] = {
    {.name = "BatchNormalization", .before = 9, .upgrade = batch_normalization_before_9},
    {.name = "BatchNormalization", .before = 14, .upgrade = batch_normalization_before_14},
    {.name = "Clip", .before = 11, .upgrade = clip_before_11},
    {.name = "DFT", .before = 20, .upgrade = dft_before_20},
    {.name = "Dropout", .before = 10, .upgrade = dropout_before_10},
    {.name = "Dropout", .before = 12, .upgrade = dropout_before_12},
    {.name = "GroupNormalization", .before = 21, .upgrade = group_normalization_before_21},
    {.name = "GridSample", .before = 20, .upgrade = grid_sample_before_20},
    {.name = "Hardmax", .before = 13, .upgrade = softmax_before_13},
    {.name = "LogSoftmax", .before = 13, .upgrade = softmax_before_13},
    {.name = "Pad", .before = 11, .upgrade = pad_before_11},
    {.name = "ReduceL1", .before = 18, .upgrade = axes_to_input},
    {.name = "ReduceL2", .before = 18, .upgrade = axes_to_input},
    {.name = "ReduceLogSum", .before = 18, .upgrade = axes_to_input},
    {.name = "ReduceLogSumExp", .before = 18, .upgrade = axes_to_input},
    {.name = "ReduceMax", .before = 18, .upgrade = axes_to_input},
    {.name = "ReduceMean", .before = 18, .upgrade = axes_to_input},
    {.name = "ReduceMin", .before = 18, .upgrade = axes_to_input},
    {.name = "ReduceProd", .before = 18, .upgrade = axes_to_input},
    {.name = "ReduceSum", .before = 13, .upgrade = axes_to_input},
    {.name = "ReduceSumSquare", .before = 18, .upgrade = axes_to_input},
    {.name = "Resize", .before = 11, .upgrade = resize_before_11},
    {.name = "Resize", .before = 18, .upgrade = resize_before_18},
    {.name = "RoiAlign", .before = 16, .upgrade = roi_align_before_16},
    {.name = "Scatter", .before = 11, .upgrade = scatter_is_scatter_elements, .becomes = "ScatterElements"},
    {.name = "Slice", .before = 10, .upgrade = slice_before_10},
    {.name = "Softmax", .before = 13, .upgrade = softmax_before_13},
    {.name = "Split", .before = 13, .upgrade = split_before_13},
    {.name = "Split", .before = 18, .upgrade = split_before_18},
    {.name = "Squeeze", .before = 13, .upgrade = axes_to_input},
    {.name = "TopK", .before = 10, .upgrade = topk_before_10},
    {.name = "Unsqueeze", .before = 13, .upgrade = axes_to_input},
    {.name = "Upsample", .before = 9, .upgrade = upsample_before_9, .becomes = "Resize"},
    {.name = "Upsample", .before = 10, .upgrade = upsample_is_resize, .becomes = "Resize"},
};

}  // namespace

Status register_upgrades(Registry& registry, const simd::SimdTable*) { return registry.add_upgrades<kUpgrades>(); }

}  // namespace percale

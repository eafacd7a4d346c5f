// Upgrades nodes of opsets 1 to 6 to opset 7: broadcasting by attributes, memory hints, test modes.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/graph/emit/upgrade.h"
#include "ops/support/families.h"

namespace percale {
namespace {

// Aligns the right operand with the left one from `axis` on, or at the end if the attribute is
// absent.
Status broadcast_before_7(UpgradeContext& c) {
  c.attributes.erase("consumed_inputs");
  const bool has_axis = c.attributes.contains("axis");
  int64_t axis = c.take_int("axis", 0);
  if (c.take_int("broadcast", 0) == 0 || !has_axis) return {};
  if (c.input(0) == kNoValue || c.input(1) == kNoValue) return c.error("an input is missing");
  const Shape& left = c.shape(c.input(0));
  const Shape& right = c.shape(c.input(1));
  if (!left.known_rank() || !right.known_rank()) return c.error("broadcasting by 'axis' requires inputs of known rank");
  const auto rank = static_cast<int64_t>(left.rank()), small = static_cast<int64_t>(right.rank());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank - small) return c.error("axis ", axis, " does not place ", right, " within ", left);
  std::vector<int64_t> axes;
  for (int64_t i = axis + small; i < rank; ++i) axes.push_back(small + i - axis - small);
  if (axes.empty()) return {};
  c.set_input(1, c.emit("Unsqueeze", {c.input(1), c.ints(axes)}, {}, str_cat(c.name, "/right")));
  return {};
}

Status forget_consumed(UpgradeContext& c) {
  c.attributes.erase("consumed_inputs");
  return {};
}

Status forget_broadcast(UpgradeContext& c) {
  c.attributes.erase("broadcast");
  return {};
}

Status batch_normalization_before_7(UpgradeContext& c) {
  c.attributes.erase("consumed_inputs");
  const bool training = c.take_int("is_test", 0) == 0;
  c.attributes.set("training_mode", int64_t{training});
  return {};
}

Status dropout_before_7(UpgradeContext& c) {
  c.attributes.erase("consumed_inputs");
  if (c.take_int("is_test", 0) == 0) c.set_input(2, c.constant(Tensor::scalar(true)));
  return {};
}

Status pad_before_2(UpgradeContext& c) {
  const AttrValue* pads = c.attributes.find("paddings");
  if (pads == nullptr) return {};
  const AttrValue copy = *pads;
  c.attributes.erase("paddings");
  c.attributes.set("pads", copy);
  return {};
}

Status concat_before_4(UpgradeContext& c) {
  if (!c.attributes.contains("axis")) c.attributes.set("axis", int64_t{1});
  return {};
}

Status reshape_before_5(UpgradeContext& c) {
  c.attributes.erase("consumed_inputs");
  if (c.attributes.contains("shape")) c.set_input(1, c.ints(c.take_ints("shape")));
  return {};
}

// Before, the dtype was given by its ONNX name.
Status cast_before_6(UpgradeContext& c) {
  static constexpr std::string_view kNames[] = {"UNDEFINED", "FLOAT",  "UINT8",     "INT8",      "UINT16",  "INT16",
                                                "INT32",     "INT64",  "STRING",    "BOOL",      "FLOAT16", "DOUBLE",
                                                "UINT32",    "UINT64", "COMPLEX64", "COMPLEX128"};
  const std::string_view to = c.attributes.get_string("to");
  if (to.empty()) return {};
  const auto found = std::find(std::begin(kNames), std::end(kNames), to);
  if (found == std::end(kNames)) return c.error("'", to, "' is not a dtype");
  c.attributes.set("to", static_cast<int64_t>(found - std::begin(kNames)));
  return {};
}

// Before, slopes per channel were given as a vector.
Status prelu_before_7(UpgradeContext& c) {
  if (c.input(0) == kNoValue || c.input(1) == kNoValue) return c.error("an input is missing");
  const Shape &x = c.shape(c.input(0)), &slope = c.shape(c.input(1));
  if (!x.known_rank() || !slope.is_static()) return c.error("requires inputs of known rank");
  if (slope.rank() != 1 || slope[0] == 1 || x.rank() < 3) return {};
  std::vector<int64_t> axes;
  for (size_t d = 2; d < x.rank(); ++d) axes.push_back(static_cast<int64_t>(d) - 1);
  c.set_input(1, c.emit("Unsqueeze", {c.input(1), c.ints(axes)}, {}, str_cat(c.name, "/slope")));
  return {};
}

// Before, p was a float.
Status lp_pool_before_2(UpgradeContext& c) {
  const double p = c.take_float("p", 2);
  if (p < 1 || p > 1 << 20 || p != std::floor(p)) return c.error("p is ", p, ", wanted an integer from 1 to 2^20");
  c.attributes.set("p", static_cast<int64_t>(p));
  return {};
}

// Before, this attribute said whether the output Y is wanted. Now its presence in the node says so.
Status forget_output_sequence(UpgradeContext& c) {
  c.attributes.erase("output_sequence");
  return {};
}

constexpr OpUpgrade kUpgrades[] = {
    {.name = "Abs", .before = 6, .upgrade = forget_consumed},
    {.name = "Add", .before = 7, .upgrade = broadcast_before_7},
    {.name = "And", .before = 7, .upgrade = broadcast_before_7},
    {.name = "BatchNormalization", .before = 7, .upgrade = batch_normalization_before_7},
    {.name = "Cast", .before = 6, .upgrade = cast_before_6},
    {.name = "Ceil", .before = 6, .upgrade = forget_consumed},
    {.name = "Clip", .before = 6, .upgrade = forget_consumed},
    {.name = "Concat", .before = 4, .upgrade = concat_before_4},
    {.name = "Div", .before = 7, .upgrade = broadcast_before_7},
    {.name = "Dropout", .before = 7, .upgrade = dropout_before_7},
    {.name = "Elu", .before = 6, .upgrade = forget_consumed},
    {.name = "Equal", .before = 7, .upgrade = broadcast_before_7},
    {.name = "Exp", .before = 6, .upgrade = forget_consumed},
    {.name = "Floor", .before = 6, .upgrade = forget_consumed},
    {.name = "GRU", .before = 7, .upgrade = forget_output_sequence},
    {.name = "Gemm", .before = 7, .upgrade = forget_broadcast},
    {.name = "GlobalLpPool", .before = 2, .upgrade = lp_pool_before_2},
    {.name = "Greater", .before = 7, .upgrade = broadcast_before_7},
    {.name = "HardSigmoid", .before = 6, .upgrade = forget_consumed},
    {.name = "InstanceNormalization", .before = 6, .upgrade = forget_consumed},
    {.name = "LSTM", .before = 7, .upgrade = forget_output_sequence},
    {.name = "LeakyRelu", .before = 6, .upgrade = forget_consumed},
    {.name = "Less", .before = 7, .upgrade = broadcast_before_7},
    {.name = "Log", .before = 6, .upgrade = forget_consumed},
    {.name = "LpPool", .before = 2, .upgrade = lp_pool_before_2},
    {.name = "Max", .before = 6, .upgrade = forget_consumed},
    {.name = "Mean", .before = 6, .upgrade = forget_consumed},
    {.name = "Min", .before = 6, .upgrade = forget_consumed},
    {.name = "Mul", .before = 7, .upgrade = broadcast_before_7},
    {.name = "Neg", .before = 6, .upgrade = forget_consumed},
    {.name = "Or", .before = 7, .upgrade = broadcast_before_7},
    {.name = "PRelu", .before = 6, .upgrade = forget_consumed},
    {.name = "PRelu", .before = 7, .upgrade = prelu_before_7},
    {.name = "Pad", .before = 2, .upgrade = pad_before_2},
    {.name = "Pow", .before = 7, .upgrade = broadcast_before_7},
    {.name = "RNN", .before = 7, .upgrade = forget_output_sequence},
    {.name = "Reciprocal", .before = 6, .upgrade = forget_consumed},
    {.name = "Relu", .before = 6, .upgrade = forget_consumed},
    {.name = "Reshape", .before = 5, .upgrade = reshape_before_5},
    {.name = "Selu", .before = 6, .upgrade = forget_consumed},
    {.name = "Sigmoid", .before = 6, .upgrade = forget_consumed},
    {.name = "Sqrt", .before = 6, .upgrade = forget_consumed},
    {.name = "Sub", .before = 7, .upgrade = broadcast_before_7},
    {.name = "Sum", .before = 6, .upgrade = forget_consumed},
    {.name = "Tanh", .before = 6, .upgrade = forget_consumed},
    {.name = "Xor", .before = 7, .upgrade = broadcast_before_7},
};

}  // namespace

Status register_first_upgrades(Registry& registry, const simd::SimdTable*) {
  return registry.add_upgrades<kUpgrades>();
}

}  // namespace percale

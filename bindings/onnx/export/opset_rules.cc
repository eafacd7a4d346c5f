// ONNX's history from kOldestWrittenOpset on, for the ops that Percale has. The upgrades of
// imported nodes (ops/upgrade/upgrade.cc) are the other direction. tests/onnx/opsets.py checks the
// tables against the schemas of the Python package "onnx".
#include "bindings/onnx/export/opset_rules.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace percale_onnx {
namespace {

constexpr uint32_t bit(percale_dtype dtype) { return 1u << static_cast<uint32_t>(dtype); }
constexpr uint32_t kBf16 = bit(PERCALE_DTYPE_BF16), kHalf = kBf16 | bit(PERCALE_DTYPE_F16);
constexpr uint32_t kI8 = bit(PERCALE_DTYPE_I8) | bit(PERCALE_DTYPE_U8);
constexpr uint32_t kI16 = bit(PERCALE_DTYPE_I16) | bit(PERCALE_DTYPE_U16);
constexpr uint32_t kI32 = bit(PERCALE_DTYPE_I32);
constexpr uint32_t kSigned = bit(PERCALE_DTYPE_I8) | bit(PERCALE_DTYPE_I16) | kI32 | bit(PERCALE_DTYPE_I64);
constexpr uint32_t kF8 = bit(PERCALE_DTYPE_F8E4M3FN) | bit(PERCALE_DTYPE_F8E4M3FNUZ) | bit(PERCALE_DTYPE_F8E5M2) |
                         bit(PERCALE_DTYPE_F8E5M2FNUZ);

// Ops that an opset introduced, or gave their current meaning.
struct OpRule {
  std::string_view op;
  int32_t opset;
};
constexpr OpRule kOps[] = {
    {"AffineGrid", 20},
    {"Attention", 23},
    {"Bernoulli", 15},
    {"BitCast", 26},
    {"BitwiseAnd", 18},
    {"BitwiseNot", 18},
    {"BitwiseOr", 18},
    {"BitwiseXor", 18},
    {"BlackmanWindow", 17},
    {"CastLike", 15},
    {"CenterCropPad", 18},
    {"Col2Im", 18},
    {"CumProd", 26},
    {"DFT", 20},
    {"Gelu", 20},
    {"GridSample", 16},
    {"GroupNormalization", 21},
    {"HammingWindow", 17},
    {"HannWindow", 17},
    {"HardSwish", 14},
    {"LayerNormalization", 17},
    {"MelWeightMatrix", 17},
    {"Mish", 18},
    {"RMSNormalization", 23},
    {"RotaryEmbedding", 23},
    {"STFT", 17},
    {"Swish", 24},
    {"TensorScatter", 24},
    {"Trilu", 14},
};

// Types that operands of an op may have from an opset on. opset_of() has the types that an opset
// introduced for all ops.
constexpr int kAnyOperand = -1;
struct TypeRule {
  std::string_view op;
  int32_t opset;
  uint32_t types;
  int input = kAnyOperand;
};
constexpr TypeRule kTypes[] = {
    {"Acos", 22, kBf16},
    {"Acosh", 22, kBf16},
    {"Add", 14, kI8 | kI16},
    {"Asin", 22, kBf16},
    {"Asinh", 22, kBf16},
    {"Atan", 22, kBf16},
    {"Atanh", 22, kBf16},
    {"AveragePool", 22, kBf16},
    {"BatchNormalization", 14, kBf16},
    {"Bernoulli", 22, kBf16, 0},
    {"ConstantOfShape", 20, kBf16 | kF8},
    {"Conv", 22, kBf16},
    {"ConvTranspose", 22, kBf16},
    {"Cos", 22, kBf16},
    {"Cosh", 22, kBf16},
    {"CumSum", 14, kHalf},
    {"DequantizeLinear", 19, kHalf},
    {"DequantizeLinear", 21, kI16},
    {"Det", 22, kBf16},
    {"Div", 14, kI8 | kI16},
    {"Dropout", 22, kBf16, 1},
    {"Dropout", 22, kF8},
    {"Elu", 22, kBf16},
    {"EyeLike", 22, kBf16},
    {"Flatten", 21, kF8},
    {"GRU", 22, kBf16},
    {"GlobalAveragePool", 22, kBf16},
    {"GlobalLpPool", 22, kBf16},
    {"GlobalMaxPool", 22, kBf16},
    {"GreaterOrEqual", 16, kBf16},
    {"GridSample", 22, kBf16},
    {"HardSigmoid", 22, kBf16},
    {"HardSwish", 22, kBf16},
    {"If", 16, kBf16},
    {"InstanceNormalization", 22, kBf16},
    {"IsInf", 20, kHalf | kF8},
    {"IsNaN", 20, kF8},
    {"LSTM", 22, kBf16},
    {"LeakyRelu", 16, kBf16},
    {"LessOrEqual", 16, kBf16},
    {"Loop", 16, kBf16},
    {"LpNormalization", 22, kBf16},
    {"LpPool", 22, kBf16},
    {"MaxPool", 22, kBf16},
    {"MaxRoiPool", 22, kBf16},
    {"MaxUnpool", 22, kBf16},
    {"Mish", 22, kBf16},
    {"Mul", 14, kI8 | kI16},
    {"Multinomial", 22, kBf16},
    {"NegativeLogLikelihoodLoss", 22, kBf16},
    {"PRelu", 16, kBf16},
    {"Pad", 21, kF8},
    {"Pow", 15, kBf16, 1},
    {"QLinearMatMul", 21, kHalf | kF8},
    {"QuantizeLinear", 19, kHalf},
    {"QuantizeLinear", 19, kI32, 1},
    {"QuantizeLinear", 21, kI16},
    {"RNN", 22, kBf16},
    {"RandomNormal", 22, kBf16},
    {"RandomNormalLike", 22, kBf16},
    {"RandomUniform", 22, kBf16},
    {"RandomUniformLike", 22, kBf16},
    {"Range", 27, kHalf},
    {"ReduceMax", 20, bit(PERCALE_DTYPE_BOOL)},
    {"ReduceMin", 20, bit(PERCALE_DTYPE_BOOL)},
    {"Relu", 14, kSigned},
    {"RoiAlign", 22, kBf16},
    {"Round", 22, kBf16},
    {"Selu", 22, kBf16},
    {"Sin", 22, kBf16},
    {"Sinh", 22, kBf16},
    {"Softplus", 22, kBf16},
    {"Softsign", 22, kBf16},
    {"Squeeze", 21, kF8},
    {"Sub", 14, kI8 | kI16},
    {"Tan", 22, kBf16},
    {"ThresholdedRelu", 22, kBf16},
    {"TopK", 24, kBf16},
    {"Transpose", 21, kF8},
    {"Unsqueeze", 21, kF8},
    {"Where", 16, kBf16},
};

// Inputs that an opset introduced.
struct InputRule {
  std::string_view op;
  int32_t opset;
  size_t input;
};
constexpr InputRule kInputs[] = {{"Attention", 24, 6}, {"Pad", 18, 3}};

// Attributes that an opset introduced. The value `harmless`, in a list of each element, is the
// behaviour of older opsets, which lack the attribute.
struct AttributeRule {
  std::string_view op;
  int32_t opset;
  std::string_view name, harmless = {};
};
constexpr AttributeRule kAttributes[] = {
    {"Attention", 25, "left_window_size", "-1"},
    {"Attention", 25, "right_window_size", "-1"},
    {"AveragePool", 19, "dilations", "1"},
    {"BatchNormalization", 14, "training_mode", "0"},
    {"Cast", 19, "saturate", "1"},
    {"Cast", 24, "round_mode", "up"},
    {"CastLike", 19, "saturate", "1"},
    {"CastLike", 24, "round_mode", "up"},
    {"DequantizeLinear", 21, "block_size", "0"},
    {"DequantizeLinear", 23, "output_dtype", "0"},
    {"GRU", 14, "layout", "0"},
    {"LSTM", 14, "layout", "0"},
    {"LpPool", 18, "ceil_mode", "0"},
    {"LpPool", 18, "dilations", "1"},
    {"QuantizeLinear", 19, "saturate", "1"},
    {"QuantizeLinear", 21, "block_size", "0"},
    {"QuantizeLinear", 21, "output_dtype", "0"},
    {"QuantizeLinear", 23, "precision", "0"},
    {"RNN", 14, "layout", "0"},
    {"Reshape", 14, "allowzero", "0"},
    {"Resize", 18, "antialias", "0"},
    {"Resize", 18, "axes"},
    {"Resize", 18, "keep_aspect_ratio_policy", "stretch"},
    {"ScatterElements", 16, "reduction", "none"},
    {"ScatterND", 16, "reduction", "none"},
    {"Shape", 15, "end"},
    {"Shape", 15, "start", "0"},
};

// Values of attributes that an opset introduced.
struct ValueRule {
  std::string_view op;
  int32_t opset;
  std::string_view name, value;
};
constexpr ValueRule kValues[] = {
    {"Pad", 19, "mode", "wrap"},
    {"Resize", 19, "coordinate_transformation_mode", "half_pixel_symmetric"},
    {"ScatterElements", 18, "reduction", "max"},
    {"ScatterElements", 18, "reduction", "min"},
    {"ScatterND", 18, "reduction", "max"},
    {"ScatterND", 18, "reduction", "min"},
};

using Attribute = percale_attribute;

const Attribute* find(const OnnxNode& node, std::string_view name) {
  const auto found =
      std::find_if(node.attributes.begin(), node.attributes.end(), [&](const Attribute& a) { return a.name == name; });
  return found == node.attributes.end() ? nullptr : &*found;
}

void erase(OnnxNode* node, std::string_view name) {
  std::erase_if(node->attributes, [&](const Attribute& a) { return a.name == name; });
}

bool says(const Attribute& a, std::string_view value) {
  if (a.kind == PERCALE_ATTRIBUTE_INT) return std::to_string(a.i) == value;
  if (a.kind == PERCALE_ATTRIBUTE_STRING) return std::string_view(a.text, a.text_size) == value;
  return a.kind == PERCALE_ATTRIBUTE_INTS &&
         std::all_of(a.ints, a.ints + a.count, [&](int64_t i) { return std::to_string(i) == value; });
}

bool says(const OnnxNode& node, std::string_view name, std::string_view value) {
  const Attribute* a = find(node, name);
  return a != nullptr && says(*a, value);
}

bool has(const std::vector<percale_graph_value_info>& values, size_t i) {
  return i < values.size() && values[i].dtype != PERCALE_DTYPE_INVALID;
}

bool is_one_of(const std::vector<percale_graph_value_info>& values, uint32_t types) {
  return std::any_of(values.begin(), values.end(), [&](const auto& v) { return (bit(v.dtype) & types) != 0; });
}

bool needs(const TypeRule& rule, const OnnxNode& node) {
  if (rule.input == kAnyOperand) return is_one_of(node.inputs, rule.types) || is_one_of(node.outputs, rule.types);
  const auto i = static_cast<size_t>(rule.input);
  return has(node.inputs, i) && (bit(node.inputs[i].dtype) & rule.types) != 0;
}

// ---- Ops that older opsets write in another form ----

// A form of an op that the opset `until` replaced.
struct OlderForm {
  std::string_view op;
  int32_t until;
  bool (*fits)(const OnnxNode& node);  // true if the older form can express the node
  void (*write)(OnnxNode* node);
};

// Reductions: the axes were an attribute.
bool axes_fit(const OnnxNode& node) {
  const bool noop = says(node, "noop_with_empty_axes", "1");
  if (!has(node.inputs, 1)) return !noop;
  const percale_graph_value_info& axes = node.inputs[1];
  return axes.data != nullptr && axes.rank == 1 && (axes.dims[0] > 0 || !noop);
}
void axes_to_attribute(OnnxNode* node) {
  erase(node, "noop_with_empty_axes");
  if (!has(node->inputs, 1)) return;
  const percale_graph_value_info axes = node->inputs[1];
  node->inputs.resize(1);
  if (axes.dims[0] == 0) return;
  Attribute made{};
  made.name = "axes";
  made.kind = PERCALE_ATTRIBUTE_INTS;
  made.ints = static_cast<const int64_t*>(axes.data);
  made.count = static_cast<size_t>(axes.dims[0]);
  node->attributes.insert(node->attributes.begin(), made);
}

// Split: the number of outputs was the number of equal parts.
bool parts_fit(const OnnxNode& node) {
  if (find(node, "num_outputs") == nullptr) return true;
  const Attribute* given = find(node, "axis");
  const percale_graph_value_info& x = node.inputs[0];
  if (x.rank == SIZE_MAX) return false;
  const auto rank = static_cast<int64_t>(x.rank);
  const int64_t axis = given == nullptr ? 0 : given->i < 0 ? given->i + rank : given->i;
  const auto parts = static_cast<int64_t>(node.outputs.size());
  return axis >= 0 && axis < rank && parts > 0 && x.dims[axis] >= 0 && x.dims[axis] % parts == 0;
}
void drop_parts(OnnxNode* node) { erase(node, "num_outputs"); }

// GridSample: the input was always an image, and the modes had the names of image filters.
bool is_image(const OnnxNode& node) { return has(node.inputs, 0) && node.inputs[0].rank == 4; }
void name_modes_of_images(OnnxNode* node) {
  constexpr std::string_view kCubic = "bicubic";
  if (says(*node, "mode", "linear")) erase(node, "mode");  // "bilinear" is the default
  for (Attribute& a : node->attributes) {
    if (std::string_view(a.name) != "mode" || !says(a, "cubic")) continue;
    a.text = kCubic.data();
    a.text_size = kCubic.size();
  }
}

// RoiAlign: coordinates were those of the corners, without an attribute.
bool is_of_corners(const OnnxNode& node) { return says(node, "coordinate_transformation_mode", "output_half_pixel"); }
void drop_coordinates(OnnxNode* node) { erase(node, "coordinate_transformation_mode"); }

constexpr OlderForm kOlderForms[] = {
    {"GridSample", 20, is_image, name_modes_of_images},   {"ReduceL1", 18, axes_fit, axes_to_attribute},
    {"ReduceL2", 18, axes_fit, axes_to_attribute},        {"ReduceLogSum", 18, axes_fit, axes_to_attribute},
    {"ReduceLogSumExp", 18, axes_fit, axes_to_attribute}, {"ReduceMax", 18, axes_fit, axes_to_attribute},
    {"ReduceMean", 18, axes_fit, axes_to_attribute},      {"ReduceMin", 18, axes_fit, axes_to_attribute},
    {"ReduceProd", 18, axes_fit, axes_to_attribute},      {"ReduceSumSquare", 18, axes_fit, axes_to_attribute},
    {"RoiAlign", 16, is_of_corners, drop_coordinates},    {"Split", 18, parts_fit, drop_parts},
};

// BatchNormalization: from opset 14 on the statistics may have another type than the input, and the
// node may update them. From opset 15 on scale and bias may have another type, too.
int32_t opset_of_batch_normalization(const OnnxNode& node) {
  if (node.op != "BatchNormalization" || node.inputs.size() < 5) return kOldestWrittenOpset;
  if (node.inputs[1].dtype != node.inputs[0].dtype) return 15;
  const bool trains = has(node.outputs, 1);
  return trains || node.inputs[3].dtype != node.inputs[0].dtype ? 14 : kOldestWrittenOpset;
}

}  // namespace

int32_t oldest_opset(const OnnxNode& node) {
  int32_t out = opset_of_batch_normalization(node);
  const auto need = [&](const auto& rules, const auto& needed) {
    for (const auto& rule : rules) {
      if (rule.op == node.op && rule.opset > out && needed(rule)) out = rule.opset;
    }
  };
  need(kOps, [](const OpRule&) { return true; });
  need(kTypes, [&](const TypeRule& rule) { return needs(rule, node); });
  need(kInputs, [&](const InputRule& rule) { return has(node.inputs, rule.input); });
  need(kAttributes, [&](const AttributeRule& rule) {
    const Attribute* a = find(node, rule.name);
    return a != nullptr && (rule.harmless.empty() || !says(*a, rule.harmless));
  });
  need(kValues, [&](const ValueRule& rule) { return says(node, rule.name, rule.value); });
  for (const OlderForm& form : kOlderForms) {
    if (form.op == node.op && form.until > out && !form.fits(node)) out = form.until;
  }
  return out;
}

void to_opset(OnnxNode* node, int32_t opset) {
  for (const AttributeRule& rule : kAttributes) {
    if (rule.op == node->op && rule.opset > opset) erase(node, rule.name);
  }
  for (const OlderForm& form : kOlderForms) {
    if (form.op == node->op && form.until > opset) form.write(node);
  }
}

int64_t ir_version(int32_t opset) {
  struct Row {
    int32_t opset;
    int64_t version;
  };
  constexpr Row kRows[] = {{25, 13}, {24, 12}, {23, 11}, {21, 10}, {19, 9}, {15, 8}};
  for (const Row& row : kRows) {
    if (opset >= row.opset) return row.version;
  }
  return 7;
}

int32_t opset_of(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_F8E4M3FN:
    case PERCALE_DTYPE_F8E4M3FNUZ:
    case PERCALE_DTYPE_F8E5M2:
    case PERCALE_DTYPE_F8E5M2FNUZ: return 19;
    case PERCALE_DTYPE_U4:
    case PERCALE_DTYPE_I4: return 21;
    case PERCALE_DTYPE_F4E2M1: return 23;
    case PERCALE_DTYPE_F8E8M0: return 24;
    case PERCALE_DTYPE_U2:
    case PERCALE_DTYPE_I2: return 25;
    default: return kOldestWrittenOpset;
  }
}

}  // namespace percale_onnx

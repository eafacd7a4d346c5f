#include "core/train/layers/layers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/layers/initializers.h"
#include "core/train/layers/state_ops.h"
#include "core/train/layers/unsupported.h"

namespace percale {
namespace {

std::array<std::span<const Layer>, 6> families() {
  return {core_layers(), conv_layers(), pool_layers(), norm_layers(), recurrent_layers(), attention_layers()};
}

Result<AttrValue> convert(const AttrSpec& spec, const AttrValue& given) {
  const auto in_range = [&](double v) { return v >= spec.min && v <= spec.max; };
  const auto range_error = [&](const auto& v) {
    return out_of_range("'", spec.name, "' is ", v, ", wanted ", spec.min, " to ", spec.max);
  };
  const int64_t* integer = given.get_if<int64_t>();
  switch (spec.kind) {
    case AttrKind::kInt:
      if (integer == nullptr) break;
      if (!in_range(static_cast<double>(*integer))) return range_error(*integer);
      return given;
    case AttrKind::kFloat: {
      const double* number = given.get_if<double>();
      if (number == nullptr && integer == nullptr) break;
      const double v = number != nullptr ? *number : static_cast<double>(*integer);
      if (!in_range(v)) return range_error(v);
      return AttrValue(v);
    }
    case AttrKind::kInts: {
      const auto* list = given.get_if<std::vector<int64_t>>();
      if (list == nullptr && integer == nullptr) break;
      std::vector<int64_t> values = list != nullptr ? *list : std::vector<int64_t>{*integer};
      for (int64_t v : values) {
        if (!in_range(static_cast<double>(v))) return range_error(v);
      }
      return AttrValue(std::move(values));
    }
    case AttrKind::kString:
      if (given.get_if<std::string>() != nullptr) return given;
      break;
    default: break;
  }
  return invalid_argument("'", spec.name, "': wanted ", attr_kind_name(spec.kind), ", got ",
                          attr_kind_name(given.kind()));
}

AttrValue default_of(const AttrSpec& spec) {
  switch (spec.kind) {
    case AttrKind::kFloat: return AttrValue(spec.float_default);
    case AttrKind::kString: return AttrValue(std::string(spec.string_default));
    default: return AttrValue(spec.int_default);
  }
}

bool name_is_taken(FunctionBuilder& f, const std::string& name) {
  if (f.function().find_value(name) != kNoValue) return true;
  const std::string prefix = name + "/";
  for (const Variable& v : f.owner().graph().variables) {
    if (v.name.starts_with(prefix)) return true;
  }
  return false;
}

std::string default_name(FunctionBuilder& f, const Layer& layer) {
  std::string name(layer.variable);
  for (int64_t i = 1; name_is_taken(f, name); ++i) name = str_cat(layer.variable, "_", i);
  return name;
}

}  // namespace

ValueId emit_absent(LayerContext& layer) { return layer.emit(layer.layer().op, {}); }

const Layer* find_layer(std::string_view name) {
  for (const auto& family : families()) {
    for (const Layer& layer : family) {
      if (layer.name == name) return &layer;
    }
  }
  return nullptr;
}

std::vector<std::string> layer_names() {
  std::vector<std::string> out;
  for (const auto& family : families()) {
    for (const Layer& layer : family) out.emplace_back(layer.name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<Attributes> layer_attributes(const Layer& layer, std::string_view name, const Attributes& given) {
  const std::string context = str_cat(layer.name, " '", name, "'");
  std::vector<std::string> known;
  for (const AttrSpec& spec : layer.attributes) known.emplace_back(spec.name);
  Attributes out;
  for (const auto& [key, value] : given) {
    const AttrSpec* spec = nullptr;
    for (const AttrSpec& s : layer.attributes) {
      if (s.name == key) spec = &s;
    }
    if (spec == nullptr) {
      if (const Unsupported* listed = unknown_attribute(key)) {
        return unimplemented(context, ": '", key, "' is not implemented; ", listed->instead);
      }
      return invalid_argument(context, ": no attribute '", key, "'", did_you_mean_key(key, known));
    }
    auto converted = convert(*spec, value);
    if (!converted.ok()) return converted.status().with_context(context);
    out.set(key, std::move(converted).value());
  }
  for (const AttrSpec& spec : layer.attributes) {
    if (out.contains(spec.name)) continue;
    if (spec.required) return invalid_argument(context, ": '", spec.name, "' is missing");
    if (spec.has_default) out.set(spec.name, default_of(spec));
  }
  return out;
}

Result<ValueId> add_layer(FunctionBuilder& f, std::string_view layer_name, std::string_view name,
                          const std::vector<ValueId>& inputs, const Attributes& attributes, DType floats) {
  const Layer* layer = find_layer(layer_name);
  if (layer == nullptr) {
    if (const Unsupported* listed = unsupported_layer(layer_name)) {
      return unimplemented("layer ", layer_name, " is not implemented; ", listed->instead);
    }
    return not_found("no layer '", layer_name, "'", did_you_mean(layer_name, layer_names()));
  }
  const std::string own_name = name.empty() ? default_name(f, *layer) : std::string(name);
  if (!name.empty() && name_is_taken(f, own_name)) {
    return Status(Code::kAlreadyExists, str_cat(layer_name, " '", name, "': the name is taken"));
  }
  if (inputs.size() < layer->min_inputs || inputs.size() > layer->max_inputs) {
    return invalid_argument(layer_name, " '", own_name, "': ", static_cast<uint64_t>(inputs.size()), " inputs, wanted ",
                            static_cast<uint64_t>(layer->min_inputs),
                            layer->max_inputs > layer->min_inputs ? " or more" : "");
  }
  for (ValueId id : inputs) {
    if (id < 0 || static_cast<size_t>(id) >= f.function().values.size()) {
      return invalid_argument(layer_name, " '", own_name, "': input ", id, " is not a value of the graph");
    }
  }
  PERCALE_ASSIGN_OR_RETURN(const Attributes checked, layer_attributes(*layer, own_name, attributes));
  const std::string outer = f.name_prefix();
  f.set_name_prefix(str_cat(outer, own_name, "/"));
  LayerContext context(f, *layer, own_name, inputs, checked, floats);
  ValueId out = layer->emit(context);
  // A layer that returns its input gets an Identity, so that the output can have the layer's name.
  if (context.status().ok() && std::find(inputs.begin(), inputs.end(), out) != inputs.end()) {
    out = context.emit("Identity", {out});
  }
  f.set_name_prefix(outer);
  if (!context.status().ok()) {
    const Status& status = context.status();
    return status.message().find(own_name) != std::string_view::npos
               ? status
               : status.with_context(str_cat(layer_name, " '", own_name, "'"));
  }
  PERCALE_RETURN_IF_ERROR(f.rename(out, str_cat(outer, own_name)));
  return out;
}

Result<ValueId> add_parameter(FunctionBuilder& f, std::string_view name, DType dtype, const Shape& shape,
                              std::string_view initializer, bool trainable) {
  Variable variable;
  variable.name = name;
  variable.dtype = dtype;
  variable.shape = shape;
  variable.trainable = trainable;
  if (f.owner().graph().find_variable(name) != nullptr) {
    return Status(Code::kAlreadyExists, str_cat("variable '", name, "' already exists"));
  }
  PERCALE_RETURN_IF_ERROR(add_initializer(f.owner(), variable, initializer));
  PERCALE_RETURN_IF_ERROR(f.owner().add_variable(variable));
  Emitter e(f);
  const ValueId value = read_variable(e, variable);
  PERCALE_RETURN_IF_ERROR(e.status());
  return value;
}

std::vector<int64_t> LayerContext::sizes(std::string_view key, size_t count, int64_t fallback) {
  const std::vector<int64_t>& given = attributes_.get_ints(key);
  if (given.empty()) return std::vector<int64_t>(count, fallback);
  if (given.size() == 1) return std::vector<int64_t>(count, given[0]);
  if (given.size() == count) return given;
  error("'", key, "' has ", static_cast<uint64_t>(given.size()), " sizes, wanted 1 or ", static_cast<uint64_t>(count));
  return std::vector<int64_t>(count, 1);
}

int64_t LayerContext::known_dim(size_t rank, int64_t axis) {
  const Shape& s = shape(input());
  if (!s.known_rank() || s.rank() != rank) {
    error("the input must have rank ", static_cast<uint64_t>(rank), ", it has shape ", s);
    return 1;
  }
  const int64_t at = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
  const int64_t dim = s[static_cast<size_t>(at)];
  if (dim <= 0) {
    error("dim ", at, " of the input ", s, " must be known and positive");
    return 1;
  }
  return dim;
}

ValueId LayerContext::parameter(std::string_view leaf, const Shape& shape, std::string_view initializer,
                                bool trainable) {
  if (!status().ok()) return kNoValue;
  const DType t = is_float(dtype(input())) ? dtype(input()) : floats_;
  const auto value = add_parameter(builder(), str_cat(name_, "/", leaf), t, shape, initializer, trainable);
  if (value.ok()) return *value;
  fail(value.status());
  return kNoValue;
}

ValueId LayerContext::transpose(ValueId x, const std::vector<int64_t>& permutation) {
  return emit("Transpose", {x}, {{"perm", permutation}});
}

ValueId LayerContext::to_channels_first(ValueId x) {
  const auto rank = static_cast<int64_t>(shape(x).rank());
  if (rank < 3) return x;
  std::vector<int64_t> permutation = {0, rank - 1};
  for (int64_t i = 1; i + 1 < rank; ++i) permutation.push_back(i);
  return transpose(x, permutation);
}

ValueId LayerContext::to_channels_last(ValueId x) {
  const auto rank = static_cast<int64_t>(shape(x).rank());
  if (rank < 3) return x;
  std::vector<int64_t> permutation = {0};
  for (int64_t i = 2; i < rank; ++i) permutation.push_back(i);
  permutation.push_back(1);
  return transpose(x, permutation);
}

ValueId LayerContext::before_transposes(
    int64_t axis, const std::function<ValueId(const std::vector<ValueId>& inputs, int64_t axis)>& emit) {
  std::vector<int64_t> permutation;
  std::vector<ValueId> before;
  for (const ValueId x : inputs_) {
    const Function& f = builder().function();
    if (x == kNoValue || f.value(x).kind != ValueKind::kNode) return emit(inputs_, axis);
    const Node& node = f.node(f.value(x).def);
    const auto its = node.attributes.get_ints("perm");
    if (!node.op->is(Role::kTranspose) || its.empty() || (!before.empty() && its != permutation))
      return emit(inputs_, axis);
    permutation = its;
    before.push_back(node.inputs[0]);
  }
  const auto rank = static_cast<int64_t>(permutation.size());
  if (before.empty() || axis < -rank || axis >= rank) return emit(inputs_, axis);
  const ValueId y = emit(before, permutation[static_cast<size_t>(axis < 0 ? axis + rank : axis)]);
  return y == kNoValue ? y : transpose(y, permutation);
}

bool LayerContext::check_channels_last() {
  const std::string_view format = text("data_format");
  if (format == "channels_last") return true;
  not_implemented("data_format '", format,
                  "' is not implemented; give the data as channels_last, [batch, ..., channels]");
  return false;
}

ValueId LayerContext::refuse(std::string_view attribute) {
  return not_implemented("'", attribute, "' is not implemented; ", disabled_attribute(attribute)->instead);
}

ValueId LayerContext::activate(ValueId x, std::string_view activation, int64_t channel_axis) {
  struct Plain {
    std::string_view name, op;
  };
  static constexpr std::array<Plain, 9> kPlain = {{{"relu", "Relu"},
                                                   {"sigmoid", "Sigmoid"},
                                                   {"tanh", "Tanh"},
                                                   {"exponential", "Exp"},
                                                   {"softplus", "Softplus"},
                                                   {"softsign", "Softsign"},
                                                   {"elu", "Elu"},
                                                   {"selu", "Selu"},
                                                   {"gelu", "Gelu"}}};
  if (!status().ok() || activation.empty() || activation == "linear") return x;
  for (const Plain& p : kPlain) {
    if (p.name != activation) continue;
    if (builder().owner().registry().find_op("", p.op) == nullptr) {
      return not_implemented("activation '", activation, "' needs the op ", p.op, ", which is not in the registry");
    }
    return emit(p.op, {x});
  }
  if (activation == "softmax") return emit("Softmax", {x}, {{"axis", channel_axis}});
  if (activation == "log_softmax") return emit("LogSoftmax", {x}, {{"axis", channel_axis}});
  if (activation == "leaky_relu") return emit("LeakyRelu", {x}, {{"alpha", 0.2}});
  if (activation == "hard_sigmoid") return emit("HardSigmoid", {x}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
  if (activation == "relu6") return emit("Clip", {x, scalar(dtype(x), 0), scalar(dtype(x), 6)});
  if (activation == "silu" || activation == "swish") return emit("Mul", {x, emit("Sigmoid", {x})});
  static const std::vector<std::string> kAll = {
      "linear", "relu",    "sigmoid",     "tanh",       "exponential",  "softplus", "softsign", "elu",  "selu",
      "gelu",   "softmax", "log_softmax", "leaky_relu", "hard_sigmoid", "relu6",    "silu",     "swish"};
  return error("no activation '", activation, "'", did_you_mean(activation, kAll));
}

void LayerContext::set_padding(Attributes& attributes, const std::vector<int64_t>& window,
                               const std::vector<int64_t>& strides, const std::vector<int64_t>& dilations) {
  const std::string_view padding = text("padding");
  if (padding == "valid") return;
  const size_t n = window.size();
  std::vector<int64_t> pads(2 * n, 0);
  if (padding == "causal" && n == 1) {
    pads[0] = (window[0] - 1) * dilations[0];
    attributes.set("pads", pads);
    return;
  }
  if (padding != "same") {
    error("padding '", padding, "': wanted 'valid' or 'same'");
    return;
  }
  const Shape& s = shape(input());
  for (size_t i = 0; i < n; ++i) {
    const int64_t dim = s[1 + i];
    if (dim < 0) {  // known only at run time: the op computes it
      attributes.set("auto_pad", "SAME_UPPER");
      return;
    }
    const int64_t out = (dim + strides[i] - 1) / strides[i];
    const int64_t total = std::max<int64_t>(0, (out - 1) * strides[i] + (window[i] - 1) * dilations[i] + 1 - dim);
    pads[i] = total / 2;
    pads[n + i] = total - total / 2;
  }
  attributes.set("pads", pads);
}

}  // namespace percale

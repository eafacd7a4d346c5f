// BatchNormalization, LayerNormalization.
#include <array>

#include "core/registry/registry.h"
#include "core/train/layers/layers.h"
#include "core/train/layers/synchronized.h"

namespace percale {
namespace {

// Returns true if `axis` is the last axis; otherwise fails.
bool check_last_axis(LayerContext& l) {
  const Shape& s = l.shape(l.input());
  const auto& axis = l.attributes().get_ints("axis");
  if (axis.empty()) return true;
  if (axis.size() == 1 && (axis[0] == -1 || (s.known_rank() && axis[0] == static_cast<int64_t>(s.rank()) - 1))) {
    return true;
  }
  l.not_implemented(
      "an 'axis' other than the last one is not implemented; build the graph with the op Transpose around the layer");
  return false;
}

// Returns a parameter if attribute `key` is set, else a constant.
ValueId parameter_or(LayerContext& l, std::string_view key, std::string_view leaf, int64_t channels, double otherwise) {
  if (l.flag(key)) return l.parameter(leaf, Shape{channels}, l.text(str_cat(leaf, "_initializer")));
  if (l.dtype(l.input()) == DType::kF64) {
    const std::vector<double> values(static_cast<size_t>(channels), otherwise);
    return l.constant(Tensor::vector(std::span<const double>(values)));
  }
  const std::vector<float> values(static_cast<size_t>(channels), static_cast<float>(otherwise));
  return l.constant(Tensor::vector(std::span<const float>(values)));
}

ValueId batch_normalization(LayerContext& l) {
  const ValueId x = l.input();
  const Shape& s = l.shape(x);
  if (!s.known_rank() || s.rank() < 2) return l.error("the input must have rank 2 or more, it has shape ", s);
  if (!check_last_axis(l)) return kNoValue;
  const int64_t channels = l.known_dim(s.rank(), -1);
  const ValueId gamma = parameter_or(l, "scale", "gamma", channels, 1);
  const ValueId beta = parameter_or(l, "center", "beta", channels, 0);
  const ValueId mean = l.parameter("moving_mean", Shape{channels}, l.text("moving_mean_initializer"), false);
  const ValueId variance =
      l.parameter("moving_variance", Shape{channels}, l.text("moving_variance_initializer"), false);
  if (!l.status().ok()) return kNoValue;
  if (l.flag("synchronized")) set_synchronized(l.builder().owner(), str_cat(l.name(), "/moving_mean"));
  return l.to_channels_last(l.emit("BatchNormalization", {l.to_channels_first(x), gamma, beta, mean, variance},
                                   {{"epsilon", l.number("epsilon")}, {"momentum", l.number("momentum")}}));
}

ValueId layer_normalization(LayerContext& l) {
  const ValueId x = l.input();
  const Shape& s = l.shape(x);
  if (!s.known_rank() || s.rank() < 2) return l.error("the input must have rank 2 or more, it has shape ", s);
  if (!check_last_axis(l)) return kNoValue;
  const int64_t channels = l.known_dim(s.rank(), -1);
  const ValueId gamma = parameter_or(l, "scale", "gamma", channels, 1);
  const ValueId beta = parameter_or(l, "center", "beta", channels, 0);
  if (!l.status().ok()) return kNoValue;
  if (l.builder().owner().registry().find_op("", "LayerNormalization") != nullptr) {
    return l.emit("LayerNormalization", {x, gamma, beta}, {{"axis", -1}, {"epsilon", l.number("epsilon")}});
  }
  const ValueId axes = l.ints({-1});
  const ValueId centred = l.emit("Sub", {x, l.emit("ReduceMean", {x, axes})});
  const ValueId variance = l.emit("ReduceMean", {l.emit("Mul", {centred, centred}), axes});
  const ValueId deviation = l.emit("Sqrt", {l.emit("Add", {variance, l.scalar(l.dtype(x), l.number("epsilon"))})});
  return l.emit("Add", {l.emit("Mul", {l.emit("Div", {centred, deviation}), gamma}), beta});
}

constexpr AttrSpec kAxis{.name = "axis", .kind = AttrKind::kInts};
constexpr AttrSpec kEpsilon = attr_float("epsilon", 1e-3, 0, 1), kCenter = attr_int("center", 1, 0, 1),
                   kScale = attr_int("scale", 1, 0, 1), kBetaInit = attr_string("beta_initializer", "zeros"),
                   kGammaInit = attr_string("gamma_initializer", "ones");

constexpr std::array<LayerRow, 2> kNormLayers = {{
    {.name = "BatchNormalization",
     .variable = "batch_normalization",
     .doc = "Normalises each channel to mean 0 and variance 1, by the statistics of the batch in training and by "
            "moving statistics otherwise; then scales and shifts.",
     .op = "BatchNormalization",
     .attributes = {kAxis, attr_float("momentum", 0.99, 0, 1), kEpsilon, kCenter, kScale, kBetaInit, kGammaInit,
                    attr_string("moving_mean_initializer", "zeros"), attr_string("moving_variance_initializer", "ones"),
                    attr_int("synchronized", 0, 0, 1)},
     .emit = batch_normalization},
    {.name = "LayerNormalization",
     .variable = "layer_normalization",
     .doc = "Normalises each row of the last axis to mean 0 and variance 1, then scales and shifts.",
     .attributes = {kAxis, kEpsilon, kCenter, kScale, kBetaInit, kGammaInit},
     .emit = layer_normalization},
}};

}  // namespace

std::span<const Layer> norm_layers() { return kLayerTable<kNormLayers>; }

}  // namespace percale

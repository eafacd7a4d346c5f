// Conv1D, Conv2D, Conv2DTranspose, DepthwiseConv2D, SeparableConv2D. Kernels have Keras' shapes,
// [window..., in, out].
#include <algorithm>
#include <array>

#include "core/train/layers/layer_attributes.h"
#include "core/train/layers/layers.h"

namespace percale {
namespace {

// Returns the number of channels. Fails unless the data is channels-last and the input has rank
// `spatial` + 2 and a known number of channels.
int64_t channels(LayerContext& l, size_t spatial) {
  l.check_channels_last();
  return l.known_dim(spatial + 2, -1);
}

ValueId bias_of(LayerContext& l, int64_t filters) {
  return l.flag("use_bias") ? l.parameter("bias", Shape{filters}, l.text("bias_initializer")) : kNoValue;
}

// The activation comes before the Transpose, so that the Transposes of two layers are adjacent.
ValueId finish(LayerContext& l, ValueId y) { return l.to_channels_last(l.activate(y, l.text("activation"), 1)); }

ValueId conv(LayerContext& l, size_t spatial) {
  const int64_t in = channels(l, spatial), filters = l.integer("filters"), groups = l.integer("groups");
  const auto window = l.sizes("kernel_size", spatial), strides = l.sizes("strides", spatial),
             dilations = l.sizes("dilation_rate", spatial);
  if (in % groups != 0 || filters % groups != 0) {
    return l.error(in, " channels and ", filters, " filters must be divisible by the ", groups, " groups");
  }
  Shape shape{std::span<const int64_t>(window)};
  shape.push_back(in / groups);
  shape.push_back(filters);
  const ValueId kernel = l.parameter("kernel", shape, l.text("kernel_initializer"));
  const ValueId bias = bias_of(l, filters);
  std::vector<int64_t> permutation = {static_cast<int64_t>(spatial) + 1, static_cast<int64_t>(spatial)};
  for (size_t i = 0; i < spatial; ++i) permutation.push_back(static_cast<int64_t>(i));
  Attributes attributes{{"kernel_shape", window}, {"strides", strides}, {"dilations", dilations}, {"group", groups}};
  l.set_padding(attributes, window, strides, dilations);
  if (!l.status().ok()) return kNoValue;
  return finish(l,
                l.emit("Conv", {l.to_channels_first(l.input()), l.transpose(kernel, permutation), bias}, attributes));
}

ValueId conv1d(LayerContext& l) { return conv(l, 1); }
ValueId conv2d(LayerContext& l) { return conv(l, 2); }

// Convolves each channel with filters of its own, channels-first. `bias` may be kNoValue.
ValueId depthwise(LayerContext& l, int64_t in, std::string_view leaf, ValueId* bias) {
  const int64_t multiplier = l.integer("depth_multiplier");
  const auto window = l.sizes("kernel_size", 2), strides = l.sizes("strides", 2),
             dilations = l.sizes("dilation_rate", 2);
  const ValueId kernel =
      l.parameter(leaf, Shape{window[0], window[1], in, multiplier}, l.text("depthwise_initializer"));
  if (bias != nullptr) *bias = bias_of(l, in * multiplier);
  const ValueId rows =
      l.emit("Reshape", {l.transpose(kernel, {2, 3, 0, 1}), l.ints({in * multiplier, 1, window[0], window[1]})});
  Attributes attributes{{"kernel_shape", window}, {"strides", strides}, {"dilations", dilations}, {"group", in}};
  l.set_padding(attributes, window, strides, dilations);
  if (!l.status().ok()) return kNoValue;
  return l.emit("Conv", {l.to_channels_first(l.input()), rows, bias != nullptr ? *bias : kNoValue}, attributes);
}

ValueId depthwise_conv2d(LayerContext& l) {
  const int64_t in = channels(l, 2);
  ValueId bias = kNoValue;
  const ValueId y = depthwise(l, in, "kernel", &bias);
  return l.status().ok() ? finish(l, y) : kNoValue;
}

ValueId separable_conv2d(LayerContext& l) {
  const int64_t in = channels(l, 2), between = in * l.integer("depth_multiplier"), filters = l.integer("filters");
  const ValueId y = depthwise(l, in, "depthwise_kernel", nullptr);
  const ValueId kernel =
      l.parameter("pointwise_kernel", Shape{1, 1, between, filters}, l.text("pointwise_initializer"));
  const ValueId bias = bias_of(l, filters);
  if (!l.status().ok()) return kNoValue;
  return finish(l, l.emit("Conv", {y, l.transpose(kernel, {3, 2, 0, 1}), bias}));
}

// The output has the size of the input of a convolution with the same attributes: in * stride for
// 'same', in * stride + max(window - stride, 0) for 'valid'.
ValueId conv2d_transpose(LayerContext& l) {
  const int64_t in = channels(l, 2), filters = l.integer("filters");
  const auto window = l.sizes("kernel_size", 2), strides = l.sizes("strides", 2);
  for (int64_t d : l.sizes("dilation_rate", 2)) {
    if (d == 1) continue;
    return l.not_implemented("'dilation_rate' ", d,
                             " is not implemented, only 1 is; build the graph with the op ConvTranspose");
  }
  const std::string_view padding = l.text("padding");
  if (padding != "same" && padding != "valid") return l.error("padding '", padding, "': wanted 'valid' or 'same'");
  std::vector<int64_t> pads(4, 0), output_padding(2, 0);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t surplus = window[i] - strides[i];
    if (surplus < 0) {
      output_padding[i] = -surplus;
    } else if (padding == "same") {
      pads[i] = surplus / 2;
      pads[2 + i] = surplus - surplus / 2;
    }
  }
  const ValueId kernel = l.parameter("kernel", Shape{window[0], window[1], filters, in}, l.text("kernel_initializer"));
  const ValueId bias = bias_of(l, filters);
  if (!l.status().ok()) return kNoValue;
  const Attributes attributes{
      {"kernel_shape", window}, {"strides", strides}, {"pads", pads}, {"output_padding", output_padding}};
  return finish(l, l.emit("ConvTranspose", {l.to_channels_first(l.input()), l.transpose(kernel, {3, 2, 0, 1}), bias},
                          attributes));
}

constexpr AttrSpec kFilters{.name = "filters", .kind = AttrKind::kInt, .required = true, .min = 1};
constexpr AttrSpec kKernelSize{
    .name = "kernel_size", .kind = AttrKind::kInts, .required = true, .min = 1, .max = 65536};
constexpr AttrSpec kDilations{.name = "dilation_rate", .kind = AttrKind::kInts, .min = 1, .max = 65536};
constexpr AttrSpec kActivation = attr_string("activation", "linear"), kGroups = attr_int("groups", 1, 1);

constexpr std::array<LayerRow, 5> kConvLayers = {{
    {.name = "Conv1D",
     .variable = "conv1d",
     .doc = "1D convolution of [batch, steps, channels], with optional bias and activation.",
     .op = "Conv",
     .attributes = {kFilters, kKernelSize, kWindowStrides, kWindowPadding, kDataFormat, kDilations, kGroups,
                    kActivation, kUseBias, kKernelInit, kBiasInit},
     .emit = conv1d},
    {.name = "Conv2D",
     .variable = "conv2d",
     .doc = "2D convolution of [batch, rows, columns, channels], with optional bias and activation.",
     .op = "Conv",
     .attributes = {kFilters, kKernelSize, kWindowStrides, kWindowPadding, kDataFormat, kDilations, kGroups,
                    kActivation, kUseBias, kKernelInit, kBiasInit},
     .emit = conv2d},
    {.name = "Conv2DTranspose",
     .variable = "conv2d_transpose",
     .doc = "Transposed 2D convolution of [batch, rows, columns, channels], with optional bias and activation.",
     .op = "ConvTranspose",
     .attributes = {kFilters, kKernelSize, kWindowStrides, kWindowPadding, kDataFormat, kDilations, kActivation,
                    kUseBias, kKernelInit, kBiasInit},
     .emit = conv2d_transpose},
    {.name = "DepthwiseConv2D",
     .variable = "depthwise_conv2d",
     .doc = "2D convolution of [batch, rows, columns, channels] that convolves each channel separately.",
     .op = "Conv",
     .attributes = {kKernelSize, kWindowStrides, kWindowPadding, attr_int("depth_multiplier", 1, 1), kDataFormat,
                    kDilations, kActivation, kUseBias, attr_string("depthwise_initializer", "glorot_uniform"),
                    kBiasInit},
     .emit = depthwise_conv2d},
    {.name = "SeparableConv2D",
     .variable = "separable_conv2d",
     .doc = "Depthwise 2D convolution followed by a 1 x 1 convolution that mixes the channels.",
     .op = "Conv",
     .attributes = {kFilters, kKernelSize, kWindowStrides, kWindowPadding, kDataFormat, kDilations,
                    attr_int("depth_multiplier", 1, 1), kActivation, kUseBias,
                    attr_string("depthwise_initializer", "glorot_uniform"),
                    attr_string("pointwise_initializer", "glorot_uniform"), kBiasInit},
     .emit = separable_conv2d},
}};

}  // namespace

std::span<const Layer> conv_layers() { return kLayerTable<kConvLayers>; }

}  // namespace percale

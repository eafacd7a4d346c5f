// MaxPooling2D, AveragePooling2D, GlobalAveragePooling2D, GlobalMaxPooling2D.
#include <array>

#include "core/train/layers/layer_attributes.h"
#include "core/train/layers/layers.h"

namespace percale {
namespace {

ValueId pool(LayerContext& l, std::string_view op) {
  if (!l.check_channels_last()) return kNoValue;
  l.known_dim(4, -1);
  const auto window = l.sizes("pool_size", 2, 2);
  const auto strides = l.attributes().contains("strides") ? l.sizes("strides", 2) : window;
  Attributes attributes{{"kernel_shape", window}, {"strides", strides}};
  l.set_padding(attributes, window, strides, {1, 1});
  if (!l.status().ok()) return kNoValue;
  return l.to_channels_last(l.emit(op, {l.to_channels_first(l.input())}, attributes));
}

ValueId global_pool(LayerContext& l, std::string_view op) {
  if (!l.check_channels_last()) return kNoValue;
  const int64_t channels = l.known_dim(4, -1);
  if (!l.status().ok()) return kNoValue;
  const ValueId y = l.emit(op, {l.to_channels_first(l.input())});
  return l.flag("keepdims") ? l.to_channels_last(y) : l.emit("Reshape", {y, l.ints({0, channels})});
}

ValueId max_pooling2d(LayerContext& l) { return pool(l, "MaxPool"); }
ValueId average_pooling2d(LayerContext& l) { return pool(l, "AveragePool"); }
ValueId global_average_pooling2d(LayerContext& l) { return global_pool(l, "GlobalAveragePool"); }
ValueId global_max_pooling2d(LayerContext& l) { return global_pool(l, "GlobalMaxPool"); }

constexpr AttrSpec kPoolSize{.name = "pool_size", .kind = AttrKind::kInts, .min = 1, .max = 65536};
constexpr AttrSpec kKeepDims = attr_int("keepdims", 0, 0, 1);

constexpr std::array<LayerRow, 4> kPoolLayers = {{
    {.name = "MaxPooling2D",
     .variable = "max_pooling2d",
     .doc = "Maximum over each window of [batch, rows, columns, channels].",
     .op = "MaxPool",
     .attributes = {kPoolSize, kWindowStrides, kWindowPadding, kDataFormat},
     .emit = max_pooling2d},
    {.name = "AveragePooling2D",
     .variable = "average_pooling2d",
     .doc = "Mean over each window of [batch, rows, columns, channels].",
     .op = "AveragePool",
     .attributes = {kPoolSize, kWindowStrides, kWindowPadding, kDataFormat},
     .emit = average_pooling2d},
    {.name = "GlobalAveragePooling2D",
     .variable = "global_average_pooling2d",
     .doc = "Mean of each channel of [batch, rows, columns, channels].",
     .op = "GlobalAveragePool",
     .attributes = {kKeepDims, kDataFormat},
     .emit = global_average_pooling2d},
    {.name = "GlobalMaxPooling2D",
     .variable = "global_max_pooling2d",
     .doc = "Maximum of each channel of [batch, rows, columns, channels].",
     .op = "GlobalMaxPool",
     .attributes = {kKeepDims, kDataFormat},
     .emit = global_max_pooling2d},
}};

}  // namespace

std::span<const Layer> pool_layers() { return kLayerTable<kPoolLayers>; }

}  // namespace percale

// Attributes that several families of layers share.
#ifndef PERCALE_CORE_TRAIN_LAYERS_LAYER_ATTRIBUTES_H_
#define PERCALE_CORE_TRAIN_LAYERS_LAYER_ATTRIBUTES_H_

#include "core/registry/op_schema.h"

namespace percale {

inline constexpr AttrSpec kWindowStrides{.name = "strides", .kind = AttrKind::kInts, .min = 1, .max = 65536};
inline constexpr AttrSpec kWindowPadding = attr_string("padding", "valid");
inline constexpr AttrSpec kDataFormat = attr_string("data_format", "channels_last");
inline constexpr AttrSpec kUseBias = attr_int("use_bias", 1, 0, 1);
inline constexpr AttrSpec kKernelInit = attr_string("kernel_initializer", "glorot_uniform");
inline constexpr AttrSpec kBiasInit = attr_string("bias_initializer", "zeros");

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_LAYER_ATTRIBUTES_H_

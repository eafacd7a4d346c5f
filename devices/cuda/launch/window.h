// Geometry of the sliding windows of pools and convolutions.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_WINDOW_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_WINDOW_H_

#include "devices/cuda/driver/node.h"
#include "devices/cuda/kernels/common/args.h"

namespace percale::cuda {

// Returns the window of a node with the attributes auto_pad, pads, strides and dilations. `in` and
// `out` are its spatial dims (1 to 3), `kernel` the dims of the window. The library has already
// checked that they agree.
WindowArgs window_of(const Node& node, const Dims& in, const Dims& out, const Dims& kernel);
// Returns the window of a ConvTranspose: that of the convolution which it reverses. The input dims
// of that convolution are the node's output dims.
WindowArgs transposed_window_of(const Node& node, const Dims& in, const Dims& out, const Dims& kernel);

// The dims of images as kernels index them: `outer` images of `places` pixels, with `inner`
// contiguous elements for each pixel. Row-major images have one plane for each channel, so `inner`
// is 1. With channels last, `inner` is the number of channels.
struct ImageDims {
  int64_t outer, inner;
  Dims places;
};
inline ImageDims image_dims(const Node& node, const Dims& dims) {
  if (node.shows_channels_last()) return {dims[0], dims.back(), Dims(dims.begin() + 1, dims.end() - 1)};
  return {dims[0] * dims[1], 1, Dims(dims.begin() + 2, dims.end())};
}

// Returns the dims after batch and channels.
inline Dims spatial_dims(const Dims& dims) { return Dims(dims.begin() + 2, dims.end()); }

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_LAUNCH_WINDOW_H_

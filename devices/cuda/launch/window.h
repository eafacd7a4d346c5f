// The geometry of sliding windows, of pools and convolutions.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_WINDOW_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_WINDOW_H_

#include "devices/cuda/driver/host.h"
#include "devices/cuda/kernels/common/args.h"

namespace percale::cuda {

// Of a node with the attributes auto_pad, pads, strides and dilations that goes from spatial dims `in` (1 to 3) to `out` with a window of
// `kernel`. The library has checked that they belong together.
WindowArgs window_of(const Node& node, const Dims& in, const Dims& out, const Dims& kernel);
// Of a ConvTranspose: the convolution that it reverses, whose input dims are the node's output dims.
WindowArgs transposed_window_of(const Node& node, const Dims& in, const Dims& out, const Dims& kernel);

// Images as kernels walk them: each of `outer` is places, each of which has `inner` elements side by side. Row-major images are planes; with
// channels last the channels are within.
struct ImageDims {
  int64_t outer, inner;
  Dims places;
};
inline ImageDims image_dims(const Node& node, const Dims& dims) {
  if (node.shows_channels_last()) return {dims[0], dims.back(), Dims(dims.begin() + 1, dims.end() - 1)};
  return {dims[0] * dims[1], 1, Dims(dims.begin() + 2, dims.end())};
}

// The dims behind batch and channels.
inline Dims spatial_dims(const Dims& dims) { return Dims(dims.begin() + 2, dims.end()); }

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_LAUNCH_WINDOW_H_

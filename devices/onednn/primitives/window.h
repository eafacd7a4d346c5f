// How a window of weights, or of a pool, walks over an image: ONNX's attributes as oneDNN wants them.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_WINDOW_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_WINDOW_H_

#include <functional>

#include "devices/onednn/support/host.h"

namespace percale::onednn {

// The weights as oneDNN counts their dims: groups are one.
Dims grouped(const Dims& weights, int64_t groups);

struct Window {
  // Per spatial dim. oneDNN's dilation is 0 where ONNX's is 1; `ends` is what the output's size asks for, whatever was given.
  Dims strides, dilations, begins, ends;

  // Refusal where a window lies wholly in the padding: oneDNN may then read what is not there.
  // `kernel`: the window's spatial dims; `x` and `y`: the image and the result with batch and channels in front.
  Window(const Node& node, const Dims& kernel, const Dims& x, const Dims& y);
  // Of a ConvTranspose that makes `y` of `x`.
  static Window transposed(const Node& node, const Dims& kernel, const Dims& x, const Dims& y);

 private:
  // `begin(d, pad, total)`: the padding in front, of what the attribute says and how much all windows reach beyond the image.
  using Begin = std::function<int64_t(size_t d, int64_t pad, int64_t total)>;
  Window(const Node& node, const Dims& kernel, const Dims& x, const Dims& y, const Begin& begin);
};

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_WINDOW_H_

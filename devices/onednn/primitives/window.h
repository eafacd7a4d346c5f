// The window of a convolution or of a pool: ONNX's attributes in oneDNN's terms.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_WINDOW_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_WINDOW_H_

#include <functional>

#include "devices/onednn/support/node.h"

namespace percale::onednn {

// Returns the dims of weights as oneDNN defines them, with groups as a dim.
Dims grouped(const Dims& weights, int64_t groups);

struct Window {
  // One number per spatial dim. oneDNN's dilation is 0 where ONNX's is 1. `ends` follows from the
  // output's size, whatever the attribute says.
  Dims strides, dilations, begins, ends;

  // Throws a Refusal if a window lies completely in the padding, because oneDNN might then read out
  // of bounds. `kernel` has the window's spatial dims. `x` and `y` are the dims of image and
  // result, including batch and channels.
  Window(const Node& node, const Dims& kernel, const Dims& x, const Dims& y);
  // Returns the window of a ConvTranspose that computes `y` from `x`.
  static Window transposed(const Node& node, const Dims& kernel, const Dims& x, const Dims& y);

 private:
  // `begin(d, pad, total)` returns the padding in front, given the attribute's value and the
  // distance by which all windows exceed the image.
  using Begin = std::function<int64_t(size_t d, int64_t pad, int64_t total)>;
  Window(const Node& node, const Dims& kernel, const Dims& x, const Dims& y, const Begin& begin);
};

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_WINDOW_H_

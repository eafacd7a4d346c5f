// How a window of weights, or of a pool, walks over an image: ONNX's attributes as oneDNN wants them.
#ifndef PERCALE_DEVICES_ONEDNN_WINDOW_H_
#define PERCALE_DEVICES_ONEDNN_WINDOW_H_

#include "devices/onednn/host.h"

namespace percale::onednn {

struct Window {
  // Per spatial dim. oneDNN's dilation is 0 where ONNX's is 1; `ends` is what the output's size asks for, whatever was given.
  Dims strides, dilations, begins, ends;

  // Refusal where a window lies wholly in the padding: oneDNN may then read what is not there.
  // `kernel`: the window's spatial dims; `x` and `y`: the image and the result with batch and channels in front.
  Window(const Node& node, const Dims& kernel, const Dims& x, const Dims& y);
};

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_WINDOW_H_

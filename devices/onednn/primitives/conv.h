// The dims of a convolution as oneDNN defines them.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_CONV_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_CONV_H_

#include "devices/onednn/primitives/window.h"
#include "devices/onednn/support/kernel.h"

namespace percale::onednn {

// The dims for the image `x`, the weights, whose groups are a separate dim, and the result `y`. The
// node has the attributes of Conv or of one of its gradients. The constructor throws a Refusal for
// convolutions that oneDNN does not support.
struct ConvDims {
  ConvDims(const Node& node, const Dims& x, const Dims& w, const Dims& y);

  Dims x, weights, y;
  Window window;
  double flops;

  // An image of one column has the same bytes as an image of one row. oneDNN has faster code for
  // rows, so the last two dims are swapped.
  bool column;
  Dims laid(Dims dims, size_t first = 2) const;

  // True for two spatial dims without groups. The weights alone do not tell: weights with one
  // spatial dim and groups have the same rank.
  bool is_plain_2d() const { return x.size() == 4 && weights.size() == 4; }
};

// Throws a Refusal where the core's own kernel is faster: for f32 and up to two spatial dims it
// needs no precomputed weights. Converting row-major images and changing weights into oneDNN's
// formats would cost more than oneDNN gains. `image` is the input whose format is checked.
void refuse_where_core_is_fast(const Node& node, size_t image, const char* reason);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_CONV_H_

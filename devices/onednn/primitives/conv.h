// A convolution as oneDNN counts its dims.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_CONV_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_CONV_H_

#include "devices/onednn/primitives/window.h"
#include "devices/onednn/support/kernel.h"

namespace percale::onednn {

// Of the image `x`, the weights, whose groups are a dim of their own, and the result `y`. The node's attributes are those of Conv
// or of one of its gradients. Refusal for what oneDNN has none for.
struct ConvDims {
  ConvDims(const Node& node, const Dims& x, const Dims& w, const Dims& y);

  Dims x, weights, y;
  Window window;
  double flops;

  // An image of one column is one of one row, byte for byte; oneDNN has faster code for rows.
  bool column;
  Dims laid(Dims dims, size_t first = 2) const;

  // Two spatial dims and no groups. The weights alone do not tell: those of one spatial dim and of groups have as many dims.
  bool is_plain_2d() const { return x.size() == 4 && weights.size() == 4; }
};

// The core has fast kernels of its own for f32 and two spatial dims, which need nothing prepared: what moving row-major images and
// changing weights into oneDNN's formats costs is more than oneDNN gains. `image`: the input of which the format tells.
void refuse_where_core_is_fast(const Node& node, size_t image, const char* reason);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_CONV_H_

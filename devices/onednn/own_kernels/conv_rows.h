// Expresses a convolution as a product of rows: each tap reads consecutive rows. If necessary,
// padding and strides are first removed by a copy.
#ifndef PERCALE_DEVICES_ONEDNN_OWN_KERNELS_CONV_ROWS_H_
#define PERCALE_DEVICES_ONEDNN_OWN_KERNELS_CONV_ROWS_H_

#include "devices/onednn/primitives/conv.h"

namespace percale::onednn {

struct ConvRows {
  int64_t count() const { return static_cast<int64_t>(results.size()); }

  std::vector<int64_t> taps;     // for each tap: its distance in rows
  std::vector<int64_t> results;  // for each row: the pixel of the result, -1: none
  // For each copied row: the pixel that it holds, -1: zeros. If empty, nothing is copied, and the
  // rows are the image itself, which has channels last.
  std::vector<int64_t> pixels;
};

// Returns `count` rows, each of which gives the result with its own number.
ConvRows unchanged_rows(int64_t count);
// Precondition: two spatial dims and no groups.
ConvRows rows_of(const ConvDims& conv);

// Copies pixels of `bytes` bytes to the rows `first` to `last`, which are `pitch` bytes apart.
void copy_rows(const ConvRows& rows, const std::byte* image, size_t bytes, size_t pitch, int64_t first, int64_t last,
               std::byte* to);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_OWN_KERNELS_CONV_ROWS_H_

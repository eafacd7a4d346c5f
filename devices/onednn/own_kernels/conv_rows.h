// A convolution as a product of rows: a tap reads rows that lie one after the other, be it once padding and steps have been copied away.
#ifndef PERCALE_DEVICES_ONEDNN_OWN_KERNELS_CONV_ROWS_H_
#define PERCALE_DEVICES_ONEDNN_OWN_KERNELS_CONV_ROWS_H_

#include "devices/onednn/primitives/conv.h"

namespace percale::onednn {

struct ConvRows {
  int64_t count() const { return static_cast<int64_t>(results.size()); }

  std::vector<int64_t> taps;     // rows from a row to what the tap reads
  std::vector<int64_t> results;  // per row: the pixel that it gives, -1: none
  // Per row that is copied: the pixel that it has, -1: zeros; empty: the image itself, which lies pixel by pixel, has the rows.
  std::vector<int64_t> pixels;
};

// So many rows, each of which gives the one of its number.
ConvRows unchanged_rows(int64_t count);
// Precondition: two spatial dims and no groups.
ConvRows rows_of(const ConvDims& conv);

// Copies pixels of so many bytes to the rows `first` to `last`, which are `pitch` apart.
void copy_rows(const ConvRows& rows, const std::byte* image, size_t bytes, size_t pitch, int64_t first, int64_t last,
               std::byte* to);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_OWN_KERNELS_CONV_ROWS_H_

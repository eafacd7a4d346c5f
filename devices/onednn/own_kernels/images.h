// Images between a row of pixels per channel and pixel by pixel. For oneDNN these are dims like any others: five times as slow where
// channels are few, two to eight times otherwise.
#ifndef PERCALE_DEVICES_ONEDNN_OWN_KERNELS_IMAGES_H_
#define PERCALE_DEVICES_ONEDNN_OWN_KERNELS_IMAGES_H_

#include <cstdint>
#include <string_view>

namespace percale::onednn {

struct ImagesFns {
  // To pixel by pixel: `pixels` of two to four channels that lie so many floats apart; as f32, or as bf16, the nearest, ties to even.
  void (*by_pixel)(const float* from, int64_t channels, int64_t apart, int64_t pixels, float* to);
  void (*by_pixel_bf16)(const float* from, int64_t channels, int64_t apart, int64_t pixels, uint16_t* to);
  // Columns `first` to `last` of from [rows][columns], as rows of to [columns][rows]; numbers of 32 and of 16 bits.
  void (*transpose)(const uint32_t* from, int64_t rows, int64_t columns, int64_t first, int64_t last, uint32_t* to);
  void (*transpose_16)(const uint16_t* from, int64_t rows, int64_t columns, int64_t first, int64_t last, uint16_t* to);
};

// Null where the instruction set is none of AVX2 and AVX-512.
const ImagesFns* images_fns(std::string_view isa);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_OWN_KERNELS_IMAGES_H_

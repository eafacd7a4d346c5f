// Converts images between channels first and channels last. oneDNN treats these dims like any
// others, and takes five times as long for few channels, two to eight times otherwise.
#ifndef PERCALE_DEVICES_ONEDNN_OWN_KERNELS_IMAGES_H_
#define PERCALE_DEVICES_ONEDNN_OWN_KERNELS_IMAGES_H_

#include <cstdint>
#include <string_view>

namespace percale::onednn {

struct ImagesFns {
  // Converts to channels last: `pixels` pixels of two to four channels, whose planes are `apart`
  // floats apart. The result is f32, or bf16 rounded to nearest, ties to even.
  void (*by_pixel)(const float* from, int64_t channels, int64_t apart, int64_t pixels, float* to);
  void (*by_pixel_bf16)(const float* from, int64_t channels, int64_t apart, int64_t pixels, uint16_t* to);
  // Writes columns `first` to `last` of from [rows][columns] as rows of to [columns][rows], for
  // elements of 32 and of 16 bits.
  void (*transpose)(const uint32_t* from, int64_t rows, int64_t columns, int64_t first, int64_t last, uint32_t* to);
  void (*transpose_16)(const uint16_t* from, int64_t rows, int64_t columns, int64_t first, int64_t last, uint16_t* to);
};

// Returns null if the instruction set is neither AVX2 nor AVX-512.
const ImagesFns* images_fns(std::string_view isa);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_OWN_KERNELS_IMAGES_H_

// Kernels that convert images to channels last and back.
#include "devices/onednn/own_kernels/images.h"

#include <algorithm>
#include <utility>

#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

constexpr auto kByPixel = dnnl::memory::format_tag::nhwc;
constexpr int64_t kPiece = 1 << 14;  // elements

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

const ImagesFns& fns_of(const Node& node) {
  const ImagesFns* const fns = images_fns(node.isa());
  refuse_if(fns == nullptr, "the plug-in has no loop for this instruction set");
  return *fns;
}

// True if the loop for images of few channels supports the node.
bool has_few_channels(const Node& node) {
  const Dims x = node.dims(0);
  return x.size() == 4 && x[1] >= 2 && x[1] <= 4 && node.dtype(0) == PERCALE_DTYPE_F32 && node.layout(0) == nullptr;
}

bool lies_by_pixel(const MemoryDesc& desc, const Dims& x, DataType type) {
  constexpr dnnl::memory::format_tag kTags[] = {dnnl::memory::format_tag::nwc, kByPixel,
                                                dnnl::memory::format_tag::ndhwc};
  return desc == MemoryDesc(x, type, kTags[x.size() - 3]);
}

template <class T>
Function by_pixel(const Node& node, void (*each)(const float*, int64_t, int64_t, int64_t, T*)) {
  const Dims x = node.dims(0);
  return [&host = node.host(), each, images = x[0], channels = x[1], pixels = x[2] * x[3]](const percale_launch& l) {
    const int64_t most = kPiece / 4, pieces = ceil_div(pixels, most);
    in_parallel(host, l.run, images * pieces, [&](int64_t i) {
      const int64_t image = i / pieces * channels * pixels, first = i % pieces * most;
      each(static_cast<const float*>(l.operands[0]) + image + first, channels, pixels, std::min(most, pixels - first),
           static_cast<T*>(l.operands[1]) + image + first * channels);
    });
  };
}

// Transposes each image, a matrix [rows, columns].
template <class T>
Function turned(const percale_host_api& host, void (*each)(const T*, int64_t, int64_t, int64_t, int64_t, T*),
                int64_t images, int64_t rows, int64_t columns) {
  return [&host, each, images, rows, columns](const percale_launch& l) {
    constexpr int64_t kColumns = 16;
    const int64_t most = std::max(int64_t{1}, kPiece / rows / kColumns) * kColumns, pieces = ceil_div(columns, most);
    in_parallel(host, l.run, images * pieces, [&](int64_t i) {
      const int64_t image = i / pieces * rows * columns, first = i % pieces * most;
      each(static_cast<const T*>(l.operands[0]) + image, rows, columns, first, std::min(columns, first + most),
           static_cast<T*>(l.operands[1]) + image);
    });
  };
}

}  // namespace

// Converts between channels first, the library's layout, and channels last.
void prepare_images(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const char *const from = node.layout(0), *const to = node.output_layout(0);
  const Dims x = node.dims(0);
  const percale_dtype dtype = node.dtype(0);
  refuse_if(x.size() < 3 || x.size() > 5 || is_empty(x) || (from == nullptr) == (to == nullptr),
            "requires non-empty images with exactly one row-major format");
  refuse_if(dtype != PERCALE_DTYPE_F32 && dtype != PERCALE_DTYPE_BF16, "supports only f32 and bf16");
  refuse_if(!lies_by_pixel(decode(from != nullptr ? from : to).in_format, x, data_type(dtype)),
            "the images are not in a pixel-by-pixel format");
  const ImagesFns& fns = fns_of(node);
  if (has_few_channels(node)) {
    steps.function = by_pixel(node, fns.by_pixel);
    return;
  }
  int64_t rows = x[1], columns = elements(x) / x[0] / rows;
  if (from != nullptr) std::swap(rows, columns);
  steps.function = dtype == PERCALE_DTYPE_F32 ? turned(node.host(), fns.transpose, x[0], rows, columns)
                                              : turned(node.host(), fns.transpose_16, x[0], rows, columns);
}

// Converts images to bf16 and channels last. Only convolutions with tiles benefit from it.
void prepare_narrow_images(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  refuse_if(!has_few_channels(node) || is_empty(node.dims(0)),
            "requires row-major f32 images with two to four channels");
  refuse_if(node.is_precomputed(0), "the input is precomputed weights, not images");
  refuse_if(node.output_dtype(0) != PERCALE_DTYPE_BF16 || !has_amx(), "tiles of bf16 are not available");
  const ImagesFns& fns = fns_of(node);
  if (!plan.is_taken()) return;
  const Dims x = node.dims(0);
  plan.require_format(1, MemoryDesc(x, DataType::bf16, kByPixel));
  steps.function = by_pixel(node, fns.by_pixel_bf16);
}

}  // namespace percale::onednn

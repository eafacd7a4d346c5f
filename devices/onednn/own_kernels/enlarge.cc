// Enlarges images with channels last by whole factors by repeating pixels, as detectors do with
// their deeper levels.
#include <algorithm>

#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

// True if each pixel of the result copies the input pixel at its own index divided by the factor,
// rounded down.
bool repeats(const Node& node) {
  const std::string_view place = node.attribute("coordinate_transformation_mode", std::string_view("half_pixel"));
  const std::string_view nearest = node.attribute("nearest_mode", std::string_view("round_prefer_floor"));
  // (o + 1/2) / factor - 1/2 is never half way between two pixels.
  const bool middle = place == "half_pixel" || place == "pytorch_half_pixel" || place == "half_pixel_symmetric";
  return (place == "asymmetric" && nearest == "floor") || (middle && nearest.starts_with("round_prefer_"));
}

// Returns the factor of each dim from `x` to `y`.
Dims factors_of(const Node& node, const Dims& x, const Dims& y) {
  Dims factors;
  for (size_t d = 0; d < x.size(); ++d) {
    refuse_if(y[d] % x[d] != 0, "the sizes are not integer multiples");
    factors.push_back(y[d] / x[d]);
  }
  refuse_if(factors[0] != 1 || factors[1] != 1, "dims other than the spatial dims change");
  if (!node.has(2)) return factors;
  const auto* const scales = static_cast<const float*>(node.constant(2));
  const bool same = scales != nullptr && elements(node.dims(2)) == std::ssize(factors) &&
                    std::equal(factors.begin(), factors.end(), scales,
                               [](int64_t factor, float scale) { return static_cast<float>(factor) == scale; });
  refuse_if(!same, "the scales are unknown before the run or not integers");
  return factors;
}

}  // namespace

void prepare_enlarge(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const char* const format = node.layout(0);
  refuse_if(format == nullptr, "the input is row-major");
  const Dims x = node.dims(0), y = node.output_dims();
  refuse_if(x.size() != 4 || is_empty(x) || is_empty(y), "supports only two spatial dims and non-empty tensors");
  const bool plain = node.attribute("mode", std::string_view("nearest")) == "nearest" && repeats(node) &&
                     node.attribute("keep_aspect_ratio_policy", std::string_view("stretch")) == "stretch" &&
                     node.attribute("axes", Dims()).empty();
  refuse_if(!plain, "supports only nearest-neighbour repetition of pixels");
  const Dims factors = factors_of(node, x, y);
  const DataType type = data_type(node.dtype(0));
  const auto by_pixel = [&](const Dims& dims) { return MemoryDesc(dims, type, dnnl::memory::format_tag::nhwc); };
  refuse_if(lying_in(format, x, type) != by_pixel(x), "the images are not in a pixel-by-pixel format");
  if (!plan.is_taken()) return;
  plan.require_format(0, by_pixel(x));
  plan.require_format(node.inputs(), by_pixel(y));

  const auto pixel = static_cast<size_t>(x[1]) * dnnl::memory::data_type_size(type);
  steps.function = [&host = node.host(), rows = x[0] * x[2], columns = x[3], down = factors[2], across = factors[3],
                    pixel, y = node.inputs()](const percale_launch& launch) {
    const auto* const from = static_cast<const std::byte*>(launch.operands[0]);
    auto* const to = static_cast<std::byte*>(launch.operands[y]);
    const size_t row_bytes = static_cast<size_t>(columns) * pixel, wide_bytes = static_cast<size_t>(across) * row_bytes;
    constexpr size_t kPiece = 1 << 15;  // bytes of the result
    const int64_t each = std::max<int64_t>(1, static_cast<int64_t>(kPiece / (wide_bytes * static_cast<size_t>(down))));
    in_parallel(host, launch.run, (rows + each - 1) / each, [&](int64_t piece) {
      for (int64_t row = piece * each; row < std::min(rows, (piece + 1) * each); ++row) {
        const std::byte* at = from + static_cast<size_t>(row) * row_bytes;
        std::byte* const first = to + static_cast<size_t>(row * down) * wide_bytes;
        std::byte* next = first;
        for (int64_t column = 0; column < columns; ++column, at += pixel) {
          for (int64_t i = 0; i < across; ++i) next = std::copy_n(at, pixel, next);
        }
        for (int64_t i = 1; i < down; ++i) next = std::copy_n(first, wide_bytes, next);
      }
    });
  };
}

}  // namespace percale::onednn

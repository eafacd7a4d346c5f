#include "devices/onednn/primitives/window.h"

#include <algorithm>

namespace percale::onednn {

namespace {

std::string_view auto_pad(const Node& node) { return node.attribute("auto_pad", std::string_view("NOTSET")); }

}  // namespace

Dims grouped(const Dims& weights, int64_t groups) {
  if (groups == 1) return weights;
  Dims out{groups, weights[0] / groups};
  out.insert(out.end(), weights.begin() + 1, weights.end());
  return out;
}

Window::Window(const Node& node, const Dims& kernel, const Dims& x, const Dims& y)
    : Window(node, kernel, x, y, [automatic = auto_pad(node)](size_t, int64_t pad, int64_t total) {
        if (automatic == "SAME_UPPER") return std::max<int64_t>(total, 0) / 2;
        if (automatic == "SAME_LOWER") return (std::max<int64_t>(total, 0) + 1) / 2;
        return automatic == "VALID" ? 0 : pad;
      }) {}

// The windows are those of the convolution that computes an image like x from one like y. If the
// output's shape is given instead of pads, the total padding is split.
Window Window::transposed(const Node& node, const Dims& kernel, const Dims& x, const Dims& y) {
  const std::string_view automatic = auto_pad(node);
  const Dims padding = node.attribute("output_padding", Dims(kernel.size(), 0));
  refuse_if(padding.size() != kernel.size(), "unsupported attributes");
  const bool shaped = !node.attribute("output_shape", Dims()).empty();
  return Window(node, kernel, y, x, [&](size_t d, int64_t pad, int64_t total) {
    const int64_t cut = std::max<int64_t>(total + padding[d], 0);
    if (automatic == "SAME_UPPER") return cut / 2;
    if (automatic == "SAME_LOWER" || shaped) return cut - cut / 2;
    return automatic == "VALID" ? 0 : pad;
  });
}

Window::Window(const Node& node, const Dims& kernel, const Dims& x, const Dims& y, const Begin& begin) {
  const size_t rank = kernel.size();
  strides = node.attribute("strides", Dims(rank, 1));
  dilations = node.attribute("dilations", Dims(rank, 1));
  const Dims pads = node.attribute("pads", Dims(2 * rank, 0));
  refuse_if(strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank, "unsupported attributes");
  for (size_t d = 0; d < rank; ++d) {
    const int64_t reach = (y[d + 2] - 1) * strides[d] + (kernel[d] - 1) * dilations[d] + 1;
    const int64_t total = reach - x[d + 2];
    const int64_t front = begin(d, pads[d], total);
    begins.push_back(front);
    ends.push_back(total - front);
    for (int64_t o = 0; o < y[d + 2]; ++o) {
      bool touches = false;
      for (int64_t k = 0; k < kernel[d] && !touches; ++k) {
        const int64_t at = o * strides[d] + k * dilations[d] - front;
        touches = at >= 0 && at < x[d + 2];
      }
      refuse_if(!touches, "a window lies entirely in the padding");
    }
    --dilations[d];
  }
}

}  // namespace percale::onednn

#include "devices/onednn/window.h"

#include <algorithm>

namespace percale::onednn {

Window::Window(const Node& node, const Dims& kernel, const Dims& x, const Dims& y) {
  const size_t rank = kernel.size();
  strides = node.attribute("strides", Dims(rank, 1));
  dilations = node.attribute("dilations", Dims(rank, 1));
  const Dims pads = node.attribute("pads", Dims(2 * rank, 0));
  const std::string_view automatic = node.attribute("auto_pad", std::string_view("NOTSET"));
  refuse_if(strides.size() != rank || dilations.size() != rank || pads.size() != 2 * rank, "odd attributes");
  for (size_t d = 0; d < rank; ++d) {
    const int64_t reach = (y[d + 2] - 1) * strides[d] + (kernel[d] - 1) * dilations[d] + 1;
    const int64_t total = reach - x[d + 2];
    int64_t begin = pads[d];
    if (automatic == "SAME_UPPER") begin = std::max<int64_t>(total, 0) / 2;
    if (automatic == "SAME_LOWER") begin = (std::max<int64_t>(total, 0) + 1) / 2;
    if (automatic == "VALID") begin = 0;
    begins.push_back(begin);
    ends.push_back(total - begin);
    for (int64_t o = 0; o < y[d + 2]; ++o) {
      bool touches = false;
      for (int64_t k = 0; k < kernel[d] && !touches; ++k) {
        const int64_t at = o * strides[d] + k * dilations[d] - begin;
        touches = at >= 0 && at < x[d + 2];
      }
      refuse_if(!touches, "a window lies wholly in the padding");
    }
    --dilations[d];
  }
}

}  // namespace percale::onednn

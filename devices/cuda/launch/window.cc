#include "devices/cuda/launch/window.h"

#include <algorithm>

namespace percale::cuda {
namespace {

// Reads everything except the pads that auto_pad asks for.
WindowArgs plain_window(const Node& node, const Dims& in, const Dims& out, const Dims& kernel) {
  const size_t rank = in.size();
  refuse_if(rank == 0 || rank > 3, "windows must have one to three dims");
  Dims strides = node.attribute("strides", Dims()), dilations = node.attribute("dilations", Dims()),
       pads = node.attribute("pads", Dims());
  strides.resize(rank, 1);
  dilations.resize(rank, 1);
  const std::string_view auto_pad = node.attribute("auto_pad", std::string_view("NOTSET"));
  if (!auto_pad.empty() && auto_pad != "NOTSET") pads.clear();
  pads.resize(2 * rank, 0);
  WindowArgs w{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}};
  for (size_t d = 0; d < rank; ++d) {
    const size_t i = 3 - rank + d;
    w.in[i] = in[d];
    w.out[i] = out[d];
    w.kernel[i] = kernel[d];
    w.stride[i] = strides[d];
    w.dilation[i] = dilations[d];
    w.pad[i] = pads[d];
    w.pad_end[i] = pads[d + rank];
  }
  return w;
}

// Splits the padding `total`. The larger half goes to the end, or to the start for SAME_LOWER.
void share_pads(WindowArgs& w, size_t i, int64_t total, bool upper) {
  w.pad[i] = upper ? total / 2 : total - total / 2;
  w.pad_end[i] = total - w.pad[i];
}

}  // namespace

WindowArgs window_of(const Node& node, const Dims& in, const Dims& out, const Dims& kernel) {
  WindowArgs w = plain_window(node, in, out, kernel);
  const std::string_view auto_pad = node.attribute("auto_pad", std::string_view("NOTSET"));
  const bool upper = auto_pad == "SAME_UPPER";
  if (!upper && auto_pad != "SAME_LOWER") return w;
  for (size_t i = 3 - in.size(); i < 3; ++i) {
    const int64_t reach = (w.out[i] - 1) * w.stride[i] + (w.kernel[i] - 1) * w.dilation[i] + 1;
    share_pads(w, i, std::max<int64_t>(reach - w.in[i], 0), upper);
  }
  return w;
}

WindowArgs transposed_window_of(const Node& node, const Dims& in, const Dims& out, const Dims& kernel) {
  // In and out are swapped: the node's output is the input of the convolution.
  WindowArgs w = plain_window(node, out, in, kernel);
  const std::string_view auto_pad = node.attribute("auto_pad", std::string_view("NOTSET"));
  const bool upper = auto_pad == "SAME_UPPER", same = upper || auto_pad == "SAME_LOWER";
  const Dims output_shape = node.attribute("output_shape", Dims());
  Dims more = node.attribute("output_padding", Dims());
  more.resize(in.size(), 0);
  if (output_shape.empty() && !same) return w;
  for (size_t d = 0; d < in.size(); ++d) {
    const size_t i = 3 - in.size() + d;
    const int64_t full = (w.out[i] - 1) * w.stride[i] + more[d] + (w.kernel[i] - 1) * w.dilation[i] + 1;
    share_pads(w, i, std::max<int64_t>(full - w.in[i], 0), upper);
  }
  return w;
}

}  // namespace percale::cuda

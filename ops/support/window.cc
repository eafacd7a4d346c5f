#include "ops/support/window.h"

#include <vector>

namespace percale {
namespace {

// Sets the pads of one spatial dim if `auto_pad` asks for it, and returns the output dim.
Result<int64_t> place(Window& w, size_t i, std::string_view auto_pad, bool ceil_mode) {
  const int64_t in = w.in[i], stride = w.stride[i], extent = w.extent(i);
  const bool same_upper = auto_pad == "SAME_UPPER";
  if (same_upper || auto_pad == "SAME_LOWER") {
    const int64_t out = (in + stride - 1) / stride;
    const int64_t total = std::max<int64_t>((out - 1) * stride + extent - in, 0);
    w.pad[i] = same_upper ? total / 2 : total - total / 2;
    w.pad_end[i] = total - w.pad[i];
    if (out == 0) return invalid_argument("the input has a spatial dim of size 0");
    return out;
  }
  const int64_t room = in + w.pad[i] + w.pad_end[i] - extent;
  if (room < 0) {
    return invalid_argument("a window of ", extent, " does not fit into ", in, " with pads ", w.pad[i], " and ",
                            w.pad_end[i]);
  }
  // A window added by ceil_mode must begin inside the input or its leading pads. VALID adds none.
  int64_t out = room / stride + 1;
  if (ceil_mode && auto_pad != "VALID" && room % stride != 0 && out * stride < in + w.pad[i]) ++out;
  return out;
}

}  // namespace

Result<std::vector<int64_t>> ints_or(const Attributes& attributes, std::string_view name, size_t count,
                                     int64_t fallback) {
  const auto& given = attributes.get_ints(name);
  if (given.empty()) return std::vector<int64_t>(count, fallback);
  if (given.size() != count) {
    return invalid_argument("attribute '", name, "' has ", static_cast<uint64_t>(given.size()), " entries, wanted ",
                            static_cast<uint64_t>(count));
  }
  return given;
}

Result<size_t> spatial_rank(const Shape& images) {
  if (images.rank() < 3 || images.rank() > 2 + kMaxSpatial) {
    return invalid_argument("the input has shape ", images, ", wanted [N,C,...] with 1 to 3 spatial dims");
  }
  return images.rank() - 2;
}

Result<std::vector<int64_t>> kernel_dims(const Attributes& attributes, const Shape& weights, size_t rank) {
  PERCALE_ASSIGN_OR_RETURN(auto dims, ints_or(attributes, "kernel_shape", rank, kUnknownDim));
  if (!weights.known_rank()) return dims;
  if (weights.rank() != rank + 2) {
    return invalid_argument("the weights have shape ", weights, ", wanted ", static_cast<uint64_t>(rank),
                            " spatial dims");
  }
  for (size_t i = 0; i < rank; ++i) {
    const int64_t have = weights[i + 2];
    if (have == 0) return invalid_argument("the weights have shape ", weights, ": an empty kernel");
    if (static_cast<double>(have) > kMaxWindow) return invalid_argument("the kernel dim ", have, " is too large");
    if (have >= 0 && dims[i] >= 0 && have != dims[i]) {
      return invalid_argument("attribute 'kernel_shape' says ", dims[i], " where the weights ", weights, " have ",
                              have);
    }
    if (dims[i] < 0) dims[i] = have;
  }
  return dims;
}

Result<Window> make_window(const Attributes& attributes, std::span<const int64_t> in, std::span<const int64_t> kernel) {
  const size_t rank = in.size();
  Window w;
  w.rank = rank;
  PERCALE_ASSIGN_OR_RETURN(const auto strides, ints_or(attributes, "strides", rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto dilations, ints_or(attributes, "dilations", rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto pads, ints_or(attributes, "pads", 2 * rank, 0));
  std::string_view auto_pad = attributes.get_string("auto_pad", "NOTSET");
  if (auto_pad.empty()) auto_pad = "NOTSET";
  if (auto_pad != "NOTSET" && auto_pad != "VALID" && auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER") {
    return invalid_argument("attribute 'auto_pad' is '", auto_pad, "', wanted NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  const bool ceil_mode = attributes.get_int("ceil_mode") != 0;
  for (size_t d = 0; d < rank; ++d) {
    const size_t i = w.first() + d;
    w.in[i] = in[d];
    w.kernel[i] = kernel[d];
    w.stride[i] = strides[d];
    w.dilation[i] = dilations[d];
    if (auto_pad == "NOTSET") {
      w.pad[i] = pads[d];
      w.pad_end[i] = pads[d + rank];
    }
    if (in[d] < 0 || kernel[d] < 0) {
      w.out[i] = kUnknownDim;
      continue;
    }
    PERCALE_ASSIGN_OR_RETURN(w.out[i], place(w, i, auto_pad, ceil_mode));
  }
  return w;
}

}  // namespace percale

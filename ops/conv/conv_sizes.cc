// Derives the sizes of a convolution, or of one of its gradients, from attributes and shapes.
#include "core/base/checked.h"
#include "ops/conv/conv_kernels.h"

namespace percale {
namespace {

// Returns the sizes of the convolution of `x` with weights `w`. All operands have the same dtype.
ConvSizes sizes_of(const NodeView& v, const Window& window, const Shape& x, const Shape& w) {
  return {.window = window,
          .batch = x[0],
          .in_c = x[1],
          .out_c = w[0],
          .groups = v.attributes.get_int("group", 1),
          .dtype = v.dtype(0)};
}

Result<ConvSizes> forward_sizes(const NodeView& v, const Shape& x, const Shape& w) {
  PERCALE_ASSIGN_OR_RETURN(const Window window, make_window(v.attributes, x.dims().subspan(2), w.dims().subspan(2)));
  return sizes_of(v, window, x, w);
}

}  // namespace

Result<Window> transpose_window(const Attributes& attributes, std::span<const int64_t> input_dims,
                                std::span<const int64_t> kernel) {
  const size_t rank = input_dims.size();
  Window w;
  w.rank = rank;
  PERCALE_ASSIGN_OR_RETURN(const auto strides, ints_or(attributes, "strides", rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto dilations, ints_or(attributes, "dilations", rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto pads, ints_or(attributes, "pads", 2 * rank, 0));
  PERCALE_ASSIGN_OR_RETURN(const auto output_padding, ints_or(attributes, "output_padding", rank, 0));
  PERCALE_ASSIGN_OR_RETURN(const auto output_shape, ints_or(attributes, "output_shape", rank, kUnknownDim));
  const std::string_view auto_pad = attributes.get_string("auto_pad", "NOTSET");
  const bool same_upper = auto_pad == "SAME_UPPER", same = same_upper || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID" && !auto_pad.empty()) {
    return invalid_argument("attribute 'auto_pad' is '", auto_pad, "', wanted NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  for (size_t d = 0; d < rank; ++d) {
    const size_t i = w.first() + d;
    w.out[i] = input_dims[d];
    w.kernel[i] = kernel[d];
    w.stride[i] = strides[d];
    w.dilation[i] = dilations[d];
    const int64_t more = output_padding[d];
    if (more > 0 && more >= std::max(strides[d], dilations[d])) {
      return invalid_argument("output_padding ", more, " must be smaller than the stride or the dilation");
    }
    if (output_shape[d] >= 0) w.in[i] = output_shape[d];
    if (input_dims[d] < 0 || kernel[d] < 0) {
      if (output_shape[d] < 0) w.in[i] = kUnknownDim;
      continue;
    }
    if (input_dims[d] == 0) return invalid_argument("the input has a spatial dim of size 0");
    const auto reach = checked_mul(strides[d], input_dims[d] - 1);
    if (!reach || *reach > kMaxDim)
      return invalid_argument("stride ", strides[d], " times ", input_dims[d], " exceeds 2^40");
    const int64_t full = *reach + more + w.extent(i);
    int64_t total = auto_pad == "NOTSET" || auto_pad.empty() ? pads[d] + pads[d + rank] : 0;
    w.pad[i] = total > 0 ? pads[d] : 0;
    if (output_shape[d] >= 0 || same) {
      const int64_t want = output_shape[d] >= 0 ? output_shape[d] : input_dims[d] * strides[d];
      total = std::max<int64_t>(full - want, 0);
      w.in[i] = want;
      w.pad[i] = same_upper ? total / 2 : total - total / 2;
    } else {
      w.in[i] = full - total;
      if (w.in[i] > kMaxDim) return invalid_argument("an output dim of ", w.in[i], " exceeds 2^40");
      if (w.in[i] < 1) return invalid_argument("pads of ", total, " leave no output of the full size ", full);
    }
    w.pad_end[i] = total - w.pad[i];
  }
  return w;
}

Result<ConvSizes> conv_sizes(const NodeView& v) {
  PERCALE_ASSIGN_OR_RETURN(ConvSizes s, forward_sizes(v, v.shape(0), v.shape(1)));
  s.has_bias = v.has_input(2);
  return s;
}

Result<ConvSizes> conv_transpose_sizes(const NodeView& v) {
  const Shape &dy = v.shape(0), &w = v.shape(1);
  PERCALE_ASSIGN_OR_RETURN(const Window window,
                           transpose_window(v.attributes, dy.dims().subspan(2), w.dims().subspan(2)));
  ConvSizes s = sizes_of(v, window, v.output_shape(0), w);
  s.has_bias = v.has_input(2);
  return s;
}

Result<ConvSizes> conv_grad_input_sizes(const NodeView& v) { return forward_sizes(v, v.output_shape(0), v.shape(1)); }
Result<ConvSizes> conv_grad_weight_sizes(const NodeView& v) { return forward_sizes(v, v.shape(0), v.output_shape(0)); }

}  // namespace percale

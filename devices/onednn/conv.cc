// Convolutions.
#include "devices/onednn/conv.h"

#include <algorithm>
#include <utility>

#include "devices/onednn/kernels.h"
#include "devices/onednn/post_ops.h"

namespace percale::onednn {

using dnnl::convolution_forward;

ConvDims::ConvDims(const Node& node, const Dims& image, const Dims& w, const Dims& result)
    : x(image),
      weights(w),
      y(result),
      window(node, Dims(w.begin() + 2, w.end()), image, result),
      flops(2.0 * static_cast<double>(elements(y) * (elements(w) / std::max<int64_t>(w[0], 1)))),
      column(x.size() == 4 && x[3] == 1 && w[3] == 1 && y[3] == 1) {
  refuse_if(x.size() < 3 || x.size() > 5, "only one to three spatial dims");
  refuse_if(is_empty(x) || is_empty(w) || is_empty(y), "an operand is empty");
  x = laid(x), y = laid(y);
  for (Dims* dims : {&window.strides, &window.dilations, &window.begins, &window.ends}) *dims = laid(*dims, 0);
  weights = grouped(laid(w), node.attribute("group", int64_t{1}));
}

Dims ConvDims::laid(Dims dims, size_t first) const {
  if (column) std::swap(dims[first], dims[first + 1]);
  return dims;
}

void refuse_where_core_is_fast(const Node& node, size_t image, const char* reason) {
  refuse_if(node.dtype(image) == PERCALE_DTYPE_F32 && node.dims(image).size() <= 4 && node.format(image) == nullptr,
            reason);
}

void prepare_conv(Plan& plan, Steps& steps) {
  const Node& whole = plan.node();
  const Anchor anchor = find_anchor(whole, "Conv");
  const Node& node = anchor.node;
  const DataType type = float_type(node.dtype(0)), result = float_type(whole.output_dtype(0));
  if (!whole.prepared(static_cast<size_t>(anchor.operands[1]))) {
    refuse_if(anchor.operands[0] < 0, "the image is a constant of the group");
    refuse_where_core_is_fast(whole, static_cast<size_t>(anchor.operands[0]),
                              "the weights change from run to run: the core's own kernel packs them as it goes");
  }
  // Measured on 16 to 258 channels of 25 places: 8 to 80 us for what takes the core 3 to 10, and Reorders around it.
  refuse_if(node.dims(0).size() == 3 && node.attribute("group", int64_t{1}) == node.dims(0)[1] && node.dims(0)[1] > 1,
            "one spatial dim, each channel by itself: the core's own kernel is faster");
  const ConvDims conv(node, node.dims(0), node.dims(1), node.output_dims());
  const Dims &x = conv.x, &y = conv.y, &weights = conv.weights;
  const Window& window = conv.window;
  const bool bias = anchor.has(2);
  plan.add(steps, pieces_for(conv.flops, type), [&](bool formats) {
    const auto desc = [&](const Dims& dims, DataType t) { return formats ? any_format(dims, t) : row_major(dims, t); };
    const PostOps post_ops = find_post_ops(whole, [&](const Dims& given, DataType t) {
      const Dims dims = conv.laid(given);
      return dims == y ? desc(dims, t) : row_major(dims, t);
    });
    const MemoryDesc bias_desc = bias ? row_major({y[1]}, type) : MemoryDesc();
    const convolution_forward::primitive_desc primitive(
        cpu_engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, desc(x, type),
        desc(weights, type), bias_desc, desc(y, result), window.strides, window.dilations, window.begins, window.ends,
        attributes(post_ops.ops));
    refuse_reference(primitive);
    Made made{[primitive] { return convolution_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, anchor.operands[0], primitive.src_desc(), x);
    made.add(DNNL_ARG_WEIGHTS, anchor.operands[1], primitive.weights_desc(), weights);
    if (bias) made.add(DNNL_ARG_BIAS, anchor.operands[2], bias_desc, {y[1]});
    made.add(DNNL_ARG_DST, static_cast<int>(whole.inputs()), primitive.dst_desc(), y);
    add_operands(made, post_ops, primitive, [&](const Dims& dims) { return conv.laid(dims); });
    return made;
  });
}

}  // namespace percale::onednn

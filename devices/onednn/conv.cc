// Convolutions.
#include <utility>

#include "devices/onednn/kernels.h"
#include "devices/onednn/post_ops.h"
#include "devices/onednn/window.h"

namespace percale::onednn {
using dnnl::convolution_forward;

void prepare_conv(Plan& plan, Steps& steps) {
  const Node& whole = plan.node();
  const Anchor anchor = find_anchor(whole, "Conv");
  const Node& node = anchor.node;
  const DataType type = float_type(node.dtype(0)), result = float_type(whole.output_dtype(0));
  refuse_if(!whole.prepared(static_cast<size_t>(anchor.operands[1])), "the weights change from run to run");
  Dims x = node.dims(0), w = node.dims(1), y = node.output_dims();
  refuse_if(x.size() < 3 || x.size() > 5, "only one to three spatial dims");
  refuse_if(is_empty(x) || is_empty(w) || is_empty(y), "an operand is empty");
  Window window(node, Dims(w.begin() + 2, w.end()), x, y);
  // An image of one column is one of one row, byte for byte; oneDNN has faster code for rows.
  const bool column = x.size() == 4 && x[3] == 1 && w[3] == 1 && y[3] == 1;
  const auto laid = [column](Dims dims, size_t first = 2) {
    if (column) std::swap(dims[first], dims[first + 1]);
    return dims;
  };
  x = laid(x), w = laid(w), y = laid(y);
  for (Dims* dims : {&window.strides, &window.dilations, &window.begins, &window.ends}) *dims = laid(*dims, 0);

  const Dims weights = grouped(w, node.attribute("group", int64_t{1}));
  const bool bias = anchor.has(2);
  const double flops = 2.0 * static_cast<double>(elements(y) * (elements(w) / w[0]));
  plan.add(steps, flops, [&](bool formats) {
    const auto desc = [&](const Dims& dims, DataType t) { return formats ? any_format(dims, t) : row_major(dims, t); };
    const PostOps post_ops = find_post_ops(whole, [&](const Dims& given, DataType t) {
      const Dims dims = laid(given);
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
    add_operands(made, post_ops, primitive, [&](const Dims& dims) { return laid(dims); });
    return made;
  });
}

}  // namespace percale::onednn

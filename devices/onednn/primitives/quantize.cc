// Quantises f32 tensors to 8-bit integers, in any format. Dequantisation is a Cast and a chain.
#include "devices/onednn/primitives/int8.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

// Describes a scale or zero point that broadcasts to x. Scales along an axis are refused: oneDNN
// mistakes per-channel scales for another kind if only one element follows the channel dim. Such
// scales belong to weights, which are quantised once.
MemoryDesc number(const Node& node, size_t i, const Dims& x) {
  refuse_if(elements(node.dims(i)) != 1, "scales along an axis are not supported");
  return row_major(Dims(x.size(), 1), data_type(node.dtype(i)));
}

}  // namespace

// Computes round(x / scale) + zero, clamped to the type.
void prepare_quantize(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  refuse_if(node.dtype(0) != PERCALE_DTYPE_F32 || node.dtype(1) != PERCALE_DTYPE_F32, "supports only f32");
  refuse_if(is_empty(x) || x.empty(), "the input has a single element or none");
  refuse_if(node.attribute("precision", int64_t{0}) != 0, "the attribute 'precision' is not supported");
  const DataType result = byte_type(node.output_dtype(0));
  const bool has_zero = node.has(2);
  const MemoryDesc scale = number(node, 1, x), zero = has_zero ? number(node, 2, x) : MemoryDesc();
  const char* const format = node.layout(0);
  plan.add(steps, pieces_for(16.0 * static_cast<double>(elements(x))), [&](bool formats) {
    MemoryDesc from = lying_in(formats ? format : nullptr, x, DataType::f32);
    // A format that is not described by strides has no counterpart in another type.
    if (!is_strided(from)) from = row_major(x, DataType::f32);
    const MemoryDesc to(x, result, from.get_strides());
    dnnl::post_ops ops;
    ops.append_eltwise(dnnl::algorithm::eltwise_round, 0, 0);
    if (has_zero) ops.append_binary(dnnl::algorithm::binary_add, zero);
    const dnnl::binary::primitive_desc primitive(cpu_engine(), dnnl::algorithm::binary_div, from, scale, to,
                                                 attributes(ops));
    refuse_reference(primitive);
    Made made{[primitive] { return dnnl::binary(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC_0, 0, from, x);
    made.add(DNNL_ARG_SRC_1, 1, scale, scale.get_dims());
    if (has_zero) made.add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, 2, zero, zero.get_dims());
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), to, x);
    return made;
  });
}

}  // namespace percale::onednn

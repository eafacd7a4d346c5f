// Convolutions of 8-bit integers by weights whose zero point is the middle of their type.
#include "devices/onednn/primitives/int8.h"
#include "devices/onednn/primitives/window.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::convolution_forward;

struct IntegerConv {
  size_t x, w, bias;  // inputs of the node
  ZeroPoint zero;     // of x
  DataType result;
  std::optional<Requantization> requantization = {};
};

void add_conv(Plan& plan, Steps& steps, const IntegerConv& conv) {
  const Node& node = plan.node();
  const DataType type = byte_type(node.dtype(conv.x));
  const Dims x = node.dims(conv.x), w = node.dims(conv.w), y = node.output_dims();
  refuse_if(x.size() < 3 || x.size() > 5, "supports only one to three spatial dims");
  refuse_if(is_empty(x) || is_empty(w) || is_empty(y), "an operand has no elements");
  const Window window(node, Dims(w.begin() + 2, w.end()), x, y);
  const Dims weights = grouped(w, node.attribute("group", int64_t{1}));
  const bool bias = node.has(conv.bias);
  Dims per_channel(y.size(), 1);
  per_channel[1] = y[1];
  const double flops = 2.0 * static_cast<double>(elements(y) * (elements(w) / w[0]));
  plan.add_all(steps, pieces_for(flops, type), [&](bool formats) {
    const auto desc = [&](const Dims& dims, DataType t) { return formats ? any_format(dims, t) : row_major(dims, t); };
    dnnl::primitive_attr attr =
        attributes(conv.requantization ? post_ops_of(*conv.requantization, per_channel) : dnnl::post_ops());
    if (!conv.zero.is_zero()) attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    const MemoryDesc bias_desc = bias ? row_major({y[1]}, DataType::s32) : MemoryDesc();
    const convolution_forward::primitive_desc primitive(
        cpu_engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, desc(x, type),
        desc(weights, DataType::s8), bias_desc, desc(y, conv.result), window.strides, window.dilations, window.begins,
        window.ends, attr);
    // For row-major operands there is no other code.
    if (formats) refuse_reference(primitive);
    const int slot = !formats && node.dtype(conv.w) == PERCALE_DTYPE_U8 ? 0 : -1;
    Made made{[primitive] { return convolution_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, static_cast<int>(conv.x), primitive.src_desc(), x);
    add_weights(made, static_cast<int>(conv.w), slot, node.dtype(conv.w), primitive.weights_desc(), weights);
    if (bias) made.add(DNNL_ARG_BIAS, static_cast<int>(conv.bias), bias_desc, {y[1]});
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), primitive.dst_desc(), y);
    add_zero_point(made, DNNL_ARG_SRC, conv.zero);
    if (conv.requantization) add_factors(made, *conv.requantization, per_channel);
    return slot < 0 ? std::vector{made} : std::vector{in_s8(static_cast<int>(conv.w), slot, weights), made};
  });
}

// Subtracting a zero point from the weights would not leave them in 8 bits.
void check_weights(const Node& node, size_t weights, size_t zero) {
  refuse_if(!node.is_precomputed(weights) && node.constant(weights) == nullptr, "the weights are not constant");
  refuse_if(!weight_zero_point(node, weights, zero).is_zero(),
            "the zero point of the weights must be 0 for i8 or 128 for u8");
}

}  // namespace

void prepare_conv_integer(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  check_weights(node, 1, 3);
  const ZeroPoint zero = zero_point(node, 2);
  refuse_if(is_empty(node.dims(1)), "an operand has no elements");
  refuse_inexact(plan, 0, 1, zero, {0}, Filters::kRows);
  add_conv(plan, steps, {.x = 0, .w = 1, .bias = SIZE_MAX, .zero = zero, .result = DataType::s32});
}

void prepare_qlinear_conv(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  check_weights(node, 3, 5);
  const ZeroPoint zero = zero_point(node, 2);
  refuse_if(!zero.value, "the zero point of x is unknown before the run");
  const Requantization r = requantization(node, 1, 4, 6, 7, node.dims(3)[0]);
  add_conv(plan, steps,
           {.x = 0, .w = 3, .bias = 8, .zero = zero, .result = byte_type(node.output_dtype(0)), .requantization = r});
}

}  // namespace percale::onednn

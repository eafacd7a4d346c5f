// The gradients of convolutions.
#include "devices/onednn/primitives/conv.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::convolution_backward_data;
using dnnl::convolution_backward_weights;
using dnnl::convolution_forward;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// Each piece may sum weights of its own, so their number is limited to keep scratch small.
constexpr int kMostWeightPieces = 8;

struct Descs {
  MemoryDesc x, weights, y;

  Descs(const ConvDims& conv, DataType type, bool formats)
      : x(describe(conv.x, type, formats)),
        weights(describe(conv.weights, type, formats)),
        y(describe(conv.y, type, formats)) {}
  static MemoryDesc describe(const Dims& dims, DataType type, bool formats) {
    return formats ? any_format(dims, type) : row_major(dims, type);
  }

  // Returns the convolution whose gradient is computed.
  convolution_forward::primitive_desc forward(const ConvDims& conv) const {
    return {cpu_engine(),
            dnnl::prop_kind::forward_training,
            kDirect,
            x,
            weights,
            y,
            conv.window.strides,
            conv.window.dilations,
            conv.window.begins,
            conv.window.ends};
  }
};

constexpr const char* kCoreIsFaster = "the operands are row-major, where the core's own kernel is faster";

}  // namespace

void prepare_conv_grad_input(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const DataType type = float_type(node.dtype(0));
  refuse_where_core_is_fast(node, 0, kCoreIsFaster);
  const ConvDims conv(node, node.output_dims(), node.dims(1), node.dims(0));
  plan.add(steps, pieces_for(conv.flops, type), [&](bool formats) {
    const Descs d(conv, type, formats);
    const convolution_backward_data::primitive_desc primitive(
        cpu_engine(), kDirect, d.x, d.weights, d.y, conv.window.strides, conv.window.dilations, conv.window.begins,
        conv.window.ends, d.forward(conv), attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return convolution_backward_data(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_DIFF_DST, 0, primitive.diff_dst_desc(), conv.y);
    made.add(DNNL_ARG_WEIGHTS, 1, primitive.weights_desc(), conv.weights);
    made.add(DNNL_ARG_DIFF_SRC, static_cast<int>(node.inputs()), primitive.diff_src_desc(), conv.x);
    return made;
  });
}

void prepare_conv_grad_weight(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const DataType type = float_type(node.dtype(0));
  refuse_if(node.layout(1) == nullptr && node.dtype(0) == PERCALE_DTYPE_F32 && node.dims(0).size() <= 4, kCoreIsFaster);
  const ConvDims conv(node, node.dims(0), node.output_dims(), node.dims(1));
  const bool bias = node.gives(1);
  const int first = static_cast<int>(node.inputs());
  plan.add_all(steps, std::min(pieces_for(conv.flops, type), kMostWeightPieces), [&](bool formats) {
    const Descs d(conv, type, formats);
    const MemoryDesc bias_desc = bias ? row_major({conv.y[1]}, type) : MemoryDesc();
    const convolution_backward_weights::primitive_desc primitive(
        cpu_engine(), kDirect, d.x, d.weights, bias_desc, d.y, conv.window.strides, conv.window.dilations,
        conv.window.begins, conv.window.ends, d.forward(conv), attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return convolution_backward_weights(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, 0, primitive.src_desc(), conv.x);
    made.add(DNNL_ARG_DIFF_DST, 1, primitive.diff_dst_desc(), conv.y);
    made.add(DNNL_ARG_DIFF_WEIGHTS, first, primitive.diff_weights_desc(), conv.weights);
    if (bias) made.add(DNNL_ARG_DIFF_BIAS, first + 1, bias_desc, {conv.y[1]});
    return std::vector{made};
  });
}

}  // namespace percale::onednn

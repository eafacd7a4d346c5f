// Transposed convolutions.
#include <string_view>
#include <utility>

#include "devices/onednn/primitives/window.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::deconvolution_forward;

// True if oneDNN is faster even with Reorders of a row-major image. For f32 and two spatial dims,
// the core's own kernel multiplies and accumulates, and is as good if the convolution is small. The
// core has no kernel for bf16.
bool is_worth_a_reorder(const Node& node, double flops) {
  const Dims x = node.dims(0);
  if (node.layout(0) != nullptr || node.dtype(0) == PERCALE_DTYPE_BF16 || x.size() != 4) return true;
  return flops >= 500.0 * static_cast<double>(elements(x) + elements(node.output_dims()));
}

}  // namespace

void prepare_conv_transpose(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const DataType type = float_type(node.dtype(0));
  refuse_if(!node.is_precomputed(1), "the weights are not constant");
  const Dims x = node.dims(0), w = node.dims(1), y = node.output_dims();
  refuse_if(x.size() < 3 || x.size() > 5, "supports only one to three spatial dims");
  refuse_if(is_empty(x) || is_empty(w) || is_empty(y), "an operand has no elements");
  const Window window = Window::transposed(node, Dims(w.begin() + 2, w.end()), x, y);
  // oneDNN defines the weights [C, M, ...] as [M, C, ...].
  Dims weights = w, lie = strides_of(w);
  std::swap(weights[0], weights[1]);
  std::swap(lie[0], lie[1]);
  const bool bias = node.has(2);
  const double flops = 2.0 * static_cast<double>(elements(x) * (elements(w) / w[0]));
  refuse_if(x[1] < 16 || y[1] < 16 || node.attribute("group", int64_t{1}) > 1,
            "with few channels or with groups, the core's own kernel is faster");
  const bool product = elements(x) == x[0] * x[1];  // an image of one pixel
  refuse_if(!product && !is_worth_a_reorder(node, flops),
            "the input is row-major, where the core's own kernel is as fast");
  plan.add(steps, pieces_for(flops, type), [&](bool formats) {
    const auto desc = [&](const Dims& dims, const Dims& strides) {
      return formats ? any_format(dims, type) : MemoryDesc(dims, type, strides);
    };
    const MemoryDesc bias_desc = bias ? row_major({y[1]}, type) : MemoryDesc();
    const deconvolution_forward::primitive_desc primitive(
        cpu_engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct, desc(x, strides_of(x)),
        desc(weights, lie), bias_desc, desc(y, strides_of(y)), window.strides, window.dilations, window.begins,
        window.ends, attributes());
    // oneDNN's other implementations run gradients of convolutions, and are slower than the core's
    // own kernel.
    const bool fast = std::string_view(primitive.impl_info_str()).starts_with("brg_deconv");
    refuse_if(formats && !fast && !product, "oneDNN has no fast implementation");
    Made made{[primitive] { return deconvolution_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, 0, primitive.src_desc(), x);
    made.add(DNNL_ARG_WEIGHTS, 1, primitive.weights_desc(), weights, lie);
    if (bias) made.add(DNNL_ARG_BIAS, 2, bias_desc, {y[1]});
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), primitive.dst_desc(), y);
    return made;
  });
}

}  // namespace percale::onednn

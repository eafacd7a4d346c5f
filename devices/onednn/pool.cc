// Pools of images that already lie in a format of oneDNN's. Row-major ones the core's own kernels pool as fast.
#include "devices/onednn/kernels.h"
#include "devices/onednn/window.h"

namespace percale::onednn {
namespace {

using dnnl::pooling_forward;

void add_pool(Plan& plan, Steps& steps, dnnl::algorithm algorithm, const Dims& kernel, const Window& window) {
  const Node& node = plan.node();
  const Dims x = node.dims(0), y = node.output_dims();
  const char* format = node.format(0);
  const DataType type = float_type(node.dtype(0));
  plan.add(steps, static_cast<double>(elements(y) * elements(kernel)), [&](bool formats) {
    const MemoryDesc src = formats && format != nullptr ? decode(format).in_format : row_major(x, type);
    const MemoryDesc dst = formats ? any_format(y, type) : row_major(y, type);
    const pooling_forward::primitive_desc primitive(cpu_engine(), dnnl::prop_kind::forward_inference, algorithm, src,
                                                    dst, window.strides, kernel, window.dilations, window.begins,
                                                    window.ends, attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return pooling_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, 0, primitive.src_desc(), x);
    made.add(DNNL_ARG_DST, 1, primitive.dst_desc(), y);
    return made;
  });
}

void check(const Node& node) {
  refuse_if(float_type(node.dtype(0)) == DataType::f32 && node.format(0) == nullptr,
            "the input is row-major: the core's own kernel is as fast");
  refuse_if(is_empty(node.dims(0)) || is_empty(node.output_dims()), "an operand is empty");
}

Dims kernel_shape(const Node& node) {
  const Dims kernel = node.attribute("kernel_shape", Dims());
  refuse_if(kernel.empty() || kernel.size() + 2 != node.dims(0).size(), "odd attributes");
  return kernel;
}

}  // namespace

void prepare_max_pool(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  check(node);
  refuse_if(node.gives(1), "the indices are asked for");
  const Dims kernel = kernel_shape(node);
  add_pool(plan, steps, dnnl::algorithm::pooling_max, kernel, Window(node, kernel, node.dims(0), node.output_dims()));
}

void prepare_average_pool(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  check(node);
  const Dims kernel = kernel_shape(node);
  const Window window(node, kernel, node.dims(0), node.output_dims());
  // What a window that ceil_mode lets hang over the edge counts, each framework says otherwise.
  const bool count = node.attribute("count_include_pad", int64_t{0}) != 0;
  refuse_if(count && node.attribute("ceil_mode", int64_t{0}) != 0, "ceil_mode with count_include_pad");
  const auto algorithm =
      count ? dnnl::algorithm::pooling_avg_include_padding : dnnl::algorithm::pooling_avg_exclude_padding;
  add_pool(plan, steps, algorithm, kernel, window);
}

void prepare_global_average_pool(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  check(node);
  const Dims x = node.dims(0), kernel(x.begin() + 2, x.end());
  add_pool(plan, steps, dnnl::algorithm::pooling_avg_include_padding, kernel,
           Window(node, kernel, x, node.output_dims()));
}

}  // namespace percale::onednn

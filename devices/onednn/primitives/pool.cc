// Pools of images that are already in a format of oneDNN. For row-major images the core's own
// kernels are as fast.
#include <algorithm>
#include <iterator>
#include <numeric>

#include "devices/onednn/primitives/window.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::pooling_backward;
using dnnl::pooling_forward;

// True for 8-bit integers in a format. These come from a convolution and go to one.
bool holds_bytes(const Node& node) {
  return node.layout(0) != nullptr && (node.dtype(0) == PERCALE_DTYPE_U8 || node.dtype(0) == PERCALE_DTYPE_I8);
}

// `y` has the result's dims, including the spatial ones.
void add_pool(Plan& plan, Steps& steps, dnnl::algorithm algorithm, const Dims& kernel, const Window& window,
              const Dims& y) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const char* format = node.layout(0);
  const DataType type = holds_bytes(node) ? data_type(node.dtype(0)) : float_type(node.dtype(0));
  plan.add(steps, pieces_for(static_cast<double>(elements(y) * elements(kernel))), [&](bool formats) {
    const MemoryDesc src = lying_in(formats ? format : nullptr, x, type);
    const MemoryDesc dst = formats && y == node.output_dims() ? any_format(y, type) : row_major(y, type);
    const pooling_forward::primitive_desc primitive(cpu_engine(), dnnl::prop_kind::forward_inference, algorithm, src,
                                                    dst, window.strides, kernel, window.dilations, window.begins,
                                                    window.ends, attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return pooling_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, 0, primitive.src_desc(), x);
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), primitive.dst_desc(), y);
    return made;
  });
}

// Computes the gradient dX from dY (input 0), and for maxima from X (input `image`). A forward
// primitive finds the positions of the maxima again; its result is not used.
void add_pool_grad(Plan& plan, Steps& steps, dnnl::algorithm algorithm, const Dims& kernel, const Window& window,
                   int image) {
  const Node& node = plan.node();
  const Dims x = node.output_dims(), y = node.dims(0);
  const DataType type = float_type(node.dtype(0));
  const int dx = static_cast<int>(node.inputs());
  const bool maximum = algorithm == dnnl::algorithm::pooling_max;
  const char* const dy_format = node.layout(0);
  const char* const x_format = maximum ? node.layout(static_cast<size_t>(image)) : nullptr;
  enum Slot { kWorkspace, kResult };
  plan.add_all(steps, pieces_for(static_cast<double>(elements(y) * elements(kernel))), [&](bool formats) {
    const auto desc = [&](const char* own, const Dims& dims, const char* other) {
      if (!formats || (own == nullptr && other == nullptr)) return row_major(dims, type);
      return own != nullptr ? decode(own).in_format : any_format(dims, type);
    };
    // One of the two has a format; the other one follows it.
    const MemoryDesc src = desc(x_format, x, dy_format);
    const MemoryDesc dst = x_format != nullptr ? desc(nullptr, y, x_format) : desc(dy_format, y, nullptr);
    const pooling_forward::primitive_desc forward(cpu_engine(), dnnl::prop_kind::forward_training, algorithm, src, dst,
                                                  window.strides, kernel, window.dilations, window.begins, window.ends,
                                                  attributes());
    const pooling_backward::primitive_desc primitive(cpu_engine(), algorithm, forward.src_desc(), forward.dst_desc(),
                                                     window.strides, kernel, window.dilations, window.begins,
                                                     window.ends, forward, attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return pooling_backward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_DIFF_DST, 0, primitive.diff_dst_desc(), y);
    made.add(DNNL_ARG_DIFF_SRC, dx, primitive.diff_src_desc(), x);
    if (!maximum) return std::vector{made};
    refuse_reference(forward);
    Made again{[forward] { return pooling_forward(forward); }, forward.scratchpad_desc(), {}};
    again.add(DNNL_ARG_SRC, image, forward.src_desc(), x);
    again.add_scratch(DNNL_ARG_DST, kResult, forward.dst_desc());
    again.add_scratch(DNNL_ARG_WORKSPACE, kWorkspace, forward.workspace_desc());
    made.add_scratch(DNNL_ARG_WORKSPACE, kWorkspace, forward.workspace_desc());
    return std::vector{again, made};
  });
}

// The core has SIMD kernels for f32 with up to two spatial dims.
void check(const Node& node, size_t image, const Dims& x, const Dims& y) {
  refuse_if(!holds_bytes(node) && float_type(node.dtype(0)) == DataType::f32 && x.size() <= 4 &&
                node.layout(0) == nullptr && node.layout(image) == nullptr,
            "the input is row-major, where the core's own kernel is as fast");
  refuse_if(is_empty(x) || is_empty(y), "an operand has no elements");
}
void check(const Node& node) { check(node, 0, node.dims(0), node.output_dims()); }

Dims kernel_shape(const Node& node, const Dims& x) {
  if (node.attribute("global", int64_t{0}) != 0) return Dims(x.begin() + 2, x.end());
  const Dims kernel = node.attribute("kernel_shape", Dims());
  refuse_if(kernel.empty() || kernel.size() + 2 != x.size(), "unsupported attributes");
  return kernel;
}
Dims kernel_shape(const Node& node) { return kernel_shape(node, node.dims(0)); }

dnnl::algorithm average_of(const Node& node) {
  // Frameworks disagree about what a window counts if ceil_mode lets it extend beyond the edge.
  const bool count = node.attribute("count_include_pad", int64_t{0}) != 0;
  refuse_if(count && node.attribute("ceil_mode", int64_t{0}) != 0, "ceil_mode with count_include_pad is not supported");
  return count ? dnnl::algorithm::pooling_avg_include_padding : dnnl::algorithm::pooling_avg_exclude_padding;
}

// Computes one number for each channel of an image.
void add_global_pool(Plan& plan, Steps& steps, dnnl::algorithm algorithm) {
  const Node& node = plan.node();
  check(node);
  const Dims x = node.dims(0), kernel(x.begin() + 2, x.end());
  Dims y(x.size(), 1);
  std::copy_n(x.begin(), 2, y.begin());
  add_pool(plan, steps, algorithm, kernel, Window(node, kernel, x, y), y);
}

constexpr auto kMean = dnnl::algorithm::pooling_avg_include_padding;

}  // namespace

void prepare_max_pool(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  check(node);
  refuse_if(node.gives(1), "the indices are requested as outputs");
  const Dims kernel = kernel_shape(node);
  add_pool(plan, steps, dnnl::algorithm::pooling_max, kernel, Window(node, kernel, node.dims(0), node.output_dims()),
           node.output_dims());
}

void prepare_average_pool(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  check(node);
  const Dims kernel = kernel_shape(node);
  const Window window(node, kernel, node.dims(0), node.output_dims());
  add_pool(plan, steps, average_of(node), kernel, window, node.output_dims());
}

void prepare_global_average_pool(Plan& plan, Steps& steps) { add_global_pool(plan, steps, kMean); }
void prepare_global_max_pool(Plan& plan, Steps& steps) { add_global_pool(plan, steps, dnnl::algorithm::pooling_max); }

void prepare_reduce_mean(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  refuse_if(node.layout(0) == nullptr, "the input is row-major, where the core's own kernel is as fast");
  const auto rank = std::ssize(node.dims(0));
  Dims axes = node.attribute("axes", Dims());
  if (node.has(1)) {
    const auto* const given = static_cast<const int64_t*>(node.constant(1));
    refuse_if(given == nullptr, "the axes are unknown before the run");
    axes.assign(given, given + elements(node.dims(1)));
  }
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  Dims spatial(static_cast<size_t>(rank - 2));
  std::iota(spatial.begin(), spatial.end(), int64_t{2});
  refuse_if(axes != spatial, "the axes are not the spatial dims");
  add_global_pool(plan, steps, kMean);
}

void prepare_max_pool_grad(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Dims x = node.dims(1), y = node.dims(0);
  check(node, 1, x, y);
  const Dims kernel = kernel_shape(node, x);
  add_pool_grad(plan, steps, dnnl::algorithm::pooling_max, kernel, Window(node, kernel, x, y), 1);
}

void prepare_average_pool_grad(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Dims x = node.output_dims(), y = node.dims(0);
  check(node, 0, x, y);
  const Dims kernel = kernel_shape(node, x);
  add_pool_grad(plan, steps, average_of(node), kernel, Window(node, kernel, x, y), 0);
}

}  // namespace percale::onednn

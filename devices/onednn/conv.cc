// Convolutions.
#include "devices/onednn/conv.h"

#include <algorithm>
#include <iterator>
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

namespace {

// Some of the pixels of a convolution that takes them one by one, of images that lie pixel by pixel.
struct Pixels {
  int64_t first, count;
  MemoryDesc weights;

  Dims of(const Dims& image) const { return {1, image[1], 1, count}; }
  // Operands that are images begin with the first of them.
  void move(Made& made, const Dims& x, const Dims& y) const {
    for (Made::Operand& operand : made.operands) {
      const MemoryDesc& desc = operand.argument.desc;
      const Dims dims = desc.get_dims();
      if (dims != x && dims != y) continue;
      operand.argument.offset =
          static_cast<size_t>(first * dims[1]) * dnnl::memory::data_type_size(desc.get_data_type());
    }
  }
};

// Whether each result depends on one pixel and on what is the same for all, or lies as the result does; and whether the weights,
// which each part reads, fit into the cache next to a core.
bool takes_pixels(const ConvDims& conv, const PostOps& post_ops) {
  const Window& w = conv.window;
  const auto all = [](const Dims& dims, int64_t n) {
    return std::count(dims.begin(), dims.end(), n) == std::ssize(dims);
  };
  const auto fits = [&](const BinaryOperand& o) {
    return conv.laid(o.dims) == conv.y || elements(o.dims) == o.dims[1];
  };
  constexpr int64_t kWeights = 1 << 19, kPixels = 4;  // a part of one pixel would have the dims of what is per channel
  return conv.weights.size() == 4 && elements(conv.weights) <= kWeights && conv.weights[2] == 1 &&
         conv.weights[3] == 1 && all(w.strides, 1) && all(w.begins, 0) && all(w.ends, 0) &&
         elements(conv.y) >= kPixels * conv.y[1] &&
         std::all_of(post_ops.operands.begin(), post_ops.operands.end(), fits);
}

}  // namespace

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
  const Window& window = conv.window;
  const bool bias = anchor.has(2);
  // All of it; or, where images lie pixel by pixel, so many pixels.
  const auto make = [&](bool formats, const Pixels* part) {
    const Dims x = part != nullptr ? part->of(conv.x) : conv.x, y = part != nullptr ? part->of(conv.y) : conv.y;
    const auto image = [&](const Dims& dims, DataType t) {
      if (part != nullptr) return MemoryDesc(dims, t, dnnl::memory::format_tag::nhwc);
      return formats ? any_format(dims, t) : row_major(dims, t);
    };
    const auto as_part = [&](const Dims& dims) { return conv.laid(dims) == conv.y ? y : conv.laid(dims); };
    const PostOps post_ops = find_post_ops(whole, [&](const Dims& given, DataType t) {
      const Dims dims = as_part(given);
      return dims == y ? image(dims, t) : row_major(dims, t);
    });
    const MemoryDesc bias_desc = bias ? row_major({y[1]}, type) : MemoryDesc();
    const MemoryDesc weights = formats ? any_format(conv.weights, type) : row_major(conv.weights, type);
    const convolution_forward::primitive_desc primitive(
        cpu_engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, image(x, type),
        part != nullptr ? part->weights : weights, bias_desc, image(y, result), window.strides, window.dilations,
        window.begins, window.ends, attributes(post_ops.ops));
    refuse_reference(primitive);
    Made made{[primitive] { return convolution_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, anchor.operands[0], primitive.src_desc(), x);
    made.add(DNNL_ARG_DST, static_cast<int>(whole.inputs()), primitive.dst_desc(), y);
    add_operands(made, post_ops, primitive, as_part);
    if (part != nullptr) part->move(made, x, y);
    made.add(DNNL_ARG_WEIGHTS, anchor.operands[1], primitive.weights_desc(), conv.weights);
    if (bias) made.add(DNNL_ARG_BIAS, anchor.operands[2], bias_desc, {y[1]});
    return made;
  };
  const auto make_whole = [&](bool formats) { return make(formats, nullptr); };
  const int pieces = pieces_for(conv.flops, type);
  if (pieces != 2 || !takes_pixels(conv, find_post_ops(whole, row_major))) return plan.add(steps, pieces, make_whole);
  // With AMX. oneDNN takes larger blocks for one thread, which are up to a third faster: each half of the pixels is a problem of its own.
  plan.add_parts(steps, pieces, make_whole, [&](const Made& all) {
    const auto by_pixel = [&](int name, const Dims& dims, DataType t) {
      return all.find(name) == MemoryDesc(dims, t, dnnl::memory::format_tag::nhwc);
    };
    std::vector<Made> halves;
    if (!by_pixel(DNNL_ARG_SRC, conv.x, type) || !by_pixel(DNNL_ARG_DST, conv.y, result)) return halves;
    const int64_t pixels = elements(conv.y) / conv.y[1];
    for (const auto& [first, last] : {std::pair{int64_t{0}, pixels / 2}, std::pair{pixels / 2, pixels}}) {
      const Pixels part{first, last - first, all.find(DNNL_ARG_WEIGHTS)};
      halves.push_back(make(true, &part));
    }
    return halves;
  });
}

}  // namespace percale::onednn

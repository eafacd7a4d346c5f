// Convolutions.
#include "devices/onednn/primitives/conv.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "devices/onednn/primitives/post_ops.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {

using dnnl::convolution_forward;

ConvDims::ConvDims(const Node& node, const Dims& image, const Dims& w, const Dims& result)
    : x(image),
      weights(w),
      y(result),
      window(node, Dims(w.begin() + 2, w.end()), image, result),
      flops(2.0 * static_cast<double>(elements(y) * (elements(w) / std::max<int64_t>(w[0], 1)))),
      column(x.size() == 4 && x[3] == 1 && w[3] == 1 && y[3] == 1) {
  refuse_if(x.size() < 3 || x.size() > 5, "supports only one to three spatial dims");
  refuse_if(is_empty(x) || is_empty(w) || is_empty(y), "an operand has no elements");
  x = laid(x), y = laid(y);
  for (Dims* dims : {&window.strides, &window.dilations, &window.begins, &window.ends}) *dims = laid(*dims, 0);
  weights = grouped(laid(w), node.attribute("group", int64_t{1}));
}

Dims ConvDims::laid(Dims dims, size_t first) const {
  if (column) std::swap(dims[first], dims[first + 1]);
  return dims;
}

void refuse_where_core_is_fast(const Node& node, size_t image, const char* reason) {
  refuse_if(node.dtype(image) == PERCALE_DTYPE_F32 && node.dims(image).size() <= 4 && node.layout(image) == nullptr,
            reason);
}

namespace {

// A part of a convolution as a separate problem: some rows of the result, or some pixels if each
// depends on one pixel only. Images have channels last.
struct Part {
  Dims x, y;
  int64_t x_first, y_first;  // pixels before the part
  Dims begins, ends;
  MemoryDesc weights;

  // Moves the image operands to the part's first pixel.
  void move(Made& made) const {
    for (Made::Operand& operand : made.operands) {
      Argument& argument = operand.argument;
      const bool source = argument.name == DNNL_ARG_SRC;
      if (argument.desc.get_dims() != (source ? x : y)) continue;
      argument.offset = static_cast<size_t>((source ? x_first : y_first) * argument.desc.get_dims()[1]) *
                        dnnl::memory::data_type_size(argument.desc.get_data_type());
    }
  }
};

// True if the epilogue of a pixel reads only that pixel or values that are the same for all, and if
// the weights, which each part reads, fit into the private cache of a core.
bool can_part(const ConvDims& conv, const PostOps& post_ops) {
  // a part of one pixel would have the dims of per-channel operands
  constexpr int64_t kWeights = 1 << 19, kPixels = 4;
  // with fewer, oneDNN has code that is slower in halves
  constexpr int64_t kChannels = 16;
  return conv.is_plain_2d() && conv.x[1] >= kChannels && elements(conv.weights) <= kWeights &&
         elements(conv.y) >= kPixels * conv.y[1] &&
         std::all_of(post_ops.operands.begin(), post_ops.operands.end(), [&](const BinaryOperand& o) {
           return conv.laid(o.dims) == conv.y || elements(o.dims) == o.dims[1];
         });
}

// Returns the halves, or nothing if an image has too few rows or there are several images.
std::vector<Part> halves_of(const ConvDims& conv, const MemoryDesc& weights) {
  const Window& w = conv.window;
  const auto all = [](const Dims& dims, int64_t n) {
    return std::count(dims.begin(), dims.end(), n) == std::ssize(dims);
  };
  std::vector<Part> out;
  if (conv.weights[2] == 1 && conv.weights[3] == 1 && all(w.strides, 1) && all(w.begins, 0) && all(w.ends, 0)) {
    const int64_t pixels = elements(conv.y) / conv.y[1];
    for (const auto& [first, last] : {std::pair{int64_t{0}, pixels / 2}, std::pair{pixels / 2, pixels}}) {
      const int64_t count = last - first;
      out.push_back({{1, conv.x[1], 1, count}, {1, conv.y[1], 1, count}, first, first, w.begins, w.ends, weights});
    }
    return out;
  }
  const int64_t rows = conv.y[2], height = conv.x[2], reach = (conv.weights[2] - 1) * (w.dilations[0] + 1) + 1;
  if (conv.x[0] != 1 || rows < 4) return out;
  for (const auto& [first, last] : {std::pair{int64_t{0}, rows / 2}, std::pair{rows / 2, rows}}) {
    const int64_t begin = first * w.strides[0] - w.begins[0], end = (last - 1) * w.strides[0] - w.begins[0] + reach;
    const int64_t from = std::max(begin, int64_t{0}), to = std::min(end, height);
    if (from >= to) return {};
    out.push_back({{1, conv.x[1], to - from, conv.x[3]},
                   {1, conv.y[1], last - first, conv.y[3]},
                   from * conv.x[3],
                   first * conv.y[3],
                   {from - begin, w.begins[1]},
                   {end - to, w.ends[1]},
                   weights});
  }
  return out;
}

// Throws a Refusal for a convolution that the core's own kernels run faster.
void refuse_where_slower(const Node& whole, const Anchor& anchor) {
  const Node& node = anchor.node;
  if (!whole.is_precomputed(static_cast<size_t>(anchor.operands[1]))) {
    refuse_if(anchor.operands[0] < 0, "the image is a constant inside the group");
    refuse_where_core_is_fast(whole, static_cast<size_t>(anchor.operands[0]),
                              "the weights are not constant: the core's own kernel packs them on the fly");
  }
  // Measured on 16 to 258 channels of 25 positions: 8 to 80 us, plus Reorders, where the core takes
  // 3 to 10.
  refuse_if(node.dims(0).size() == 3 && node.attribute("group", int64_t{1}) == node.dims(0)[1] && node.dims(0)[1] > 1,
            "depthwise with one spatial dim: the core's own kernel is faster");
}

}  // namespace

void prepare_conv(Plan& plan, Steps& steps) {
  const Node& whole = plan.node();
  const Anchor anchor = find_anchor(whole, "Conv");
  const Node& node = anchor.node;
  const DataType type = float_type(node.dtype(0)), result = float_type(whole.output_dtype(0));
  refuse_where_slower(whole, anchor);
  const ConvDims conv(node, node.dims(0), node.dims(1), node.output_dims());
  const Window& window = conv.window;
  const bool bias = anchor.has(2);
  // Describes the whole convolution, or a part if images have channels last.
  const auto make = [&](bool formats, const Part* part) {
    const Dims x = part != nullptr ? part->x : conv.x, y = part != nullptr ? part->y : conv.y;
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
        part != nullptr ? part->begins : window.begins, part != nullptr ? part->ends : window.ends,
        attributes(post_ops.ops));
    refuse_reference(primitive);
    Made made{[primitive] { return convolution_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, anchor.operands[0], primitive.src_desc(), x);
    made.add(DNNL_ARG_DST, static_cast<int>(whole.inputs()), primitive.dst_desc(), y);
    add_operands(made, post_ops, primitive, as_part);
    if (part != nullptr) part->move(made);
    made.add(DNNL_ARG_WEIGHTS, anchor.operands[1], primitive.weights_desc(), conv.weights);
    if (bias) made.add(DNNL_ARG_BIAS, anchor.operands[2], bias_desc, {y[1]});
    return made;
  };
  const auto make_whole = [&](bool formats) { return make(formats, nullptr); };
  const int pieces = pieces_for(conv.flops, type);
  if (pieces != 2 || !can_part(conv, find_post_ops(whole, row_major))) return plan.add(steps, pieces, make_whole);
  // Only with AMX. oneDNN uses larger blocks for one thread, which are up to a third faster, so
  // each half becomes a separate problem.
  plan.add_parts(steps, pieces, make_whole, [&](const Made& all) {
    const auto by_pixel = [&](int name, const Dims& dims, DataType t) {
      return all.find(name) == MemoryDesc(dims, t, dnnl::memory::format_tag::nhwc);
    };
    std::vector<Made> made;
    if (!by_pixel(DNNL_ARG_SRC, conv.x, type) || !by_pixel(DNNL_ARG_DST, conv.y, result)) return made;
    for (const Part& part : halves_of(conv, all.find(DNNL_ARG_WEIGHTS))) made.push_back(make(true, &part));
    return made;
  });
}

}  // namespace percale::onednn

// A 1 x 1 convolution and the depthwise convolution after it, whose intermediate result would not
// fit into the private cache of a core. Both run band of rows by band of rows, so that the
// intermediate result stays in that cache.
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "devices/onednn/primitives/conv.h"
#include "devices/onednn/primitives/post_ops.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::convolution_forward;

// One of the two convolutions, with its epilogue.
struct Half {
  Half(const Body& body, size_t first, size_t last)
      : node(body.node(first)),
        conv(node, node.dims(0), node.dims(1), node.output_dims()),
        post_ops(find_post_ops(body, first + 1, last, body.output(first), row_major)),
        type(float_type(node.dtype(0))),
        w(body.input(first, 1)),
        bias(node.has(2) ? body.input(first, 2) : -1) {
    refuse_if(!body.is_operand(w) || (bias >= 0 && !body.is_operand(bias)),
              "the weights are constants inside the group");
    refuse_if(!body.whole().is_precomputed(static_cast<size_t>(w)), "the weights are not constant");
    refuse_if(!post_ops.operands.empty(), "the convolutions have addends between or after them");
    refuse_if(conv.x.size() != 4 || conv.column, "requires two spatial dims");
  }

  // Describes some rows of one image. `weights` have the layout of the whole convolution.
  convolution_forward::primitive_desc describe(int64_t rows, int64_t out_rows, int64_t begin, int64_t end,
                                               DataType result, const MemoryDesc& weights) const {
    const auto by_pixel = [&](const Dims& dims, int64_t height, DataType t) {
      return MemoryDesc({1, dims[1], height, dims[3]}, t, dnnl::memory::format_tag::nhwc);
    };
    const Window& window = conv.window;
    const MemoryDesc row = bias < 0 ? MemoryDesc() : row_major({conv.y[1]}, type);
    return {cpu_engine(),
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct,
            by_pixel(conv.x, rows, type),
            weights,
            row,
            by_pixel(conv.y, out_rows, result),
            window.strides,
            window.dilations,
            {begin, window.begins[1]},
            {end, window.ends[1]},
            attributes(post_ops.ops)};
  }

  Node node;
  ConvDims conv;
  PostOps post_ops;
  DataType type;
  int w, bias;
};

// The rows `first` to `last` of the depthwise result. They need the rows `from` to `to` of the
// intermediate result, and padding.
struct Rows {
  std::array<int64_t, 4> size() const { return {to - from, last - first, begin, end}; }

  int64_t image, first, last, from, to, begin, end;
};

using Description = convolution_forward::primitive_desc;
struct Pair {
  Description expansion, depthwise;
};

struct Band {
  std::unique_ptr<Primitive> expansion, depthwise;
};

// Returns the arguments of a band's primitive, whose own scratch is at `scratchpad`.
std::vector<Argument> arguments_of(const Half& half, const convolution_forward::primitive_desc& primitive,
                                   Argument from, Argument to, size_t scratchpad) {
  from.name = DNNL_ARG_SRC, from.desc = primitive.src_desc();
  to.name = DNNL_ARG_DST, to.desc = primitive.dst_desc();
  std::vector<Argument> out{from, to, {DNNL_ARG_WEIGHTS, half.w, 0, primitive.weights_desc()}};
  if (half.bias >= 0) out.push_back({DNNL_ARG_BIAS, half.bias, 0, primitive.bias_desc()});
  out.push_back({DNNL_ARG_SCRATCHPAD, Argument::kScratch, scratchpad, primitive.scratchpad_desc()});
  return out;
}

}  // namespace

void prepare_expansion(Plan& plan, Steps& steps) {
  const Node& whole = plan.node();
  const Body body(whole);
  size_t second = 1;
  while (second < body.size() && body.node(second).op() != "Conv") ++second;
  refuse_if(second == body.size() || body.node(0).op() != "Conv", "the group does not contain two convolutions");
  const Half expansion(body, 0, second), depthwise(body, second, body.size());
  const ConvDims &wide = expansion.conv, &narrow = depthwise.conv;
  const int image = body.input(0, 0);
  refuse_if(!body.is_operand(image), "the image is a constant inside the group");
  const size_t each = dnnl::memory::data_type_size(depthwise.type);
  constexpr size_t kBand = 768 << 10;
  const DataType result = float_type(whole.output_dtype(0));

  const Window& window = narrow.window;
  const int64_t reach = (narrow.weights[3] - 1) * (window.dilations[0] + 1) + 1, height = narrow.x[2],
                rows = narrow.y[2];
  const int64_t row_bytes = narrow.x[1] * narrow.x[3] * static_cast<int64_t>(each);
  const int64_t fit = std::max<int64_t>(1, (static_cast<int64_t>(kBand) / row_bytes - reach) / window.strides[0] + 1);
  const int64_t per_image = (rows + fit - 1) / fit, count = per_image * narrow.y[0],
                lanes = std::min<int64_t>(count, 4);
  std::vector<Rows> bands;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t band = i % per_image, first = rows * band / per_image, last = rows * (band + 1) / per_image;
    const int64_t begin = first * window.strides[0] - window.begins[0],
                  end = (last - 1) * window.strides[0] - window.begins[0] + reach;
    const int64_t from = std::clamp(begin, int64_t{0}, height - 1), to = std::clamp(end, from + 1, height);
    bands.push_back({i / per_image, first, last, from, to, from - begin, end - to});
  }

  // Weights have the layout that a band in the middle prefers. For other band sizes, oneDNN may
  // have only reference code for that layout.
  const WidthScope width(1);
  const Rows& model = bands[static_cast<size_t>(per_image / 2)];
  const auto describe_expansion = [&](const Rows& b, const MemoryDesc& weights) {
    return expansion.describe(b.to - b.from, b.to - b.from, 0, 0, depthwise.type, weights);
  };
  const auto describe_depthwise = [&](const Rows& b, const MemoryDesc& weights) {
    return depthwise.describe(b.to - b.from, b.last - b.first, b.begin, b.end, result, weights);
  };
  const MemoryDesc wide_weights = describe_expansion(model, any_format(wide.weights, expansion.type)).weights_desc();
  const MemoryDesc narrow_weights =
      describe_depthwise(model, any_format(narrow.weights, depthwise.type)).weights_desc();
  std::map<std::array<int64_t, 4>, Pair> descriptions;  // shared by bands of one size
  for (const Rows& b : bands) {
    if (descriptions.contains(b.size())) continue;
    const Pair pair{describe_expansion(b, wide_weights), describe_depthwise(b, narrow_weights)};
    refuse_reference(pair.expansion);
    refuse_reference(pair.depthwise);
    descriptions.emplace(b.size(), pair);
  }
  if (!plan.is_taken()) return;

  const auto ask = [&](size_t operand, const MemoryDesc& desc, const Dims& dims) {
    const MemoryDesc rows = row_major(dims, desc.get_data_type());
    if (!same_bytes(desc, rows)) plan.require_format(operand, encode({desc, rows}), desc.get_size());
  };
  const auto by_pixel = [](const Dims& dims, DataType t) {
    return MemoryDesc(dims, t, dnnl::memory::format_tag::nhwc);
  };
  ask(static_cast<size_t>(expansion.w), wide_weights, wide.weights);
  ask(static_cast<size_t>(depthwise.w), narrow_weights, narrow.weights);
  ask(static_cast<size_t>(image), by_pixel(wide.x, expansion.type), wide.x);
  ask(whole.inputs(), by_pixel(narrow.y, result), narrow.y);

  // Each lane has memory for its rows, then for the scratch of its primitives.
  size_t between = 0, own = 0;
  for (const auto& [size, pair] : descriptions) {
    between = std::max(between, pair.expansion.dst_desc().get_size());
    own = std::max({own, pair.expansion.scratchpad_desc().get_size(), pair.depthwise.scratchpad_desc().get_size()});
  }
  const auto rounded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  const size_t lane_bytes = rounded(between) + rounded(own);
  auto made = std::make_shared<std::vector<Band>>();
  for (size_t i = 0; i < bands.size(); ++i) {
    const Rows& b = bands[i];
    const auto lane = static_cast<size_t>((static_cast<int64_t>(i) * lanes + lanes - 1) / count);
    const auto at = [&](const Dims& dims, int64_t row, DataType t) {
      return static_cast<size_t>((b.image * dims[2] + row) * dims[3] * dims[1]) * dnnl::memory::data_type_size(t);
    };
    const size_t scratch = lane * lane_bytes;
    const Pair& pair = descriptions.at(b.size());
    const auto primitive = [&](const Half& half, const Description& description, const Argument& from,
                               const Argument& to) {
      return std::make_unique<Primitive>(whole.host(), convolution_forward(description),
                                         arguments_of(half, description, from, to, scratch + rounded(between)), 1);
    };
    const Argument middle{0, Argument::kScratch, scratch, {}};
    made->push_back({primitive(expansion, pair.expansion, {0, image, at(wide.x, b.from, expansion.type), {}}, middle),
                     primitive(depthwise, pair.depthwise, middle,
                               {0, static_cast<int>(whole.inputs()), at(narrow.y, b.first, result), {}})});
  }
  plan.book(static_cast<size_t>(lanes) * lane_bytes);
  steps.function = [&host = whole.host(), made, lanes](const percale_launch& launch) {
    const int64_t all = std::ssize(*made);
    std::atomic<bool> failed{false};
    in_parallel(host, launch.run, lanes, [&](int64_t lane) {
      try {
        for (int64_t i = all * lane / lanes; i < all * (lane + 1) / lanes; ++i) {
          const Band& band = (*made)[static_cast<size_t>(i)];
          band.expansion->run(launch);
          band.depthwise->run(launch);
        }
      } catch (const std::exception&) {
        failed = true;
      }
    });
    if (failed) host.run->fail_at(launch.run, -1, PERCALE_RUN_ERROR_KERNEL_FAILED, 0);
  };
}

}  // namespace percale::onednn

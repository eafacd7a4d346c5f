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

// Cuts the result into bands, image by image. A band's rows of the intermediate result fit into the
// private cache of a core.
std::vector<Rows> bands_of(const ConvDims& narrow, DataType type) {
  constexpr size_t kBand = 768 << 10;
  const size_t each = dnnl::memory::data_type_size(type);
  const Window& window = narrow.window;
  const int64_t reach = (narrow.weights[3] - 1) * (window.dilations[0] + 1) + 1, height = narrow.x[2],
                rows = narrow.y[2];
  const int64_t row_bytes = narrow.x[1] * narrow.x[3] * static_cast<int64_t>(each);
  const int64_t fit = std::max<int64_t>(1, (static_cast<int64_t>(kBand) / row_bytes - reach) / window.strides[0] + 1);
  const int64_t per_image = (rows + fit - 1) / fit, count = per_image * narrow.y[0];
  std::vector<Rows> bands;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t band = i % per_image, first = rows * band / per_image, last = rows * (band + 1) / per_image;
    const int64_t begin = first * window.strides[0] - window.begins[0],
                  end = (last - 1) * window.strides[0] - window.begins[0] + reach;
    const int64_t from = std::clamp(begin, int64_t{0}, height - 1), to = std::clamp(end, from + 1, height);
    bands.push_back({i / per_image, first, last, from, to, from - begin, end - to});
  }
  return bands;
}

// The two convolutions of a group, cut into bands.
class Expansion {
 public:
  // The depthwise convolution is the node `second` of the body.
  Expansion(const Node& whole, const Body& body, size_t second)
      : whole_(whole), expansion_(body, 0, second), depthwise_(body, second, body.size()), image_(body.input(0, 0)) {
    refuse_if(!body.is_operand(image_), "the image is a constant inside the group");
    result_ = float_type(whole.output_dtype(0));
    bands_ = bands_of(depthwise_.conv, depthwise_.type);
  }

  // Describes the primitives of every band. Throws a Refusal if one would be slow.
  void describe() {
    // Weights have the layout that a band in the middle prefers. For other band sizes, oneDNN may
    // have only reference code for that layout.
    const Rows& model = bands_[bands_.size() / static_cast<size_t>(depthwise_.conv.y[0]) / 2];
    wide_weights_ = describe_expansion(model, any_format(expansion_.conv.weights, expansion_.type)).weights_desc();
    narrow_weights_ = describe_depthwise(model, any_format(depthwise_.conv.weights, depthwise_.type)).weights_desc();
    for (const Rows& b : bands_) {
      if (descriptions_.contains(b.size())) continue;
      const Pair pair{describe_expansion(b, wide_weights_), describe_depthwise(b, narrow_weights_)};
      refuse_reference(pair.expansion);
      refuse_reference(pair.depthwise);
      descriptions_.emplace(b.size(), pair);
    }
  }

  void require_formats(Plan& plan) const {
    const auto ask = [&](size_t operand, const MemoryDesc& desc, const Dims& dims) {
      const MemoryDesc rows = row_major(dims, desc.get_data_type());
      if (!same_bytes(desc, rows)) plan.require_format(operand, encode({desc, rows}), desc.get_size());
    };
    const auto by_pixel = [](const Dims& dims, DataType t) {
      return MemoryDesc(dims, t, dnnl::memory::format_tag::nhwc);
    };
    const ConvDims &wide = expansion_.conv, &narrow = depthwise_.conv;
    ask(static_cast<size_t>(expansion_.w), wide_weights_, wide.weights);
    ask(static_cast<size_t>(depthwise_.w), narrow_weights_, narrow.weights);
    ask(static_cast<size_t>(image_), by_pixel(wide.x, expansion_.type), wide.x);
    ask(whole_.inputs(), by_pixel(narrow.y, result_), narrow.y);
  }

  int64_t lanes() const { return std::min<int64_t>(std::ssize(bands_), 4); }

  // Creates the primitives of every band, and books the scratch memory of the lanes.
  std::vector<Band> make(Plan& plan) const {
    // Each lane has memory for its rows, then for the scratch of its primitives.
    size_t between = 0, own = 0;
    for (const auto& [size, pair] : descriptions_) {
      between = std::max(between, pair.expansion.dst_desc().get_size());
      own = std::max({own, pair.expansion.scratchpad_desc().get_size(), pair.depthwise.scratchpad_desc().get_size()});
    }
    const auto rounded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
    const size_t lane_bytes = rounded(between) + rounded(own);
    std::vector<Band> made;
    for (size_t i = 0; i < bands_.size(); ++i) {
      const auto lane = static_cast<size_t>((static_cast<int64_t>(i) * lanes() + lanes() - 1) / std::ssize(bands_));
      made.push_back(make_band(bands_[i], lane * lane_bytes, lane * lane_bytes + rounded(between)));
    }
    plan.book(static_cast<size_t>(lanes()) * lane_bytes);
    return made;
  }

 private:
  Description describe_expansion(const Rows& b, const MemoryDesc& weights) const {
    return expansion_.describe(b.to - b.from, b.to - b.from, 0, 0, depthwise_.type, weights);
  }
  Description describe_depthwise(const Rows& b, const MemoryDesc& weights) const {
    return depthwise_.describe(b.to - b.from, b.last - b.first, b.begin, b.end, result_, weights);
  }

  // `rows` and `scratchpad` are the offsets of the intermediate rows and of the primitives' own
  // scratch.
  Band make_band(const Rows& b, size_t rows, size_t scratchpad) const {
    const auto at = [&](const Dims& dims, int64_t row, DataType t) {
      return static_cast<size_t>((b.image * dims[2] + row) * dims[3] * dims[1]) * dnnl::memory::data_type_size(t);
    };
    const auto primitive = [&](const Half& half, const Description& description, const Argument& from,
                               const Argument& to) {
      return std::make_unique<Primitive>(whole_.host(), convolution_forward(description),
                                         arguments_of(half, description, from, to, scratchpad), 1);
    };
    const Pair& pair = descriptions_.at(b.size());
    const Argument middle{0, Argument::kScratch, rows, {}};
    return {
        primitive(expansion_, pair.expansion, {0, image_, at(expansion_.conv.x, b.from, expansion_.type), {}}, middle),
        primitive(depthwise_, pair.depthwise, middle,
                  {0, static_cast<int>(whole_.inputs()), at(depthwise_.conv.y, b.first, result_), {}})};
  }

  const Node& whole_;
  const Half expansion_, depthwise_;
  const int image_;
  DataType result_ = DataType::undef;
  std::vector<Rows> bands_;
  MemoryDesc wide_weights_, narrow_weights_;
  std::map<std::array<int64_t, 4>, Pair> descriptions_;  // shared by bands of one size
};

// Runs the bands, each lane a part of them in order.
void run_bands(const percale_host_api& host, const std::vector<Band>& bands, int64_t lanes,
               const percale_launch& launch) {
  const int64_t all = std::ssize(bands);
  std::atomic<bool> failed{false};
  in_parallel(host, launch.run, lanes, [&](int64_t lane) {
    try {
      for (int64_t i = all * lane / lanes; i < all * (lane + 1) / lanes; ++i) {
        const Band& band = bands[static_cast<size_t>(i)];
        band.expansion->run(launch);
        band.depthwise->run(launch);
      }
    } catch (const std::exception&) {
      failed = true;
    }
  });
  if (failed) host.run->fail_at(launch.run, -1, PERCALE_RUN_ERROR_KERNEL_FAILED, 0);
}

}  // namespace

void prepare_expansion(Plan& plan, Steps& steps) {
  const Node& whole = plan.node();
  const Body body(whole);
  size_t second = 1;
  while (second < body.size() && body.node(second).op() != "Conv") ++second;
  refuse_if(second == body.size() || body.node(0).op() != "Conv", "the group does not contain two convolutions");
  Expansion expansion(whole, body, second);
  const WidthScope width(1);
  expansion.describe();
  if (!plan.is_taken()) return;
  expansion.require_formats(plan);
  const auto made = std::make_shared<const std::vector<Band>>(expansion.make(plan));
  steps.function = [&host = whole.host(), made, lanes = expansion.lanes()](const percale_launch& launch) {
    run_bands(host, *made, lanes, launch);
  };
}

}  // namespace percale::onednn

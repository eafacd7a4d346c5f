// Convolutions by Winograd's filtering. The weights, which are the same in all runs, are
// transformed once.
#include "devices/onednn/own_kernels/winograd.h"

#include <algorithm>
#include <optional>
#include <string>

#include "devices/onednn/primitives/conv.h"
#include "devices/onednn/primitives/post_ops.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::convolution_forward;

constexpr std::string_view kFormat = "onednn:f32 winograd ";  // followed by m

// Returns the estimated time in products. Loading one weight takes as long as 18 products. With 9
// points, it is the cost without tiles.
double cost(int64_t points, int64_t tiles) { return static_cast<double>(points * (tiles + 18)); }

// Returns the best m, or nothing if a direct convolution is faster.
std::optional<int64_t> best_m(WinogradShape s) {
  std::optional<int64_t> best;
  double least = cost(9, s.images * s.out_height * s.out_width) / 1.3;
  for (int64_t m : {2, 4}) {
    s.m = m;
    const double each = cost(s.points(), s.tiles());
    if (each < least) least = each, best = m;
  }
  return best;
}

const WinogradFns& fns_of(const Node& node) {
  const WinogradFns* const fns = winograd_fns(node.isa());
  refuse_if(fns == nullptr, "the instruction set has no fused products");
  return *fns;
}

// Returns the layout of an image that oneDNN's own convolution would read or write. Throws a
// Refusal for other formats.
PixelSteps steps_of(const MemoryDesc& desc, int64_t lanes) {
  const Dims dims = desc.get_dims();
  if (desc == MemoryDesc(dims, DataType::f32, dnnl::memory::format_tag::nhwc)) return {dims[1], lanes};
  const auto blocks = lanes == 16 ? dnnl::memory::format_tag::nChw16c : dnnl::memory::format_tag::nChw8c;
  refuse_if(desc != MemoryDesc(dims, DataType::f32, blocks), "the images are in a format without channel vectors");
  return {lanes, dims[2] * dims[3] * lanes};
}

WinogradShape shape_of(const ConvDims& conv, const WinogradFns& fns) {
  const Dims ones(2, 1), none(2, 0);
  const Dims& w = conv.weights;
  refuse_if(!conv.is_plain_2d(), "requires two spatial dims and no groups");
  refuse_if(w[2] != 3 || w[3] != 3 || conv.window.strides != ones || conv.window.dilations != none,
            "requires a 3 x 3 window with stride and dilation 1");
  refuse_if(w[0] % fns.lanes != 0 || w[1] % fns.lanes != 0, "the channels do not fill whole vectors");
  const Dims &x = conv.x, &y = conv.y;
  WinogradShape shape{0, x[0], x[2], x[3], x[1], y[2], y[3], y[1], conv.window.begins[0], conv.window.begins[1]};
  const std::optional<int64_t> m = best_m(shape);
  refuse_if(!m, "there are too few pixels to gain");
  shape.m = *m;
  return shape;
}

// Cuts the tiles into pieces of about the same size, and the pieces into rounds whose points fit
// into a core's cache. Pieces come in fours, so that two and four threads get equal shares.
struct Cut {
  Cut(const WinogradShape& s, const WinogradFns& fns) : tiles(s.tiles()), per_tile(s.points() * s.channels) {
    constexpr int64_t kFloats = 1 << 18, kFour = 4;
    const auto ceil_div = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
    const int64_t fours = ceil_div(tiles, kFour * fns.most_tiles);
    rounds = ceil_div(fours, std::max(int64_t{1}, kFloats / (kFour * fns.most_tiles * per_tile)));
    pieces = std::min(kFour * fours, tiles);
    for (int64_t r = 0; r < rounds; ++r) most = std::max(most, first(first_piece(r + 1)) - first(first_piece(r)));
  }
  int64_t first(int64_t piece) const { return tiles * piece / pieces; }
  int64_t first_piece(int64_t round) const { return std::min(pieces, (pieces + 3) / 4 * round / rounds * 4); }
  size_t scratch() const { return static_cast<size_t>(most * per_tile) * sizeof(float); }

  int64_t tiles, per_tile, pieces = 0, rounds = 0, most = 0;  // most: the most tiles in a round
};

// Returns the epilogue. Throws a Refusal for one that the kernel does not support.
Epilogue supported_epilogue(const Node& whole, const PostOps& post_ops, const ConvDims& conv) {
  using Function = Epilogue::Function;
  const Epilogue epilogue = find_epilogue(post_ops, conv.y, 1);
  refuse_if(epilogue.row >= 0 || (epilogue.function != Function::kSwish && epilogue.function != Function::kBounds),
            "the epilogue is more than a sum, and bounds or Swish");
  refuse_if(epilogue.addend >= 0 && whole.dtype(static_cast<size_t>(epilogue.addend)) != PERCALE_DTYPE_F32,
            "the addend is not f32");
  return epilogue;
}

// A convolution as it runs: its operands by number, their layouts, and how the tiles are cut.
struct WinogradConv {
  const percale_host_api& host;
  const WinogradFns& fns;
  WinogradShape shape;
  Cut cut;
  PixelSteps from, to;  // of the image and of the result
  Epilogue epilogue;
  size_t image, w, y;
  int bias;  // -1: none

  void run(const percale_launch& launch) const {
    const auto floats = [&](auto operand) { return static_cast<float*>(launch.operands[operand]); };
    auto* const points = static_cast<float*>(launch.scratch);
    const WinogradEnd end{bias < 0 ? nullptr : floats(bias),
                          epilogue.addend < 0 ? nullptr : floats(epilogue.addend),
                          epilogue.low,
                          epilogue.high,
                          epilogue.function == Epilogue::Function::kSwish,
                          epilogue.alpha};
    for (int64_t round = 0; round < cut.rounds; ++round) {
      const int64_t begin = cut.first_piece(round), pieces = cut.first_piece(round + 1) - begin;
      const auto points_of = [&](int64_t piece) {
        return points + (cut.first(piece) - cut.first(begin)) * cut.per_tile;
      };
      in_parallel(host, launch.run, pieces, [&](int64_t i) {
        const int64_t piece = begin + i;
        fns.scatter(shape, floats(image), from, cut.first(piece), cut.first(piece + 1), points_of(piece));
      });
      // Consecutive numbers go to one thread: it gets the tiles that are in its own cache, and
      // whose results the next layer will read there.
      const int64_t blocks = fns.out_blocks(shape);
      in_parallel(host, launch.run, blocks * pieces, [&](int64_t i) {
        const int64_t piece = begin + i / blocks;
        fns.multiply(shape, points_of(piece), floats(w), i % blocks, cut.first(piece), cut.first(piece + 1), end,
                     floats(y), to);
      });
    }
  }
};

}  // namespace

void prepare_winograd(Plan& plan, Steps& steps) {
  const Node& whole = plan.node();
  const Anchor anchor = find_anchor(whole, "Conv");
  const Node& node = anchor.node;
  refuse_if(anchor.operands[0] < 0, "the image is a constant inside the group");
  const auto image = static_cast<size_t>(anchor.operands[0]), w = static_cast<size_t>(anchor.operands[1]);
  refuse_if(node.dtype(0) != PERCALE_DTYPE_F32 || whole.output_dtype(0) != PERCALE_DTYPE_F32, "requires f32");
  refuse_if(!whole.is_precomputed(w) || whole.layout(w) != nullptr, "the weights are not constant");
  const WinogradFns& fns = fns_of(whole);
  const ConvDims conv(node, node.dims(0), node.dims(1), node.output_dims());
  const WinogradShape shape = shape_of(conv, fns);
  const PostOps post_ops = find_post_ops(whole, row_major);
  const Epilogue epilogue = supported_epilogue(whole, post_ops, conv);

  // Images have the layout that oneDNN's own convolution would use.
  const Window& window = conv.window;
  const convolution_forward::primitive_desc direct(
      cpu_engine(), dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      any_format(conv.x, DataType::f32), any_format(conv.weights, DataType::f32), MemoryDesc(),
      any_format(conv.y, DataType::f32), window.strides, window.dilations, window.begins, window.ends, attributes());
  const PixelSteps from = steps_of(direct.src_desc(), fns.lanes), to = steps_of(direct.dst_desc(), fns.lanes);
  refuse_if(epilogue.addend == anchor.operands[0] && direct.src_desc() != direct.dst_desc(),
            "the image is also an addend and would need another format");
  if (!plan.is_taken()) return;

  const auto y = whole.inputs();
  const std::string packed = std::string(kFormat) + std::to_string(shape.m);
  const auto bytes = static_cast<size_t>(shape.points() * shape.channels * shape.out_channels) * sizeof(float);
  plan.require_format(w, packed, bytes);
  plan.require_format(image, direct.src_desc());
  plan.require_format(y, direct.dst_desc());
  if (epilogue.addend >= 0) plan.require_format(static_cast<size_t>(epilogue.addend), direct.dst_desc());
  if (post_ops.sum >= 0) plan.work_in_place(static_cast<size_t>(post_ops.sum));
  const Cut cut(shape, fns);
  plan.book(cut.scratch());
  const int bias = anchor.has(2) ? anchor.operands[2] : -1;
  const WinogradConv made{whole.host(), fns, shape, cut, from, to, epilogue, image, w, y, bias};
  steps.function = [made](const percale_launch& launch) { made.run(launch); };
}

void prepare_winograd_pack(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const char* const to = node.output_layout(0);
  const std::string_view format = to == nullptr ? "" : to;
  refuse_if(!format.starts_with(kFormat), "the format is not a Winograd format");
  refuse_if(node.layout(0) != nullptr, "the weights are not row-major");
  const WinogradFns& fns = fns_of(node);
  const Dims w = node.dims(0);
  WinogradShape shape{};
  shape.m = format.back() - '0', shape.channels = w[1], shape.out_channels = w[0];
  steps.function = [&host = node.host(), &fns, shape](const percale_launch& launch) {
    in_parallel(host, launch.run, fns.out_blocks(shape), [&](int64_t block) {
      fns.pack(shape, static_cast<const float*>(launch.operands[0]), block, static_cast<float*>(launch.operands[1]));
    });
  };
}

}  // namespace percale::onednn

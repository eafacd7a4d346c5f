// Convolutions and products with tiles (AMX).
#include "devices/onednn/own_kernels/tiles.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/onednn/own_kernels/conv_rows.h"
#include "devices/onednn/primitives/matmul.h"
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

// The prefix is followed by "rows" if each row of the weights has one number per column of the
// result, or by "columns" if it belongs to one column.
constexpr std::string_view kFormat = "onednn:bf16 tiles ", kByRow = "rows", kByColumn = "columns";

constexpr int64_t kManyRows = 384;

struct Work {
  int64_t channels, columns;
  ConvRows rows;
  int x, weights, bias;
  bool by_row;  // layout of the weights
  Epilogue epilogue;
};

// Called before any expensive step, because networks in f32 ask about every node.
void check_type(DataType type) {
  refuse_if(type != DataType::bf16 || !has_amx() || tile_fns() == nullptr, "requires bf16 and AMX");
}

void check(const Node& whole, const Work& work) {
  const auto w = static_cast<size_t>(work.weights);
  refuse_if(!whole.is_precomputed(w) || whole.layout(w) != nullptr, "the weights are not constant");
  refuse_if(work.channels % kBlockChannels != 0, "the channels do not fill whole tiles");
  const Epilogue& epilogue = work.epilogue;
  refuse_if(epilogue.addend >= 0 && whole.dtype(static_cast<size_t>(epilogue.addend)) != whole.output_dtype(0),
            "the addend differs from the result in dtype");
  refuse_if(epilogue.row >= 0 && work.bias >= 0, "the epilogue adds two rows");
}

// Plans the work. Other formats must have been requested before.
void finish(Plan& plan, Steps& steps, Work work) {
  const Node& whole = plan.node();
  const int64_t taps = std::ssize(work.rows.taps);
  const TileShape shape{work.rows.count(), work.channels / kBlockChannels * taps, work.columns};
  const size_t y = whole.inputs();
  const std::string format = std::string(kFormat) + std::string(work.by_row ? kByRow : kByColumn);
  plan.require_format(static_cast<size_t>(work.weights), format,
                      static_cast<size_t>(shape.panels() * shape.panel_bytes()));
  // Rows whose distance is a power of two compete for few sets of the cache.
  const auto bytes = static_cast<size_t>(work.channels * 2);
  const size_t pitch = work.rows.pixels.empty() ? bytes : bytes + 64;
  plan.book(work.rows.pixels.size() * pitch);
  std::vector<int64_t> offsets;
  for (int64_t channel = 0; channel < work.channels; channel += kBlockChannels) {
    for (int64_t tap : work.rows.taps) offsets.push_back(tap * static_cast<int64_t>(pitch) + channel * 2);
  }
  const int row = work.bias >= 0 ? work.bias : work.epilogue.row;
  const bool wide_row = row >= 0 && whole.dtype(static_cast<size_t>(row)) == PERCALE_DTYPE_F32;
  const bool wide = whole.output_dtype(0) == PERCALE_DTYPE_F32;

  steps.function = [&host = whole.host(), multiply = tile_fns()->multiply, work = std::move(work), shape,
                    offsets = std::move(offsets), y, bytes, pitch, row, wide_row, wide](const percale_launch& launch) {
    const auto operand = [&](auto i) { return static_cast<std::byte*>(launch.operands[i]); };
    const std::byte* first = operand(work.x);
    if (const int64_t count = std::ssize(work.rows.pixels); count > 0) {
      const int64_t pieces = std::min<int64_t>(count, 8);
      auto* const copies = static_cast<std::byte*>(launch.scratch);
      in_parallel(host, launch.run, pieces, [&](int64_t i) {
        copy_rows(work.rows, operand(work.x), bytes, pitch, count * i / pieces, count * (i + 1) / pieces, copies);
      });
      first = copies;
    }
    const Epilogue& epilogue = work.epilogue;
    const TileEnd end{row < 0 ? nullptr : operand(row), wide_row,
                      epilogue.addend < 0 ? nullptr : operand(epilogue.addend), wide, epilogue};
    // A thread reads consecutive panels. If there are many rows, it processes those that it copied.
    const int64_t panels = shape.panels(), pieces = std::min<int64_t>(panels, 16),
                  sides = shape.rows < kManyRows ? 1 : 2;
    in_parallel(host, launch.run, sides * pieces, [&](int64_t i) {
      const int64_t side = i / pieces, piece = i % pieces;
      const int64_t row = shape.rows * side / sides, rows_end = shape.rows * (side + 1) / sides;
      const TileShape part{rows_end - row, shape.blocks, shape.columns};
      const TileRows rows{first + row * static_cast<int64_t>(pitch), static_cast<int64_t>(pitch), offsets.data(),
                          work.rows.results.data() + row};
      for (int64_t panel = panels * piece / pieces; panel < panels * (piece + 1) / pieces; ++panel) {
        multiply(part, rows, operand(work.weights), panel, end, operand(y));
      }
    });
  };
}

void add_product(Plan& plan, Steps& steps, const Product& p) {
  check_type(p.type);
  const Node& whole = plan.node();
  const PostOps post_ops = find_post_ops(whole, row_major);
  const Dims y = whole.output_dims();
  // Measured on 1 to 2,048 rows by 384 x 384 to 2,048 x 2,048 weights, with one thread and with
  // two.
  constexpr int64_t kFew = 32, kMany = 256, kWeights = 1 << 17;
  refuse_if(p.m <= kFew || p.m > kMany || p.k * p.n < kWeights,
            "other kernels are as fast for products of these sizes");
  const Work work{p.k, p.n,    unchanged_rows(p.m), p.a,
                  p.b, p.bias, !p.transpose_b,      find_epilogue(post_ops, y, y.size() - 1)};
  check(whole, work);
  if (!plan.is_taken()) return;
  if (post_ops.sum >= 0) plan.work_in_place(static_cast<size_t>(post_ops.sum));
  finish(plan, steps, work);
}

}  // namespace

void prepare_tiles_conv(Plan& plan, Steps& steps) {
  const Node& whole = plan.node();
  const Anchor anchor = find_anchor(whole, "Conv");
  const Node& node = anchor.node;
  check_type(float_type(node.dtype(0)));
  refuse_if(anchor.operands[0] < 0, "the image is a constant inside the group");
  const ConvDims conv(node, node.dims(0), node.dims(1), node.output_dims());
  const Dims &x = conv.x, &w = conv.weights, &y = conv.y;
  refuse_if(!conv.is_plain_2d(), "requires two spatial dims and no groups");
  // Measured on the layers of ResNet-50 and MobileNetV2, and on 128 to 512 channels of 14 x 14 to
  // 56 x 56 pixels, with one thread and with two.
  constexpr int64_t kPixels = 256, kWeights = 1 << 16, kManyPixels = 4096, kManyWeights = 1 << 18;
  const bool window = w[2] * w[3] > 1 && elements(w) >= kManyWeights;
  refuse_if(elements(y) > (window ? kManyPixels : kPixels) * y[1] || elements(w) < kWeights,
            "other kernels are as fast for so many pixels or so few weights");
  constexpr int64_t kSeveralPixels = 64, kDepth = 512;
  refuse_if(elements(y) > kSeveralPixels * y[1] && elements(w) < kDepth * y[1],
            "other kernels are as fast for sums of so few products");
  const PostOps post_ops = find_post_ops(whole, row_major);
  Work work{x[1],
            y[1],
            {},
            anchor.operands[0],
            anchor.operands[1],
            anchor.has(2) ? anchor.operands[2] : -1,
            false,
            find_epilogue(post_ops, y, 1)};
  check(whole, work);
  if (!plan.is_taken()) return;

  const auto ask = [&](size_t operand, const Dims& laid, DataType type) {
    // laid() a second time restores the dims.
    plan.require_format(operand, MemoryDesc(conv.laid(laid), type, dnnl::memory::format_tag::nhwc));
  };
  const DataType result = float_type(whole.output_dtype(0));
  work.rows = rows_of(conv);
  ask(static_cast<size_t>(work.x), x, DataType::bf16);
  ask(whole.inputs(), y, result);
  if (work.epilogue.addend >= 0) ask(static_cast<size_t>(work.epilogue.addend), y, result);
  if (post_ops.sum >= 0) plan.work_in_place(static_cast<size_t>(post_ops.sum));
  finish(plan, steps, std::move(work));
}

void prepare_tiles_matmul(Plan& plan, Steps& steps) { add_product(plan, steps, find_matmul(plan.node())); }

void prepare_tiles_gemm(Plan& plan, Steps& steps) { add_product(plan, steps, find_gemm(plan.node())); }

void prepare_tiles_pack(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const char* const to = node.output_layout(0);
  const std::string_view format = to == nullptr ? "" : to;
  refuse_if(!format.starts_with(kFormat), "the format is not a tile format");
  refuse_if(node.layout(0) != nullptr, "the weights are not row-major");
  const Dims w = node.dims(0);
  const bool by_row = format.ends_with(kByRow);
  const int64_t columns = by_row ? w[1] : w[0], channels = by_row ? w[0] : w[1], taps = elements(w) / (w[0] * w[1]);
  const TileShape shape{0, channels / kBlockChannels * taps, columns};
  const WeightSteps layout = by_row ? WeightSteps{1, 1, columns, 0} : WeightSteps{taps, channels * taps, taps, 1};
  steps.function = [&host = node.host(), pack = tile_fns()->pack, shape, layout](const percale_launch& launch) {
    in_parallel(host, launch.run, shape.panels(), [&](int64_t panel) {
      pack(shape, launch.operands[0], layout, panel, static_cast<std::byte*>(launch.operands[1]));
    });
  };
}

}  // namespace percale::onednn

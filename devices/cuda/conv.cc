// Conv, ConvTranspose and the gradients of Conv, by kernels of our own.
#include <algorithm>

#include "devices/cuda/kernels.h"
#include "devices/cuda/window.h"

namespace percale::cuda {
namespace {

// Below so many rows of a product (channels of a group), or results of the gradient of the weights, a tile would be mostly empty.
constexpr int64_t kTileRows = 16, kTileResults = 512;
constexpr int64_t kTile = 64;
// The sums of the gradient of the weights are cut into pieces of at least so many; about so many blocks have work.
constexpr int64_t kPiece = 512, kWantedBlocks = 1024, kMostPieces = 64;

int64_t size_of(const int64_t (&dims)[3]) { return dims[0] * dims[1] * dims[2]; }
int64_t tiles(int64_t size) { return (size + kTile - 1) / kTile; }

DeviceKernel conv_kernel(const std::string& what, percale_dtype dtype) {
  refuse_if(!is_float(dtype), "convolves floats alone");
  return {Family::conv, "percale_conv_" + what + suffix(dtype)};
}

Grid blocks_grid(int64_t blocks, int64_t pieces) {
  Grid out;
  out.blocks = static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, 65535));
  out.blocks_y = static_cast<unsigned>(pieces);
  return out;
}

// Of a convolution from images `x` to images `y` with weights `w`.
ConvArgs conv_args(const Node& node, const WindowArgs& window, const Dims& x, const Dims& y) {
  ConvArgs args{};
  args.window = window;
  args.batch = x[0];
  args.groups = node.attribute("group", int64_t{1});
  args.in_channels = x[1] / args.groups;
  args.out_channels = y[1] / args.groups;
  args.pieces = 1;
  return args;
}

// Images as the result: Y of the images X, or, not `forward`, the gradient of X of the images dY.
Run convolve(const Node& node, const ConvArgs& args, bool forward, bool bias) {
  const int64_t channels = forward ? args.out_channels : args.in_channels;
  const int64_t columns = args.batch * size_of(forward ? args.window.out : args.window.in);
  const int64_t results = args.groups * channels * columns;
  const bool tiled = channels >= kTileRows;
  const std::string name = std::string(forward ? "" : "grad_input_") + (tiled ? "tiles_" : "plain_");
  const DeviceKernel kernel = conv_kernel(name, node.dtype(0));
  const Grid grid = tiled ? blocks_grid(args.groups * tiles(channels) * tiles(columns), 1) : grid_for(results);
  return [=](const Launch& launch) {
    if (results == 0) return;
    ConvArgs now = args;
    (forward ? now.x : now.y) = launch.in(0);
    now.w = launch.in(1);
    if (bias) now.bias = launch.in(2);
    now.result = launch.out(0);
    launch.run(kernel, grid, now);
  };
}

Run prepare_conv(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0), y = node.output_dims();
  const WindowArgs window = window_of(node, spatial_dims(x), spatial_dims(y), spatial_dims(node.dims(1)));
  return convolve(node, conv_args(node, window, x, y), true, node.has(2));
}

// ConvTranspose and ConvGradInput: inputs are images of the convolution's output, and its weights.
Run prepare_grad_input(Plan& plan) {
  const Node& node = plan.node();
  const Dims dy = node.dims(0), dx = node.output_dims(), kernel = spatial_dims(node.dims(1));
  const bool transposed = node.op() == "ConvTranspose";
  const WindowArgs window = transposed ? transposed_window_of(node, spatial_dims(dy), spatial_dims(dx), kernel)
                                       : window_of(node, spatial_dims(dx), spatial_dims(dy), kernel);
  return convolve(node, conv_args(node, window, dx, dy), false, transposed && node.has(2));
}

Run prepare_grad_weight(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  const Dims x = node.dims(0), dy = node.dims(1), dw = node.output_dims();
  ConvArgs args = conv_args(node, window_of(node, spatial_dims(x), spatial_dims(dy), spatial_dims(dw)), x, dy);
  const int64_t columns = args.in_channels * size_of(args.window.kernel);
  const int64_t results = args.groups * args.out_channels * columns, depth = args.batch * size_of(args.window.out);
  const bool tiled = args.out_channels * columns >= kTileResults;
  const DeviceKernel kernel = conv_kernel(tiled ? "grad_weight_tiles_" : "grad_weight_block_", dtype),
                     join = conv_kernel("join_", dtype);
  const int64_t blocks =
      std::max<int64_t>(1, tiled ? args.groups * tiles(args.out_channels) * tiles(columns) : results);
  args.pieces = std::clamp<int64_t>(std::min(depth / kPiece, kWantedBlocks / blocks), 1, kMostPieces);
  const int64_t wide = dtype == PERCALE_DTYPE_F64 ? 8 : 4;
  const int64_t partial = args.pieces == 1 ? 0 : plan.book(args.pieces * results * wide);
  const bool bias = node.gives(1);
  Run sum_bias;
  if (bias) {
    std::vector<bool> reduced(dy.size(), true);
    reduced[1] = false;
    sum_bias = reduce_dims(plan, ReduceOp::kSum, {dtype, dy, 1, 1}, reduced);
  }
  return [=](const Launch& launch) {
    if (results > 0) {
      ConvArgs now = args;
      now.x = launch.in(0);
      now.y = launch.in(1);
      now.result = launch.out(0);
      if (now.pieces > 1) now.partial = launch.scratch(partial);
      launch.run(kernel, blocks_grid(blocks, now.pieces), now);
      if (now.pieces > 1) launch.run(join, grid_for(results), now);
    }
    if (sum_bias) sum_bias(launch);
  };
}

}  // namespace

void add_conv(Entries& entries) {
  entries.push_back({"cuda.conv", "", "Conv", prepare_conv});
  entries.push_back({"cuda.conv_transpose", "", "ConvTranspose", prepare_grad_input});
  entries.push_back({"cuda.conv_grad_input", "percale", "ConvGradInput", prepare_grad_input});
  entries.push_back({"cuda.conv_grad_weight", "percale", "ConvGradWeight", prepare_grad_weight});
}

}  // namespace percale::cuda

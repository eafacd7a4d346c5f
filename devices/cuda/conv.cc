// Conv, ConvTranspose and the gradients of Conv: by cuDNN where it is there and groups have channels enough, else by kernels of our own.
#include <algorithm>
#include <memory>

#include "devices/cuda/dnn.h"
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

// What cuDNN does of a node, if it does.
class Library {
 public:
  // `wanted`: else it never does.
  Library(Plan& plan, const Convolution& convolution, bool wanted) {
    if (!wanted) return;
    planned_ = std::make_shared<PlannedConvolution>(convolution);
    workspace_ = plan.book(workspace_for(convolution));
  }
  // False, and nothing was enqueued, where it does not.
  bool run(const Launch& launch, Ptr x, Ptr w, Ptr y) const {
    return planned_ != nullptr && planned_->run(launch, x, w, y, launch.scratch(workspace_));
  }

 private:
  std::shared_ptr<const PlannedConvolution> planned_;
  int64_t workspace_ = 0;
};

// Images as the result: Y of the images X, or, not `forward`, the gradient of X of the images dY.
Run convolve(Plan& plan, const ConvArgs& args, bool forward, bool bias) {
  const Node& node = plan.node();
  const int64_t channels = forward ? args.out_channels : args.in_channels;
  const int64_t columns = args.batch * size_of(forward ? args.window.out : args.window.in);
  const int64_t results = args.groups * channels * columns;
  const bool tiled = channels >= kTileRows;
  const std::string name = std::string(forward ? "" : "grad_input_") + (tiled ? "tiles_" : "plain_");
  const DeviceKernel kernel = conv_kernel(name, node.dtype(0)), add = conv_kernel("bias_", node.dtype(0));
  const Grid grid = tiled ? blocks_grid(args.groups * tiles(channels) * tiles(columns), 1) : grid_for(results);
  const Library library(plan, {forward ? Convolution::Result::kY : Convolution::Result::kDx, node.dtype(0), args},
                        tiled && results > 0);
  return [=](const Launch& launch) {
    if (results == 0) return;
    const Ptr images = launch.in(0), w = launch.in(1), result = launch.out(0);
    ConvArgs now = args;
    (forward ? now.x : now.y) = images;
    now.w = w;
    if (bias) now.bias = launch.in(2);
    now.result = result;
    if (!library.run(launch, forward ? images : result, w, forward ? result : images)) {
      launch.run(kernel, grid, now);
    } else if (bias) {
      launch.run(add, grid_for(results),
                 ConvBiasArgs{now.bias, result, results, columns / args.batch, args.groups * channels});
    }
  };
}

Run prepare_conv(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0), y = node.output_dims();
  const WindowArgs window = window_of(node, spatial_dims(x), spatial_dims(y), spatial_dims(node.dims(1)));
  return convolve(plan, conv_args(node, window, x, y), true, node.has(2));
}

// ConvTranspose and ConvGradInput: inputs are images of the convolution's output, and its weights.
Run prepare_grad_input(Plan& plan) {
  const Node& node = plan.node();
  const Dims dy = node.dims(0), dx = node.output_dims(), kernel = spatial_dims(node.dims(1));
  const bool transposed = node.op() == "ConvTranspose";
  const WindowArgs window = transposed ? transposed_window_of(node, spatial_dims(dy), spatial_dims(dx), kernel)
                                       : window_of(node, spatial_dims(dx), spatial_dims(dy), kernel);
  return convolve(plan, conv_args(node, window, dx, dy), false, transposed && node.has(2));
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
  const Library library(plan, {Convolution::Result::kDw, dtype, args},
                        args.out_channels >= kTileRows && args.in_channels >= kTileRows && results > 0 && depth > 0);
  const bool bias = node.gives(1);
  Run sum_bias;
  if (bias) {
    std::vector<bool> reduced(dy.size(), true);
    reduced[1] = false;
    sum_bias = reduce_dims(plan, ReduceOp::kSum, {dtype, dy, 1, 1}, reduced);
  }
  return [=](const Launch& launch) {
    if (results > 0 && !library.run(launch, launch.in(0), launch.out(0), launch.in(1))) {
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

// Conv, ConvTranspose and the gradients of Conv. cuDNN runs them if it is available and groups have
// enough channels; otherwise kernels of this plug-in do.
#include <algorithm>
#include <memory>

#include "devices/cuda/elementwise/fused.h"
#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/launch/epilogue.h"
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/window.h"
#include "devices/cuda/vendor/dnn.h"

namespace percale::cuda {
namespace {

// With fewer rows of a product (channels of a group), or fewer results of the weight gradient, a
// tile would be mostly empty.
constexpr int64_t kTileRows = 16, kTileResults = 512;
constexpr int64_t kTile = 64;
// The sums of the weight gradient are cut into pieces of at least kPiece elements, so that about
// kWantedBlocks blocks have work.
constexpr int64_t kPiece = 512, kWantedBlocks = 1024, kMostPieces = 64;

int64_t size_of(const int64_t (&dims)[3]) { return dims[0] * dims[1] * dims[2]; }
int64_t tiles(int64_t size) { return (size + kTile - 1) / kTile; }

DeviceKernel conv_kernel(const std::string& what, percale_dtype dtype) {
  refuse_if(!is_float(dtype), "supports only floating-point types");
  return {Family::conv, "percale_conv_" + what + suffix(dtype)};
}

Grid blocks_grid(int64_t blocks, int64_t pieces) {
  Grid out;
  out.blocks = static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, 65535));
  out.blocks_y = static_cast<unsigned>(pieces);
  return out;
}

// Returns the arguments of a convolution from images `x` to images `y`.
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

// Images and weights of 16 bits use channels last for cuDNN, because its tensor cores need that
// layout. Returns 1 if all operands have it.
int32_t lies_channels_last(Plan& plan, percale_dtype dtype, const std::vector<size_t>& operands) {
  const bool half = dtype == PERCALE_DTYPE_F16 || dtype == PERCALE_DTYPE_BF16;
  if (!half || !plan.has_dnn()) return 0;
  bool out = true;
  for (size_t operand : operands) out = plan.want_channels_last(operand) && out;
  return out ? 1 : 0;
}

// Groups with few channels are not for cuDNN unless images have channels last.
bool is_for_library(const ConvArgs& args, int64_t channels) { return args.channels_last != 0 || channels >= kTileRows; }

// A convolution whose result is images: Y or the gradient of X. It uses the first of these methods
// that is available: cuDNN with the whole epilogue; cuDNN with the bias; cuDNN followed by a kernel
// for the bias; a kernel of this plug-in.
class ImageConv {
 public:
  ImageConv(Plan& plan, const Convolution& convolution)
      : c_(convolution),
        forward_(c_.result == Convolution::Result::kY),
        channels_(forward_ ? c_.args.out_channels : c_.args.in_channels),
        columns_(c_.args.batch * size_of(forward_ ? c_.args.window.out : c_.args.window.in)),
        results_(c_.args.groups * channels_ * columns_) {
    const bool tiled = channels_ >= kTileRows;
    own_ = conv_kernel(std::string(forward_ ? "" : "grad_input_") + (tiled ? "tiles_" : "plain_"), c_.dtype);
    add_ = conv_kernel("bias_", c_.dtype);
    grid_ = tiled ? blocks_grid(c_.args.groups * tiles(channels_) * tiles(columns_), 1) : grid_for(results_);
    if (results_ == 0 || !is_for_library(c_.args, channels_) || !plan.has_dnn()) return;
    const bool fits = forward_ && c_.dtype != PERCALE_DTYPE_F64;
    Convolution one = c_;
    if (one.residual || one.relu) planned_.push_back(std::make_shared<PlannedConvolution>(one));
    one.residual = one.relu = false;
    if (one.bias && fits) planned_.push_back(std::make_shared<PlannedConvolution>(one));
    one.bias = false;
    planned_.push_back(std::make_shared<PlannedConvolution>(one));
    int64_t bytes = 0;
    for (const auto& planned : planned_) bytes = std::max(bytes, planned->workspace());
    workspace_ = plan.book_workspace(bytes);
  }

  // Always adds the bias. Returns true if the residual and Relu were applied too.
  bool run(const Launch& launch, const PlannedConvolution::Operands& operands) const {
    if (results_ == 0) return true;
    const Ptr result = forward_ ? operands.y : operands.x;
    for (const auto& planned : planned_) {
      if (!planned->run(launch, operands, launch.workspace(workspace_))) continue;
      const Convolution& done = planned->convolution();
      if (c_.bias && !done.bias) {
        const int64_t size = c_.args.channels_last != 0 ? 1 : columns_ / c_.args.batch;
        launch.run(add_, grid_for(results_),
                   ConvBiasArgs{operands.bias, result, results_, size, c_.args.groups * channels_});
      }
      return done.residual == c_.residual && done.relu == c_.relu;
    }
    ConvArgs now = c_.args;
    (forward_ ? now.x : now.y) = forward_ ? operands.x : operands.y;
    now.w = operands.w;
    now.bias = operands.bias;
    now.result = result;
    launch.run(own_, grid_, now);
    return !c_.residual && !c_.relu;
  }

 private:
  const Convolution c_;
  const bool forward_;
  const int64_t channels_, columns_, results_;
  DeviceKernel own_, add_;
  Grid grid_;
  std::vector<std::shared_ptr<const PlannedConvolution>> planned_;
  int64_t workspace_ = 0;
};

Run prepare_conv(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0), y = node.output_dims();
  Convolution c{Convolution::Result::kY, node.dtype(0), {}};
  c.args = conv_args(node, window_of(node, spatial_dims(x), spatial_dims(y), spatial_dims(node.dims(1))), x, y);
  c.args.channels_last = lies_channels_last(plan, c.dtype, {0, 1, node.inputs()});
  c.bias = node.has(2);
  return [=, conv = ImageConv(plan, c)](const Launch& launch) {
    conv.run(launch, {launch.in(0), launch.in(1), launch.out(0), {0}, c.bias ? launch.in(2) : Ptr{0}});
  };
}

// ConvTranspose and ConvGradInput. The inputs are images of the convolution's output, and its
// weights.
Run prepare_grad_input(Plan& plan) {
  const Node& node = plan.node();
  const Dims dy = node.dims(0), dx = node.output_dims(), kernel = spatial_dims(node.dims(1));
  const bool transposed = node.op() == "ConvTranspose";
  const WindowArgs window = transposed ? transposed_window_of(node, spatial_dims(dy), spatial_dims(dx), kernel)
                                       : window_of(node, spatial_dims(dx), spatial_dims(dy), kernel);
  Convolution c{Convolution::Result::kDx, node.dtype(0), conv_args(node, window, dx, dy)};
  c.args.channels_last = lies_channels_last(plan, c.dtype, {0, 1, node.inputs()});
  c.bias = transposed && node.has(2);
  return [=, conv = ImageConv(plan, c)](const Launch& launch) {
    conv.run(launch, {launch.out(0), launch.in(1), launch.in(0), {0}, c.bias ? launch.in(2) : Ptr{0}});
  };
}

// A Conv with a bias, and a residual and Relu as its epilogue, for which cuDNN has precompiled
// code. If cuDNN cannot run it, the epilogue runs as a separate kernel.
Run prepare_fused_conv(Plan& plan) {
  const Node& node = plan.node();
  refuse_if(node.attribute("anchor", std::string_view()) != "Conv" || !plan.has_dnn(),
            "requires a group with the anchor Conv and cuDNN");
  const Node conv = node.body_node(0);
  Convolution c{Convolution::Result::kY, node.output_dtype(), {}};
  refuse_if(conv.inputs() < 3 || !conv.has(2), "the convolution has no bias");
  std::vector<size_t> inputs;
  for (size_t j = 0; j < 3; ++j) {
    inputs.push_back(node.outer_input(0, j));
    refuse_if(node.dtype(inputs.back()) != c.dtype, "the operands differ in dtype");
  }
  const Epilogue epilogue = epilogue_of(node);
  const Dims x = node.dims(inputs[0]), w = node.dims(inputs[1]), y = node.output_dims();
  c.args = conv_args(conv, window_of(conv, spatial_dims(x), spatial_dims(y), spatial_dims(w)), x, y);
  refuse_if(c.args.out_channels < kTileRows || (c.args.groups > 1 && c.args.in_channels < kTileRows),
            "there are too few channels");
  std::vector<size_t> images{inputs[0], inputs[1], node.inputs()};
  if (epilogue.residual) images.push_back(epilogue.input);
  c.args.channels_last = lies_channels_last(plan, c.dtype, images);
  c.bias = true;
  c.residual = epilogue.residual;
  c.relu = epilogue.relu;
  return [=, fused = ImageConv(plan, c), rest = Chain(plan, 1)](const Launch& launch) {
    const Ptr residual = epilogue.residual ? launch.in(epilogue.input) : Ptr{0};
    if (!fused.run(launch, {launch.in(inputs[0]), launch.in(inputs[1]), launch.out(0), residual, launch.in(inputs[2])}))
      rest.run(launch);
  };
}

Run prepare_grad_weight(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  const Dims x = node.dims(0), dy = node.dims(1), dw = node.output_dims();
  ConvArgs args = conv_args(node, window_of(node, spatial_dims(x), spatial_dims(dy), spatial_dims(dw)), x, dy);
  args.channels_last = lies_channels_last(plan, dtype, {0, 1, node.inputs()});
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
  std::shared_ptr<const PlannedConvolution> planned;
  int64_t workspace = 0;
  if (is_for_library(args, std::min(args.out_channels, args.in_channels)) && results > 0 && depth > 0 &&
      plan.has_dnn()) {
    planned = std::make_shared<PlannedConvolution>(Convolution{Convolution::Result::kDw, dtype, args});
    workspace = plan.book_workspace(planned->workspace());
  }
  const bool bias = node.gives(1);
  Run sum_bias;
  if (bias) {
    const Dims lying = args.channels_last != 0 ? channels_last(dy, dy.size()) : dy;
    std::vector<bool> reduced(dy.size(), true);
    reduced[args.channels_last != 0 ? dy.size() - 1 : 1] = false;
    sum_bias = reduce_dims(plan, ReduceOp::kSum, {dtype, lying, 1, 1}, reduced);
  }
  return [=](const Launch& launch) {
    const PlannedConvolution::Operands operands{launch.in(0), launch.out(0), launch.in(1), {0}, {0}};
    if (results > 0 && (planned == nullptr || !planned->run(launch, operands, launch.workspace(workspace)))) {
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
  entries.push_back({"cuda.conv", "percale", "Fused", prepare_fused_conv});
  entries.push_back({"cuda.conv_transpose", "", "ConvTranspose", prepare_grad_input});
  entries.push_back({"cuda.conv_grad_input", "percale", "ConvGradInput", prepare_grad_input});
  entries.push_back({"cuda.conv_grad_weight", "percale", "ConvGradWeight", prepare_grad_weight});
}

}  // namespace percale::cuda

// Layer, root mean square and batch normalisation, and the gradients of layer and batch
// normalisation.
#include <algorithm>
#include <array>
#include <initializer_list>

#include "devices/cuda/kernels/common/row_args.h"
#include "devices/cuda/launch/epilogue.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

// Rows of up to this many elements are processed by one warp, longer ones by a block.
constexpr int64_t kWarpRow = 1024;
// Returns the number of elements that a thread loads at once if sizes and addresses allow it.
int64_t pack_of(percale_dtype dtype) { return 16 / item_bytes(dtype); }

std::string kernel_name(const char* what, percale_dtype dtype) {
  refuse_if(!is_float(dtype), "supports only floating-point types");
  return std::string("percale_") + what + "_" + suffix(dtype);
}
int64_t wide_bytes(percale_dtype dtype) { return dtype == PERCALE_DTYPE_F64 ? 8 : 4; }

int32_t packs(int64_t size, percale_dtype dtype, std::initializer_list<Ptr> operands) {
  bool out = size % pack_of(dtype) == 0;
  for (Ptr p : operands) out = out && p.address % 16 == 0;
  return out ? 1 : 0;
}

LaunchGrid rows_grid(int64_t rows, int64_t size) {
  LaunchGrid out;
  const bool narrow = size <= kWarpRow;
  out.threads = narrow ? 32 : 256;
  out.threads_y = narrow ? 8 : 1;
  out.blocks = static_cast<unsigned>(std::clamp<int64_t>((rows + out.threads_y - 1) / out.threads_y, 1, 65535));
  return out;
}

struct Rows {
  int64_t rows, size;
};
Rows rows_of(const Dims& dims, const Node& norm) {
  const auto axis = static_cast<ptrdiff_t>(normal_axis(norm.attribute("axis", int64_t{-1}), dims.size()));
  return {elements(Dims(dims.begin(), dims.begin() + axis)), elements(Dims(dims.begin() + axis, dims.end()))};
}

// Returns "_f32", or for example "_f32_bf16" if the other operand has another type.
std::string types_of(percale_dtype dtype, percale_dtype other) {
  return std::string("_") + suffix(dtype) + (other == dtype ? "" : std::string("_") + suffix(other));
}

// LayerNormalization and RMSNormalization. `norm` may be a node in the body of the plan's node.
// `in` holds the indices of x, scale and bias among the inputs.
Run row_norm(Plan& plan, const Node& norm, const std::array<size_t, 3>& in) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(in[0]);
  refuse_if(!is_float(dtype), "supports only floating-point types");
  const DeviceKernel kernel{Family::norm, "percale_row_norm" + types_of(dtype, node.output_dtype())};
  const Dims x = node.dims(in[0]);
  const Rows of = rows_of(x, norm);
  RowNormArgs args{};
  args.rows = of.rows;
  args.size = of.size;
  args.epsilon = norm.attribute("epsilon", 1e-5);
  args.root = norm.op() == "RMSNormalization";
  refuse_if(node.dtype(in[1]) != dtype, "the scale differs from X in dtype");
  // A scale may have fewer dims than are normalised, or leading dims of one.
  Dims scale = node.dims(in[1]);
  while (!scale.empty() && scale.front() == 1) scale.erase(scale.begin());
  refuse_if(elements(scale) != of.size || scale.size() > x.size() ||
                !std::equal(scale.begin(), scale.end(), x.end() - static_cast<ptrdiff_t>(scale.size())),
            "the scale does not have the normalised dims");
  const percale_dtype wide = dtype == PERCALE_DTYPE_F64 ? PERCALE_DTYPE_F64 : PERCALE_DTYPE_F32;
  refuse_if(dtype != PERCALE_DTYPE_F64 && norm.attribute("stash_type", int64_t{1}) != 1, "requires stash_type 1 (f32)");
  const bool bias = args.root == 0 && norm.has(2), mean = args.root == 0 && norm.gives(1),
             inverse = args.root == 0 && norm.gives(2);
  refuse_if((mean && norm.output_dtype(1) != wide) || (inverse && norm.output_dtype(2) != wide),
            "the statistics must be f32, or f64 for f64");
  const LaunchGrid grid = rows_grid(of.rows, of.size);
  return [=](const Launch& launch) {
    if (args.rows == 0) return;
    RowNormArgs now = args;
    now.x = launch.in(in[0]);
    now.scale = launch.in(in[1]);
    if (bias) now.bias = launch.in(in[2]);
    now.y = launch.out(0);
    if (mean) now.mean = launch.out(1);
    if (inverse) now.inverse = launch.out(2);
    now.packed = packs(args.size, dtype, {now.x, now.scale, now.bias, now.y});
    launch.run(kernel, grid, now);
  };
}

Run prepare_row_norm(Plan& plan) { return row_norm(plan, plan.node(), {0, 1, 2}); }

// Columns are summed by blocks of 32 columns and a piece of at least kPieceRows rows, so that about
// kWantedBlocks blocks have work.
constexpr int64_t kColumnBlock = 32, kPieceRows = 64, kWantedBlocks = 1024, kMostPieces = 128;

// LayerNormalizationGrad, in the same way. `in` holds the indices of dy, x and scale.
Run row_norm_grad(Plan& plan, const Node& norm, const std::array<size_t, 3>& in) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(in[1]);
  refuse_if(!is_float(dtype), "supports only floating-point types");
  const std::string types = types_of(dtype, node.dtype(in[0]));
  const DeviceKernel rows{Family::norm, "percale_row_norm_grad" + types},
      columns{Family::norm, "percale_row_norm_columns" + types},
      join{Family::norm, kernel_name("row_norm_join", dtype)};
  const Rows of = rows_of(node.dims(in[1]), norm);
  RowNormGradArgs args{};
  args.rows = of.rows;
  args.size = of.size;
  args.epsilon = norm.attribute("epsilon", 1e-5);
  const int64_t blocks = std::max<int64_t>(1, (of.size + kColumnBlock - 1) / kColumnBlock);
  args.pieces = std::clamp<int64_t>(std::min(of.rows / kPieceRows, kWantedBlocks / blocks), 1, kMostPieces);
  const int64_t bytes = wide_bytes(dtype);
  const int64_t statistics = plan.book(of.rows * 2 * bytes);
  const int64_t partial = args.pieces == 1 ? 0 : plan.book(2 * args.pieces * of.size * bytes);
  LaunchGrid column_grid;
  column_grid.threads = static_cast<unsigned>(kColumnBlock);
  column_grid.threads_y = 8;
  column_grid.blocks = static_cast<unsigned>(std::min<int64_t>(blocks, 65535));
  column_grid.blocks_y = static_cast<unsigned>(args.pieces);
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    RowNormGradArgs now = args;
    now.dy = launch.in(in[0]);
    now.x = launch.in(in[1]);
    now.scale = launch.in(in[2]);
    now.dx = launch.out(0);
    now.dscale = launch.out(1);
    now.dbias = launch.out(2);
    now.statistics = launch.scratch(statistics);
    if (args.pieces > 1) now.partial = launch.scratch(partial);
    now.packed = packs(args.size, dtype, {now.dy, now.x, now.scale, now.dx});
    if (args.rows > 0) launch.run(rows, rows_grid(args.rows, args.size), now);
    launch.run(columns, column_grid, now);
    if (args.pieces > 1) launch.run(join, grid_for(2 * args.size), now);
  };
}

Run prepare_row_norm_grad(Plan& plan) { return row_norm_grad(plan, plan.node(), {0, 1, 2}); }

// A layer normalisation in f32 whose result is cast to 16 bits, and its gradient, which comes in 16
// bits.
Run prepare_fused_row_norm(Plan& plan) {
  const Node& node = plan.node();
  const std::string_view anchor = node.attribute("anchor", std::string_view());
  const bool back = anchor == "LayerNormalizationGrad";
  refuse_if((!back && anchor != "LayerNormalization" && anchor != "RMSNormalization") || node.body_size() != 2,
            "requires a group of LayerNormalization or RMSNormalization and a Cast");
  const size_t at = back ? 1 : 0;
  const Node norm = node.body_node(at), cast = node.body_node(1 - at);
  refuse_if(norm.op() != anchor || cast.op() != "Cast" || node.body_input(1, 0) != node.body_output(0),
            "the second op of the group is not a Cast of the result");
  std::array<size_t, 3> in{};
  for (size_t i = back ? 1 : 0; i < in.size(); ++i) {
    if (norm.has(i)) in[i] = node.outer_input(at, i);
  }
  if (back) in[0] = node.outer_input(0, 0);
  const percale_dtype other = back ? node.dtype(in[0]) : node.output_dtype();
  refuse_if(
      node.dtype(in[back ? 1 : 0]) != PERCALE_DTYPE_F32 || (other != PERCALE_DTYPE_F16 && other != PERCALE_DTYPE_BF16),
      "the Cast must be between f32 and a 16-bit type");
  refuse_if(!back && norm.gives(2) && !norm.gives(1), "only one of the two statistics is requested");
  return back ? row_norm_grad(plan, norm, in) : row_norm(plan, norm, in);
}

// A channel is cut into pieces of at least kPiece elements, so that about kChannelBlocks blocks
// have work.
constexpr int64_t kPiece = 1024, kChannelBlocks = 2048, kMostChannelPieces = 64;
// The same with channels last, where a block handles many channels.
constexpr int64_t kLastPiece = 256, kLastBlocks = 1024, kMostLastPieces = 256, kBlock = 256, kBlockPacks = 32;

// `norm` is the node with the attributes, which may be in the body of `node`.
ChannelNormArgs channel_args(const Node& node, const Node& norm, size_t x_input, percale_dtype scale,
                             percale_dtype statistics) {
  const Dims x = node.dims(x_input);
  refuse_if(!is_float(scale) || !is_float(statistics), "supports only floating-point types");
  ChannelNormArgs args{};
  args.channels_last = node.shows_channels_last() ? 1 : 0;
  args.batch = x[0];
  args.channels = x[node.place_of_dim(1)];
  args.image = args.channels == 0 ? 0 : elements(Dims(x.begin() + 1, x.end())) / args.channels;
  args.epsilon = norm.attribute("epsilon", 1e-5);
  args.momentum = norm.attribute("momentum", 0.9);
  args.training = norm.attribute("training_mode", int64_t{0}) != 0;
  args.scale_dtype = scale;
  args.statistics_dtype = statistics;
  const int64_t count = args.batch * args.image, channels = std::max<int64_t>(args.channels, 1);
  if (args.channels_last != 0) {
    const int64_t side = kBlockPacks * pack_of(node.dtype(x_input)), blocks = (channels + side - 1) / side;
    args.pieces = std::clamp<int64_t>(std::min(count / kLastPiece, kLastBlocks / blocks), 1, kMostLastPieces);
  } else {
    args.pieces = std::clamp<int64_t>(std::min(count / kPiece, kChannelBlocks / channels), 1, kMostChannelPieces);
  }
  return args;
}
LaunchGrid channel_grid(const ChannelNormArgs& args, percale_dtype dtype) {
  LaunchGrid out;
  int64_t blocks = args.channels;
  if (args.channels_last != 0) {
    // As many threads side by side as there are packs of channels, but at most a warp.
    const int64_t packs = args.channels / (args.packed != 0 ? pack_of(dtype) : 1);
    out.threads = 1;
    while (out.threads < kBlockPacks && out.threads < packs) out.threads *= 2;
    out.threads_y = static_cast<unsigned>(kBlock) / out.threads;
    blocks = (packs + out.threads - 1) / out.threads;
  }
  out.blocks = static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, 65535));
  out.blocks_y = static_cast<unsigned>(args.pieces);
  return out;
}

// The kernels and the scratch of both directions.
struct ChannelKernels {
  DeviceKernel pieces, statistics, gradients, apply;
  int64_t partial, table;
};
ChannelKernels channel_kernels(Plan& plan, const ChannelNormArgs& args, percale_dtype dtype) {
  const percale_dtype wide = dtype == PERCALE_DTYPE_F64 ? dtype : PERCALE_DTYPE_F32;
  const auto kernel = [](const std::string& what, percale_dtype of) {
    return DeviceKernel{Family::channel_norm, kernel_name(what.c_str(), of)};
  };
  const std::string last = args.channels_last != 0 ? "_last" : "";
  return {kernel("channel_pieces" + last, dtype),
          kernel("channel_statistics", wide),
          kernel("channel_gradients", wide),
          kernel("channel_apply" + last, dtype),
          plan.book(args.channels * args.pieces * static_cast<int64_t>(sizeof(ChannelPiece))),
          plan.book(args.channels * 4 * wide_bytes(dtype))};
}

void run_apply(const Launch& launch, const ChannelKernels& kernels, percale_dtype dtype, const ChannelNormArgs& now) {
  const int64_t count = now.batch * now.channels * now.image;
  if (count == 0) return;
  const bool last = now.channels_last != 0;
  launch.run(kernels.apply, last ? channel_grid(now, dtype) : grid_for(count, now.packed != 0 ? pack_of(dtype) : 1),
             now);
}
int32_t packs(const ChannelNormArgs& now, percale_dtype dtype) {
  return packs(now.channels_last != 0 ? now.channels : now.image, dtype,
               {now.x, now.dy, now.y, now.residual, now.relu_result});
}

// BatchNormalization. `in` holds the indices of x, scale, bias, mean and variance among the inputs
// of the plan's node.
Run batch_norm(Plan& plan, const Node& norm, const std::array<size_t, 5>& in, const Epilogue& epilogue) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(in[0]);
  ChannelNormArgs args = channel_args(node, norm, in[0], node.dtype(in[1]), node.dtype(in[3]));
  args.relu = epilogue.relu ? 1 : 0;
  const ChannelKernels kernels = channel_kernels(plan, args, dtype);
  const bool mean = norm.gives(1), variance = norm.gives(2);
  return [=](const Launch& launch) {
    if (args.channels == 0) return;
    ChannelNormArgs now = args;
    now.x = launch.in(in[0]);
    now.scale = launch.in(in[1]);
    now.bias = launch.in(in[2]);
    now.mean = launch.in(in[3]);
    now.variance = launch.in(in[4]);
    if (epilogue.residual) now.residual = launch.in(epilogue.input);
    now.y = launch.out(0);
    if (mean) now.running_mean = launch.out(1);
    if (variance) now.running_variance = launch.out(2);
    now.partial = launch.scratch(kernels.partial);
    now.table = launch.scratch(kernels.table);
    now.packed = packs(now, dtype);
    if (now.training != 0) launch.run(kernels.pieces, channel_grid(now, dtype), now);
    launch.run(kernels.statistics, grid_for(args.channels), now);
    run_apply(launch, kernels, dtype, now);
  };
}

Run prepare_batch_norm(Plan& plan) { return batch_norm(plan, plan.node(), {0, 1, 2, 3, 4}, {}); }

// The inputs of BatchNormalizationGrad. `relu_result` is the result of the Relu through which `dy`
// passes back, or -1.
struct NormGradInputs {
  size_t dy, x, scale;
  ptrdiff_t relu_result;
};
Run batch_norm_grad(Plan& plan, const Node& norm, const NormGradInputs& in) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(in.x);
  const bool training = norm.attribute("training_mode", int64_t{0}) != 0;
  const ChannelNormArgs args =
      channel_args(node, norm, in.x, node.dtype(in.scale), training ? PERCALE_DTYPE_F32 : node.dtype(3));
  const ChannelKernels kernels = channel_kernels(plan, args, dtype);
  return [=](const Launch& launch) {
    if (args.channels == 0) return;
    ChannelNormArgs now = args;
    now.dy = launch.in(in.dy);
    now.x = launch.in(in.x);
    now.scale = launch.in(in.scale);
    if (in.relu_result >= 0) now.relu_result = launch.in(static_cast<size_t>(in.relu_result));
    if (!training) {
      now.mean = launch.in(3);
      now.variance = launch.in(4);
    }
    now.y = launch.out(0);
    now.dscale = launch.out(1);
    now.dbias = launch.out(2);
    now.partial = launch.scratch(kernels.partial);
    now.table = launch.scratch(kernels.table);
    now.packed = packs(now, dtype);
    launch.run(kernels.pieces, channel_grid(now, dtype), now);
    launch.run(kernels.gradients, grid_for(args.channels), now);
    run_apply(launch, kernels, dtype, now);
  };
}

Run prepare_batch_norm_grad(Plan& plan) { return batch_norm_grad(plan, plan.node(), {0, 1, 2, -1}); }

// BatchNormalization in training with a residual and Relu as its epilogue, and its gradient after
// that of Relu. Fusing saves one pass over the activations, which are large.
Run prepare_fused_batch_norm(Plan& plan) {
  const Node& node = plan.node();
  const std::string_view anchor = node.attribute("anchor", std::string_view());
  if (anchor == "BatchNormalization") {
    const Node norm = node.body_node(0);
    refuse_if(norm.op() != anchor || (norm.gives(2) && !norm.gives(1)),
              "the normalisation is not the first op of the group, or only one of the statistics is requested");
    std::array<size_t, 5> in;
    for (size_t i = 0; i < in.size(); ++i) in[i] = node.outer_input(0, i);
    return batch_norm(plan, norm, in, epilogue_of(node));
  }
  refuse_if(anchor != "BatchNormalizationGrad" || node.body_size() != 2,
            "requires a group with the anchor BatchNormalizationGrad");
  const Node norm = node.body_node(1);
  refuse_if(node.body_node(0).op() != "ReluGrad" || norm.op() != anchor || node.body_input(1, 0) != node.body_output(0),
            "the group is not ReluGrad followed by BatchNormalizationGrad");
  refuse_if(norm.attribute("training_mode", int64_t{0}) == 0, "the gradient of running statistics is not supported");
  return batch_norm_grad(plan, norm,
                         {node.outer_input(0, 0), node.outer_input(1, 1), node.outer_input(1, 2),
                          static_cast<ptrdiff_t>(node.outer_input(0, 1))});
}

}  // namespace

void add_norm(Entries& entries) {
  entries.push_back({"cuda.row_norm", "", "LayerNormalization", prepare_row_norm});
  entries.push_back({"cuda.row_norm", "", "RMSNormalization", prepare_row_norm});
  entries.push_back({"cuda.row_norm_grad", "percale", "LayerNormalizationGrad", prepare_row_norm_grad});
  entries.push_back({"cuda.row_norm", "percale", "Fused", prepare_fused_row_norm});
  entries.push_back({"cuda.batch_norm", "", "BatchNormalization", prepare_batch_norm, 1});
  entries.push_back({"cuda.batch_norm_grad", "percale", "BatchNormalizationGrad", prepare_batch_norm_grad, 2});
  entries.push_back({"cuda.batch_norm", "percale", "Fused", prepare_fused_batch_norm, kAllImages});
}

}  // namespace percale::cuda

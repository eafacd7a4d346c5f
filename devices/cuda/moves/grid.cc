// GridSample and its gradients.
#include <algorithm>

#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

constexpr int64_t kChannelPieces = 16;  // the most pieces that the channels of a point are cut into

DeviceKernel grid_kernel(const char* what, percale_dtype dtype) {
  return {Family::grid, std::string("percale_") + what + suffix(dtype)};
}

GridArgs grid_args(const Node& node, size_t x, size_t grid) {
  const Dims pictures = node.dims(x);
  refuse_if(!is_float(node.dtype(grid)), "the grid must be floating-point");
  GridArgs args{};
  args.batch = pictures[0];
  args.channels = pictures[1];
  args.rank = static_cast<int32_t>(pictures.size() - 2);
  refuse_if(args.rank > 3, "supports only up to three spatial dims");
  std::fill(args.dims, args.dims + 3, 1);
  std::copy(pictures.begin() + 2, pictures.end(), args.dims + 3 - args.rank);
  args.picture = args.dims[0] * args.dims[1] * args.dims[2];
  args.points = args.batch == 0 ? 0 : elements(node.dims(grid)) / args.rank / args.batch;
  const std::string_view mode = node.attribute("mode", std::string_view("linear")),
                         padding = node.attribute("padding_mode", std::string_view("zeros"));
  args.mode = mode == "nearest" ? GridMode::kNearest : mode == "cubic" ? GridMode::kCubic : GridMode::kLinear;
  args.padding = padding == "border"       ? GridPadding::kBorder
                 : padding == "reflection" ? GridPadding::kReflection
                                           : GridPadding::kZeros;
  args.align_corners = node.attribute("align_corners", int64_t{0}) != 0 ? 1 : 0;
  args.grid_dtype = node.dtype(grid);
  return args;
}

Run prepare_grid_sample(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  const GridArgs args = grid_args(node, 0, 1);
  refuse_if(dtype == PERCALE_DTYPE_BOOL && args.mode != GridMode::kNearest, "bools cannot be interpolated");
  const DeviceKernel kernel = grid_kernel("grid_sample_", dtype == PERCALE_DTYPE_BOOL ? PERCALE_DTYPE_U8 : dtype);
  Grid grid = grid_for(args.batch * args.points);
  grid.blocks_y = static_cast<unsigned>(std::clamp<int64_t>(args.channels, 1, kChannelPieces));
  return [=](const Launch& launch) {
    if (args.batch * args.points * args.channels == 0) return;
    GridArgs now = args;
    now.x = launch.in(0);
    now.grid = launch.in(1);
    now.y = launch.out(0);
    launch.run(kernel, grid, now);
  };
}

Run prepare_grid_sample_grad(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  const DeviceKernel pictures = grid_kernel("picture_gradient_", dtype), points = grid_kernel("grid_gradient_", dtype);
  const GridArgs args = grid_args(node, 1, 2);
  const int64_t count = args.batch * args.channels;
  const bool narrow = item_bytes(dtype) == 2;
  const int64_t sums = narrow ? plan.book(count * args.picture * 4) : 0;
  Grid grid;
  grid.blocks = static_cast<unsigned>(std::clamp<int64_t>(count, 1, INT32_MAX));
  return [=](const Launch& launch) {
    GridArgs now = args;
    now.grad = launch.in(0);
    now.x = launch.in(1);
    now.grid = launch.in(2);
    now.dx = launch.out(0);
    now.dgrid = launch.out(1);
    now.sums = narrow ? launch.scratch(sums) : now.dx;
    if (count * args.picture > 0) launch.run(pictures, grid, now);
    if (args.batch * args.points > 0) launch.run(points, grid_for(args.batch * args.points), now);
  };
}

}  // namespace

void add_grid(Entries& entries) {
  entries.push_back({"cuda.grid_sample", "", "GridSample", prepare_grid_sample});
  entries.push_back({"cuda.grid_sample_grad", "percale", "GridSampleGrad", prepare_grid_sample_grad});
}

}  // namespace percale::cuda

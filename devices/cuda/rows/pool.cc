// MaxPool, AveragePool and the gradients of pools. Forward global pools are reductions (reduce.cc).
#include <algorithm>

#include "devices/cuda/kernels/common/row_args.h"
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/window.h"

namespace percale::cuda {
namespace {

int64_t size_of(const int64_t (&dims)[3]) { return dims[0] * dims[1] * dims[2]; }

int64_t images_of(const PoolArgs& args) { return args.outer * args.inner; }

DeviceKernel pool_kernel(const char* what, percale_dtype dtype) {
  return {Family::pool, std::string("percale_") + what + "_" + suffix(dtype)};
}

// Returns the arguments of a pool from X with dims `x` to Y with dims `y`.
PoolArgs pool_args(const Node& node, const Dims& x, const Dims& y) {
  PoolArgs args{};
  const ImageDims in = image_dims(node, x);
  args.outer = in.outer;
  args.inner = in.inner;
  args.count_pads = node.attribute("count_include_pad", int64_t{0}) != 0;
  args.column_major = node.attribute("storage_order", int64_t{0}) != 0;
  if (node.attribute("global", int64_t{0}) != 0) {  // one window over the whole image
    const int64_t size = elements(in.places);
    args.window = {{1, 1, size}, {1, 1, 1}, {1, 1, size}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}};
    return args;
  }
  args.window = window_of(node, in.places, image_dims(node, y).places, node.attribute("kernel_shape", Dims()));
  return args;
}

Run prepare_pool(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  const bool maximum = node.op() == "MaxPool";
  const bool bytes = dtype == PERCALE_DTYPE_I8 || dtype == PERCALE_DTYPE_U8;
  refuse_if(!is_float(dtype) && !(maximum && bytes), "does not support this element type");
  const DeviceKernel kernel = pool_kernel(maximum ? "max_pool" : "average_pool", dtype);
  const PoolArgs args = pool_args(node, node.dims(0), node.output_dims());
  const bool indices = maximum && node.gives(1);
  refuse_if(indices && node.shows_channels_last(), "the indices are counted in channels-first order");
  const int64_t count = images_of(args) * size_of(args.window.out);
  return [=](const Launch& launch) {
    if (count == 0) return;
    PoolArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    if (indices) now.indices = launch.out(1);
    launch.run(kernel, grid_for(count), now);
  };
}

Run prepare_max_pool_grad(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  refuse_if(!is_float(dtype), "supports only floating-point types");
  const PoolArgs args = pool_args(node, node.dims(1), node.dims(0));
  const bool global = node.attribute("global", int64_t{0}) != 0;
  refuse_if(global && node.shows_channels_last(), "requires a channels-first layout");
  const DeviceKernel choose = pool_kernel(global ? "plane_chosen" : "max_pool_chosen", dtype),
                     gather = pool_kernel("max_pool_grad", dtype);
  const int64_t in_size = size_of(args.window.in), windows = images_of(args) * size_of(args.window.out);
  refuse_if(in_size > INT32_MAX, "images of more than 2^31 elements are not supported");
  const int64_t chosen = plan.book(windows * 4);
  Grid choosing = grid_for(windows);
  if (global) choosing.blocks = static_cast<unsigned>(std::clamp<int64_t>(args.outer, 1, 65535));
  return [=](const Launch& launch) {
    if (images_of(args) * in_size == 0) return;
    PoolArgs now = args;
    now.chosen = launch.scratch(chosen);
    now.x = launch.in(1);
    if (windows > 0) launch.run(choose, choosing, now);
    now.x = launch.in(0);
    now.y = launch.out(0);
    launch.run(gather, grid_for(images_of(args) * in_size), now);
  };
}

Run prepare_average_pool_grad(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  refuse_if(!is_float(dtype), "supports only floating-point types");
  const DeviceKernel kernel = pool_kernel("average_pool_grad", dtype);
  const PoolArgs args = pool_args(node, node.output_dims(), node.dims(0));
  const int64_t count = images_of(args) * size_of(args.window.in);
  return [=](const Launch& launch) {
    if (count == 0) return;
    PoolArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    launch.run(kernel, grid_for(count), now);
  };
}

}  // namespace

void add_pool(Entries& entries) {
  for (const char* op : {"MaxPool", "AveragePool"}) entries.push_back({"cuda.pool", "", op, prepare_pool, 1});
  entries.push_back({"cuda.max_pool_grad", "percale", "MaxPoolGrad", prepare_max_pool_grad, 2});
  entries.push_back({"cuda.average_pool_grad", "percale", "AveragePoolGrad", prepare_average_pool_grad, 1});
}

}  // namespace percale::cuda

// RoiAlign with the gradient of its pictures, and MaxRoiPool.
#include <algorithm>

#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

DeviceKernel roi_kernel(const char* what, percale_dtype dtype) {
  refuse_if(!is_float(dtype), "supports only floating-point types");
  return {Family::roi, std::string("percale_") + what + suffix(dtype)};
}

// `pictures` is [batch, channels, height, width].
RoiArgs roi_args(const Node& node, const Dims& pictures) {
  RoiArgs args{};
  args.batch = pictures[0];
  args.channels = pictures[1];
  args.height = pictures[2];
  args.width = pictures[3];
  args.count = node.dims(1)[0];
  args.scale = node.attribute("spatial_scale", 1.0);
  args.rows = node.attribute("output_height", int64_t{1});
  args.columns = node.attribute("output_width", int64_t{1});
  args.samples = node.attribute("sampling_ratio", int64_t{0});
  args.maximum = node.attribute("mode", std::string_view("avg")) == "max" ? 1 : 0;
  const auto coordinates = node.attribute("coordinate_transformation_mode", std::string_view("half_pixel"));
  args.half_pixel = coordinates == "half_pixel" ? 1 : 0;
  refuse_if(node.dtype(1) != node.dtype(0), "the rois differ from X in dtype");
  return args;
}

Run prepare_roi_align(Plan& plan) {
  const Node& node = plan.node();
  const DeviceKernel kernel = roi_kernel("roi_align_", node.dtype(0));
  const RoiArgs args = roi_args(node, node.dims(0));
  const int64_t count = args.count * args.channels * args.rows * args.columns;
  refuse_if(args.height * args.width == 0, "X has no elements");
  return [=](const Launch& launch) {
    if (count == 0) return;
    RoiArgs now = args;
    now.x = launch.in(0);
    now.rois = launch.in(1);
    now.images = launch.in(2);
    now.y = launch.out(0);
    now.errors = launch.errors();
    launch.run(kernel, grid_for(count), now);
  };
}

Run prepare_roi_align_grad(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  const DeviceKernel kernel = roi_kernel("roi_align_grad_", dtype);
  const RoiArgs args = roi_args(node, node.output_dims());
  const int64_t images = args.batch * args.channels;
  const bool narrow = item_bytes(dtype) == 2;
  const int64_t sums = narrow ? plan.book(images * args.height * args.width * 4) : 0;
  Grid grid;
  grid.blocks = static_cast<unsigned>(std::clamp<int64_t>(images, 1, INT32_MAX));
  return [=](const Launch& launch) {
    if (images * args.height * args.width == 0) return;
    RoiArgs now = args;
    now.x = launch.in(0);
    now.rois = launch.in(1);
    now.images = launch.in(2);
    now.y = launch.out(0);
    now.sums = narrow ? launch.scratch(sums) : now.y;
    now.errors = launch.errors();
    launch.run(kernel, grid, now);
  };
}

Run prepare_max_roi_pool(Plan& plan) {
  const Node& node = plan.node();
  const DeviceKernel kernel = roi_kernel("max_roi_pool_", node.dtype(0));
  const Dims x = node.dims(0), y = node.output_dims();
  RoiPoolArgs args{};
  args.batch = x[0];
  args.channels = x[1];
  args.height = x[2];
  args.width = x[3];
  args.count = y[0];
  args.rows = y[2];
  args.columns = y[3];
  args.scale = node.attribute("spatial_scale", 1.0);
  const int64_t count = elements(y);
  return [=](const Launch& launch) {
    if (count == 0) return;
    RoiPoolArgs now = args;
    now.x = launch.in(0);
    now.rois = launch.in(1);
    now.y = launch.out(0);
    now.errors = launch.errors();
    launch.run(kernel, grid_for(count), now);
  };
}

}  // namespace

void add_roi(Entries& entries) {
  entries.push_back({"cuda.roi_align", "", "RoiAlign", prepare_roi_align});
  entries.push_back({"cuda.max_roi_pool", "", "MaxRoiPool", prepare_max_roi_pool});
  entries.push_back({"cuda.roi_align_grad", "percale", "RoiAlignGrad", prepare_roi_align_grad});
}

}  // namespace percale::cuda

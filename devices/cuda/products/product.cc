// MatMul and BatchMatMul of integers, MatMulInteger and ConvInteger.
#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/walk.h"
#include "devices/cuda/launch/window.h"

namespace percale::cuda {
namespace {

// Reads operands whose batches broadcast.
IntProductArgs read(const Node& node) {
  const MatMulDims dims(node);
  IntProductArgs args{};
  args.m = dims.m, args.n = dims.n, args.k = dims.k;
  args.a_row = dims.trans_a ? 1 : dims.k, args.a_column = dims.trans_a ? dims.m : 1;
  args.b_row = dims.trans_b ? 1 : dims.n, args.b_column = dims.trans_b ? dims.k : 1;
  args.size = elements(node.output_dims());
  args.batches = make_walk<2>(
      dims.y_batch, {broadcast_strides(dims.a_batch, dims.y_batch), broadcast_strides(dims.b_batch, dims.y_batch)});
  return args;
}

Run run_product(const std::string& types, const IntProductArgs& args, bool a_zero, bool b_zero) {
  const DeviceKernel kernel{Family::product, "percale_product_" + types};
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    IntProductArgs now = args;
    now.a = launch.in(0), now.b = launch.in(1), now.y = launch.out(0);
    if (a_zero) now.a_zero = launch.in(2);
    if (b_zero) now.b_zero = launch.in(3);
    launch.run(kernel, grid_for(args.size), now);
  };
}

Run prepare_int_matmul(Plan& plan) {
  const percale_dtype dtype = plan.node().dtype(0);
  refuse_if(dtype != PERCALE_DTYPE_I32 && dtype != PERCALE_DTYPE_I64 && dtype != PERCALE_DTYPE_U32 &&
                dtype != PERCALE_DTYPE_U64,
            "requires integers of 32 or 64 bits");
  return run_product(suffix(dtype), read(plan.node()), false, false);
}

Run prepare_matmul_integer(Plan& plan) {
  const Node& node = plan.node();
  IntProductArgs args = read(node);
  const auto step = [&](size_t i, int64_t per) -> int64_t {
    if (!node.has(i) || elements(node.dims(i)) == 1) return 0;
    refuse_if(node.dims(i).size() != 1 || node.dims(i)[0] != per,
              "zero points per matrix of a batch are not supported");
    return 1;
  };
  args.a_zero_step = step(2, args.m);
  args.b_zero_step = step(3, args.n);
  return run_product(std::string(suffix(node.dtype(0))) + '_' + suffix(node.dtype(1)), args, node.has(2), node.has(3));
}

Run prepare_conv_integer(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0), w = node.dims(1), y = node.output_dims();
  IntConvArgs args{};
  args.window = window_of(node, spatial_dims(x), spatial_dims(y), spatial_dims(w));
  args.batch = x[0];
  args.groups = node.attribute("group", int64_t{1});
  args.in_channels = w[1];
  args.out_channels = w[0] / args.groups;
  args.w_zero_step = node.has(3) && elements(node.dims(3)) > 1 ? 1 : 0;
  const bool x_zero = node.has(2), w_zero = node.has(3);
  const int64_t count = elements(y);
  const std::string types = std::string(suffix(node.dtype(0))) + '_' + suffix(node.dtype(1));
  const DeviceKernel kernel{Family::product, "percale_int_conv_" + types};
  return [=](const Launch& launch) {
    if (count == 0) return;
    IntConvArgs now = args;
    now.x = launch.in(0), now.w = launch.in(1), now.y = launch.out(0);
    if (x_zero) now.x_zero = launch.in(2);
    if (w_zero) now.w_zero = launch.in(3);
    launch.run(kernel, grid_for(count), now);
  };
}

}  // namespace

void add_product(Entries& entries) {
  entries.push_back({"cuda.int_matmul", "", "MatMul", prepare_int_matmul});
  entries.push_back({"cuda.int_matmul", "percale", "BatchMatMul", prepare_int_matmul});
  entries.push_back({"cuda.matmul_integer", "", "MatMulInteger", prepare_matmul_integer});
  entries.push_back({"cuda.conv_integer", "", "ConvInteger", prepare_conv_integer});
}

}  // namespace percale::cuda

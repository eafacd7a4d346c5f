// Ranges, one-hot lines, triangles and diagonals of matrices.
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

DeviceKernel kernel_of(const char* name, const std::string& end) {
  return {Family::generate, std::string("percale_") + name + "_" + end};
}

Run prepare_range(Plan& plan) {
  const Node& node = plan.node();
  const DeviceKernel kernel = kernel_of("range", suffix(node.dtype(0)));
  const int64_t size = elements(node.output_dims());
  return [=](const Launch& launch) {
    if (size > 0) launch.run(kernel, grid_for(size), RangeArgs{launch.in(0), launch.in(2), launch.out(0), size});
  };
}

Run prepare_one_hot(Plan& plan) {
  const Node& node = plan.node();
  const Dims y = node.output_dims();
  const auto axis = static_cast<ptrdiff_t>(normal_axis(node.attribute("axis", int64_t{-1}), y.size()));
  const DeviceKernel kernel = kernel_of("one_hot", std::to_string(item_bytes(node.dtype(2))));
  OneHotArgs args{};
  args.outer = elements(Dims(y.begin(), y.begin() + axis));
  args.size = y[static_cast<size_t>(axis)];
  args.inner = elements(Dims(y.begin() + axis + 1, y.end()));
  args.dtype = node.dtype(0);
  const int64_t size = elements(y);
  return [=](const Launch& launch) {
    if (size == 0) return;
    OneHotArgs now = args;
    now.indices = launch.in(0);
    now.values = launch.in(2);
    now.y = launch.out(0);
    launch.run(kernel, grid_for(size), now);
  };
}

DiagonalArgs matrices(const Dims& x) {
  DiagonalArgs args{};
  args.rows = x[x.size() - 2];
  args.columns = x[x.size() - 1];
  args.batch = elements(Dims(x.begin(), x.end() - 2));
  return args;
}

Run prepare_triangle(Plan& plan) {
  const Node& node = plan.node();
  const DeviceKernel kernel = kernel_of("triangle", std::to_string(item_bytes(node.dtype(0))));
  DiagonalArgs args = matrices(node.dims(0));
  args.upper = node.attribute("upper", int64_t{1}) != 0;
  const bool has_k = node.has(1);
  const int64_t size = elements(node.dims(0));
  return [=](const Launch& launch) {
    if (size == 0) return;
    DiagonalArgs now = args;
    now.x = launch.in(0);
    if (has_k) now.k = launch.in(1);
    now.y = launch.out(0);
    launch.run(kernel, grid_for(size), now);
  };
}

// Returns the bits of 1.
uint64_t one_of(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_F32: return 0x3F800000;
    case PERCALE_DTYPE_F64: return 0x3FF0000000000000;
    case PERCALE_DTYPE_F16: return 0x3C00;
    case PERCALE_DTYPE_BF16: return 0x3F80;
    default: return 1;
  }
}

Run prepare_eye(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.output_dtype();
  const DeviceKernel kernel = kernel_of("eye", std::to_string(item_bytes(dtype)));
  DiagonalArgs args = matrices(node.output_dims());
  args.diagonal = node.attribute("k", int64_t{0});
  args.one = one_of(dtype);
  const int64_t size = args.rows * args.columns;
  return [=](const Launch& launch) {
    if (size == 0) return;
    DiagonalArgs now = args;
    now.y = launch.out(0);
    launch.run(kernel, grid_for(size), now);
  };
}

}  // namespace

void add_generate(Entries& entries) {
  entries.push_back({"cuda.range", "", "Range", prepare_range});
  entries.push_back({"cuda.one_hot", "", "OneHot", prepare_one_hot});
  entries.push_back({"cuda.triangle", "", "Trilu", prepare_triangle});
  entries.push_back({"cuda.eye", "", "EyeLike", prepare_eye});
}

}  // namespace percale::cuda

#include "devices/cuda/moves/cumulate.h"

#include <algorithm>

#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

// A long line is cut into pieces of at least kPiece elements, so that about kWantedBlocks blocks
// have work.
constexpr int64_t kLong = 256, kPiece = 4096, kWantedBlocks = 1024;

DeviceKernel kernel_of(const char* name, percale_dtype dtype) {
  // Integers wrap, so the kernels of unsigned types serve signed ones too.
  const char* end = dtype == PERCALE_DTYPE_I32 ? "u32" : dtype == PERCALE_DTYPE_I64 ? "u64" : suffix(dtype);
  return {Family::sort, std::string("percale_") + name + "_" + end};
}

// The type in which elements are added.
percale_dtype wide(percale_dtype dtype) {
  return dtype == PERCALE_DTYPE_F16 || dtype == PERCALE_DTYPE_BF16 ? PERCALE_DTYPE_F32 : dtype;
}

// Reads the lines along the axis given by input `axis_input`.
CumulateArgs cumulate_args(const Node& node, size_t axis_input) {
  const Dims x = node.dims(0);
  const auto axis = static_cast<ptrdiff_t>(normal_axis(node.known_ints(axis_input, "the axis").at(0), x.size()));
  CumulateArgs args{};
  args.size = x[static_cast<size_t>(axis)];
  args.inner = elements(Dims(x.begin() + axis + 1, x.end()));
  args.lines = elements(Dims(x.begin(), x.begin() + axis)) * args.inner;
  args.product = node.op() == "CumProd";
  args.exclusive = node.attribute("exclusive", int64_t{0}) != 0;
  args.reverse = node.attribute("reverse", int64_t{0}) != 0;
  return args;
}

Run prepare_cumulate(Plan& plan) {
  const Cumulation cumulation(plan, plan.node().dtype(0), cumulate_args(plan.node(), 1));
  return [=](const Launch& launch) { cumulation.run(launch, launch.in(0), launch.out(0)); };
}

Run prepare_product_grad(Plan& plan) {
  const Node& node = plan.node();
  const CumulateArgs args = cumulate_args(node, 2);
  const DeviceKernel kernel = kernel_of("product_grad", node.dtype(0));
  return [=](const Launch& launch) {
    if (args.lines * args.size == 0) return;
    CumulateArgs now = args;
    now.grad = launch.in(0);
    now.x = launch.in(1);
    now.y = launch.out(0);
    launch.run(kernel, grid_for(args.lines), now);
  };
}

}  // namespace

Cumulation::Cumulation(Plan& plan, percale_dtype dtype, CumulateArgs args)
    : args_(args),
      // If there are many lines, each thread has its own.
      is_long_(args.size >= kLong && args.lines < 4 * kWantedBlocks),
      kernel_(kernel_of(is_long_ ? "cumulate_long" : "cumulate", dtype)),
      of_partial_(kernel_of("cumulate_long", wide(dtype))),
      totals_(kernel_of("cumulate_totals", dtype)) {
  args_.pieces = 1;
  if (is_long_ && args.lines > 0) {
    args_.pieces = std::max<int64_t>(1, std::min(args.size / kPiece, kWantedBlocks / args.lines));
  }
  if (args_.pieces > 1) partial_ = plan.book(args.lines * args_.pieces * 8);
}

void Cumulation::run(const Launch& launch, Ptr x, Ptr y) const {
  if (args_.lines * args_.size == 0) return;
  CumulateArgs now = args_;
  now.x = x;
  now.y = y;
  LaunchGrid grid = grid_for(args_.lines);
  if (is_long_) {
    grid.blocks = static_cast<unsigned>(args_.lines);
    grid.blocks_y = static_cast<unsigned>(args_.pieces);
  }
  if (args_.pieces > 1) {
    now.partial = launch.scratch(partial_);
    launch.run(totals_, grid, now);
    // Turns the totals into the sums or products before each piece.
    CumulateArgs sums{};
    sums.x = sums.y = now.partial;
    sums.lines = args_.lines;
    sums.size = args_.pieces;
    sums.inner = sums.pieces = sums.exclusive = 1;
    sums.product = args_.product;
    LaunchGrid lines;
    lines.blocks = grid.blocks;
    launch.run(of_partial_, lines, sums);
  }
  launch.run(kernel_, grid, now);
}

Cumulation scan_of(Plan& plan, int64_t count) {
  CumulateArgs args{};
  args.size = count;
  args.lines = args.inner = args.exclusive = 1;
  return {plan, PERCALE_DTYPE_I64, args};
}

void add_cumulate(Entries& entries) {
  for (const char* op : {"CumSum", "CumProd"}) entries.push_back({"cuda.cumulate", "", op, prepare_cumulate});
  entries.push_back({"cuda.product_grad", "percale", "CumProdGrad", prepare_product_grad});
}

}  // namespace percale::cuda

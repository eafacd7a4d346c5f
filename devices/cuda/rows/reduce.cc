// Sums, means, extremes and products over dims, and SumToShape, which reverses broadcasting.
#include <algorithm>

#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/walk.h"

namespace percale::cuda {
namespace {

// A sum is cut into pieces of at least kPiece elements, so that about kWanted threads have work.
constexpr int64_t kPiece = 2048, kWanted = 64 * 1024, kMostPieces = 256;

}  // namespace

Run reduce_dims(Plan& plan, ReduceOp op, const Operand& operand, const std::vector<bool>& reduced) {
  const percale_dtype dtype = operand.dtype;
  const Dims& x = operand.dims;
  const size_t input = operand.input, output = operand.output;
  const percale_dtype elements_of = dtype == PERCALE_DTYPE_BOOL ? PERCALE_DTYPE_U8 : dtype;
  refuse_if(dtype == PERCALE_DTYPE_I16 || dtype == PERCALE_DTYPE_U16, "does not support this element type");
  const Dims steps = row_major(x);
  Dims kept_dims, kept_steps, sum_dims, sum_steps;
  for (size_t d = 0; d < x.size(); ++d) {
    (reduced[d] ? sum_dims : kept_dims).push_back(x[d]);
    (reduced[d] ? sum_steps : kept_steps).push_back(steps[d]);
  }
  ReduceArgs args{};
  args.op = op;
  args.outputs = elements(kept_dims);
  args.count = elements(sum_dims);
  args.kept = make_walk<1>(kept_dims, {kept_steps});
  args.reduced = make_walk<1>(sum_dims, {sum_steps});
  const bool extreme = op == ReduceOp::kMax || op == ReduceOp::kMin;
  refuse_if(args.count == 0 && (extreme || op == ReduceOp::kMean), "a reduction of no elements is undefined here");

  // Accesses are contiguous when threads run along the innermost dim: `rows` if that dim is
  // reduced, columns if it is kept.
  const bool rows = args.reduced.rank > 0 && args.reduced.strides[0][args.reduced.rank - 1] == 1 && args.count >= 32;
  const int64_t busy = std::max<int64_t>(1, args.outputs * (rows ? std::min<int64_t>(args.count, 256) : 1));
  args.pieces = std::clamp<int64_t>(std::min(args.count / kPiece, kWanted / busy), 1, kMostPieces);
  const std::string name = suffix(elements_of);
  const DeviceKernel kernel{Family::reduce, (rows ? "percale_reduce_rows_" : "percale_reduce_columns_") + name};
  const DeviceKernel joining{Family::reduce, "percale_reduce_columns_" + name};
  const int64_t partial = args.pieces == 1 ? 0 : plan.book(args.outputs * args.pieces * 8);
  LaunchGrid grid = grid_for(args.outputs);
  if (rows) {
    // One warp for each output, or a block if there are more elements.
    const bool narrow = args.count <= 1024;
    grid.threads = narrow ? 32 : 256;
    grid.threads_y = narrow ? 8 : 1;
    grid.blocks =
        static_cast<unsigned>(std::clamp<int64_t>((args.outputs + grid.threads_y - 1) / grid.threads_y, 1, 65535));
  }
  grid.blocks_y = static_cast<unsigned>(args.pieces);
  return [=](const Launch& launch) {
    if (args.outputs == 0) return;
    ReduceArgs now = args;
    now.x = launch.in(input);
    now.y = launch.out(output);
    if (now.pieces > 1) now.partial = launch.scratch(partial);
    launch.run(kernel, grid, now);
    if (now.pieces == 1) return;
    now.last = 1;
    launch.run(joining, grid_for(args.outputs), now);
  };
}

namespace {

Run run_reduce(Plan& plan, ReduceOp op, const Dims& x, const std::vector<bool>& reduced) {
  return reduce_dims(plan, op, {plan.node().dtype(0), x, 0, 0}, reduced);
}

Run prepare_reduce(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const Dims axes = node.has(1) ? node.known_ints(1, "the axes") : Dims();
  std::vector<bool> reduced(x.size(), axes.empty() && node.attribute("noop_with_empty_axes", int64_t{0}) == 0);
  for (int64_t axis : axes) reduced[node.place_of_dim(normal_axis(axis, x.size()))] = true;
  refuse_if(node.shows_channels_last() && node.attribute("keepdims", int64_t{1}) == 0 && !reduced.back() &&
                std::find(reduced.begin() + 1, reduced.end() - 1, false) != reduced.end() - 1,
            "the result would be channels-last with another rank");
  const std::string_view op = node.op();
  const ReduceOp code = op == "ReduceSum"    ? ReduceOp::kSum
                        : op == "ReduceMean" ? ReduceOp::kMean
                        : op == "ReduceMax"  ? ReduceOp::kMax
                        : op == "ReduceMin"  ? ReduceOp::kMin
                                             : ReduceOp::kProd;
  return run_reduce(plan, code, x, reduced);
}

Run prepare_sum_to_shape(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0), y = node.output_dims();
  std::vector<bool> reduced(x.size());
  for (size_t d = 0; d < x.size(); ++d) {
    const size_t lead = x.size() - y.size();
    reduced[d] = d < lead || (y[d - lead] == 1 && x[d] != 1);
  }
  return run_reduce(plan, ReduceOp::kSum, x, reduced);
}

// GlobalAveragePool and GlobalMaxPool reduce all dims except batch and channels.
Run prepare_global_pool(Plan& plan) {
  const Dims x = plan.node().dims(0);
  std::vector<bool> reduced(x.size(), true);
  reduced[0] = reduced[plan.node().place_of_dim(1)] = false;
  const bool maximum = plan.node().op() == "GlobalMaxPool";
  return run_reduce(plan, maximum ? ReduceOp::kMax : ReduceOp::kMean, x, reduced);
}

}  // namespace

void add_reduce(Entries& entries) {
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"}) {
    entries.push_back({"cuda.reduce", "", op, prepare_reduce, 1});
  }
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool"}) {
    entries.push_back({"cuda.reduce", "", op, prepare_global_pool, 1});
  }
  entries.push_back({"cuda.reduce", "percale", "SumToShape", prepare_sum_to_shape, 1});
}

}  // namespace percale::cuda

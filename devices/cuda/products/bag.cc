// EmbeddingBag and the gradient of its rows.
#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

// Reads the operands from input `table` on: table, indices, offsets, weights.
BagArgs bag_args(const Node& node, size_t table) {
  const Dims rows = node.dims(table), indices = node.dims(table + 1);
  const std::string_view mode = node.attribute("mode", std::string_view("mean"));
  BagArgs args{};
  args.rows = rows[0];
  args.width = rows[1];
  args.count = elements(indices);
  args.padding = node.attribute("padding_idx", int64_t{-1});
  args.mode = mode == "sum" ? BagMode::kSum : mode == "mean" ? BagMode::kMean : BagMode::kMax;
  args.wide_indices = node.dtype(table + 1) == PERCALE_DTYPE_I64;
  if (node.has(table + 2)) {
    args.length = -1;
    args.wide_offsets = node.dtype(table + 2) == PERCALE_DTYPE_I64;
    args.ends = node.attribute("include_last_offset", int64_t{0}) != 0;
    args.bags = node.dims(table + 2)[0] - args.ends;
  } else {
    args.bags = indices[0];
    args.length = indices[1];
  }
  return args;
}

template <size_t kTable>
Run prepare_bags(Plan& plan) {
  const Node& node = plan.node();
  const BagArgs args = bag_args(node, kTable);
  const percale_dtype dtype = node.dtype(kTable);
  const DeviceKernel kernel{Family::index,
                            std::string(kTable == 0 ? "percale_bag_" : "percale_bag_rows_") + suffix(dtype)};
  const bool by_offsets = node.has(kTable + 2), weighted = node.has(kTable + 3);
  const int64_t bytes = elements(node.output_dims()) * item_bytes(dtype);
  return [=](const Launch& launch) {
    // Rows of padding and of no bag stay zero.
    if (kTable == 1 && bytes > 0) run_clear(launch, launch.out(0), bytes);
    if (args.bags * args.width == 0) return;
    BagArgs now = args;
    if (kTable == 1) now.grad = launch.in(0);
    now.table = launch.in(kTable);
    now.indices = launch.in(kTable + 1);
    if (by_offsets) now.offsets = launch.in(kTable + 2);
    if (weighted) now.weights = launch.in(kTable + 3);
    now.y = launch.out(0);
    now.errors = launch.errors();
    launch.run(kernel, grid_for(args.bags * args.width), now);
  };
}

}  // namespace

void add_bag(Entries& entries) {
  entries.push_back({"cuda.bag", "percale", "EmbeddingBag", prepare_bags<0>});
  entries.push_back({"cuda.bag_rows", "percale", "EmbeddingBagRows", prepare_bags<1>});
}

}  // namespace percale::cuda

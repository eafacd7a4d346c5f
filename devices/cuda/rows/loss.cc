// BinaryCrossEntropyWithLogits and Huber. Their gradients are elementwise ops.
#include <algorithm>

#include "devices/cuda/kernels/common/row_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

constexpr int64_t kPiece = 1024, kMostPieces = 1024;

Run prepare_pair_loss(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  refuse_if(!is_float(dtype), "supports only floating-point types");
  const DeviceKernel kernel{Family::loss, std::string("percale_pair_loss_") + suffix(dtype)};
  const DeviceKernel join{Family::loss, "percale_pair_loss_join"};
  PairLossArgs args{};
  args.size = elements(node.dims(0));
  args.delta = node.attribute("delta", 1.0);
  args.huber = node.op() == "Huber";
  args.dtype = dtype;
  const std::string_view reduction = node.attribute("reduction", std::string_view("mean"));
  args.reduction = reduction == "none" ? 0 : reduction == "sum" ? 1 : 2;
  args.pieces = std::clamp<int64_t>(args.size / kPiece, 1, kMostPieces);
  const int64_t partial = args.reduction == 0 ? 0 : plan.book(args.pieces * 8);
  Grid grid = grid_for(args.size);
  if (args.reduction != 0) grid.blocks = static_cast<unsigned>(args.pieces);
  return [=](const Launch& launch) {
    PairLossArgs now = args;
    now.x = launch.in(0);
    now.target = launch.in(1);
    now.y = launch.out(0);
    if (args.reduction != 0) now.partial = launch.scratch(partial);
    if (args.size > 0 || args.reduction != 0) launch.run(kernel, grid, now);
    if (args.reduction != 0) launch.run(join, Grid{}, now);
  };
}

}  // namespace

void add_loss(Entries& entries) {
  for (const char* op : {"BinaryCrossEntropyWithLogits", "Huber"}) {
    entries.push_back({"cuda.pair_loss", "percale", op, prepare_pair_loss});
  }
}

}  // namespace percale::cuda

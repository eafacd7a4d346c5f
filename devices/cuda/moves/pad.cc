// Pad and Tile, and the gradients of both.
#include <algorithm>
#include <numeric>

#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

PadMode mode_of(const Node& node) {
  const std::string_view mode = node.attribute("mode", std::string_view("constant"));
  if (mode == "constant") return PadMode::kConstant;
  if (mode == "reflect") return PadMode::kReflect;
  refuse_if(mode != "edge" && mode != "wrap", "unknown mode");
  return mode == "edge" ? PadMode::kEdge : PadMode::kWrap;
}

// Returns the padding before each dim. Inputs 1 and 3 hold the pads and, optionally, the axes.
Dims before_of(const Node& node, size_t rank) {
  const Dims pads = node.known_ints(1, "the pads");
  Dims axes(rank), before(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has(3)) axes = node.known_ints(3, "the axes");
  for (size_t i = 0; i < axes.size(); ++i) before[normal_axis(axes[i], rank)] = pads[i];
  return before;
}

PadArgs pad_args(PadMode mode, const Dims& small, const Dims& large, const Dims& before) {
  PadArgs args{};
  args.rank = static_cast<int32_t>(large.size());
  args.mode = mode;
  std::copy(small.begin(), small.end(), args.small);
  std::copy(large.begin(), large.end(), args.large);
  std::copy(before.begin(), before.end(), args.before);
  return args;
}

// Fills the larger tensor from the smaller one. If `value`, input 2 is the constant.
Run run_pad(const Node& node, PadArgs args, bool value) {
  args.size = elements(node.output_dims());
  const DeviceKernel kernel{Family::pad, "percale_pad_" + std::to_string(item_bytes(node.dtype(0)))};
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    PadArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    if (value) now.value = launch.in(2);
    launch.run(kernel, grid_for(args.size), now);
  };
}

// Sums the larger tensor back into the smaller one.
Run run_sum(const Node& node, PadArgs args) {
  args.size = elements(node.output_dims());
  const DeviceKernel kernel{Family::pad, std::string("percale_pad_sum_") + suffix(node.dtype(0))};
  return [=](const Launch& launch) {
    if (args.size == 0) return;
    PadArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    launch.run(kernel, grid_for(args.size), now);
  };
}

Run prepare_pad(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  return run_pad(node, pad_args(mode_of(node), x, node.output_dims(), before_of(node, x.size())), node.has(2));
}

Run prepare_pad_grad(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.output_dims();
  return run_sum(node, pad_args(mode_of(node), x, node.dims(0), before_of(node, x.size())));
}

Run prepare_tile(Plan& plan) {
  const Node& node = plan.node();
  return run_pad(node, pad_args(PadMode::kWrap, node.dims(0), node.output_dims(), Dims()), false);
}

Run prepare_tile_grad(Plan& plan) {
  const Node& node = plan.node();
  return run_sum(node, pad_args(PadMode::kWrap, node.output_dims(), node.dims(0), Dims()));
}

}  // namespace

void add_pad(Entries& entries) {
  entries.push_back({"cuda.pad", "", "Pad", prepare_pad});
  entries.push_back({"cuda.pad", "", "Tile", prepare_tile});
  entries.push_back({"cuda.pad_grad", "percale", "PadGrad", prepare_pad_grad});
  entries.push_back({"cuda.pad_grad", "percale", "TileGrad", prepare_tile_grad});
}

}  // namespace percale::cuda

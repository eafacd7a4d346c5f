// Col2Im.
#include <algorithm>

#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

Run prepare_col2im(Plan& plan) {
  const Node& node = plan.node();
  const Dims image = node.known_ints(1, "the dims of images"), block = node.known_ints(2, "the dims of blocks"),
             y = node.output_dims();
  const size_t rank = image.size();
  refuse_if(rank > kMostFoldDims, "images of more than six dims are not supported");
  Dims strides = node.attribute("strides", Dims()), dilations = node.attribute("dilations", Dims()),
       pads = node.attribute("pads", Dims());
  strides.resize(rank, 1);
  dilations.resize(rank, 1);
  pads.resize(2 * rank, 0);
  Col2ImArgs args{};
  args.rank = static_cast<int32_t>(rank);
  args.planes = y[0] * y[1];
  args.pixels = elements(image);
  args.taps = elements(block);
  args.positions = node.dims(0)[2];
  for (size_t d = 0; d < rank; ++d) {
    args.image[d] = image[d];
    args.block[d] = block[d];
    args.stride[d] = strides[d];
    args.dilation[d] = dilations[d];
    args.pad[d] = pads[d];
    const int64_t room = image[d] + pads[d] + pads[rank + d] - (block[d] - 1) * dilations[d] - 1;
    args.windows[d] = room / strides[d] + 1;
  }
  const DeviceKernel kernel{Family::fold, std::string("percale_col2im_") + suffix(node.dtype(0))};
  const int64_t size = args.planes * args.pixels;
  return [=](const Launch& launch) {
    if (size == 0) return;
    Col2ImArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    launch.run(kernel, grid_for(size), now);
  };
}

}  // namespace

void add_fold(Entries& entries) { entries.push_back({"cuda.col2im", "", "Col2Im", prepare_col2im}); }

}  // namespace percale::cuda

// Reverses rows of sequences, and writes rows into a cache.
#include <algorithm>

#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

// Splits rows of `bytes` into the largest units that divide them, and selects the kernel for that
// unit.
struct Pieces {
  Pieces(const char* name, int64_t bytes) {
    int64_t unit = 8;
    while (bytes % unit != 0) unit /= 2;
    inner = bytes / unit;
    kernel = {Family::sequence, std::string("percale_") + name + '_' + std::to_string(unit)};
  }
  int64_t inner;  // units in a row
  DeviceKernel kernel;
};

int64_t product(const Dims& dims, size_t from, size_t to) {
  int64_t out = 1;
  for (size_t d = from; d < to; ++d) out *= dims[d];
  return out;
}

Run prepare_reverse_sequence(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const Pieces pieces("reverse", product(x, 2, x.size()) * item_bytes(node.dtype(0)));
  ReverseArgs args{};
  args.first = x[0];
  args.second = x[1];
  args.inner = pieces.inner;
  args.time_first = node.attribute("time_axis", int64_t{0}) == 0 ? 1 : 0;
  const int64_t size = std::max(args.first * args.second * args.inner, elements(node.dims(1)));
  return [=, kernel = pieces.kernel](const Launch& launch) {
    if (size == 0) return;
    ReverseArgs now = args;
    now.x = launch.in(0);
    now.lengths = launch.in(1);
    now.y = launch.out(0);
    now.errors = launch.errors();
    launch.run(kernel, grid_for(size), now);
  };
}

Run prepare_tensor_scatter(Plan& plan) {
  const Node& node = plan.node();
  const Dims cache = node.dims(0);
  const size_t axis = normal_axis(node.attribute("axis", int64_t{-2}), cache.size());
  const int64_t item = item_bytes(node.dtype(0)), bytes = elements(cache) * item;
  const Pieces pieces("tensor_scatter", product(cache, axis + 1, cache.size()) * item);
  TensorScatterArgs args{};
  args.batch = cache[0];
  args.middle = product(cache, 1, axis);
  args.cache = cache[axis];
  args.update = node.dims(1)[axis];
  args.inner = pieces.inner;
  args.circular = node.attribute("mode", std::string_view("linear")) == "circular" ? 1 : 0;
  const bool has_places = node.has(2);
  const int64_t size = std::max(args.batch * args.middle * args.update * args.inner, has_places ? args.batch : 0);
  return [=, kernel = pieces.kernel](const Launch& launch) {
    run_move(launch, launch.out(0), launch.in(0), bytes);
    if (size == 0) return;
    TensorScatterArgs now = args;
    now.updates = launch.in(1);
    if (has_places) now.places = launch.in(2);
    now.y = launch.out(0);
    now.errors = launch.errors();
    launch.run(kernel, grid_for(size), now);
  };
}

}  // namespace

void add_sequence(Entries& entries) {
  entries.push_back({"cuda.reverse_sequence", "", "ReverseSequence", prepare_reverse_sequence});
  entries.push_back({"cuda.tensor_scatter", "", "TensorScatter", prepare_tensor_scatter});
}

}  // namespace percale::cuda

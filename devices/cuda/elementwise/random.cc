// Random numbers and dropout with the library's keys and counters, so that a node draws the same
// numbers on every kind of device.
#include <bit>

#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

// The node's part of the key. ONNX's random ops have float seeds; their bits are the seed.
struct Stream {
  uint64_t seed, id;
};
Stream stream_of(const Node& node) {
  const int64_t seed =
      node.has_int("seed") ? node.attribute("seed", int64_t{0}) : std::bit_cast<int64_t>(node.attribute("seed", 0.0));
  return {static_cast<uint64_t>(seed), static_cast<uint64_t>(node.attribute("id", int64_t{0}))};
}

// Rows run along the first dim.
struct Rows {
  int64_t count = 1, size = 1;
};
Rows rows_of(const Dims& dims) {
  if (dims.empty()) return {};
  return {dims[0], elements(Dims(dims.begin() + 1, dims.end()))};
}

Run prepare_random(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.output_dtype();
  refuse_if(!is_float(dtype), "does not support this element type");
  const Rows rows = rows_of(node.output_dims());
  const Stream stream = stream_of(node);
  const DeviceKernel kernel{Family::random, std::string("percale_random_") + suffix(dtype)};
  RandomArgs args{};
  args.rows = rows.count;
  args.row_size = rows.size;
  args.seed = stream.seed;
  args.id = stream.id;
  args.low = node.attribute("low", 0.0);
  args.high = node.attribute("high", 1.0);
  args.mean = node.attribute("mean", 0.0);
  args.scale = node.attribute("scale", 1.0);
  args.normal = node.op().starts_with("RandomNormal");
  const int64_t each = dtype == PERCALE_DTYPE_F64 ? 2 : 4;
  const LaunchGrid grid = grid_for(rows.count * ((rows.size + each - 1) / each));
  return [=](const Launch& launch) {
    if (args.rows * args.row_size == 0) return;
    RandomArgs now = args;
    now.y = launch.out(0);
    now.draw = launch.draw();
    launch.run(kernel, grid, now);
  };
}

Run prepare_dropout(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype dtype = node.dtype(0);
  refuse_if(!is_float(dtype) || (node.has(1) && !is_float(node.dtype(1))), "does not support this element type");
  const Rows rows = rows_of(node.dims(0));
  const Stream stream = stream_of(node);
  const DeviceKernel kernel{Family::random, std::string("percale_dropout_") + suffix(dtype)};
  DropoutArgs args{};
  args.rows = rows.count;
  args.row_size = rows.size;
  args.seed = stream.seed;
  args.id = stream.id;
  const bool ratio = node.has(1), training = node.has(2), mask = node.gives(1);
  if (ratio) args.ratio_dtype = node.dtype(1);
  const LaunchGrid grid = grid_for(rows.count * ((rows.size + 3) / 4));
  return [=](const Launch& launch) {
    if (args.rows * args.row_size == 0) return;
    DropoutArgs now = args;
    now.x = launch.in(0);
    if (ratio) now.ratio = launch.in(1);
    if (training) now.training = launch.in(2);
    now.y = launch.out(0);
    if (mask) now.mask = launch.out(1);
    now.draw = launch.draw();
    now.errors = launch.errors();
    launch.run(kernel, grid, now);
  };
}

}  // namespace

void add_random(Entries& entries) {
  for (const char* op : {"RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike"}) {
    entries.push_back({"cuda.random", "", op, prepare_random});
  }
  for (const char* op : {"RandomUniform", "RandomNormal"}) {
    entries.push_back({"cuda.random", "percale", op, prepare_random});
  }
  entries.push_back({"cuda.dropout", "", "Dropout", prepare_dropout});
}

}  // namespace percale::cuda

// Kernels that move elements: transpose, repeat, slice, concatenate, and views that are run as
// nodes.
#include <algorithm>
#include <numeric>

#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/walk.h"

namespace percale::cuda {
namespace {

// Returns the kernel `name` for elements of `bytes` bytes, whatever their type.
DeviceKernel by_size(const char* name, int64_t bytes) {
  return {Family::layout, std::string("percale_") + name + "_" + std::to_string(bytes)};
}

// Copies everything unchanged: Identity, Reshape and similar ops. The library rarely gives their
// outputs separate memory.
Run prepare_view(Plan& plan) {
  const Node& node = plan.node();
  const int64_t bytes = bytes_of(node.dtype(0), elements(node.dims(0)));
  return [=](const Launch& launch) { run_move(launch, launch.out(0), launch.in(0), bytes); };
}

// Copies x, whose strides are given over the dims of y, into a row-major y.
Run run_gather(const Node& node, const Dims& y, const Dims& x_strides, int64_t x_offset) {
  const int64_t bytes = item_bytes(node.dtype(0));
  CopyArgs args{};
  args.size = elements(y);
  args.walk = make_walk<2>(y, {x_strides, row_major(y)});
  return [=](const Launch& launch) {
    CopyArgs now = args;
    now.x = launch.in(0) + x_offset * bytes;
    now.y = launch.out(0);
    run_copy(launch, bytes, now);
  };
}

Run prepare_expand(Plan& plan) {
  const Node& node = plan.node();
  return run_gather(node, node.output_dims(), broadcast_strides(node.dims(0), node.output_dims()), 0);
}

// Computes y [batch, columns, rows] = x [batch, rows, columns].
Run run_transpose(int64_t bytes, int64_t batch, int64_t rows, int64_t columns) {
  TransposeArgs args{};
  args.batch = batch;
  args.rows = rows;
  args.columns = columns;
  const DeviceKernel kernel = by_size("transpose", bytes);
  Grid grid;
  grid.threads = 32;
  grid.threads_y = 8;
  const int64_t count = batch * ((rows + 31) / 32) * ((columns + 31) / 32);
  grid.blocks = static_cast<unsigned>(std::clamp<int64_t>(count, 1, 1 << 20));
  return [=](const Launch& launch) {
    if (count == 0) return;
    TransposeArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    launch.run(kernel, grid, now);
  };
}

// True if a Transpose converts images between the library's order and channels last without moving
// data, because one side already has that layout.
bool is_between_orders(Plan& plan, const Dims& perm) {
  const Node& node = plan.node();
  if (perm.size() < 3) return false;
  Dims last(perm.size());  // the permutation that puts channels last
  std::iota(last.begin(), last.end(), 0);
  last = channels_last(last, last.size());
  if (perm == last) return node.has_channels_last(0) && plan.want_channels_last(0);
  Dims first(perm.size());
  for (size_t d = 0; d < last.size(); ++d) first[static_cast<size_t>(last[d])] = static_cast<int64_t>(d);
  const percale_dtype dtype = node.dtype(0);
  // Convolutions of these types use channels last.
  const bool half = dtype == PERCALE_DTYPE_F16 || dtype == PERCALE_DTYPE_BF16;
  return perm == first && half && plan.has_dnn() && !node.has_channels_last(0) &&
         plan.want_channels_last(node.inputs());
}

// Uses tiles if two groups of neighbouring dims are swapped, possibly behind unchanged dims.
Run prepare_transpose(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0), steps = row_major(x);
  Dims perm(x.size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  perm = node.attribute("perm", perm);
  if (is_between_orders(plan, perm)) return prepare_view(plan);
  Dims y, y_steps;
  for (int64_t p : perm) {
    y.push_back(x[static_cast<size_t>(p)]);
    y_steps.push_back(steps[static_cast<size_t>(p)]);
  }
  const auto walk = make_walk<2>(y, {y_steps, row_major(y)});
  const int64_t bytes = item_bytes(node.dtype(0));
  const int rank = walk.rank;
  // In the last two dims of y, rows of x are contiguous along the second last.
  const bool tiles = (rank == 2 || rank == 3) && walk.strides[0][rank - 2] == 1 &&
                     walk.strides[0][rank - 1] == walk.dims[rank - 2] &&
                     (rank == 2 || walk.strides[0][0] == walk.dims[1] * walk.dims[2]);
  if (!tiles) return run_gather(node, y, y_steps, 0);
  return run_transpose(bytes, rank == 3 ? walk.dims[0] : 1, walk.dims[rank - 1], walk.dims[rank - 2]);
}

// Converts images between the library's order and channels last.
Run prepare_reorder(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const int64_t bytes = item_bytes(node.dtype(0));
  const bool from = node.has_channels_last(0), to = node.gives_channels_last(0);
  if (from == to) return prepare_view(plan);
  const int64_t places = elements(Dims(x.begin() + 2, x.end()));
  return run_transpose(bytes, x[0], from ? places : x[1], from ? x[1] : places);
}

// The walk of Slice over a tensor of `whole` dims that gives one of `part` dims: the offset of the
// first element, and the stride of each dim. The inputs from `first` on are starts, ends, axes and
// steps.
struct SliceWalk {
  int64_t offset;
  Dims strides;
};
SliceWalk slice_walk(const Node& node, const Dims& whole, const Dims& part, size_t first) {
  const Dims own = row_major(whole);
  const Dims starts = node.known_ints(first, "starts");
  Dims axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has(first + 2)) axes = node.known_ints(first + 2, "axes");
  const Dims by = node.has(first + 3) ? node.known_ints(first + 3, "steps") : Dims(starts.size(), 1);
  SliceWalk out{0, own};
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t axis = normal_axis(axes[i], whole.size());
    const int64_t size = whole[axis];
    int64_t start = starts[i] < 0 ? starts[i] + size : starts[i];
    start =
        by[i] < 0 ? std::clamp<int64_t>(start, 0, std::max<int64_t>(size - 1, 0)) : std::clamp<int64_t>(start, 0, size);
    if (part[axis] > 0) out.offset += start * own[axis];
    // A single element needs no stride, however large the step is.
    out.strides[axis] = part[axis] > 1 ? own[axis] * by[i] : 0;
  }
  return out;
}

Run prepare_slice(Plan& plan) {
  const Node& node = plan.node();
  const Dims y = node.output_dims();
  const SliceWalk walk = slice_walk(node, node.dims(0), y, 1);
  return run_gather(node, y, walk.strides, walk.offset);
}

Run prepare_slice_grad(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.output_dims(), part = node.dims(0);
  const SliceWalk walk = slice_walk(node, x, part, 2);
  const int64_t bytes = item_bytes(node.dtype(0)), total = elements(x) * bytes;
  CopyArgs args{};
  args.size = elements(part);
  args.walk = make_walk<2>(part, {row_major(part), walk.strides});
  return [=, offset = walk.offset](const Launch& launch) {
    run_clear(launch, launch.out(0), total);
    CopyArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0) + offset * bytes;
    run_copy(launch, bytes, now);
  };
}

// Returns the walk over the part with the dims `part` of a tensor of `whole` dims. The pointers
// include its offset.
CopyArgs part_walk(const Dims& whole, const Dims& part, bool into) {
  CopyArgs args{};
  args.size = elements(part);
  const Dims in_whole = row_major(whole), own = row_major(part);
  args.walk = into ? make_walk<2>(part, {own, in_whole}) : make_walk<2>(part, {in_whole, own});
  return args;
}

Run prepare_concat(Plan& plan) {
  const Node& node = plan.node();
  const Dims y = node.output_dims();
  const size_t axis = node.place_of_dim(normal_axis(node.attribute("axis", int64_t{0}), y.size()));
  const int64_t bytes = item_bytes(node.dtype(0)), step = row_major(y)[axis];
  std::vector<CopyArgs> parts;
  std::vector<int64_t> offsets;
  int64_t offset = 0;
  for (size_t i = 0; i < node.inputs(); ++i) {
    const Dims x = node.dims(i);
    parts.push_back(part_walk(y, x, true));
    offsets.push_back(offset * step * bytes);
    offset += x[axis];
  }
  return [=](const Launch& launch) {
    for (size_t i = 0; i < parts.size(); ++i) {
      CopyArgs now = parts[i];
      now.x = launch.in(i);
      now.y = launch.out(0) + offsets[i];
      run_copy(launch, bytes, now);
    }
  };
}

Run prepare_split(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const size_t axis = node.place_of_dim(normal_axis(node.attribute("axis", int64_t{0}), x.size()));
  const int64_t bytes = item_bytes(node.dtype(0)), step = row_major(x)[axis];
  std::vector<CopyArgs> parts;
  std::vector<int64_t> offsets;
  int64_t offset = 0;
  for (size_t k = 0; k < node.outputs(); ++k) {
    refuse_if(!node.gives(k), "all outputs must be requested");
    const Dims y = node.output_dims(k);
    parts.push_back(part_walk(x, y, false));
    offsets.push_back(offset * step * bytes);
    offset += y[axis];
  }
  return [=](const Launch& launch) {
    for (size_t k = 0; k < parts.size(); ++k) {
      CopyArgs now = parts[k];
      now.x = launch.in(0) + offsets[k];
      now.y = launch.out(k);
      run_copy(launch, bytes, now);
    }
  };
}

}  // namespace

void run_copy(const Launch& launch, int64_t item_bytes, const CopyArgs& args) {
  if (args.size > 0) launch.run(by_size("copy", item_bytes), grid_for(args.size), args);
}

void run_move(const Launch& launch, Ptr to, Ptr from, int64_t bytes) {
  if (bytes == 0 || from.address == to.address) return;
  const Driver& driver = launch.stream().device().driver();
  driver.check(
      driver.cuMemcpyDtoDAsync_v2(to.address, from.address, static_cast<size_t>(bytes), launch.stream().handle()),
      "cuMemcpyDtoDAsync");
}

void run_clear(const Launch& launch, Ptr y, int64_t bytes) {
  if (bytes > 0) launch.stream().clear(y.address, static_cast<uint64_t>(bytes));
}

void add_layout(Entries& entries) {
  for (const char* op : {"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze"}) {
    entries.push_back({"cuda.view", "", op, prepare_view});
  }
  entries.push_back({"cuda.expand", "", "Expand", prepare_expand});
  entries.push_back({"cuda.transpose", "", "Transpose", prepare_transpose});
  entries.push_back({"cuda.reorder", "percale", "Reorder", prepare_reorder});
  entries.push_back({"cuda.slice", "", "Slice", prepare_slice});
  entries.push_back({"cuda.slice_grad", "percale", "SliceGrad", prepare_slice_grad});
  entries.push_back({"cuda.concat", "", "Concat", prepare_concat, kAllImages});
  entries.push_back({"cuda.split", "", "Split", prepare_split, 1});
}

}  // namespace percale::cuda

// Gathers elements by indices and scatters them: Gather and Scatter, their gradients, MaxUnpool,
// and sums of equal rows.
#include <algorithm>

#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/walk.h"
#include "devices/cuda/moves/sort.h"

namespace percale::cuda {
namespace {

// Returns the kernel `name` for elements of `bytes` bytes.
DeviceKernel by_size(const char* name, int64_t bytes) {
  return {Family::index, std::string("percale_") + name + "_" + std::to_string(bytes)};
}

int64_t product(const Dims& dims, size_t from, size_t to) {
  int64_t out = 1;
  for (size_t d = from; d < to; ++d) out *= dims[d];
  return out;
}

// Views the data as [outer, size, inner] around the axis, and counts the indices.
GatherArgs gather_args(const Node& node, const Dims& data) {
  const size_t axis = normal_axis(node.attribute("axis", int64_t{0}), data.size());
  GatherArgs args{};
  args.outer = product(data, 0, axis);
  args.size = data[axis];
  args.count = elements(node.dims(1));
  args.inner = product(data, axis + 1, data.size());
  args.wide = node.dtype(1) == PERCALE_DTYPE_I64;
  return args;
}

// Looks up elements of x by indices, with a kernel that computes `results` elements.
template <class Args>
Run look_up(const DeviceKernel& kernel, const Args& args, int64_t results) {
  return [=](const Launch& launch) {
    if (results == 0) return;
    Args now = args;
    now.x = launch.in(0);
    now.indices = launch.in(1);
    now.y = launch.out(0);
    now.errors = launch.errors();
    launch.run(kernel, grid_for(results), now);
  };
}

Run prepare_gather(Plan& plan) {
  const Node& node = plan.node();
  GatherArgs args = gather_args(node, node.dims(0));
  // The dims after the axis move in the largest units that divide them.
  int64_t bytes = args.inner * item_bytes(node.dtype(0)), unit = 8;
  if (args.outer * args.count * bytes == 0) return [](const Launch&) {};
  while (bytes % unit != 0) unit /= 2;
  args.inner = bytes / unit;
  return look_up(by_size("gather", unit), args, args.outer * args.count * args.inner);
}

// The offset in the data of index n of GatherElements and ScatterElements, except for the axis: the
// offset with 0 along the axis.
struct ElementsWalk {
  Walk<1> walk;
  int64_t size, step;
};
ElementsWalk elements_walk(const Node& node) {
  const Dims data = node.dims(0);
  const size_t axis = normal_axis(node.attribute("axis", int64_t{0}), data.size());
  Dims strides = row_major(data);
  const int64_t step = strides[axis];
  strides[axis] = 0;
  return {make_walk<1>(node.dims(1), {strides}), data[axis], step};
}

Run prepare_gather_elements(Plan& plan) {
  const Node& node = plan.node();
  const ElementsWalk at = elements_walk(node);
  GatherElementsArgs args{};
  args.count = elements(node.dims(1));
  args.size = at.size;
  args.step = at.step;
  args.wide = node.dtype(1) == PERCALE_DTYPE_I64;
  args.walk = at.walk;
  return look_up(by_size("gather_elements", item_bytes(node.dtype(0))), args, args.count);
}

TuplesArgs tuples_args(const Node& node, size_t batch) {
  const Dims data = node.dims(0), indices = node.dims(1);
  const auto length = static_cast<size_t>(indices.back());
  const Dims dims(data.begin() + static_cast<ptrdiff_t>(batch), data.begin() + static_cast<ptrdiff_t>(batch + length));
  const Dims strides = row_major(dims);
  TuplesArgs args{};
  args.count = product(indices, 0, indices.size() - 1);
  args.batch = product(indices, batch, indices.size() - 1);
  args.slice = product(data, batch + length, data.size());
  args.slices = elements(dims);
  args.none = product(data, 0, batch) * args.slices;
  std::copy(dims.begin(), dims.end(), args.dims);
  std::copy(strides.begin(), strides.end(), args.strides);
  args.length = static_cast<int32_t>(length);
  return args;
}

Run prepare_gather_tuples(Plan& plan) {
  const Node& node = plan.node();
  const TuplesArgs args = tuples_args(node, static_cast<size_t>(node.attribute("batch_dims", int64_t{0})));
  return look_up(by_size("gather_tuples", item_bytes(node.dtype(0))), args, args.count * args.slice);
}

// ---- Scatters

DeviceKernel join_kernel(percale_dtype dtype) {
  return {Family::index, std::string("percale_join_") + suffix(dtype == PERCALE_DTYPE_BOOL ? PERCALE_DTYPE_U8 : dtype)};
}

// Returns the kernel that stores updates unchanged.
DeviceKernel put_kernel(percale_dtype dtype) {
  const int64_t bytes = item_bytes(dtype);
  return join_kernel(bytes == 1   ? PERCALE_DTYPE_U8
                     : bytes == 2 ? PERCALE_DTYPE_U16
                     : bytes == 4 ? PERCALE_DTYPE_U32
                                  : PERCALE_DTYPE_U64);
}

// The reduction of a node's updates, and the kernel that applies it.
struct Joining {
  JoinOp op;
  DeviceKernel kernel;
};
Joining joining_of(const Node& node) {
  const percale_dtype dtype = node.dtype(0);
  const std::string_view reduction = node.attribute("reduction", std::string_view("none"));
  if (reduction == "none") return {JoinOp::kPut, put_kernel(dtype)};
  const bool add = reduction == "add", mul = reduction == "mul", max = reduction == "max";
  refuse_if(!add && !mul && !max && reduction != "min", "unknown reduction");
  if (dtype == PERCALE_DTYPE_BOOL) return {add || max ? JoinOp::kMax : JoinOp::kMin, join_kernel(dtype)};
  return {add ? JoinOp::kAdd : mul ? JoinOp::kMul : max ? JoinOp::kMax : JoinOp::kMin, join_kernel(dtype)};
}

void run_join(const Launch& launch, const DeviceKernel& kernel, JoinArgs args, const Sort::Lists& sorted) {
  args.keys = sorted.keys;
  args.places = sorted.places;
  launch.run(kernel, grid_for(args.outer * args.count * args.width), args);
}

// Updates that are combined with the initial content of y: input 0, or zeros.
struct Updates {
  JoinArgs args;
  DeviceKernel kernel;
  size_t input;   // the index of the input with the updates
  bool copies;    // copies input 0 to y first
  int64_t bytes;  // of y
};

// Applies the updates. The kernel `name` computes their destinations from `keys` and the indices
// (input 1).
template <class Keys>
Run join_updates(Plan& plan, const char* name, const Keys& keys, const Updates& updates) {
  const auto begin = [=](const Launch& launch) {
    if (updates.copies) {
      run_move(launch, launch.out(0), launch.in(0), updates.bytes);
    } else {
      run_clear(launch, launch.out(0), updates.bytes);
    }
  };
  const JoinArgs& args = updates.args;
  if (args.outer * args.count * args.width == 0) return begin;
  const Sort sort(plan, args.count);
  const DeviceKernel keys_of{Family::index, name};
  return [=](const Launch& launch) {
    begin(launch);
    Keys first = keys;
    first.indices = launch.in(1);
    first.keys = sort.keys(launch);
    first.places = sort.places(launch);
    first.errors = launch.errors();
    JoinArgs now = updates.args;
    launch.run(keys_of, grid_for(now.count), first);
    now.updates = launch.in(updates.input);
    now.y = launch.out(0);
    run_join(launch, updates.kernel, now, sort.run(launch, static_cast<uint64_t>(now.none)));
  };
}

Run prepare_scatter_elements(Plan& plan) {
  const Node& node = plan.node();
  const int64_t total = elements(node.dims(0));
  const auto [op, kernel] = joining_of(node);
  const ElementsWalk at = elements_walk(node);
  KeysArgs keys{};
  keys.count = elements(node.dims(1));
  keys.size = at.size;
  keys.step = at.step;
  keys.none = total;
  keys.wide = node.dtype(1) == PERCALE_DTYPE_I64;
  keys.walk = at.walk;
  JoinArgs args{};
  args.outer = args.width = 1;
  args.count = keys.count;
  args.none = total;
  args.op = op;
  args.rounds = 1;
  return join_updates(plan, "percale_index_keys", keys, {args, kernel, 2, true, total * item_bytes(node.dtype(0))});
}

Run prepare_scatter_tuples(Plan& plan) {
  const Node& node = plan.node();
  const auto [op, kernel] = joining_of(node);
  const TuplesArgs tuples = tuples_args(node, 0);
  JoinArgs args{};
  args.outer = 1;
  args.count = tuples.count;
  args.width = tuples.slice;
  args.none = tuples.none;
  args.op = op;
  args.rounds = 1;
  const int64_t bytes = elements(node.dims(0)) * item_bytes(node.dtype(0));
  return join_updates(plan, "percale_tuple_keys", tuples, {args, kernel, 2, true, bytes});
}

Run prepare_gather_grad(Plan& plan) {
  const Node& node = plan.node();
  const Dims data = node.output_dims();
  const GatherArgs of = gather_args(node, data);
  KeysArgs keys{};
  keys.count = of.count;
  keys.size = keys.none = of.size;
  keys.step = 1;
  keys.wide = of.wide;
  JoinArgs args{};
  args.outer = of.outer;
  args.count = of.count;
  args.width = of.inner;
  args.y_step = of.size * of.inner;
  args.none = of.size;
  args.op = JoinOp::kAdd;
  args.fresh = args.rounds = 1;
  const int64_t bytes = elements(data) * item_bytes(node.dtype(0));
  return join_updates(plan, "percale_index_keys", keys, {args, join_kernel(node.dtype(0)), 0, false, bytes});
}

// Stores the elements of X in a Y of zeros, which may be larger than the tensor that the indices
// count. If several go to one element, the last one wins.
Run prepare_max_unpool(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0), y = node.output_dims(), kernel = node.attribute("kernel_shape", Dims());
  refuse_if(x.size() > static_cast<size_t>(kMaxDims), "more than eight dims are not supported");
  const size_t rank = x.size() - 2;
  Dims steps = node.attribute("strides", Dims()), pads = node.attribute("pads", Dims()), inner{x[0], x[1]};
  steps.resize(rank, 1);
  pads.resize(2 * rank, 0);
  for (size_t d = 0; d < rank; ++d) {
    inner.push_back(std::max<int64_t>(x[d + 2] - 1, 0) * steps[d] + kernel[d] - pads[d] - pads[rank + d]);
  }
  const Dims strides = row_major(y);
  UnpoolKeysArgs keys{};
  keys.count = elements(x);
  keys.size = elements(inner);
  keys.none = elements(y);
  keys.rank = static_cast<int32_t>(x.size());
  std::copy(inner.begin(), inner.end(), keys.inner);
  std::copy(strides.begin(), strides.end(), keys.strides);
  JoinArgs args{};
  args.outer = args.width = 1;
  args.count = keys.count;
  args.none = keys.none;
  args.op = JoinOp::kPut;
  args.fresh = 1;
  const int64_t bytes = elements(y) * item_bytes(node.dtype(0));
  return join_updates(plan, "percale_unpool_keys", keys, {args, put_kernel(node.dtype(0)), 0, false, bytes});
}

// Row numbers may be any i64 except the largest, which stands for no row.
Run prepare_sum_rows(Plan& plan) {
  const Node& node = plan.node();
  const Dims values = node.dims(1);
  const int64_t count = values[0], width = product(values, 1, values.size());
  const int64_t bytes = elements(values) * item_bytes(node.dtype(1));
  if (count == 0) return [](const Launch&) {};
  const DeviceKernel kernel = join_kernel(node.dtype(1)), heads{Family::index, "percale_heads"},
                     unique{Family::index, "percale_unique"}, keys_of{Family::index, "percale_index_keys"},
                     fill{Family::layout, "percale_fill_8"};
  const Sort sort(plan, count);
  const Cumulation scan = scan_of(plan, count);
  const int64_t numbers = plan.book(count * 8);
  KeysArgs keys{};
  keys.count = count;
  keys.none = INT64_MAX;
  keys.rows = 1;
  JoinArgs args{};
  args.outer = 1;
  args.count = count;
  args.width = width;
  args.none = INT64_MAX;
  args.op = JoinOp::kAdd;
  args.fresh = 1;
  return [=](const Launch& launch) {
    run_clear(launch, launch.out(1), bytes);
    launch.run(fill, grid_for(count), FillArgs{launch.out(0), count, ~uint64_t{0}});
    KeysArgs first = keys;
    first.indices = launch.in(0);
    first.keys = sort.keys(launch);
    first.places = sort.places(launch);
    launch.run(keys_of, grid_for(count), first);
    const Sort::Lists sorted = sort.run(launch, uint64_t{INT64_MAX});
    const HeadsArgs marks{sorted.keys, launch.scratch(numbers), launch.out(0), count, INT64_MAX};
    launch.run(heads, grid_for(count), marks);
    scan.run(launch, marks.numbers, marks.numbers);
    launch.run(unique, grid_for(count), marks);
    if (width == 0) return;
    JoinArgs now = args;
    now.numbers = marks.numbers;
    now.updates = launch.in(1);
    now.y = launch.out(1);
    run_join(launch, kernel, now, sorted);
  };
}

}  // namespace

void add_index(Entries& entries) {
  entries.push_back({"cuda.gather", "", "Gather", prepare_gather});
  entries.push_back({"cuda.gather_elements", "", "GatherElements", prepare_gather_elements});
  entries.push_back({"cuda.gather_nd", "", "GatherND", prepare_gather_tuples});
  entries.push_back({"cuda.scatter_elements", "", "ScatterElements", prepare_scatter_elements});
  entries.push_back({"cuda.scatter_nd", "", "ScatterND", prepare_scatter_tuples});
  entries.push_back({"cuda.gather_grad", "percale", "GatherGrad", prepare_gather_grad});
  entries.push_back({"cuda.max_unpool", "", "MaxUnpool", prepare_max_unpool});
  entries.push_back({"cuda.sum_rows", "percale", "SumRows", prepare_sum_rows});
}

}  // namespace percale::cuda

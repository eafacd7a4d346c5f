// The sort of keys, TopK, which uses it, and the indices of extremes.
#include "devices/cuda/moves/sort.h"

#include <algorithm>
#include <bit>

#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

Run prepare_top(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const percale_dtype dtype = node.dtype(0);
  const size_t axis = normal_axis(node.attribute("axis", int64_t{-1}), x.size());
  const Lines lines = lines_along(x, axis);
  const int64_t bytes = item_bytes(dtype), top = node.output_dims(0)[axis], count = lines.outer * lines.inner;
  if (count * top == 0) return [](const Launch&) {};
  const uint64_t greatest = greatest_key(dtype);
  const DeviceKernel keys{Family::sort, std::string("percale_line_keys_") + suffix(dtype)},
      take{Family::sort, "percale_take_top_" + std::to_string(bytes)};
  const Sort sort(plan, count * lines.size);
  LineKeysArgs args{};
  args.lines = count;
  args.size = lines.size;
  args.inner = lines.inner;
  args.largest = node.attribute("largest", int64_t{1}) != 0;
  return [=](const Launch& launch) {
    LineKeysArgs first = args;
    first.x = launch.in(0);
    first.keys = sort.keys(launch);
    first.places = sort.places(launch);
    launch.run(keys, grid_for(args.lines * args.size), first);
    const Sort::Lists sorted = sort.run_lines(launch, greatest, args.size);
    TopArgs last{};
    last.x = launch.in(0);
    last.places = sorted.places;
    last.values = launch.out(0);
    last.indices = launch.out(1);
    last.lines = args.lines;
    last.size = args.size;
    last.inner = args.inner;
    last.top = top;
    launch.run(take, grid_for(args.lines * top), last);
  };
}

Run prepare_arg_extreme(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const DeviceKernel kernel{Family::sort, std::string("percale_arg_extreme_") + suffix(node.dtype(0))};
  const Lines lines = lines_along(x, normal_axis(node.attribute("axis", int64_t{0}), x.size()));
  ArgExtremeArgs args{};
  args.lines = lines.outer * lines.inner;
  args.size = lines.size;
  args.inner = lines.inner;
  args.greatest = node.op() == "ArgMax";
  args.last = node.attribute("select_last_index", int64_t{0}) != 0;
  // If the elements of a line are contiguous, the threads share a line. Otherwise each thread takes
  // one of several neighbouring lines.
  LaunchGrid grid;
  grid.threads = lines.inner > 1 ? 1 : lines.size <= 1024 ? 32 : 256;
  grid.threads_y = 256 / grid.threads;
  grid.blocks =
      static_cast<unsigned>(std::clamp<int64_t>((args.lines + grid.threads_y - 1) / grid.threads_y, 1, 65535));
  return [=](const Launch& launch) {
    if (args.lines == 0) return;
    ArgExtremeArgs now = args;
    now.x = launch.in(0);
    now.y = launch.out(0);
    launch.run(kernel, grid, now);
  };
}

}  // namespace

Lines lines_along(const Dims& x, size_t axis) {
  const auto at = x.begin() + static_cast<ptrdiff_t>(axis);
  return {elements(Dims(x.begin(), at)), x.empty() ? 1 : x[axis], x.empty() ? 1 : elements(Dims(at + 1, x.end()))};
}

Sort::Sort(Plan& plan, int64_t count)
    : count_(count), tiles_((count + kSortTile - 1) / kSortTile), scan_(scan_of(plan, 256 * tiles_)) {
  for (int k = 0; k < 2; ++k) {
    keys_[k] = plan.book(count * 8);
    places_[k] = plan.book(count * 8);
  }
  counts_ = plan.book(256 * tiles_ * 8);
}

int Sort::run_passes(const Launch& launch, int from, uint64_t greatest, int64_t line) const {
  RadixArgs args{};
  args.counts = launch.scratch(counts_);
  args.count = count_;
  args.tiles = tiles_;
  args.line = line;
  LaunchGrid grid;
  grid.blocks = static_cast<unsigned>(std::min<int64_t>(tiles_, 65535));
  for (int shift = 0; shift < static_cast<int>(std::bit_width(greatest)); shift += 8) {
    args.shift = shift;
    args.keys = launch.scratch(keys_[from]);
    args.places = launch.scratch(places_[from]);
    from = 1 - from;
    args.new_keys = launch.scratch(keys_[from]);
    args.new_places = launch.scratch(places_[from]);
    launch.run(count_digits_, grid, args);
    scan_.run(launch, args.counts, args.counts);
    launch.run(move_, grid, args);
  }
  return from;
}

Sort::Lists Sort::run(const Launch& launch, uint64_t greatest) const {
  return lists(launch, run_passes(launch, 0, greatest, 0));
}

Sort::Lists Sort::run_lines(const Launch& launch, uint64_t greatest, int64_t line) const {
  const auto lines = static_cast<uint64_t>(count_ / line);
  return lists(launch, run_passes(launch, run_passes(launch, 0, greatest, 0), lines - 1, line));
}

// f16 and bf16 sort as f32.
uint64_t greatest_key(percale_dtype dtype) {
  return ~uint64_t{0} >> (64 - 8 * std::max<int64_t>(is_float(dtype) ? 4 : 1, item_bytes(dtype)));
}

void add_sort(Entries& entries) {
  entries.push_back({"cuda.top_k", "", "TopK", prepare_top});
  for (const char* op : {"ArgMax", "ArgMin"}) entries.push_back({"cuda.arg_extreme", "", op, prepare_arg_extreme});
}

}  // namespace percale::cuda

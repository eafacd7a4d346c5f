// Finds the elements that NonZero, Compress and Unique select, and counts them.
#include "devices/cuda/kernels/common/move_args.h"
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/moves/cumulate.h"
#include "devices/cuda/moves/sort.h"

namespace percale::cuda {
namespace {

percale_dtype as_number(percale_dtype dtype) { return dtype == PERCALE_DTYPE_BOOL ? PERCALE_DTYPE_U8 : dtype; }

Run prepare_places(Plan& plan) {
  const std::string type = suffix(as_number(plan.node().dtype(0)));
  const DeviceKernel mark{Family::sequence, "percale_mark_nonzero_" + type},
      write{Family::sequence, "percale_write_places_" + type};
  const int64_t count = elements(plan.node().dims(0)), before = plan.book(count * 8);
  const Cumulation scan = scan_of(plan, count);
  return [=](const Launch& launch) {
    if (count == 0) return run_clear(launch, launch.out(1), 8);
    const PlacesArgs args{launch.in(0), launch.scratch(before), launch.out(0), launch.out(1), count};
    launch.run(mark, grid_for(count), args);
    scan.run(launch, args.before, args.before);
    launch.run(write, grid_for(count), args);
  };
}

// Slices are sorted by one element after the other, in up to eight passes each. The host compares
// longer ones.
constexpr int64_t kMostSliceElements = 64;

Run prepare_distinct(Plan& plan) {
  const Node& node = plan.node();
  const Dims x = node.dims(0);
  const Lines along = node.has_int("axis") ? lines_along(x, normal_axis(node.attribute("axis", int64_t{0}), x.size()))
                                           : Lines{1, elements(x), 1};
  const int64_t count = along.size, length = along.outer * along.inner;
  if (count == 0) return [](const Launch& launch) { run_clear(launch, launch.out(3), 8); };
  refuse_if(length == 0 || length > kMostSliceElements, "supports slices of 1 to 64 elements");
  const percale_dtype dtype = as_number(node.dtype(0));
  const DeviceKernel keys{Family::sort, std::string("percale_slice_keys_") + suffix(dtype)},
      mark{Family::sort, std::string("percale_mark_slices_") + suffix(dtype)},
      note{Family::sequence, "percale_note_groups"}, write{Family::sequence, "percale_write_groups"};
  SlicesArgs slices{};
  DistinctArgs args{};
  slices.count = args.count = count;
  slices.inner = along.inner;
  slices.length = length;
  args.sorted = node.attribute("sorted", int64_t{1}) != 0;
  const uint64_t greatest = greatest_key(dtype);
  const Sort sort(plan, count);
  const Cumulation scan = scan_of(plan, count);
  const int64_t marks = plan.book(count * 8), before = plan.book(count * 8), begins = plan.book(count * 8);
  const int64_t first_before = args.sorted ? 0 : plan.book(count * 8);
  return [=](const Launch& launch) {
    SlicesArgs of = slices;
    of.x = launch.in(0);
    const auto write_keys = [&](int64_t element, const Sort::Lists& lists) {
      of.keys = lists.keys;
      of.places = lists.places;
      of.element = element;
      launch.run(keys, grid_for(count), of);
    };
    DistinctArgs now = args;
    of.places = now.places = sort.run_keys(launch, greatest, length, write_keys).places;
    of.marks = now.marks = launch.scratch(marks);
    now.before = launch.scratch(before);
    now.begins = launch.scratch(begins);
    now.first_before = launch.scratch(first_before);
    now.first = launch.out(0);
    now.inverse = launch.out(1);
    now.counts = launch.out(2);
    now.number = launch.out(3);
    launch.run(mark, grid_for(count), of);
    scan.run(launch, now.marks, now.before);
    launch.run(note, grid_for(count), now);
    if (!args.sorted) scan.run(launch, now.first_before, now.first_before);
    launch.run(write, grid_for(count), now);
  };
}

}  // namespace

void add_select(Entries& entries) {
  entries.push_back({"cuda.non_zero_places", "percale", "NonZeroPlaces", prepare_places});
  entries.push_back({"cuda.distinct", "percale", "DistinctSlices", prepare_distinct});
}

}  // namespace percale::cuda

// A stable sort of keys together with their places.
#ifndef PERCALE_DEVICES_CUDA_MOVES_SORT_H_
#define PERCALE_DEVICES_CUDA_MOVES_SORT_H_

#include "devices/cuda/launch/kernel.h"
#include "devices/cuda/moves/cumulate.h"

namespace percale::cuda {

// A tensor viewed as lines along an axis: [outer, size, inner].
struct Lines {
  int64_t outer, size, inner;
};
Lines lines_along(const Dims& x, size_t axis);

// Keys are u64, places i64. Both lists lie in scratch that the constructor books. There must be at
// least one key.
class Sort {
 public:
  Sort(Plan& plan, int64_t count);

  // The memory where keys and places must be stored before run().
  Ptr keys(const Launch& launch) const { return launch.scratch(keys_[0]); }
  Ptr places(const Launch& launch) const { return launch.scratch(places_[0]); }

  struct Lists {
    Ptr keys, places;
  };
  // Enqueues a sort by keys, which are at most `greatest`. Equal keys keep their order. Returns the
  // memory of the sorted lists.
  Lists run(const Launch& launch, uint64_t greatest) const;
  // Does the same with several keys for each place, of which the first one counts most. Beginning
  // with the last one, `write(k, lists)` enqueues what writes key k of each place to lists.keys.
  // For the last key it writes the places, too.
  template <class F>
  Lists run_keys(const Launch& launch, uint64_t greatest, int64_t keys, F&& write) const {
    int at = 0;
    for (int64_t k = keys - 1; k >= 0; --k) {
      write(k, lists(launch, at));
      at = run_passes(launch, at, greatest, 0);
    }
    return lists(launch, at);
  }
  // Does the same as run() for lists that consist of lines of `line` places each. Each line is
  // sorted by itself.
  Lists run_lines(const Launch& launch, uint64_t greatest, int64_t line) const;

 private:
  // Enqueues the passes over the bits of numbers up to `greatest`: the keys, or place / line if
  // `line` is not 0. The input is list `from` (0 or 1). Returns the list with the result.
  int run_passes(const Launch& launch, int from, uint64_t greatest, int64_t line) const;
  Lists lists(const Launch& launch, int at) const { return {launch.scratch(keys_[at]), launch.scratch(places_[at])}; }

  const DeviceKernel count_digits_{Family::sort, "percale_radix_count"}, move_{Family::sort, "percale_radix_move"};
  int64_t count_, tiles_, counts_;
  int64_t keys_[2], places_[2];
  Cumulation scan_;
};

// The greatest key of an element of a type. Keys sort as the elements do.
uint64_t greatest_key(percale_dtype dtype);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_MOVES_SORT_H_

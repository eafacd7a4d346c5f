// A stable sort of keys with their places, for kernels that need an order.
#ifndef PERCALE_DEVICES_CUDA_MOVES_SORT_H_
#define PERCALE_DEVICES_CUDA_MOVES_SORT_H_

#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// Keys are u64, places i64; both lists stand in the scratch that the constructor books. At least one key.
class Sort {
 public:
  Sort(Plan& plan, int64_t count);

  // Where the keys and places are put before run().
  Ptr keys(const Launch& launch) const { return launch.scratch(keys_[0]); }
  Ptr places(const Launch& launch) const { return launch.scratch(places_[0]); }

  struct Lists {
    Ptr keys, places;
  };
  // Enqueues the sort by the keys, which are at most `greatest`; of equal ones the order stays. Where the sorted lists then stand.
  Lists run(const Launch& launch, uint64_t greatest) const;
  // The same for lists that are lines of `line` places each: the lines one after the other, each of them sorted.
  Lists run_lines(const Launch& launch, uint64_t greatest, int64_t line) const;

 private:
  // Passes over the bits of numbers up to `greatest`: of keys, or where `line` is not 0 of place / line. From list 0 or 1; which of
  // them has the result.
  int run_passes(const Launch& launch, int from, uint64_t greatest, int64_t line) const;

  int64_t count_, tiles_, counts_;
  int64_t keys_[2], places_[2];
};

// Each of `count` i64 numbers replaced by the sum of those before it.
void run_scan(const Launch& launch, Ptr numbers, int64_t count);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_MOVES_SORT_H_

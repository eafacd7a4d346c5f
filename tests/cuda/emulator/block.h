// Runs the threads of a block, one after the other as far as they do not wait for each other.
#ifndef PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_
#define PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "tests/cuda/emulator/shim.h"

namespace percale_emulator {

using Kernel = void (*)(const void* arguments);

// In which order blocks are run, and the warps of one and their lanes between barriers: 0 as they are counted, 1 from the last to the first, else
// by chance, this being the seed. A GPU promises none, so that what depends on it is a race.
void set_order(uint64_t order);

// Runs one grid. Empty, or what the kernel does wrong. One grid at a time in the process.
std::string run_grid(Kernel kernel, const void* arguments, EmulatedDim3 grid, EmulatedDim3 block,
                     unsigned shared_bytes);

// A kernel's own complaint, such as an address that is no memory: noted, and told by run_grid().
void complain(const std::string& what);

}  // namespace percale_emulator

#endif  // PERCALE_TESTS_CUDA_EMULATOR_BLOCK_H_
